#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Installs the packages in a fresh Debian that has nothing else. Checks that `vmaf --doctor` reports
# a working CPU, that the commands work, and that an FFmpeg built without this project's patches
# uses the library and gives the same scores.
#
# usage: installed_test.sh DEBS WORKDIR SYNTHCLIP [FFMPEG]
#   DEBS     the folder of the packages
#   FFMPEG   the prefix of an FFmpeg with shared libraries that was built with libvmaf; without it, no
#            FFmpeg is tested
set -eu
debs=$1 synthclip=$3 ffmpeg=${4:-}
[ -x "$ffmpeg/bin/ffmpeg" ] || ffmpeg=
work=$2/installed what='the packages were not installed anywhere'
. "$(dirname "$0")/../container/fresh.sh"

fresh_base
mkdir "$work/debs"
cp "$debs"/libvmaf3_*.deb "$debs"/vmaf_*.deb "$work/debs"
cat > "$work/debs/Containerfile" <<'IMAGE'
FROM localhost/base
COPY *.deb /debs/
RUN apt-get update -qq && apt-get install -qq -y --no-install-recommends /debs/*.deb
IMAGE
b bud --quiet --isolation chroot -t installed "$work/debs" > "$work/log" 2>&1 || { tail -n 40 "$work/log"; exit 1; }

container=$(b from localhost/installed)
"$synthclip" mix 176 144 420 8 4 "$work/clips/r.yuv" "$work/clips/d.yuv"
inside()
{
    b run --isolation chroot -v "$work/clips:/videos" ${ffmpeg:+-v "$ffmpeg:/ffmpeg:ro"} "$container" -- "$@"
}
for backends in '' cpu; do
    # shellcheck disable=SC2086 # nothing, or two words
    inside vmaf --doctor ${backends:+--backend $backends} > "$work/said" 2>&1 || { cat "$work/said"; fail 'vmaf --doctor fails'; }
    grep -q '^CPU: works' "$work/said" || { cat "$work/said"; fail 'vmaf --doctor does not say that the CPU works'; }
done
for tool in vmaf vmaf-tune vmaf-mcp vmaf-shard; do
    inside "$tool" --help > /dev/null || fail "$tool does not start"
done
inside vmaf -r /videos/r.yuv -d /videos/d.yuv -w 176 -h 144 -p 420 -b 8 --xml -o /videos/vmaf.xml > "$work/said" 2>&1 ||
    { cat "$work/said"; fail 'vmaf does not score'; }
frames()
{
    grep '<frame ' "$work/clips/$1"
}
[ "$(frames vmaf.xml | wc -l)" -eq 4 ] || fail 'not four frames'
if [ -n "$ffmpeg" ]; then
    raw='-f rawvideo -pix_fmt yuv420p -s 176x144'
    # shellcheck disable=SC2086 # words
    inside env LD_LIBRARY_PATH=/ffmpeg/lib /ffmpeg/bin/ffmpeg -nostdin -loglevel error $raw -i /videos/d.yuv $raw -i /videos/r.yuv \
        -lavfi libvmaf=log_fmt=xml:log_path=/videos/ffmpeg.xml -f null - > "$work/said" 2>&1 || { cat "$work/said"; fail 'FFmpeg fails'; }
    [ "$(frames ffmpeg.xml)" = "$(frames vmaf.xml)" ] ||
        fail "FFmpeg has other scores: $(frames ffmpeg.xml) and not $(frames vmaf.xml)"
    echo 'the packages alone serve the doctor, the commands and FFmpeg'
else
    echo 'the packages alone serve the doctor and the commands'
fi
