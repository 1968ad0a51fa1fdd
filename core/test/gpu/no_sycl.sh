#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Checks a machine without a SYCL plugin, or with a wrong file in its place: scoring on the CPU
# works, and a request for SYCL fails with a message instead of silently using the CPU.
# usage: no_sycl.sh VMAF FOLDER_OF_FAKES
set -eu
vmaf=$1
fakes=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# A copy in its own folder has no plugin beside it.
cp "$vmaf" "$folder/vmaf"
head -c 18432 /dev/zero > "$folder/frame.yuv" # 128x96, 4:2:0, 8 bits
score="$folder/vmaf -r $folder/frame.yuv -d $folder/frame.yuv -w 128 -h 96 -p 420 -b 8 --no_prediction \
--feature psnr --json -o $folder/out.json -q"

fail() {
    echo "FAILED: $1"
    cat "$folder/log"
    exit 1
}

# check TITLE WORDS [RESULT]: exactly one line of the log must contain WORDS. The command's own line
# must contain RESULT; without it, that SYCL cannot run here.
check() {
    $score --backend cpu > "$folder/log" 2>&1 || fail "$1: the CPU run"
    rm -f "$folder/out.json"
    if $score --backend sycl > "$folder/log" 2>&1; then
        fail "$1: --backend sycl succeeded"
    fi
    [ "$(grep -c "$2" "$folder/log")" = 1 ] || fail "$1: expected exactly one line that says \"$2\""
    grep -q "${3-the sycl backend cannot run here}" "$folder/log" || fail "$1: the command does not report it"
    [ "$(wc -l < "$folder/log")" -le 2 ] || fail "$1: more than two lines in the log"
    [ ! -e "$folder/out.json" ] || fail "$1: a report was written"
    echo "$1: as promised"
}

unset VMAF_SYCL_PLUGIN
check 'no plugin' 'no SYCL plugin (libvmaf-sycl.so, which is built where'

export VMAF_SYCL_PLUGIN="$folder/nowhere.so"
check 'a missing file' "VMAF_SYCL_PLUGIN names $folder/nowhere.so, which does not exist"

echo 'not a library' > "$folder/text.so"
VMAF_SYCL_PLUGIN="$folder/text.so"
check 'no library' 'text.so cannot be loaded'

VMAF_SYCL_PLUGIN="$fakes/no_entry.so"
check 'no entry' 'it is not a SYCL plugin of libvmaf'
VMAF_SYCL_PLUGIN="$fakes/no_table.so"
check 'an entry that fails' 'it belongs to another version of libvmaf, or found no SYCL runtime'
VMAF_SYCL_PLUGIN="$fakes/other_abi.so"
check 'another ABI' 'it belongs to another version of libvmaf'
VMAF_SYCL_PLUGIN="$fakes/other_build.so"
check 'another build' 'it was built from other sources than this libvmaf'
VMAF_SYCL_PLUGIN="$fakes/no_runtime.so"
check 'no runtime' 'cannot list the devices: the runtime is out of order'
VMAF_SYCL_PLUGIN="$fakes/no_device.so"
check 'no device' 'no device found'
VMAF_SYCL_PLUGIN="$fakes/lost_device.so"
check 'a device that is lost' 'sycl: fake GPU: submitting work failed: the runtime is out of order' \
    'problem reading pictures'

# Without VMAF_SYCL_PLUGIN the library looks beside libvmaf, then in the library path.
unset VMAF_SYCL_PLUGIN
cp "$fakes/other_build.so" "$folder/libvmaf-sycl.so"
check 'a plugin beside us' "$folder/libvmaf-sycl.so is not used: it was built from other sources"
mkdir "$folder/path"
mv "$folder/libvmaf-sycl.so" "$folder/path"
export LD_LIBRARY_PATH="$folder/path${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
check 'a plugin in the library path' 'libvmaf-sycl.so is not used: it was built from other sources'
