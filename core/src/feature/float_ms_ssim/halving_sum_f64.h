/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The sum of the 9x9 low-pass in double. Stands in for halving_sum.h and all that it needs. */
#include "gpu/prelude/wide_sum.h"

struct Halving {
    f64 sum;
};

/* A double needs none. */
struct HalvingBounds {
    u32 none;
};

DEVICE HalvingBounds halving_bounds_of_doubles()
{
    HalvingBounds bounds;
    bounds.none = 0u;
    return bounds;
}

DEVICE Halving halving_start(HalvingBounds bounds)
{
    Halving h;
    h.sum = f64(0.0f);
    return h;
}

/* Samples are not negative, so that the tap's sign, a constant, is the term's; floats may be. */
DEVICE void add_tap(INOUT(Halving) h, f32 value, f32 tap)
{
#ifdef IMAGE_F32
    PRECISE f32 term = value * tap;
    PRECISE f64 sum = h.sum + wide(term);
#else
    PRECISE f32 size = value * abs_f32(tap);
    PRECISE f64 sum = tap < 0.0f ? h.sum - wide_size(size) : h.sum + wide_size(size);
#endif
    h.sum = sum;
}

/* A row of the filter. */
DEVICE void outer_row(INOUT(Halving) h, Row row, f32 t0, f32 t1, f32 t2, f32 t3, f32 t4)
{
    add_tap(h, row.v0, t0);
    add_tap(h, row.v1, t1);
    add_tap(h, row.v2, t2);
    add_tap(h, row.v3, t3);
    add_tap(h, row.v4, t4);
    add_tap(h, row.v5, t3);
    add_tap(h, row.v6, t2);
    add_tap(h, row.v7, t1);
    add_tap(h, row.v8, t0);
}

DEVICE void middle_row(INOUT(Halving) h, Row row, f32 t0, f32 t1, f32 t2, f32 t3, f32 t4)
{
    outer_row(h, row, t0, t1, t2, t3, t4);
}

DEVICE void turn_over(INOUT(Halving) h)
{
}

DEVICE f32 halving_round(Halving h, HalvingBounds bounds, u32 bit, INOUT(u32) doubt)
{
    return narrowed(h.sum);
}
