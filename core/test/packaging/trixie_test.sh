#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# In a fresh Debian 13, from nothing:
#   - `make` as a user who is not root and has no sudo names the packages to install; with them, `make` and `make check`
#     work for that user, in a folder with a space in its name;
#   - Debian 13's FFmpeg builds with our patches, and its filters give the command's scores;
#   - -Dvulkan_vma=enabled, with the allocator of libvulkan-memory-allocator-dev: the tests of the Vulkan backend;
#   - Mesa 25, whose lavapipe imports dma-bufs: the same tests must have imported some;
#   - RADV of Mesa 25, which knows AMD's newer chips: every kernel is compiled for each generation. The table of registers
#     goes to WORKDIR/registers.md.
#
# usage: trixie_test.sh TREE WORKDIR [RELEASE]
set -eu
tree=$1 release=${3:-trixie}
work=$2/trixie
root=$work/root
src='/home/someone/vmaf turbo'

skip()
{
    echo "skipped: nothing was tried in Debian 13: $*"
    exit 77
}

[ "$(id -u)" = 0 ] || skip 'needs root'
command -v mmdebstrap > /dev/null || skip 'needs mmdebstrap'
unshare --mount true 2> /dev/null || skip 'needs the right to mount'
# Does not remove file systems that are mounted inside the new system: they do not belong to the test.
clean_up()
{
    rm -rf --one-file-system "$work"
}
clean_up
mkdir -p "$work"
trap clean_up EXIT

# Runs a command in the new system. Its mounts end with the command.
inside()
{
    unshare --mount sh -c 'root=$1; shift
        mount -t proc proc "$root/proc" && mount -t sysfs sysfs "$root/sys" && mount --rbind /dev "$root/dev" || exit 1
        exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive "$@"' sh "$root" "$@"
}
install()
{
    inside apt-get install -qq -y --no-install-recommends "$@" > "$work/log" 2>&1 ||
        { tail -n 20 "$work/log"; skip "no packages of $release to be had"; }
}
as_user()
{
    inside setpriv --reuid=someone --regid=someone --init-groups env HOME=/home/someone sh -c 'cd "$0" && exec "$@"' \
        "$src" "$@"
}
# Runs a command as that user. If it fails, shows what failing tests printed, which Meson frames with lines, and the end of
# what it said.
must()
{
    as_user "$@" > "$work/log" 2>&1 && return
    sed -n '/✀/,/^\(―\)*$/p' "$work/log" | head -n 200
    tail -n 60 "$work/log"
    echo "failed in $release: $*"
    exit 1
}
since=$(date +%s)
done_with()
{
    echo "$1 ($(($(date +%s) - since)) s)"
    since=$(date +%s)
}

# Packages come from where this machine has its own.
mirror=$(cat /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2> /dev/null |
    grep -Eo 'https?://[^ ]*/debian/?( |$)' | head -n 1)
mmdebstrap --quiet --variant=minbase --include=make "$release" "$root" ${mirror:+"$mirror"} || skip "no $release to be had"
inside apt-get update -qq > "$work/log" 2>&1 || skip "no packages of $release to be had"
inside useradd --create-home someone
mkdir "$root$src"
(cd "$tree" && git ls-files -z | tar --null --files-from=- -cf -) | tar -C "$root$src" -xf -
inside chown -R someone: /home/someone
done_with "a new $release"

# ---- as a user, from nothing ----

if as_user make > "$work/log" 2>&1; then
    cat "$work/log"
    echo 'make does not fail although there is no compiler'
    exit 1
fi
sed -n 's/^ *apt-get install --no-install-recommends //p' "$work/log" > "$work/packages"
[ "$(wc -l < "$work/packages")" = 2 ] || { cat "$work/log"; echo 'make does not name the packages to install'; exit 1; }
# shellcheck disable=SC2046
install $(cat "$work/packages")
done_with "packages that make names: $(wc -w < "$work/packages")"
must make
grep -q '^vmaf_v0.6.1: ' "$work/log" || { cat "$work/log"; echo 'make shows no score'; exit 1; }
! grep -i 'warning:' "$work/log" || { echo 'the compilers have warned'; exit 1; }
must make build
grep -q 'no work to do' "$work/log" || { cat "$work/log"; echo 'the second make builds again'; exit 1; }
done_with 'make, as a user, in a path with a space'
must make check
done_with "make check: $(grep -E '^(Ok|Fail|Skipped):' "$work/log" | tr -s ' ' | paste -sd' ')"

# ---- FFmpeg ----

install nasm dpkg-dev
must core/test/ffmpeg/ffmpeg_test.sh build /home/someone/ffmpeg
grep -E 'runs of|not tested|No Vulkan' "$work/log"
done_with "FFmpeg of $release"

# ---- Vulkan ----

install libvulkan-memory-allocator-dev
must meson setup ../vma core -Dvulkan_vma=enabled -Denable_vulkan=enabled -Denable_cuda=disabled \
    -Denable_hip=disabled -Denable_sycl=disabled -Dhost=disabled -Dlibav=disabled -Dpng=disabled
must ninja -C ../vma test/gpu/gpu_tests test/gpu/pipelines
as_user nm -C ../vma/test/gpu/gpu_tests | grep -q ' [Tt] vmaCreateAllocator' || {
    echo 'the Vulkan Memory Allocator is not in the program'
    exit 1
}
# The tests whose argument is the backend, and those of Vulkan alone. Two test what kernels compute,
# with and without doubles: other jobs run them, and memory makes no difference to them.
as_user meson test -C ../vma --list 2> /dev/null | grep -i ' gpu .*vulkan' | sed 's/.* \/ //' |
    grep -v -e '^gpu kernels' -e '^gpu colours' > "$work/tests"
[ -s "$work/tests" ] || { echo 'there are no tests of Vulkan'; exit 1; }
(
    set --
    while read -r name; do
        set -- "$@" "$name"
    done < "$work/tests"
    must meson test -C ../vma --setup all --print-errorlogs --timeout-multiplier 20 "$@"
)
grep -E '^(Ok|Fail|Skipped):' "$work/log" | tr -s ' ' | paste -sd' '
done_with "the Vulkan Memory Allocator of $release passes the tests of Vulkan"

if grep -q 'this device cannot import' "$root/home/someone/vma/meson-logs/testlog-all.txt"; then
    echo 'lavapipe imported no dma-buf, or no memory of its own'
    exit 1
fi
echo "lavapipe of $release imported dma-bufs$([ -e /dev/udmabuf ] ||
    echo ' (made of memfds; this machine has no /dev/udmabuf, so none came from the kernel)')"

must python3 core/test/gpu/pipelines_test.py ../vma/test/gpu/pipelines --all --report ../registers.md \
    gfx900 gfx906 gfx908 gfx90a gfx1010 gfx1030 gfx1036 gfx1100 gfx1103 gfx1150 gfx1201
grep ' kernels by ' "$work/log"
cp "$root/home/someone/registers.md" "$2/registers.md"
done_with 'all kernels by RADV'
