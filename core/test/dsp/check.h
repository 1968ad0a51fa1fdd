/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every vector routine against the scalar one, on random and extreme input; and how fast each is.
 *
 *   dsp_check [--bench] [--short] [FEATURE]...
 *
 * A feature's check runs once for each instruction set of this machine. It fills guarded buffers,
 * calls both versions, compares what they promise, and says what failed. */
#ifndef TEST_DSP_CHECK_H
#define TEST_DSP_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The set under test: what to give to a feature's dsp_init. The scalar version takes 0. */
typedef struct CheckSet {
    const char *name;
    unsigned cpu;
} CheckSet;

typedef void CheckFeature(const CheckSet *set);

CheckFeature adm_check;
CheckFeature cambi_check;
CheckFeature ciede_check;
CheckFeature float_adm_check;
CheckFeature float_check;
CheckFeature float_vif_check;
CheckFeature hvs_check;
CheckFeature motion_check;
CheckFeature psnr_check;
CheckFeature simd_check;
CheckFeature speed_check;
CheckFeature ssim_check;
CheckFeature vif_check;

/* With --short, for runs that are slow by themselves: nothing that takes a second. */
bool check_short(void);

/* The same numbers in every run. */
uint32_t check_random(void);

/* -limit…limit, in one of several tempers: all sizes alike, mostly small, or the extremes. */
int32_t check_random_signed(int32_t limit);

/* Zeroed memory, aligned, with guard bytes on both sides; freed by check_release_all. */
void *check_buffer(size_t size);

/* The same, but reading past its end fails, too, where the system can tell; not aligned. */
void *check_edge_buffer(size_t size);

/* Reports any guard byte that was overwritten since, in `where`, and frees all buffers. */
void check_release_all(const char *where);

/* Reports a failure; only the first few are printed. */
void check_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reports the first of `count` items that differ. */
void check_same(const char *what, const void *got, const void *want, size_t item, int count);

/* With --bench: times fn(arg) and prints cycles for each of `items` things it handles. The counter
 * is the machine's own and ticks at a fixed rate, which may not be the core's. */
void check_bench(const CheckSet *set, const char *what, int items, void (*fn)(void *arg),
                 void *arg);

#endif
