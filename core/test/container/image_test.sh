#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds the container image from nothing, with buildah and without a daemon. Then checks that vmaf
# in it gives the same scores as outside, on the CPU and on lavapipe, and that `vmaf --doctor`
# reports both as working.
#
# usage: image_test.sh TREE WORKDIR VMAF SYNTHCLIP
set -eu
tree=$1 vmaf=$3 synthclip=$4
work=$2/image what='the container image was not built'
. "$(dirname "$0")/fresh.sh"

echo "base image: $suite"
fresh_base

echo 'image'
# Build code for one AMD architecture, not for seven, which would take most of the time. Not --quiet, which drops the
# output of the steps: it is looked at below.
b bud --isolation chroot --build-arg BASE=localhost/base --build-arg MESON_FLAGS=-Dhip_archs=gfx1030 \
    -f "$tree/dev/Containerfile" -t vmaf-turbo "$tree" > "$work/log" 2>&1 || { tail -n 40 "$work/log"; exit 1; }

"$synthclip" mix 176 144 420 8 4 "$work/clips/r.yuv" "$work/clips/d.yuv"
score()
{
    "$@" -r r.yuv -d d.yuv -w 176 -h 144 -p 420 -b 8 --feature psnr --precision max --csv -o -
}
inside()
{
    b run --isolation chroot -v "$work/clips:/videos:ro" "$container" -- "$@"
}
container=$(b from localhost/vmaf-turbo)
want=$(cd "$work/clips" && score "$vmaf" 2> /dev/null)
for backend in '' 'vulkan --allow_software'; do
    # shellcheck disable=SC2086 # two words
    got=$(score inside vmaf-entrypoint vmaf ${backend:+--backend $backend} 2> "$work/said") || {
        cat "$work/said"
        exit 1
    }
    if [ "$got" != "$want" ]; then
        printf 'other scores in the container (%s):\n%s\nnot\n%s\n' "${backend:-cpu}" "$got" "$want"
        exit 1
    fi
    [ "$(grep -c '^entrypoint: ' "$work/said")" -eq 1 ] || { echo 'the entrypoint said:'; cat "$work/said"; exit 1; }
done
inside vmaf-entrypoint vmaf --doctor --backend cpu,vulkan --allow_software > "$work/said" 2>&1 || {
    cat "$work/said"
    exit 1
}
# Software has to be allowed: the health checks of services with cards use these words.
if inside vmaf-entrypoint vmaf --doctor --backend vulkan --require hardware > "$work/said" 2>&1; then
    cat "$work/said"
    fail 'the doctor takes lavapipe for hardware'
fi
# The health checks of the services, as compose has them. Where this machine has no card, only those of cpu and mcp pass.
compose=$tree/dev/docker-compose.yml
of_service()
{
    sed -n "/^  $1:/,/^  [a-z]*:\$/p" "$compose"
}
services='cpu nvidia intel amd all'
[ ! -e /dev/dri ] && [ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ] || services=cpu
for service in $services; do
    check=$(of_service $service | sed -n 's/.*test: \["CMD", \(.*\)\]$/\1/p' | sed 's/", "/ /g; s/"//g')
    [ -n "$check" ] || fail "the service $service has no health check"
    passes=yes
    # shellcheck disable=SC2086 # they are words
    inside $check > "$work/said" 2>&1 || passes=no
    [ $passes = "$([ $service = cpu ] && echo yes || echo no)" ] || {
        cat "$work/said"
        fail "the health check of $service ($check): passes: $passes"
    }
done
serve=$(of_service mcp | sed -n 's/.*command: \[\(.*\)\]$/\1/p' | sed 's/", "/" "/g; s/, "/ "/')
ask=$(grep -o "echo '{\"jsonrpc.*" "$compose")
inside sh -c "$serve & server=\$!; for i in 1 2 3 4 5 6 7 8 9; do [ -S /run/vmaf/mcp.sock ] && break; sleep 1; done
    $ask; got=\$?; kill \$server; exit \$got" > "$work/said" 2>&1 || {
    cat "$work/said"
    fail "the service mcp ($serve) does not pass its health check ($ask)"
}
grep -q '^SYCL is off' "$work/log" || fail 'the build does not say that SYCL is off'
[ "$(inside id -u)" = 1000 ] || fail 'the image runs as root'
inside sh -c 'touch "$HOME/file"' || fail 'the home folder cannot be written'
inside ffmpeg -hide_banner -encoders 2> /dev/null | grep -q libx264 || fail 'ffmpeg has no encoder'
inside socat -V > /dev/null || fail 'socat is missing'
# This vmaf can read files other than raw video and Y4M, too.
inside vmaf --help | grep -q -- --hwaccel
b inspect --type image localhost/vmaf-turbo | grep -q vmaf-entrypoint
echo "the image scores as this machine does: $(du -sm "$(b mount "$container")" | cut -f1) MiB"
