/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The compiler's vector functions, which every file of vector code includes. Reading them takes
 * half of the compile time of these files, so the build reads them once for each instruction
 * set. */
#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__AVX2__)
#include <immintrin.h>
#else
#include <smmintrin.h>
#endif
