#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Measures a GPU in one run: end-to-end speed and its bounds, kernel times, equality with the CPU. If VMAF_REFERENCE names
# another vmaf, both are measured in turns.
#
# usage: bench/gpu.sh VMAF SYNTHCLIP [BACKENDS [DEVICE]]
#
# BACKENDS: vulkan, or a comma-separated list; all are measured.
# OUT, in the environment: a folder for table.md, bars.svg, roofline.svg and rows.json of the default model.
#
# Clips are in memory (up to 26 GB), so that no disk is measured. Long clips make start-up, which is mostly the driver's,
# small compared with the work; the row of two frames shows the start-up.
set -eu
vmaf=$1
synthclip=$2
backends=${3:-vulkan}
device=${4:-0}
here=$(cd "$(dirname "$0")" && pwd)
run() { python3 "$here/bench.py" "$vmaf" "$synthclip" --dir /dev/shm --backends "$backends" --threads 1 --device "$device" \
    --arg=--device --arg="$device" "$@"; }

"$vmaf" --list_devices
python3 "$here/../scripts/ci/cross_backend_diff" "$vmaf" "$synthclip" --backends "cpu,$backends" --device "$device"
echo "start-up:"
run --sizes 576x324 --depths 8 --features default --frames 2 --rounds 5
set -- --sizes 576x324,1920x1080,3840x2160 --pairs 3000,2000,450 --depths 8,10 --features default --seconds 2 --kernels
[ -z "${OUT:-}" ] || set -- "$@" --markdown "$OUT/table.md" --svg "$OUT/bars.svg" --roofline "$OUT/roofline.svg" \
    --json "$OUT/rows.json"
run "$@"
run --sizes 1920x1080 --depths 8 --pairs 400 --rounds 1 --seconds 1 --kernels \
    --features vif,adm,motion,psnr,float_ssim,float_ms_ssim,psnr_hvs,ciede,cambi
