/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The sums of SSIM's window in double. Stands in for window_sums.h and all that it needs. */
#include "gpu/prelude/wide_sum.h"

/* A double needs none. */
struct Anchors {
    bool exact;
};

/* Sums for a row on their way. */
struct Sums {
    f64 a, b, aa, bb, ab;
};

DEVICE Sums sums_start(Anchors none)
{
    Sums s;
    s.a = s.b = s.aa = s.bb = s.ab = f64(0.0f);
    return s;
}

/* Samples are not negative, but floats may be. */
DEVICE f64 add_tap(f64 sum, f32 value, f32 tap)
{
    PRECISE f32 term = value * tap;
#ifdef IMAGE_F32
    PRECISE f64 more = sum + wide(term);
#else
    PRECISE f64 more = sum + wide_size(term);
#endif
    return more;
}

/* Of a square. */
DEVICE f64 add_square_tap(f64 sum, f32 value, f32 tap)
{
    PRECISE f32 term = value * tap;
    PRECISE f64 more = sum + wide_size(term);
    return more;
}

DEVICE void sums_add(INOUT(Sums) s, Across row, f32 tap)
{
    s.a = add_tap(s.a, row.a, tap);
    s.b = add_tap(s.b, row.b, tap);
    s.aa = add_square_tap(s.aa, row.aa, tap);
    s.bb = add_square_tap(s.bb, row.bb, tap);
    s.ab = add_tap(s.ab, row.ab, tap);
}

DEVICE Across sums_end(Sums s, Anchors none, bool down, u32 at)
{
    Across row;
    row.a = narrowed(s.a);
    row.b = narrowed(s.b);
    row.aa = narrowed(s.aa);
    row.bb = narrowed(s.bb);
    row.ab = narrowed(s.ab);
    return row;
}
