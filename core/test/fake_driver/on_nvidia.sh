#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Runs the gate and the GPU tests on a machine with an NVIDIA device: cuda and vulkan on the real
# driver, hip on the library that forwards HIP's functions to CUDA (forward/forward.c).
# usage: on_nvidia.sh BUILD [BACKEND...]
set -u
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/../../.." && pwd)
shift
[ $# -gt 0 ] || set -- cuda hip vulkan
tests='arrivals buffers colours contexts faults imports imports_memory imports_packed kernels limits places reserve ring several uploads'
ninja -C "$build" installed test/synth/synthclip test/gpu/gpu_tests
export VMAF_CACHE_DIR="$build/nvidia_cache"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0

# check NAME COMMAND...: runs a test, which must succeed. A missing device is a failure here.
check() {
    name=$1
    shift
    start=$(date +%s)
    if "$@" > "$log" 2>&1; then
        echo "ok      $name ($(($(date +%s) - start)) s)"
    else
        echo "FAILED  $name: status $?"
        tail -n 40 "$log"
        failed=1
    fi
}

for backend; do
    libraries=${LD_LIBRARY_PATH:-}
    [ "$backend" = hip ] && libraries="$build/test/fake_driver/forward${libraries:+:$libraries}"
    check "gate, $backend" env LD_LIBRARY_PATH="$libraries" python3 \
        "$source/scripts/ci/cross_backend_diff" "$build/tools/vmaf" "$build/test/synth/synthclip" \
        --backend "$backend"
    own=
    [ "$backend" = vulkan ] || own="states cuda_hip_frames"
    for test in $tests $own; do
        check "$test, $backend" env LD_LIBRARY_PATH="$libraries" "$build/test/gpu/gpu_tests" "$test" "$backend"
    done
done
case " $* " in
*" cuda "*) check 'Vulkan to CUDA' "$build/test/gpu/gpu_tests" vulkan_to_cuda ;;
esac
case " $* " in
*" vulkan "*) check 'frames in images, vulkan' "$build/test/gpu/gpu_tests" vulkan_frames ;;
esac
exit $failed
