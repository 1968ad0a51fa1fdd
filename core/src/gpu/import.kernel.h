/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Writes the samples of one plane of a copied picture. The picture may hold two interleaved planes
 * (step 2) or values in the high bits (shift). Each thread makes one word. */
#if defined(KERNEL_import_plane)
#include "gpu/import_tile.h"
#define BUFFERS IN(0, u32, image) OUT(1, u32, plane)
#define PARAMS IMPORT_PLANE_PARAMS
#define GROUP_W IMPORT_GROUP_W
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
KERNEL_MAIN
{
    u32 word = GROUP_X * GROUP_W + LOCAL_X;
    u32 x = word * SAMPLES_PER_WORD;
    if (x < width) {
        u32 samples = min_u32(SAMPLES_PER_WORD, width - x);
        u32 row = image_offset + GROUP_Y * image_stride;
        u32 value = 0u;
        for (u32 i = 0u; i < samples; i++) {
            u32 at = (x + i) * step + first;
            value |= (SAMPLE(image, row, at) >> shift) << (i * (32u / SAMPLES_PER_WORD));
        }
        plane[plane_offset + GROUP_Y * plane_stride + word] = value;
    }
}
KERNEL_END
#endif

#if defined(KERNEL_import_range)
/* Counts threads that saw a sample above the depth. `above` is the mask of the bits that neither
 * sample of a word may have. Each thread checks one word of each of IMPORT_RANGE_ROWS rows. */
#include "gpu/import_tile.h"
#define BUFFERS IN(0, u32, picture) OUT(1, u32, counts)
#define PARAMS IMPORT_RANGE_PARAMS
#define GROUP_W IMPORT_GROUP_W
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
KERNEL_MAIN
{
    u32 word = GROUP_X * GROUP_W + LOCAL_X;
    u32 x = word * SAMPLES_PER_WORD;
    u32 end = min_u32((GROUP_Y + 1u) * IMPORT_RANGE_ROWS, height);
    u32 bits = 0u;
    if (x < width) {
        for (u32 y = GROUP_Y * IMPORT_RANGE_ROWS; y < end; y++)
            bits |= picture[plane_offset + y * plane_stride + word];
        if (x + 1u == width)
            bits &= 0xffffu;
        if ((bits & above) != 0u)
            ATOMIC_ADD(counts, plane, 1u);
    }
}
KERNEL_END
#endif
