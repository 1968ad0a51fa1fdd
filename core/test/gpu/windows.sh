#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Checks that the GPU code compiles for Windows, including handles of external memory.
# usage: windows.sh COMPILER SOURCE_FOLDER VULKAN_HEADERS
set -eu
compiler=$1 source=$2 headers=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Use only the Vulkan headers, because the other headers in that folder are for this machine.
ln -s "$headers/vulkan" "$folder/vulkan"
[ ! -d "$headers/vk_video" ] || ln -s "$headers/vk_video" "$folder/vk_video"
for file in "$source"/src/gpu/backend/vulkan/*.c "$source"/src/gpu/*.c "$source"/src/gpu/backend/cuda_hip/*.c \
    "$source"/src/base/library.c; do
    [ "${file##*/}" != memory_vma.c ] || continue # needs the header of another library
    "$compiler" -c -O1 -Wall -Wextra -Werror -Wno-unused-parameter -std=gnu11 -D_GNU_SOURCE \
        -D_FILE_OFFSET_BITS=64 -D_CRT_RAND_S -Wno-format -I"$source/windows" -include "$source/windows/posix.h" \
        -I"$source/src" -I"$source/include" -I"$folder" "$file" -o "$folder/out.o"
done
echo compiled
