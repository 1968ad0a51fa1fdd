/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Functions of math.h from libexactmath (scripts/windows-build), which gives glibc's bits. glibc
 * has two versions of some functions and picks the one with fused operations if the processor has
 * them; this file picks in the same way. */
#include <math.h>
#include <stdbool.h>

#define DECLARE(type, name, ...)                                                                   \
    type musl_##name(__VA_ARGS__);                                                                 \
    type musl_fused_##name(__VA_ARGS__);

DECLARE(double, exp, double x)
DECLARE(double, log, double x)
DECLARE(double, log2, double x)
DECLARE(double, pow, double x, double y)
DECLARE(float, exp2f, float x)
DECLARE(float, powf, float x, float y)
double musl_exp2(double x);

static bool has_fused(void)
{
    return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
}

double exact_exp(double x)
{
    return has_fused() ? musl_fused_exp(x) : musl_exp(x);
}

double exact_exp2(double x)
{
    return musl_exp2(x);
}

double exact_log(double x)
{
    return has_fused() ? musl_fused_log(x) : musl_log(x);
}

double exact_log2(double x)
{
    return has_fused() ? musl_fused_log2(x) : musl_log2(x);
}

double exact_pow(double x, double y)
{
    return has_fused() ? musl_fused_pow(x, y) : musl_pow(x, y);
}

float exact_exp2f(float x)
{
    return has_fused() ? musl_fused_exp2f(x) : musl_exp2f(x);
}

float exact_powf(float x, float y)
{
    return has_fused() ? musl_fused_powf(x, y) : musl_powf(x, y);
}
