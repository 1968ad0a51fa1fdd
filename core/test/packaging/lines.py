# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Options that packagers of libvmaf give to Meson, taken from public recipes."""

LINES = {
    'distribution': '--buildtype=plain --default-library=both -Denable_float=true -Denable_avx512=true -Dbuilt_in_models=true',
    'library alone': '--buildtype=release -Denable_docs=false -Denable_tests=false -Denable_tools=false',
    'Nix': '--buildtype=release -Denable_avx512=true',
    'NDK': '-Denable_tests=false -Denable_docs=false -Denable_asm=true',
    'FFmpeg builds': '--buildtype=release --default-library=static -Dbuilt_in_models=true -Denable_tests=false '
                     '-Denable_docs=false -Denable_avx512=true -Denable_float=true',
    'CUDA': '-Denable_cuda=true -Denable_nvcc=true -Denable_avx512=true -Denable_float=true -Denable_nvtx=false',
    'CUDA by clang': '-Denable_cuda=true -Denable_nvcc=false -Denable_asm=true',
    'no GPU': '-Denable_cuda=false -Denable_sycl=false -Denable_hip=false -Denable_vulkan=disabled',
    'every backend': '-Denable_cuda=auto -Denable_vulkan=enabled -Denable_hip=enabled -Denable_sycl=true',
}
