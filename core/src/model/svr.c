/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "model/svr.h"

#include <math.h>
#include <stddef.h>

static double squared_distance(const Svr *svr, const double *v, const double *x, unsigned features)
{
    const unsigned both = svr->width < features ? svr->width : features;
    double sum = 0.0;
    for (unsigned i = 0; i < both; i++) {
        const double d = x[i] - v[i];
        sum += d * d;
    }
    for (unsigned i = both; i < features; i++)
        sum += x[i] * x[i];
    for (unsigned i = both; i < svr->width; i++)
        sum += v[i] * v[i];
    return sum;
}

static double dot(const Svr *svr, const double *v, const double *x, unsigned features)
{
    const unsigned both = svr->width < features ? svr->width : features;
    double sum = 0.0;
    for (unsigned i = 0; i < both; i++)
        sum += x[i] * v[i];
    return sum;
}

static double power(double base, int exponent)
{
    double result = 1.0;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2)
            result *= base;
        base *= base;
    }
    return result;
}

static double kernel(const Svr *svr, const double *v, const double *x, unsigned features)
{
    switch (svr->kernel) {
    case SVR_LINEAR:
        return dot(svr, v, x, features);
    case SVR_POLYNOMIAL:
        return power(svr->gamma * dot(svr, v, x, features) + svr->coef0, svr->degree);
    case SVR_SIGMOID:
        return tanh(svr->gamma * dot(svr, v, x, features) + svr->coef0);
    case SVR_RBF:
        break;
    }
    return exp(-svr->gamma * squared_distance(svr, v, x, features));
}

double svr_predict(const Svr *svr, const double *x, unsigned features)
{
    double sum = 0.0;
    for (unsigned i = 0; i < svr->count; i++) {
        const double *v = svr->vectors + (size_t)i * svr->width;
        sum += svr->coefficients[i] * kernel(svr, v, x, features);
    }
    return sum - svr->rho;
}
