/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants that float_ms_ssim's kernels and the C code share. */
#define HALVE_TILE_W 32 /* output samples per workgroup */
#define HALVE_TILE_H 16 /* a thread makes two, one below the other */

/* Output samples of the second half per workgroup. It makes 483 samples of the first half for them,
 * two per thread. */
#define HALVE_TWICE_W 8
#define HALVE_TWICE_H 7

/* The 9x9 low-pass that goes before halving. It is symmetric in both directions, so these 5x5 taps
 * of one quarter are all. */
#define HALVE_QUARTER                                                                              \
    0.000714f, -0.000450f, -0.002090f, 0.007132f, 0.016114f, -0.000450f, 0.000283f, 0.001316f,     \
        -0.004490f, -0.010146f, -0.002090f, 0.001316f, 0.006115f, -0.020867f, -0.047149f,          \
        0.007132f, -0.004490f, -0.020867f, 0.071207f, 0.160885f, 0.016114f, -0.010146f,            \
        -0.047149f, 0.160885f, 0.363505f

/* Adds a row of the filter to the sum h; `kind` is outer or middle, and the row's taps begin at `q`
 * of the table `quarter`. Taps are picked by constants and not in a loop, because a table with a
 * variable index is put into memory. */
#define HALVE_ROW(kind, h, row, q)                                                                 \
    kind##_row(h, row, quarter[q], quarter[q + 1], quarter[q + 2], quarter[q + 3], quarter[q + 4]);

/* width, height, stride: of the image that is halved. first_in: its first element if it is an image
 * of floats. first_out: the first element of its half; if that is halved, too, the second half
 * follows it. */
#define SSIM_HALVE_PARAMS                                                                          \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(f32, step) ARG(u32, first_in)            \
    ARG(u32, first_out)
