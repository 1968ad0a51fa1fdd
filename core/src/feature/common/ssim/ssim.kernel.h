/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernel of float_ssim and float_ms_ssim.
 *
 * It computes the sums of luminance, contrast, structure and their product over a tile of window
 * positions. A workgroup goes down its tile, each line of threads working on one row: rows are
 * filtered horizontally and kept in shared memory, then columns of kept rows are filtered. The
 * filter sums are exact, term by term; the quotients are correct to about 44 bits (structure
 * exactly), and their sums are kept in integers. An image of floats may have several scales, stored
 * one behind the other, each half as wide and high as the one before.
 *
 * The filter sums are those of doubles. The variants with F64 use doubles, the others do
 * without. */
#include "feature/common/ssim/ssim_image.h"
#include "feature/common/ssim/ssim_tile.h"

#define BUFFERS IMAGE(0, ref) IMAGE(1, dist) OUT(2, u32, sums)
#define PARAMS SSIM_WINDOW_PARAMS
#define SSIM_LINE_W (SSIM_GROUP_W + SSIM_TAPS - 1)
#define SSIM_LINES (SSIM_GROUP_H * SSIM_LINE_W)
/* A window position needs rows of this many later steps. */
#define SSIM_BEHIND ((SSIM_GROUP_H - 1 + SSIM_TAPS - 1) / SSIM_GROUP_H)
/* Rows are kept in a ring: those that a step still reads, and those of the next step. The first
 * rows of the ring are stored a second time behind its end, so that the rows of every window are
 * contiguous. */
#define SSIM_RING ((SSIM_BEHIND + 2) * SSIM_GROUP_H)
#define SSIM_TWICE (SSIM_TAPS - 1)
#define SSIM_KEPT ((SSIM_RING + SSIM_TWICE) * SSIM_GROUP_W)
/* `lines` holds the lines of this step and of the next: a, b, a * a and b * b. `kept` holds rows
 * that are filtered horizontally: the same four, and a * b in `kept_ab`. */
#define SHARED_ARRAYS                                                                              \
    SHARED(u32x4, lines, 2 * SSIM_LINES) SHARED(u32x4, kept, SSIM_KEPT)                            \
    SHARED(f32, kept_ab, SSIM_KEPT) SHARED(i64, part, SSIM_GROUP_W * SSIM_GROUP_H)
#define GROUP_W SSIM_GROUP_W
#define GROUP_H SSIM_GROUP_H
#include "gpu/prelude/prelude.h"

/* The taps are not normalised: their sum is 1.000002. */
TABLE_BEGIN(f32, taps, SSIM_TAPS)
    0.001028f, 0.007599f, 0.036001f, 0.109361f, 0.213006f, 0.266012f, 0.213006f, 0.109361f,
    0.036001f, 0.007599f, 0.001028f
TABLE_END

KERNEL_BEGIN
#include "gpu/prelude/exact_float.h"
#include "feature/common/ssim/window_maps.h"
#ifdef F64
#include "feature/common/ssim/window_f64.h"
#else
#include "feature/common/ssim/double_sum.h"
#include "feature/common/ssim/window_floats.h"
#endif
#include "feature/common/ssim/window_tile.h"

/* Taps are picked by constants and not in a loop, because a table with a variable index is put into
 * memory. */
#define SSIM_WINDOW(TAP)                                                                           \
    TAP(0) TAP(1) TAP(2) TAP(3) TAP(4) TAP(5) TAP(6) TAP(7) TAP(8) TAP(9) TAP(10)
#define SSIM_ACROSS(k) sums_add(sums, line_at(x + k), taps[k]);
#define SSIM_DOWN(k) sums_add(sums, kept_at(at + k * SSIM_GROUP_W), taps[k]);

/* Filters horizontally, from x on. */
DEVICE Across filter_across(i32 x, Anchors anchors)
{
    Sums sums = sums_start(anchors);
    SSIM_WINDOW(SSIM_ACROSS)
    return sums_end(sums, anchors, false, u32(x));
}

/* Filters a column of the kept rows, which begins at `at`. */
DEVICE Across filter_down(i32 at, Anchors anchors)
{
    Sums sums = sums_start(anchors);
    SSIM_WINDOW(SSIM_DOWN)
    return sums_end(sums, anchors, true, u32(at));
}

KERNEL_MAIN
{
    Tile tile = tile_of(GROUP_X);
    Anchors anchors = anchors_of_tile(tile);
    bool with_product = ((wanted >> SSIM_LCS) & 1u) != 0u,
        with_luma = with_product || ((wanted >> SSIM_L) & 1u) != 0u;
    bool inside = tile.left + LOCAL_X + SSIM_TAPS - 1u < tile.w;
    Totals totals = totals_start();
    u32 line = 0u, slot = LOCAL_Y, row = tile.top + LOCAL_Y;
    put_samples(line, samples_at(tile, row));
    BARRIER();
    u32 last_step = SSIM_BEHIND + (tile.end - tile.top - SSIM_TAPS) / SSIM_GROUP_H;
    for (u32 i = 0u; i <= last_step; i++, row += SSIM_GROUP_H) {
        /* The next rows are loaded while these are worked on. */
        Samples next = samples_at(tile, row + SSIM_GROUP_H);
        keep(slot, filter_across(i32(line + LOCAL_Y * SSIM_LINE_W + LOCAL_X), anchors));
        line = SSIM_LINES - line;
        put_samples(line, next);
        BARRIER();
        if (i >= SSIM_BEHIND && inside &&
            row + SSIM_TAPS - 1u < tile.end + SSIM_BEHIND * SSIM_GROUP_H) {
            u32 first = slot >= SSIM_BEHIND * SSIM_GROUP_H
                            ? slot - SSIM_BEHIND * SSIM_GROUP_H
                            : slot + SSIM_RING - SSIM_BEHIND * SSIM_GROUP_H;
            Across mean = filter_down(i32(first * SSIM_GROUP_W + LOCAL_X), anchors);
            totals_add(totals, mean, with_luma, with_product);
        }
        slot = slot + SSIM_GROUP_H < SSIM_RING ? slot + SSIM_GROUP_H
                                               : slot + SSIM_GROUP_H - SSIM_RING;
    }
    u32 at = first_sum + GROUP_X * SSIM_SUM_WORDS;
    for (u32 i = 0u; i < SSIM_SUMS; i++) {
        GROUP_SUM(part, totals_of(totals, i));
        if (LOCAL_INDEX == 0u) {
            sums[at + 2u * i] = u32(u64(part[0]));
            sums[at + 2u * i + 1u] = u32(u64(part[0]) >> 32);
        }
    }
}
KERNEL_END
