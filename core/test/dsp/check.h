/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Checks every vector routine against the scalar one, on random and extreme input, and measures its
 * speed.
 *
 *   dsp_check [--bench] [--short] [FEATURE]...
 *
 * A feature's check runs once for each instruction set of this machine. It fills guarded buffers,
 * calls both versions, compares the outputs that they promise, and reports failures. */
#ifndef TEST_DSP_CHECK_H
#define TEST_DSP_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The instruction set under test: the flags to pass to a feature's dsp_init. The scalar version
 * takes 0. */
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
CheckFeature ssimulacra2_check;
CheckFeature vif_check;
CheckFeature xpsnr_check;

/* True with --short, for machines where everything is slow: skip checks that take a second. */
bool check_short(void);

/* Pseudo-random numbers, the same in every run. */
uint32_t check_random(void);

/* A number from -limit to limit, in one of several distributions: even, mostly small, or
 * extremes. */
int32_t check_random_signed(int32_t limit);

/* Zeroed memory, aligned, with guard bytes on both sides; freed by check_release_all. */
void *check_buffer(size_t size);

/* Like check_buffer, but reading past its end fails, too, where the system can tell; not
 * aligned. */
void *check_edge_buffer(size_t size);

/* Reports every guard byte that was overwritten, naming `where`, and frees all buffers. */
void check_release_all(const char *where);

/* Reports a failure; only the first few are printed. */
void check_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reports the first of `count` items that differ. */
void check_same(const char *what, const void *got, const void *want, size_t item, int count);

/* With --bench: times fn(arg) and prints cycles for each of the `items` it handles. The counter
 * ticks at a fixed rate, which may differ from the core's. */
void check_bench(const CheckSet *set, const char *what, int items, void (*fn)(void *arg),
                 void *arg);

#endif
