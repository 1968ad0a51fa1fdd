/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernels of ssimulacra2. `planes` takes tiles of both pictures from samples to XYB of all
 * scales; linear light stays in shared memory. `maps` blurs, compares and sums up 32x32 blocks.
 * `roots` serves the self-test. */
#include "feature/ssimulacra2/ssimulacra2_tile.h"

/* Macros that ssimulacra2_pixel.h needs and the dialect lacks. */
#define PICK_LESS(a, b, x, y) ((a) < (b) ? (x) : (y))
#define TIMES_SMALL(u, c) ((u) * (c))

#if defined(KERNEL_ssimulacra2_planes)
/* GROUP_Z is the picture (0: reference, 1: distorted). */
#define BUFFERS                                                                                    \
    IN(0, u32, ref_luma) IN(1, u32, ref_blue) IN(2, u32, ref_red) IN(3, u32, dist_luma)            \
    IN(4, u32, dist_blue) IN(5, u32, dist_red) OUT(6, f32, ref_x) OUT(7, f32, ref_y)               \
    OUT(8, f32, ref_b) OUT(9, f32, dist_x) OUT(10, f32, dist_y) OUT(11, f32, dist_b)
#define PARAMS SSIMU2_PLANES_PARAMS
/* Linear light of a tile at the scales 1 to 5, one after another. */
#define SCALE_2 (SSIMU2_TILE_W * SSIMU2_TILE_H / 4)
#define SCALE_3 (SCALE_2 + SCALE_2 / 4)
#define SCALE_4 (SCALE_3 + SCALE_2 / 16)
#define SCALE_5 (SCALE_4 + SCALE_2 / 64)
#define TILE_PIXELS (SCALE_5 + SCALE_2 / 256)
#define SHARED_ARRAYS                                                                              \
    SHARED(f32, red, TILE_PIXELS) SHARED(f32, green, TILE_PIXELS) SHARED(f32, blue, TILE_PIXELS)
#define GROUP_W (SSIMU2_TILE_W / 2)
#define GROUP_H 8
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#include "feature/ssimulacra2/ssimulacra2_pixel.h"

struct Light {
    f32 r, g, b;
};

#define OF_PICTURE(name) (GROUP_Z == 0u ? ref_##name : dist_##name)

DEVICE u32 luma_at(u32 x, u32 y)
{
    u32 row = y * stride;
    if (GROUP_Z == 0u)
        return SAMPLE(ref_luma, row, x);
    return SAMPLE(dist_luma, row, x);
}

/* A sample of the second (0) or third (1) plane. */
DEVICE u32 chroma_sample(u32 plane, u32 row, u32 x)
{
    if (GROUP_Z == 0u) {
        if (plane == 0u)
            return SAMPLE(ref_blue, row, x);
        return SAMPLE(ref_red, row, x);
    }
    if (plane == 0u)
        return SAMPLE(dist_blue, row, x);
    return SAMPLE(dist_red, row, x);
}

/* The sum of two samples of chroma in a row. */
DEVICE u32 chroma_pair(u32 plane, u32 y, u32 left, u32 right)
{
    u32 row = y * chroma_stride;
    return chroma_sample(plane, row, left) + chroma_sample(plane, row, right);
}

/* Chroma at a pixel: eight times its value, less `centre`. Where it is not subsampled, all four
 * samples are the same one. */
DEVICE f32 chroma_at(u32 plane, u32 x, u32 y)
{
    u32 left = min_u32(x >> across, chroma_w - 1u);
    u32 right = min_u32((x + across) >> across, chroma_w - 1u);
    u32 near = min_u32(y >> down, chroma_h - 1u);
    i32 step = (y & 1u) == 1u ? i32(down) : -i32(down);
    u32 far = u32(clamp_i32(i32(y >> down) + step, 0, i32(chroma_h) - 1));
    u32 sum = 3u * chroma_pair(plane, near, left, right) + chroma_pair(plane, far, left, right);
    return f32(i32(sum) - OF_PICTURE(centre));
}

/* Luma, or a sample of RGB, as a signal from 0 to 1. */
DEVICE f32 signal_of(u32 value)
{
    PRECISE f32 signal = f32(i32(value) - OF_PICTURE(black)) * OF_PICTURE(unit);
    return signal;
}

DEVICE Light light_at(u32 x, u32 y)
{
    PRECISE f32 luma = signal_of(luma_at(x, y));
    PRECISE f32 r = luma;
    PRECISE f32 g = luma;
    PRECISE f32 b = luma;
    if (OF_PICTURE(kind) == SSIMU2_YUV) {
        f32 cb = chroma_at(0u, x, y), cr = chroma_at(1u, x, y);
        r = luma + OF_PICTURE(red_v) * cr;
        g = (luma - OF_PICTURE(green_u) * cb) - OF_PICTURE(green_v) * cr;
        b = luma + OF_PICTURE(blue_u) * cb;
    } else if (OF_PICTURE(kind) == SSIMU2_GBR) {
        r = signal_of(chroma_sample(1u, y * chroma_stride, x));
        b = signal_of(chroma_sample(0u, y * chroma_stride, x));
    }
    Light light;
    light.r = ssimu2_light(ssimu2_clamp(r));
    light.g = ssimu2_light(ssimu2_clamp(g));
    light.b = ssimu2_light(ssimu2_clamp(b));
    return light;
}

DEVICE void put(u32 at, f32 r, f32 g, f32 b)
{
    f32 l = ssimu2_long(r, g, b), m = ssimu2_middle(r, g, b), s = ssimu2_short(r, g, b);
    if (GROUP_Z == 0u) {
        ref_x[at] = ssimu2_x(l, m);
        ref_y[at] = ssimu2_y(l, m);
        ref_b[at] = ssimu2_b(l, m, s);
    } else {
        dist_x[at] = ssimu2_x(l, m);
        dist_y[at] = ssimu2_y(l, m);
        dist_b[at] = ssimu2_b(l, m, s);
    }
}

DEVICE f32 mean_of(f32 a, f32 b, f32 c, f32 d)
{
    PRECISE f32 mean = (((a + b) + c) + d) * 0.25f;
    return mean;
}

/* Takes 2x2 pixels of the first scale, and makes the pixel of the next one at column i and row j of
 * the tile. Pixels beyond the edge are copies of those at the edge. */
DEVICE void take_square(u32 i, u32 j)
{
    u32 x = GROUP_X * SSIMU2_TILE_W + 2u * i, y = GROUP_Y * SSIMU2_TILE_H + 2u * j;
    if (x >= width || y >= height)
        return;
    bool right = x + 1u < width, below = y + 1u < height;
    u32 x1 = right ? x + 1u : x, y1 = below ? y + 1u : y;
    Light a = light_at(x, y), b = light_at(x1, y), c = light_at(x, y1), d = light_at(x1, y1);
    u32 at = j * (SSIMU2_TILE_W / 2) + i;
    red[at] = mean_of(a.r, b.r, c.r, d.r);
    green[at] = mean_of(a.g, b.g, c.g, d.g);
    blue[at] = mean_of(a.b, b.b, c.b, d.b);
    put(y * width + x, a.r, a.g, a.b);
    if (right)
        put(y * width + x1, b.r, b.g, b.b);
    if (below)
        put(y1 * width + x, c.r, c.g, c.b);
    if (right && below)
        put(y1 * width + x1, d.r, d.g, d.b);
}

/* The size of a scale. */
DEVICE u32 halved(u32 size, u32 scale)
{
    return (size + (1u << scale) - 1u) >> scale;
}

DEVICE u32 first_of(u32 scale)
{
    return scale == 1u   ? 0u
           : scale == 2u ? SCALE_2
           : scale == 3u ? SCALE_3
           : scale == 4u ? SCALE_4
                         : SCALE_5;
}

/* Makes a pixel of scale 2 or a later one from the tile's scale before. */
DEVICE void halve(u32 scale, u32 i, u32 j)
{
    u32 x = GROUP_X * (SSIMU2_TILE_W >> scale) + i, y = GROUP_Y * (SSIMU2_TILE_H >> scale) + j;
    if (x >= halved(width, scale) || y >= halved(height, scale))
        return;
    u32 finer = scale - 1u, pitch = SSIMU2_TILE_W >> finer;
    u32 across_by = 2u * x + 1u < halved(width, finer) ? 1u : 0u;
    u32 down_by = 2u * y + 1u < halved(height, finer) ? pitch : 0u;
    u32 a = first_of(finer) + 2u * j * pitch + 2u * i, b = a + across_by, c = a + down_by;
    u32 d = c + across_by, at = first_of(scale) + j * (SSIMU2_TILE_W >> scale) + i;
    red[at] = mean_of(red[a], red[b], red[c], red[d]);
    green[at] = mean_of(green[a], green[b], green[c], green[d]);
    blue[at] = mean_of(blue[a], blue[b], blue[c], blue[d]);
}

/* Writes pixel i of the tile's shared memory. */
DEVICE void put_light(u32 i)
{
    u32 scale = i < SCALE_2 ? 1u : i < SCALE_3 ? 2u : i < SCALE_4 ? 3u : i < SCALE_5 ? 4u : 5u;
    u32 pitch = SSIMU2_TILE_W >> scale, place = i - first_of(scale);
    u32 x = GROUP_X * pitch + (place & (pitch - 1u));
    u32 y = GROUP_Y * (SSIMU2_TILE_H >> scale) + (place >> (SSIMU2_TILE_BITS - scale));
    u32 w = halved(width, scale), at = width * height + y * w + x;
    if (scale >= scales || x >= w || y >= halved(height, scale))
        return;
    for (u32 s = 1u; s < scale; s++)
        at += halved(width, s) * halved(height, s);
    put(at, red[i], green[i], blue[i]);
}

KERNEL_MAIN
{
    for (u32 j = LOCAL_Y; j < SSIMU2_TILE_H / 2; j += GROUP_H)
        take_square(LOCAL_X, j);
    for (u32 scale = 2u; scale < scales; scale++) {
        u32 pitch = SSIMU2_TILE_W >> scale;
        BARRIER();
        if (LOCAL_INDEX < pitch * (SSIMU2_TILE_H >> scale))
            halve(scale, LOCAL_INDEX & (pitch - 1u), LOCAL_INDEX >> (SSIMU2_TILE_BITS - scale));
    }
    BARRIER();
    for (u32 i = LOCAL_INDEX; i < TILE_PIXELS; i += GROUP_SIZE)
        put_light(i);
}
KERNEL_END
#endif

#if defined(KERNEL_ssimulacra2_maps)
/* A workgroup takes a block of sums of one channel. */
#define BUFFERS                                                                                    \
    IN(0, f32, ref_x) IN(1, f32, ref_y) IN(2, f32, ref_b) IN(3, f32, dist_x) IN(4, f32, dist_y)    \
    IN(5, f32, dist_b) OUT(6, f32, sums)
#define PARAMS SSIMU2_MAPS_PARAMS
#define SIDE (SSIMU2_BLOCK + 2 * SSIMU2_REACH) /* side of the block with the pixels around it */
#define SHARED_ARRAYS                                                                              \
    SHARED(f32, ref, SIDE *SIDE)                                                                   \
    SHARED(f32, dist, SIDE *SIDE) SHARED(f32, first_rows, SIDE *SSIMU2_BLOCK)                      \
        SHARED(f32, second_rows, SIDE *SSIMU2_BLOCK)                                               \
            SHARED(f32, columns, SSIMU2_SUMS *SSIMU2_BLOCK)
#define GROUP_W SSIMU2_BLOCK
#define GROUP_H 8
#define ROWS (SSIMU2_BLOCK / GROUP_H) /* rows that a thread computes in its column */
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#include "feature/ssimulacra2/ssimulacra2_pixel.h"

DEVICE u32 channel_here()
{
    return (channels >> (2u * GROUP_Z)) & 3u;
}

/* Loads a pixel of the workgroup's part; outside of the plane there are zeros. */
DEVICE void load(u32 column, u32 row)
{
    i32 x = i32(GROUP_X * SSIMU2_BLOCK + column) - SSIMU2_REACH;
    i32 y = i32(GROUP_Y * SSIMU2_BLOCK + row) - SSIMU2_REACH;
    f32 a = 0.0f, d = 0.0f;
    if (x >= 0 && y >= 0 && x < i32(width) && y < i32(height)) {
        u32 at = first + u32(y) * width + u32(x), channel = channel_here();
        if (channel == 0u) {
            a = ref_x[at];
            d = dist_x[at];
        } else if (channel == 1u) {
            a = ref_y[at];
            d = dist_y[at];
        } else {
            a = ref_b[at];
            d = dist_b[at];
        }
    }
    ref[row * SIDE + column] = a;
    dist[row * SIDE + column] = d;
}

DEVICE void load_tile()
{
    for (u32 row = LOCAL_Y; row < SIDE; row += GROUP_H) {
        load(LOCAL_X, row);
        if (LOCAL_X < SIDE - GROUP_W)
            load(LOCAL_X + GROUP_W, row);
    }
}

/* The blur along a row of nine values. */
#define BLUR(a0, a1, a2, a3, a4, a5, a6, a7, a8, result)                                           \
    PRECISE f32 result##_4 = a0 + a8;                                                              \
    PRECISE f32 result##_3 = a1 + a7;                                                              \
    PRECISE f32 result##_2 = a2 + a6;                                                              \
    PRECISE f32 result##_1 = a3 + a5;                                                              \
    PRECISE f32 result = ssimu2_blur(result##_4, result##_3, result##_2, result##_1, a4);

DEVICE f32 ref_row(u32 at)
{
    BLUR(ref[at], ref[at + 1u], ref[at + 2u], ref[at + 3u], ref[at + 4u], ref[at + 5u],
         ref[at + 6u], ref[at + 7u], ref[at + 8u], sum)
    return sum;
}

DEVICE f32 dist_row(u32 at)
{
    BLUR(dist[at], dist[at + 1u], dist[at + 2u], dist[at + 3u], dist[at + 4u], dist[at + 5u],
         dist[at + 6u], dist[at + 7u], dist[at + 8u], sum)
    return sum;
}

DEVICE f32 square_at(u32 at)
{
    PRECISE f32 difference = ref[at] - dist[at];
    PRECISE f32 square = difference * difference;
    return square;
}

DEVICE f32 product_at(u32 at)
{
    PRECISE f32 product = ref[at] * dist[at];
    return product;
}

DEVICE f32 square_row(u32 at)
{
    BLUR(square_at(at), square_at(at + 1u), square_at(at + 2u), square_at(at + 3u),
         square_at(at + 4u), square_at(at + 5u), square_at(at + 6u), square_at(at + 7u),
         square_at(at + 8u), sum)
    return sum;
}

DEVICE f32 product_row(u32 at)
{
    BLUR(product_at(at), product_at(at + 1u), product_at(at + 2u), product_at(at + 3u),
         product_at(at + 4u), product_at(at + 5u), product_at(at + 6u), product_at(at + 7u),
         product_at(at + 8u), sum)
    return sum;
}

/* Blurs the thread's pixels along columns, from filtered rows. */
#define BLUR_COLUMNS(rows, result)                                                                 \
    {                                                                                              \
        f32 lines[ROWS + 2 * SSIMU2_REACH];                                                        \
        UNROLL for (u32 k = 0u; k < ROWS + 2 * SSIMU2_REACH; k++)                                  \
            lines[k] = rows[(LOCAL_Y * ROWS + k) * SSIMU2_BLOCK + LOCAL_X];                        \
        UNROLL for (u32 k = 0u; k < ROWS; k++) {                                                   \
            BLUR(lines[k], lines[k + 1u], lines[k + 2u], lines[k + 3u], lines[k + 4u],             \
                 lines[k + 5u], lines[k + 6u], lines[k + 7u], lines[k + 8u], sum)                  \
            result[k] = sum;                                                                       \
        }                                                                                          \
    }

/* Adds up a column of a map and its fourth powers: the structural error (0), rings (1) or lost
 * edges (2). The maps lie where the pixels were. */
DEVICE void add_column(u32 map)
{
    PRECISE f32 sum = 0.0f;
    PRECISE f32 fourths = 0.0f;
    for (u32 row = 0u; row < SSIMU2_BLOCK; row++) {
        u32 at = (row + SSIMU2_REACH) * SIDE + SSIMU2_REACH + LOCAL_X;
        f32 term;
        if (map == 0u)
            term = ref[at];
        else
            term = ssimu2_cut(map == 1u ? dist[at] : -dist[at]);
        sum = sum + term;
        fourths = fourths + ssimu2_fourth(term);
    }
    columns[map * SSIMU2_BLOCK + LOCAL_X] = sum;
    columns[(map + 3u) * SSIMU2_BLOCK + LOCAL_X] = fourths;
}

/* Adds up the columns by halves. */
DEVICE void add_columns()
{
    u32 at = LOCAL_Y * SSIMU2_BLOCK + LOCAL_X;
    for (u32 left = SSIMU2_BLOCK / 2; left > 0u; left >>= 1) {
        BARRIER();
        if (LOCAL_Y < SSIMU2_SUMS && LOCAL_X < left) {
            PRECISE f32 sum = columns[at] + columns[at + left];
            columns[at] = sum;
        }
    }
}

/* Writes sum `map` (ssim, ring, lost, their fourth powers) of the block if the channel has it, in
 * the order of Ssimu2Channel. */
DEVICE void put_sum(u32 map, bool has_ssim, bool has_edges)
{
    u32 power = map >= 3u ? 1u : 0u, kind = map - 3u * power, channel = channel_here();
    u32 plane = kind == 0u ? power : (has_ssim ? 2u : 0u) + kind - 1u + 2u * power;
    if (kind == 0u ? has_ssim : has_edges) {
        u32 begin = channel == 0u ? first_x : channel == 1u ? first_y : first_b;
        sums[begin + plane * blocks + GROUP_Y * blocks_across + GROUP_X] =
            columns[map * SSIMU2_BLOCK];
    }
}

KERNEL_MAIN
{
    bool has_ssim = ((ssim >> channel_here()) & 1u) != 0u;
    bool has_edges = ((edges >> channel_here()) & 1u) != 0u;
    f32 ref_soft[ROWS], dist_soft[ROWS], squares[ROWS], products[ROWS];
    load_tile();
    BARRIER();
    for (u32 row = LOCAL_Y; row < SIDE; row += GROUP_H) {
        first_rows[row * SSIMU2_BLOCK + LOCAL_X] = ref_row(row * SIDE + LOCAL_X);
        second_rows[row * SSIMU2_BLOCK + LOCAL_X] = dist_row(row * SIDE + LOCAL_X);
    }
    BARRIER();
    BLUR_COLUMNS(first_rows, ref_soft)
    BLUR_COLUMNS(second_rows, dist_soft)
    if (has_ssim) {
        BARRIER();
        for (u32 row = LOCAL_Y; row < SIDE; row += GROUP_H) {
            first_rows[row * SSIMU2_BLOCK + LOCAL_X] = square_row(row * SIDE + LOCAL_X);
            second_rows[row * SSIMU2_BLOCK + LOCAL_X] = product_row(row * SIDE + LOCAL_X);
        }
        BARRIER();
        BLUR_COLUMNS(first_rows, squares)
        BLUR_COLUMNS(second_rows, products)
    }
    /* Nobody else reads the pixels of this thread any more, so the maps take their place. */
    UNROLL for (u32 k = 0u; k < ROWS; k++) {
        u32 row = LOCAL_Y * ROWS + k;
        u32 at = (row + SSIMU2_REACH) * SIDE + SSIMU2_REACH + LOCAL_X;
        bool inside = GROUP_X * SSIMU2_BLOCK + LOCAL_X < width && GROUP_Y * SSIMU2_BLOCK + row < height;
        f32 error = 0.0f;
        if (has_ssim)
            error = ssimu2_ssim(ref_soft[k], dist_soft[k], squares[k], products[k]);
        f32 edge = ssimu2_edge(ref[at], ref_soft[k], dist[at], dist_soft[k]);
        ref[at] = inside ? error : 0.0f;
        dist[at] = inside ? edge : 0.0f;
    }
    BARRIER();
    if (LOCAL_Y < 3u)
        add_column(LOCAL_Y);
    add_columns();
    if (LOCAL_Y < SSIMU2_SUMS && LOCAL_X == 0u)
        put_sum(LOCAL_Y, has_ssim, has_edges);
}
KERNEL_END
#endif

#if defined(KERNEL_ssimulacra2_roots)
#define BUFFERS OUT(0, u32, sums)
#define PARAMS SSIMU2_ROOTS_PARAMS
#define SHARED_ARRAYS SHARED(u32, part, SSIMU2_ROOT_GROUP)
#define GROUP_W SSIMU2_ROOT_GROUP
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#include "feature/ssimulacra2/ssimulacra2_pixel.h"

KERNEL_MAIN
{
    u32 i = GROUP_X * GROUP_W + LOCAL_X, mixed = 0u;
    if (i < count) {
        f32 root = ssimu2_cube_root(f32_of_bits(SSIMU2_ROOT_FIRST + i * SSIMU2_ROOT_STEP));
        u32 bits = bits_of_f32(root);
        mixed = SSIMU2_ROOT_MIX(bits);
    }
    GROUP_SUM(part, mixed);
    if (LOCAL_INDEX == 0u)
        sums[GROUP_X] = part[0];
}
KERNEL_END
#endif
