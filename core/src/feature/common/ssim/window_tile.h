/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The tile of a group of SSIM's window, and what its threads share: lines of samples and rows that are filtered along
 * themselves. Include it after window_maps.h. */

/* Window positions of rows from `top` on, as many as there are up to `end` rows of samples. */
struct Tile {
    u32 w, h, pitch, first; /* of its scale; where that begins */
    u32 left, top, end;
    u32 own, more; /* the columns that this thread loads: its own, and for some one of those behind the group's */
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

/* What a thread loads of a row. */
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

/* What stands in the lines at x. (Signed: compilers know that it does not wrap when some of x is constant.) */
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
    kept[at] = U32X4(bits_of_f32(row.a), bits_of_f32(row.b), bits_of_f32(row.aa), bits_of_f32(row.bb));
    kept_ab[at] = row.ab;
}

/* Keeps this thread's column of a row. */
DEVICE void keep(u32 slot, Across row)
{
    u32 at = slot * SSIM_GROUP_W + LOCAL_X;
    keep_at(at, row);
    if (slot < SSIM_TWICE)
        keep_at(at + SSIM_RING * SSIM_GROUP_W, row);
}
