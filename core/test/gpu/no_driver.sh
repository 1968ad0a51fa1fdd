#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Checks a machine without CUDA or HIP: scoring on the CPU works, and a request for the GPU fails
# with one clear line instead of silently using the CPU.
# usage: no_driver.sh VMAF BACKEND OLD_DRIVER
#   OLD_DRIVER: a library that lacks some of the functions
set -eu
vmaf=$1 backend=$2 old=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
head -c 18432 /dev/zero > "$folder/frame.yuv" # 128x96, 4:2:0, 8 bits
score="$vmaf -r $folder/frame.yuv -d $folder/frame.yuv -w 128 -h 96 -p 420 -b 8 --no_prediction \
--feature psnr --json -o $folder/out.json -q"
case $backend in
cuda) names='libcuda.so.1 libcuda.so' needs='no NVIDIA driver (libcuda)' function=cuDriverGetVersion ;;
hip)
    names='libamdhip64.so.7 libamdhip64.so.6 libamdhip64.so.5 libamdhip64.so'
    needs='no HIP runtime (libamdhip64)' function=hipDriverGetVersion
    ;;
esac

fail() {
    echo "FAILED: $1"
    cat "$folder/log"
    exit 1
}

# check MISSING WORDS: MISSING says what the machine lacks. One line of the log must contain WORDS.
check() {
    $score --backend cpu > "$folder/log" 2>&1 || fail "$1: the CPU run"
    rm -f "$folder/out.json"
    if $score --backend "$backend" > "$folder/log" 2>&1; then
        fail "$1: --backend $backend succeeded"
    fi
    [ "$(grep -c "$2" "$folder/log")" = 1 ] || fail "$1: not one line that says \"$2\""
    ! grep -q 'libvmaf ERROR' "$folder/log" || fail "$1: more lines than one"
    [ ! -e "$folder/out.json" ] || fail "$1: a report was written"
    echo "$1: as promised"
}

# This machine may have the real library, but no device.
if [ "$backend" = hip ] && [ ! -e /dev/kfd ] && ldconfig -p 2> /dev/null | grep -q libamdhip64; then
    check 'no device' 'no device found'
fi

# The files with the driver's names are not libraries.
for name in $names; do
    echo 'not a library' > "$folder/$name"
done
export LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
check 'no driver' "$needs"

for name in $names; do
    cp "$old" "$folder/$name"
done
check 'an old driver' "$needs"
grep -q "the driver lacks the function $function" "$folder/log" || fail 'the missing function is not named'
