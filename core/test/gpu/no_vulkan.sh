#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Checks a machine without Vulkan: scoring on the CPU works, and a request for the GPU fails with a
# message instead of silently using the CPU.
# usage: no_vulkan.sh VMAF
set -eu
vmaf=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
head -c 27648 /dev/zero > "$folder/clip.yuv" # 128x96, 4:2:0, 8 bits: one frame and a half
head -c 18432 "$folder/clip.yuv" > "$folder/frame.yuv"
score="$vmaf -r $folder/frame.yuv -d $folder/frame.yuv -w 128 -h 96 -p 420 -b 8 --no_prediction \
--feature psnr --json -o $folder/out.json -q"

fail() {
    echo "FAILED: $1"
    cat "$folder/log"
    exit 1
}

# check MISSING: MISSING says what the machine lacks. The environment hides it.
check() {
    $score --backend cpu > "$folder/log" 2>&1 || fail "$1: the CPU run"
    $score --backend auto > "$folder/log" 2>&1 || fail "$1: auto"
    grep -q 'using the CPU' "$folder/log" || fail "$1: auto did not say that it uses the CPU"
    rm -f "$folder/out.json"
    if $score --backend vulkan > "$folder/log" 2>&1; then
        fail "$1: --backend vulkan succeeded"
    fi
    grep -q "$2" "$folder/log" || fail "$1: the message does not say \"$2\""
    [ ! -e "$folder/out.json" ] || fail "$1: a report was written"
    if "$vmaf" --list_devices > "$folder/log" 2>&1; then
        fail "$1: --list_devices succeeded"
    fi
    echo "$1: as promised"
}

# Hide all other GPU drivers, too: the files with their names are not libraries.
for name in libcuda.so.1 libcuda.so libamdhip64.so libamdhip64.so.5 libamdhip64.so.6 libamdhip64.so.7; do
    echo 'not a library' > "$folder/$name"
done
export LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# The Vulkan loader finds no driver.
export VK_ICD_FILENAMES=/dev/null VK_DRIVER_FILES=/dev/null
check 'no driver' 'no device found'

# The Vulkan loader is missing, too.
for name in libvulkan.so.1 libvulkan.so libvulkan.1.dylib libvulkan.dylib libMoltenVK.dylib; do
    echo 'not a library' > "$folder/$name"
done
check 'no loader' 'no Vulkan loader'
