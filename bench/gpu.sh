#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Everything worth knowing about a GPU in one run: end-to-end speed, kernel times, equality with the CPU.
#
# usage: bench/gpu.sh VMAF SYNTHCLIP [BACKENDS [DEVICE]]
#
# BACKENDS: vulkan, or several with commas between them, which are measured side by side.
#
# Clips lie in memory, so that no disk is measured. Long clips make start-up (the driver's, mostly) small
# beside the work; the row of two frames shows what it is.
set -eu
vmaf=$1
synthclip=$2
backends=${3:-vulkan}
device=${4:-0}
here=$(cd "$(dirname "$0")" && pwd)
run() { python3 "$here/bench.py" "$vmaf" "$synthclip" --dir /dev/shm --backends "$backends" --threads 1 \
    --arg=--device --arg="$device" "$@"; }

"$vmaf" --list_devices
python3 "$here/../scripts/ci/cross_backend_diff" "$vmaf" "$synthclip" --backends "cpu,$backends" --device "$device"
echo "start-up:"
run --sizes 576x324 --depths 8 --features default --frames 2
run --sizes 576x324,1920x1080 --depths 8,10 --features default --repeat 25 --seconds 2 --kernels
run --sizes 3840x2160 --depths 8,10 --features default --repeat 50 --seconds 2 --kernels
run --sizes 1920x1080 --depths 8 --repeat 10 --seconds 1 --kernels \
    --features vif,adm,motion,psnr,float_ssim,float_ms_ssim,psnr_hvs,ciede,cambi
