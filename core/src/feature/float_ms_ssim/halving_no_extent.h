/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Where the bounds of a tile's sums do not hang on its samples. Stands in for halving_extent.h. */
struct Extent {
    u32 none;
};

DEVICE Extent extent_start()
{
    Extent e;
    e.none = 0u;
    return e;
}

DEVICE void extent_take(INOUT(Extent) e, f32 value)
{
}

DEVICE HalvingBounds bounds_of_tile(Extent e)
{
    BARRIER();
#ifdef F64
    return halving_bounds_of_doubles();
#else
    return halving_bounds_of_bytes();
#endif
}
