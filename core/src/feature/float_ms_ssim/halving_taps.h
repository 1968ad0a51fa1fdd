/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The 9x9 low-pass that goes before halving. Include it ahead of KERNEL_BEGIN. */

/* A quarter of it; the rest follows by reflection. */
TABLE_BEGIN(f32, quarter, 25)
0.000714f, -0.000450f, -0.002090f, 0.007132f, 0.016114f, -0.000450f, 0.000283f, 0.001316f,
    -0.004490f, -0.010146f, -0.002090f, 0.001316f, 0.006115f, -0.020867f, -0.047149f, 0.007132f,
    -0.004490f, -0.020867f, 0.071207f, 0.160885f, 0.016114f, -0.010146f, -0.047149f, 0.160885f,
    0.363505f TABLE_END

/* A row of the filter, outer or middle; its taps begin at `q` of the quarter. Picked by constants, not in a loop: a
 * table that is indexed lies in memory. */
#define HALVE_ROW(kind, h, row, q)                                                                 \
    kind##_row(h, row, quarter[q], quarter[q + 1], quarter[q + 2], quarter[q + 3], quarter[q + 4]);
