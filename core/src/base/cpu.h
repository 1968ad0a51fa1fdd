/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Instruction sets of the CPU. Any thread. */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include <stdint.h>

/* The bits of VmafConfiguration.cpumask name the same sets: a set bit there disables it. */
enum CpuFlag {
    CPU_SSE2 = 1 << 0, /* NEON on arm64 */
    CPU_NEON = 1 << 0,
    CPU_SSSE3 = 1 << 1,
    CPU_SSE41 = 1 << 2,
    CPU_AVX2 = 1 << 3,      /* and FMA */
    CPU_AVX512 = 1 << 4,    /* F, BW, DQ, VL, CD */
    CPU_AVX512ICL = 1 << 5, /* plus VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ */
};

/* The sets that this machine has and `mask` does not disable. Each set requires those before it:
 * without an earlier set the later ones are off, too. */
unsigned cpu_flags(uint64_t mask);

/* The name of the best of these sets that has vector code; "scalar" when there is none. */
const char *cpu_best_set(unsigned flags);

#endif
