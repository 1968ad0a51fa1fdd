/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "dsp/check.h"

#include "feature/speed/speed_dsp.h"

typedef struct Args {
    const SpeedDsp *dsp;
    double (*sums)[SPEED_ROW];
    const double *vectors;
    int n;
} Args;

static void run(void *arg)
{
    const Args *a = arg;
    a->dsp->products(a->sums, a->vectors, (size_t)a->n);
}

void speed_check(const CheckSet *set)
{
    SpeedDsp fast, truth;
    speed_dsp_init(&fast, set->cpu);
    speed_dsp_init(&truth, 0);
    for (int n = 1; n < 300; n = n * 3 / 2 + 1) {
        double *const vectors = check_buffer((size_t)n * SPEED_ROW * sizeof(double));
        for (int i = 0; i < n; i++) {
            for (int a = 0; a < SPEED_BLOCK; a++)
                vectors[i * SPEED_ROW + a] = check_random_signed(1 << 24) / 65536.0;
        }
        const size_t size = SPEED_BLOCK * SPEED_ROW * sizeof(double);
        Args got = { &fast, check_buffer(size), vectors, n };
        Args want = { &truth, check_buffer(size), vectors, n };
        run(&got);
        run(&want);
        for (int a = 0; a < SPEED_BLOCK; a++)
            check_same("speed products", got.sums[a], want.sums[a], sizeof(double), a + 1);
        if (n > 150) {
            check_bench(NULL, "speed products", n, run, &want);
            check_bench(set, "speed products", n, run, &got);
        }
        check_release_all("speed");
    }
}
