/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Support vector regression: the figures of a trained model and its value at a point. */
#ifndef MODEL_SVR_H
#define MODEL_SVR_H

enum SvrKernel { SVR_RBF, SVR_LINEAR, SVR_POLYNOMIAL, SVR_SIGMOID };

typedef struct Svr {
    enum SvrKernel kernel;
    int degree;
    double gamma, coef0, rho;
    unsigned count;             /* support vectors */
    unsigned width;             /* values of each: those a file leaves out are 0 */
    const double *coefficients; /* count */
    const double *vectors;      /* count * width */
} Svr;

/* Reads LIBSVM's text. `features` is the number of values that svr_predict will be given. -EINVAL
 * with a reason in *why (a constant string), or -ENOMEM. */
int svr_create(Svr **svr, const char *text, unsigned features, const char **why);
void svr_destroy(Svr *svr); /* NULL is fine */

/* The operations and their order are fixed, one exp for each vector: the last bit of a score
 * depends on them. */
double svr_predict(const Svr *svr, const double *x, unsigned features);

#endif
