/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The tile of window positions that a workgroup of SSIM's window kernel handles, and the memory
 * that its threads share: lines of samples, and rows that are already filtered horizontally.
 * Include it after window_f64.h or window_floats.h. */

/* A tile: window positions of the rows from `top` on; its samples end before row `end`. */
struct Tile {
    u32 w, h, pitch, first; /* size and row pitch of the tile's scale, and its first element */
    u32 left, top, end;
    /* The columns that this thread loads: its own, and (first threads only) one behind the tile. */
    u32 own, more;
};

DEVICE u32 tiles_across(u32 w)
{
    return (w - SSIM_TAPS + SSIM_GROUP_W) / SSIM_GROUP_W;
}

DEVICE u32 tiles_down(u32 h)
{
    return (h - SSIM_TAPS + rows) / rows;
}

DEVICE Tile tile_of(u32 number)
{
    Tile t;
    t.w = width;
    t.h = height;
    t.pitch = stride;
    t.first = 0u;
    u32 across = tiles_across(t.w), count = across * tiles_down(t.h);
    while (number >= count) {
        number -= count;
        t.first += t.w * t.h;
        t.w = (t.w + 1u) >> 1;
        t.h = (t.h + 1u) >> 1;
        t.pitch = t.w;
        across = tiles_across(t.w);
        count = across * tiles_down(t.h);
    }
    u32 tile_y = number / across;
    t.left = (number - tile_y * across) * SSIM_GROUP_W;
    t.top = tile_y * rows;
    t.end = min_u32(t.top + rows + SSIM_TAPS - 1u, t.h);
    t.own = min_u32(t.left + LOCAL_X, t.w - 1u);
    t.more = min_u32(t.own + SSIM_GROUP_W, t.w - 1u);
    return t;
}

DEVICE bool loads_more()
{
    return LOCAL_X < SSIM_TAPS - 1u;
}

/* The samples that a thread loads from one row of both pictures. */
struct Samples {
    f32 a, b, more_a, more_b;
};

DEVICE Samples samples_at(Tile t, u32 row)
{
    Samples s;
    u32 y = min_u32(row, t.end - 1u);
    s.a = PIXEL(ref, t.first, t.pitch, t.own, y);
    s.b = PIXEL(dist, t.first, t.pitch, t.own, y);
    s.more_a = s.more_b = 0.0f;
    if (loads_more()) {
        s.more_a = PIXEL(ref, t.first, t.pitch, t.more, y);
        s.more_b = PIXEL(dist, t.first, t.pitch, t.more, y);
    }
    return s;
}

DEVICE void put_line(u32 x, f32 a, f32 b)
{
    PRECISE f32 aa = a * a;
    PRECISE f32 bb = b * b;
    lines[x] = U32X4(bits_of_f32(a), bits_of_f32(b), bits_of_f32(aa), bits_of_f32(bb));
}

DEVICE void put_samples(u32 line, Samples s)
{
    u32 x = line + LOCAL_Y * SSIM_LINE_W + LOCAL_X;
    put_line(x, s.a, s.b);
    if (loads_more())
        put_line(x + SSIM_GROUP_W, s.more_a, s.more_b);
}

DEVICE Across across_of(u32x4 words, f32 ab)
{
    Across row;
    row.a = f32_of_bits(words.x);
    row.b = f32_of_bits(words.y);
    row.aa = f32_of_bits(words.z);
    row.bb = f32_of_bits(words.w);
    row.ab = ab;
    return row;
}

/* The samples in `lines` at x, and their products. (x is signed so that compilers may assume that
 * it does not wrap where a part of it is constant.) */
DEVICE Across line_at(i32 x)
{
    Across row = across_of(lines[x], 0.0f);
    PRECISE f32 product = row.a * row.b;
    row.ab = product;
    return row;
}

DEVICE Across kept_at(i32 at)
{
    return across_of(kept[at], kept_ab[at]);
}

DEVICE void keep_at(u32 at, Across row)
{
    kept[at] = U32X4(bits_of_f32(row.a), bits_of_f32(row.b), bits_of_f32(row.aa),
                     bits_of_f32(row.bb));
    kept_ab[at] = row.ab;
}

/* Stores this thread's column of a filtered row in the ring. The first SSIM_TWICE rows are stored
 * twice. */
DEVICE void keep(u32 slot, Across row)
{
    u32 at = slot * SSIM_GROUP_W + LOCAL_X;
    keep_at(at, row);
    if (slot < SSIM_TWICE)
        keep_at(at + SSIM_RING * SSIM_GROUP_W, row);
}

#ifdef F64

/* Sums in double have no anchors that depend on the samples. */
DEVICE Anchors anchors_of_tile(Tile t)
{
    Anchors none;
    none.exact = true;
    return none;
}

#else

/* ---- the range of the tile's samples, which decides the anchors of the sums ---- */

/* The range of samples as they are stored. For images of floats these are the bits of the floats,
 * which have the same order, except that among negative floats any one may be taken as the
 * smallest. */
struct StoredExtent {
    u32 peak;
    i32 least;
};

DEVICE StoredExtent extent_start()
{
    StoredExtent e;
    e.peak = 0u;
    e.least = 0x7f000000;
    return e;
}

DEVICE void extent_join(INOUT(StoredExtent) e, u32 peak, i32 least)
{
    e.peak = max_u32(e.peak, peak);
    e.least = min_i32(e.least, least);
}

/* Takes one sample of each picture. */
DEVICE void extent_take(INOUT(StoredExtent) e, u32 a, u32 b)
{
    extent_join(e, max_u32(STORED_SIZE(a), STORED_SIZE(b)), min_i32(i32(a), i32(b)));
}

DEVICE void put_extent(u32 at, StoredExtent e)
{
    kept[at] = U32X4(e.peak, u32(e.least), 0u, 0u);
}

DEVICE StoredExtent join_extents(u32 at, u32 count)
{
    StoredExtent e = extent_start();
    for (u32 i = 0u; i < count; i++) {
        u32x4 words = kept[at + i];
        extent_join(e, words.x, i32(words.y));
    }
    return e;
}

DEVICE Extent extent_scaled(StoredExtent e)
{
    Extent scaled;
#ifdef IMAGE_F32
    scaled.peak = f32_of_bits(e.peak);
    scaled.least = e.least < 0 ? -1.0f : f32_of_bits(u32(e.least));
#else
    scaled.peak = f32(i32(e.peak)) * step;
    scaled.least = f32(e.least) * step;
#endif
    return scaled;
}

/* Finds the range of the tile's samples and returns the anchors for it. All threads must call this.
 * The array `kept` first holds what each thread found, then what each eight threads found. */
DEVICE Anchors anchors_of_tile(Tile t)
{
    StoredExtent extent = extent_start();
    for (u32 y = t.top + LOCAL_Y; y < t.end; y += SSIM_GROUP_H) {
        extent_take(extent, STORED(ref, t.first, t.pitch, t.own, y),
                    STORED(dist, t.first, t.pitch, t.own, y));
        if (loads_more())
            extent_take(extent, STORED(ref, t.first, t.pitch, t.more, y),
                        STORED(dist, t.first, t.pitch, t.more, y));
    }
    put_extent(LOCAL_INDEX, extent);
    BARRIER();
    if (LOCAL_INDEX < GROUP_SIZE / 8u)
        put_extent(GROUP_SIZE + LOCAL_INDEX, join_extents(LOCAL_INDEX * 8u, 8u));
    BARRIER();
    extent = join_extents(GROUP_SIZE, GROUP_SIZE / 8u);
    /* All threads must have read `kept` before rows are stored there. */
    BARRIER();
    return anchors_of(extent_scaled(extent));
}

/* ---- sums, rounded ---- */

DEVICE f32 map_of(Across row, u32 map)
{
    return map == 0u ? row.a : map == 1u ? row.b : map == 2u ? row.aa : map == 3u ? row.bb : row.ab;
}

DEVICE void replace(INOUT(Across) row, u32 map, f32 value)
{
    row.a = map == 0u ? value : row.a;
    row.b = map == 1u ? value : row.b;
    row.aa = map == 2u ? value : row.aa;
    row.bb = map == 3u ? value : row.bb;
    row.ab = map == 4u ? value : row.ab;
}

/* The value that tap k is multiplied by: in the filtered rows (`down`) or in the lines, from `at`
 * on. */
DEVICE f32 window_value(u32 map, u32 k, bool down, u32 at)
{
    if (down)
        return map_of(kept_at(i32(at + k * SSIM_GROUP_W)), map);
    return map_of(line_at(i32(at + k)), map);
}

/* The window's sum of one map, one addition after the other as a double does it. */
DEVICE f32 exact_sum(u32 map, bool down, u32 at)
{
    /* The count is always SSIM_TAPS, but the compiler cannot know. So it does not spend time on
     * unrolling a loop that hardly ever runs. */
    u32 count = min_u32(rows + SSIM_TAPS, SSIM_TAPS);
    DoubleSum sum = double_sum_start();
    for (u32 k = 0u; k < count; k++) {
        PRECISE f32 term = window_value(map, k, down, at) * taps[k];
        double_sum_add(sum, term);
    }
    return double_sum_round(sum);
}

/* Rounds the sums of the window from `at` on; sums in doubt are made again. */
DEVICE Across sums_end(Sums s, Anchors anchors, bool down, u32 at)
{
    u32 doubt = 0u;
    Across row = sums_round(s, anchors, doubt);
    while (doubt != 0u) {
        u32 map = top_bit_u32(doubt);
        doubt ^= 1u << map;
        replace(row, map, exact_sum(map, down, at));
    }
    return row;
}

#endif
