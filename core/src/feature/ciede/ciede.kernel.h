/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernel of ciede: the sum of the CIEDE2000 differences of pixels.
 *
 * The CPU works in double and narrows to single precision at each named step. Here curves come from
 * tables of short series. They are precise enough to decide which single-precision number a value
 * becomes, unless it is so close to the middle between two of them that the CPU may get the other
 * one. Pixels with a doubtful value are listed and left to the CPU.
 *
 * The CPU adds the differences in raster order; the kernel adds them in fixed point. It also keeps
 * all differences, for frames in which the order matters.
 *
 * If double is slow or missing, pairs of floats take its place. Their products are three times
 * as fast if the device rounds a * b + c only once, which most devices do but Vulkan does not
 * promise. So there are two variants, FUSED 1 and 0. Both are launched, each tests the device, and
 * one of them returns at once. With APIs whose devices all fuse, like CUDA, the other variant is
 * empty; so it is in double (F64), where it does not matter. */
#include "feature/ciede/ciede_tile.h"

#define BUFFERS                                                                                    \
    IN(0, u32, ref_y) IN(1, u32, ref_cb) IN(2, u32, ref_cr) IN(3, u32, dist_y)                     \
    IN(4, u32, dist_cb) IN(5, u32, dist_cr) IN(6, u32x4, curves) OUT(7, u32, sums)                 \
    OUT(8, u32, differences) OUT(9, u32, listed)
#define PARAMS CIEDE_PARAMS
#define SHARED_ARRAYS                                                                              \
    SHARED(u64, part, CIEDE_TILE_W *CIEDE_GROUP_H) SHARED(u32, mark, CIEDE_TILE_W *CIEDE_GROUP_H)
#define GROUP_W CIEDE_TILE_W
#define GROUP_H CIEDE_GROUP_H
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#ifdef F64
#include "feature/ciede/pixel_f64.h"
#else
#include "feature/ciede/pixel_pairs.h"
#endif

/* The row and column of the chroma sample for pixel (x, y). As in ciede.c, a row goes on with the
 * memory behind it. */
DEVICE u32 chroma_row(u32 x, u32 y, INOUT(u32) column)
{
    if (subsampled == 0u) {
        column = x;
        return y;
    }
    u32 span = ((chroma_w + 31u) / 32u * 32u) * repeat;
    u32 row = min_u32(y / 2u, chroma_h - 1u);
    for (; x >= span; x -= span)
        row++;
    column = repeat == 2u ? x / 2u : x;
    return row;
}

/* A chroma sample of the reference: Cb (`blue`) or Cr. Behind the rows of Cb are those of Cr;
 * elsewhere outside it is 0. */
DEVICE u32 chroma_of_ref(u32 row, u32 column, bool blue)
{
    if (column >= chroma_w || row >= (blue ? 2u * chroma_h : chroma_h))
        return 0u;
    u32 at = (row < chroma_h ? row : row - chroma_h) * chroma_stride;
    return blue && row < chroma_h ? SAMPLE(ref_cb, at, column) : SAMPLE(ref_cr, at, column);
}

/* A chroma sample of the distorted picture, found in the same way. */
DEVICE u32 chroma_of_dist(u32 row, u32 column, bool blue)
{
    if (column >= chroma_w || row >= (blue ? 2u * chroma_h : chroma_h))
        return 0u;
    u32 at = (row < chroma_h ? row : row - chroma_h) * chroma_stride;
    return blue && row < chroma_h ? SAMPLE(dist_cb, at, column) : SAMPLE(dist_cr, at, column);
}

/* x as an integer, in units of 2^-CIEDE_SUM_BITS. */
DEVICE u64 fixed_point(f32 x)
{
    u32 bits = bits_of_f32(x);
    u32 mantissa = (bits & 0x7fffffu) | 0x800000u;
    i32 shift = i32(bits >> 23) - 150 + CIEDE_SUM_BITS;
    if (shift < 0)
        return shift < -31 ? u64(0) : u64(mantissa >> u32(-shift));
    return u64(mantissa) << u32(min_i32(shift, 39));
}

/* Puts a pixel on the list of those that are left to the CPU. */
DEVICE void list_pixel(u32 pixel, u32x2 luma, u32x2 blue, u32x2 red)
{
    u32 place = ATOMIC_ADD(listed, 0u, 1u);
    if (place >= list_size)
        return;
    u32 at = list_at + CIEDE_LISTED_WORDS * place;
    sums[at] = pixel;
    sums[at + 1u] = luma.x | luma.y << 16;
    sums[at + 2u] = blue.x | blue.y << 16;
    sums[at + 3u] = red.x | red.y << 16;
}

/* The difference of a pixel. Sets `doubt` if the CPU may get another number. */
DEVICE f32 off_by(u32x2 luma, u32x2 blue, u32x2 red, INOUT(u32) doubt)
{
    u32 next_luma = luma.x, next_blue = blue.x, next_red = red.x;
    Lab ref, dist;
    dist.l = dist.a = dist.b = 0.0f;
    for (u32 image = 0u; image < 2u; image++) {
        ref = dist;
        dist = to_lab(next_luma, next_blue, next_red, doubt);
        next_luma = luma.y;
        next_blue = blue.y;
        next_red = red.y;
    }
    return float_of(difference(ref, dist, doubt));
}

/* Joins the marks of two sets of pixels. The lower 24 bits are the number of listed pixels; the
 * upper 8 bits are 255 less the smallest exponent among the differences of the others. */
DEVICE u32 joined_marks(u32 a, u32 b)
{
    return (max_u32(a >> 24, b >> 24) << 24) | ((a & 0xffffffu) + (b & 0xffffffu));
}

KERNEL_MAIN
{
    if (!suits_device())
        return;
    u32 x = GROUP_X * CIEDE_TILE_W + LOCAL_X;
    u64 sum = u64(0);
    u32 marks = 0u;
    for (u32 i = LOCAL_Y; i < rows; i += CIEDE_GROUP_H) {
        u32 y = GROUP_Y * rows + i;
        if (x >= width || y >= height)
            continue;
        u32 column, row = chroma_row(x, y, column);
        u32x2 luma = U32X2(SAMPLE(ref_y, y * luma_stride, x), SAMPLE(dist_y, y * luma_stride, x));
        u32x2 blue = U32X2(chroma_of_ref(row, column, true), chroma_of_dist(row, column, true));
        u32x2 red = U32X2(chroma_of_ref(row, column, false), chroma_of_dist(row, column, false));
        u32 doubt = 0u, bits = 0u;
        if (luma.x != luma.y || blue.x != blue.y || red.x != red.y) {
            f32 off = off_by(luma, blue, red, doubt);
            bits = bits_of_f32(off);
            if (doubt != 0u) {
                list_pixel(y * width + x, luma, blue, red);
                marks++;
            } else if (bits != 0u) {
                sum += fixed_point(off);
                marks = joined_marks(marks, (255u - (bits >> 23)) << 24);
            }
        }
        differences[y * width + x] = bits;
    }
    mark[LOCAL_INDEX] = marks;
    GROUP_SUM(part, sum);
    for (u32 half_size = GROUP_SIZE / 2u; half_size > 0u; half_size >>= 1) {
        if (LOCAL_INDEX < half_size)
            mark[LOCAL_INDEX] = joined_marks(mark[LOCAL_INDEX], mark[LOCAL_INDEX + half_size]);
        BARRIER();
    }
    if (LOCAL_INDEX == 0u) {
        u32 at = CIEDE_SUM_WORDS * (GROUP_Y * tiles_x + GROUP_X);
        sums[at] = u32(part[0]);
        sums[at + 1u] = u32(part[0] >> 32);
        sums[at + 2u] = mark[0];
    }
}
KERNEL_END
