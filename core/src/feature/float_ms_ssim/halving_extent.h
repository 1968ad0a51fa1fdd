/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The extent of a tile's samples, from which the bounds of their sums follow. Include it after halving_sum.h, where
 * there is a shared array `extents` with an element for each thread. */
#define HALVE_GATHERERS 16u /* threads that join what others found */

/* As bits of floats: these are in order, too. */
struct Extent {
    u32 peak, least; /* of magnitudes; the least but 0, less one */
};

DEVICE Extent extent_start()
{
    Extent e;
    e.peak = 0u;
    e.least = 0x4e800000u; /* 2^30 */
    return e;
}

DEVICE void extent_join(INOUT(Extent) e, u32 peak, u32 least)
{
    e.peak = max_u32(e.peak, peak);
    e.least = min_u32(e.least, least);
}

DEVICE void extent_take(INOUT(Extent) e, f32 value)
{
    u32 size = bits_of_f32(value) & 0x7fffffffu;
    extent_join(e, size, size - 1u);
}

DEVICE void put_extent(Extent e)
{
    extents[LOCAL_INDEX] = U32X2(e.peak, e.least);
}

/* Of those that were put by threads up to `end`, from `from` on so many apart. */
DEVICE Extent extents_joined(u32 from, u32 end, u32 every)
{
    Extent e = extent_start();
    for (u32 i = from; i < end; i += every) {
        u32x2 words = extents[i];
        extent_join(e, words.x, words.y);
    }
    return e;
}

/* From what each thread found. */
DEVICE HalvingBounds bounds_of_tile(Extent extent)
{
    put_extent(extent);
    BARRIER();
    if (LOCAL_INDEX < HALVE_GATHERERS)
        put_extent(extents_joined(LOCAL_INDEX, GROUP_SIZE, HALVE_GATHERERS));
    BARRIER();
    extent = extents_joined(0u, HALVE_GATHERERS, 1u);
    return halving_bounds(2.0f * power_below(max_f32(f32_of_bits(extent.peak), 9.5367432e-7f)),
                          f32_of_bits(extent.least + 1u));
}
