#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds the library in a fresh Debian 13 and tests there what Debian 12 does not have:
#   - -Dvulkan_vma=enabled, with the allocator of libvulkan-memory-allocator-dev: the tests of the
#     Vulkan backend;
#   - Mesa 25, whose lavapipe imports dma-bufs: the same tests must have imported some;
#   - RADV of Mesa 25, which knows AMD's newer chips: every kernel is compiled for each generation.
#     The table of registers goes to WORKDIR/registers.md.
#
# usage: trixie_test.sh TREE WORKDIR [RELEASE]
set -eu
tree=$1 release=${3:-trixie}
work=$2/trixie
root=$work/root

skip()
{
    echo "skipped: nothing was tried in Debian 13: $*"
    exit 77
}

[ "$(id -u)" = 0 ] || skip 'needs root'
command -v mmdebstrap > /dev/null || skip 'needs mmdebstrap'
# Stays within the file system: what is mounted inside the system of the test is not the test's.
clean_up()
{
    rm -rf --one-file-system "$work"
}
clean_up
mkdir -p "$work"
trap clean_up EXIT

# Packages come from where this machine has its own.
mirror=$(cat /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2> /dev/null |
    grep -Eo 'https?://[^ ]*/debian/?( |$)' | head -n 1)
needs='build-essential meson ninja-build pkg-config python3 libjansson-dev libcmocka-dev glslc'
needs="$needs libvulkan-dev libvulkan-memory-allocator-dev mesa-vulkan-drivers"
mmdebstrap --quiet --variant=minbase "$release" "$root" ${mirror:+"$mirror"} || skip "no $release to be had"
inside()
{
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"
}
inside sh -c "apt-get update -qq && apt-get install -qq -y --no-install-recommends $needs" > "$work/log" 2>&1 ||
    { tail -n 20 "$work/log"; skip "no packages of $release to be had"; }
mkdir "$root/src"
(cd "$tree" && git ls-files -z | tar --null --files-from=- -cf -) | tar -C "$root/src" -xf -

inside meson setup /build /src/core -Dvulkan_vma=enabled -Denable_vulkan=enabled -Denable_cuda=disabled \
    -Denable_hip=disabled -Denable_sycl=disabled -Dhost=disabled -Dlibav=disabled -Dpng=disabled \
    > "$work/log" 2>&1 || { tail -n 40 "$work/log"; exit 1; }
inside ninja -C /build test/gpu/gpu_tests test/gpu/pipelines > "$work/log" 2>&1 || { tail -n 40 "$work/log"; exit 1; }
inside nm -C /build/test/gpu/gpu_tests | grep -q ' [Tt] vmaCreateAllocator' || {
    echo 'the Vulkan Memory Allocator is not in the program'
    exit 1
}
# The tests whose argument is the backend, and those of Vulkan alone. Two test what kernels compute,
# with and without doubles: other jobs run them, and memory makes no difference to them.
inside meson test -C /build --list 2> /dev/null | grep -i ' gpu .*vulkan' | sed 's/.* \/ //' |
    grep -v -e '^gpu kernels' -e '^gpu colours' > "$work/tests"
[ -s "$work/tests" ] || { echo 'there are no tests of Vulkan'; exit 1; }
(
    set --
    while read -r name; do
        set -- "$@" "$name"
    done < "$work/tests"
    inside meson test -C /build --setup all --print-errorlogs --timeout-multiplier 20 "$@"
) > "$work/log" 2>&1 || { tail -n 60 "$work/log"; exit 1; }
grep -E '^(Ok|Fail|Skipped):' "$work/log" | tr -s ' ' | paste -sd' '
echo "the Vulkan Memory Allocator of $release passes the tests of Vulkan"

if grep -q 'this device cannot import' "$root/build/meson-logs/testlog-all.txt"; then
    echo 'lavapipe imported no dma-buf, or no memory of its own'
    exit 1
fi
echo "lavapipe of $release imported dma-bufs$([ -e /dev/udmabuf ] ||
    echo ' (made of memfds; this machine has no /dev/udmabuf, so none came from the kernel)')"

inside python3 /src/core/test/gpu/pipelines_test.py /build/test/gpu/pipelines --all --report /registers.md \
    gfx900 gfx906 gfx908 gfx90a gfx1010 gfx1030 gfx1036 gfx1100 gfx1103 gfx1150 gfx1201 > "$work/log" 2>&1 ||
    { tail -n 20 "$work/log"; exit 1; }
grep ' kernels by ' "$work/log"
cp "$root/registers.md" "$2/registers.md"
