/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "dsp/check.h"

#include "feature/speed/speed.h"

typedef struct Args {
    const SpeedDsp *dsp;
    double *sums;
    const double *a, *b;
    int n;
} Args;

static void run(void *arg)
{
    const Args *a = arg;
    a->dsp->lags(a->sums, a->a, a->b, (size_t)a->n);
}

static double *random_row(int n)
{
    double *const row = check_buffer((size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        row[i] = check_random_signed(1 << 24) / 65536.0;
    return row;
}

void speed_check(const CheckSet *set)
{
    SpeedDsp fast, truth;
    speed_dsp_init(&fast, set->cpu);
    speed_dsp_init(&truth, 0);
    for (int n = 1; n < 300; n = n * 3 / 2 + 1) {
        const double *const a = random_row(n), *const b = random_row(n + SPEED_LAG_ROW);
        const size_t size = SPEED_LAG_ROW * sizeof(double);
        Args got = { &fast, check_buffer(size), a, b, n };
        Args want = { &truth, check_buffer(size), a, b, n };
        run(&got);
        run(&want);
        check_same("speed lags", got.sums, want.sums, sizeof(double), SPEED_LAGS);
        if (n > 150) {
            check_bench(NULL, "speed lags", n, run, &want);
            check_bench(set, "speed lags", n, run, &got);
        }
        check_release_all("speed");
    }
}
