/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The extent of a tile's samples, from which the anchors of SSIM's sums follow. Include it after window_sums.h. */

/* The extent of samples as they are stored: of floats their bits, which are in order, too, but that some negative one
 * is the least if there is any. */
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

/* Of both pictures. */
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

/* `kept` gathers what threads found, then what every eight of them did. */
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
    /* Before rows are kept there. */
    BARRIER();
    return anchors_of(extent_scaled(extent));
}
