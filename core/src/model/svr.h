/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Support vector regression: the numbers of a trained model, and its value at a point. Several
 * threads may predict at once. */
#ifndef MODEL_SVR_H
#define MODEL_SVR_H

enum SvrKernel { SVR_RBF, SVR_LINEAR, SVR_POLYNOMIAL, SVR_SIGMOID };

typedef struct Svr {
    enum SvrKernel kernel;
    int degree;
    double gamma, coef0, rho;
    unsigned count;             /* support vectors */
    unsigned width;             /* values of each vector; those a file leaves out are 0 */
    const double *coefficients; /* count */
    const double *vectors;      /* count * width */
} Svr;

/* Reads LIBSVM's text. `features` is the number of values that svr_predict will be given. -EINVAL
 * with a reason in *why (a constant string), or -ENOMEM. */
int svr_create(Svr **svr, const char *text, unsigned features, const char **why);
void svr_destroy(Svr *svr); /* NULL is fine */

/* The last bit of a score depends on the operations and their order, with one exp for each vector:
 * do not change them. */
double svr_predict(const Svr *svr, const double *x, unsigned features);

#endif
