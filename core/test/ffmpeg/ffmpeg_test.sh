#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds Debian's FFmpeg with our patches and without them, and compares its filters with the command. Skipped, with a
# message, if the source package is not available.
# usage: ffmpeg_test.sh BUILD OUT [static]
#   static   build a static FFmpeg with the patches, too, and run the filters' tests in FFmpeg's own test suite
set -eu
build=$1 out=$2 static=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)

status=0
links=shared
[ -z "$static" ] || links=both
"$root/scripts/ffmpeg-build" --build "$build" --out "$out" --link "$links" || status=$?
if [ $status = 77 ]; then
    echo "FFmpeg's filters were not tested."
    exit 0
fi
[ $status = 0 ] || exit $status
"$root/scripts/ffmpeg-build" --build "$build" --out "$out/unmodified" --source "$out/debian" --series none --link shared

if [ -n "$static" ] && readelf -d "$out/static/bin/ffmpeg" | grep -q 'NEEDED.*\(libvmaf\|libav\)'; then
    echo "The static FFmpeg needs shared libraries of its own:"
    readelf -d "$out/static/bin/ffmpeg"
    exit 1
fi

for kind in shared $static; do
    python3 "$here/filters_test.py" "$build/tools/vmaf" "$build/test/synth/synthclip" "$out/$kind/bin/ffmpeg" \
        "$out/unmodified/shared/bin/ffmpeg" "$out/test-$kind"
done

# Benchmarks can use an FFmpeg as the other vmaf. They compare its scores.
FFMPEG="$out/shared/bin/ffmpeg" python3 "$root/bench/bench.py" "$build/tools/vmaf" "$build/test/synth/synthclip" \
    --reference "$root/bench/ffmpeg_vmaf.py" --tolerance 0 --sizes 64x48 --depths 8,10 --threads 1,2 --features default \
    --frames 3 --rounds 1 --seconds 0 | tee "$out/bench.txt"
[ "$(grep -c ' equal ' "$out/bench.txt")" = 4 ] || { echo "The benchmark does not say that the scores are equal."; exit 1; }

# The tests of the filters in FFmpeg's own test suite (FATE), which the patches add.
[ -n "$static" ] || exit 0
make -s -C "$out/build-static" fate-libvmaf
if "$out/static/bin/ffmpeg" -v error -init_hw_device vulkan -f lavfi -i testsrc2 -frames:v 1 -f null - 2> /dev/null; then
    make -s -C "$out/build-static" fate-libvmaf-vulkan
fi
