/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SpEED's sums of products, for each instruction set. */
#include "base/simd.h"
#include "feature/speed/speed_dsp.h"

void SIMD_FN(speed_dsp_init)(SpeedDsp *dsp);

/* Sums stay in registers while all vectors pass by: a tile of them at a time. */
enum { TILE_ROWS = 4, TILE_VECTORS = 2 };

static void tile(double sums[SPEED_BLOCK][SPEED_ROW], const double *vectors, size_t n, unsigned a,
                 unsigned b)
{
    vd sum[TILE_ROWS][TILE_VECTORS];
    for (int i = 0; i < TILE_ROWS; i++) {
        for (int j = 0; j < TILE_VECTORS; j++)
            sum[i][j] = v_set_f64(0.0);
    }
    for (const double *v = vectors; v < vectors + n * SPEED_ROW; v += SPEED_ROW) {
        for (int j = 0; j < TILE_VECTORS; j++) {
            const vd column = v_load_f64(v + b + j * V64);
            for (int i = 0; i < TILE_ROWS; i++) {
                const vd product = v_mul_f64(v_set_f64(v[a + i]), column);
                sum[i][j] = v_add_f64(sum[i][j], product);
            }
        }
    }
    for (unsigned i = 0; i < TILE_ROWS && a + i < SPEED_BLOCK; i++) {
        for (int j = 0; j < TILE_VECTORS; j++)
            v_store_f64(&sums[a + i][b + j * V64], sum[i][j]);
    }
}

static void products(double sums[SPEED_BLOCK][SPEED_ROW], const double *vectors, size_t n)
{
    for (unsigned a = 0; a < SPEED_BLOCK; a += TILE_ROWS) {
        for (unsigned b = 0; b < a + TILE_ROWS && b < SPEED_BLOCK; b += TILE_VECTORS * V64)
            tile(sums, vectors, n, a, b);
    }
}

void SIMD_FN(speed_dsp_init)(SpeedDsp *dsp)
{
    dsp->products = products;
}
