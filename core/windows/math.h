/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The system's math.h. If the build has libexactmath, functions whose last bits influence scores
 * are replaced by versions that give the same bits as on Linux. */
#ifndef WINDOWS_MATH_H
#define WINDOWS_MATH_H

#include_next <math.h>

#ifdef HAVE_EXACT_MATH
double exact_exp(double x);
double exact_exp2(double x);
double exact_log(double x);
double exact_log2(double x);
double exact_pow(double x, double y);
float exact_exp2f(float x);
float exact_powf(float x, float y);

#define exp(x) exact_exp(x)
#define exp2(x) exact_exp2(x)
#define log(x) exact_log(x)
#define log2(x) exact_log2(x)
#define pow(x, y) exact_pow(x, y)
#define exp2f(x) exact_exp2f(x)
#define powf(x, y) exact_powf(x, y)
#endif

#endif
