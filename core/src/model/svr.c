/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "model/model.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

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

/* ---- reading LIBSVM's text form of a trained regression ---- */

#define SPACES " \t\r\n"

typedef struct Text {
    const char *at;
    const char *why; /* description of the first error */
} Text;

static int fail(Text *t, const char *why)
{
    if (!t->why)
        t->why = why;
    return -EINVAL;
}

/* Takes the next word of the header. Returns its length, 0 at the end of the text. */
static size_t next_word(Text *t, const char **word)
{
    t->at += strspn(t->at, SPACES);
    *word = t->at;
    const size_t size = strcspn(t->at, SPACES);
    t->at += size;
    return size;
}

static bool is_word(const char *word, size_t size, const char *is)
{
    return strlen(is) == size && !memcmp(word, is, size);
}

/* Reads a finite number that ends at white space or at the end of the text. */
static int read_number(Text *t, double *value)
{
    char *end;
    *value = text_to_double(t->at, &end);
    if (end == t->at || (*end && !strchr(SPACES, *end)) || !isfinite(*value))
        return fail(t, "SVM text: bad number");
    t->at = end;
    return 0;
}

static int read_header_number(Text *t, double *value)
{
    t->at += strspn(t->at, SPACES);
    return read_number(t, value);
}

static int read_header_int(Text *t, long min, long max, long *value)
{
    double number;
    if (read_header_number(t, &number) < 0)
        return -EINVAL;
    if (number < (double)min || number > (double)max || number != floor(number))
        return fail(t, "SVM text: bad number");
    *value = (long)number;
    return 0;
}

/* Skips numbers that LIBSVM writes for classifiers and probabilities: a regression does not use
 * them. */
static int skip_numbers(Text *t, unsigned count)
{
    double ignored;
    for (unsigned i = 0; i < count; i++)
        if (read_header_number(t, &ignored) < 0)
            return -EINVAL;
    return 0;
}

static int read_svm_type(Text *t)
{
    const char *word;
    const size_t size = next_word(t, &word);
    if (is_word(word, size, "nu_svr") || is_word(word, size, "epsilon_svr"))
        return 0;
    return fail(t, "SVM text: svm_type is not a regression");
}

static int read_kernel_type(Text *t, enum SvrKernel *kernel)
{
    static const char *const names[] = {
        [SVR_RBF] = "rbf",
        [SVR_LINEAR] = "linear",
        [SVR_POLYNOMIAL] = "polynomial",
        [SVR_SIGMOID] = "sigmoid",
    };
    const char *word;
    const size_t size = next_word(t, &word);
    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (is_word(word, size, names[i])) {
            *kernel = (enum SvrKernel)i;
            return 0;
        }
    }
    return fail(t, "SVM text: unknown kernel_type");
}

enum HeaderWord {
    WORD_SVM_TYPE,
    WORD_KERNEL_TYPE,
    WORD_TOTAL_SV,
    WORD_RHO,
    WORD_GAMMA,
    WORD_COEF0,
    WORD_DEGREE,
    WORD_NR_CLASS,
    WORD_LABEL,
    WORD_NR_SV,
    WORD_PROB_A,
    WORD_PROB_B,
    WORD_SV,
    WORD_COUNT,
};

static const char *const header_words[WORD_COUNT] = {
    "svm_type", "kernel_type", "total_sv", "rho",   "gamma", "coef0", "degree",
    "nr_class", "label",       "nr_sv",    "probA", "probB", "SV",
};

static int read_header_value(Text *t, enum HeaderWord word, Svr *svr)
{
    long number = 0;
    int err = 0;
    switch (word) {
    case WORD_SVM_TYPE:
        return read_svm_type(t);
    case WORD_KERNEL_TYPE:
        return read_kernel_type(t, &svr->kernel);
    case WORD_TOTAL_SV:
        err = read_header_int(t, 0, INT_MAX, &number);
        svr->count = (unsigned)number;
        return err;
    case WORD_RHO:
        return read_header_number(t, &svr->rho);
    case WORD_GAMMA:
        return read_header_number(t, &svr->gamma);
    case WORD_COEF0:
        return read_header_number(t, &svr->coef0);
    case WORD_DEGREE:
        err = read_header_int(t, 0, INT_MAX, &number);
        svr->degree = (int)number;
        return err;
    case WORD_NR_CLASS:
        return read_header_int(t, 2, 2, &number);
    case WORD_LABEL:
    case WORD_NR_SV:
        return skip_numbers(t, 2);
    case WORD_PROB_A:
    case WORD_PROB_B:
        return skip_numbers(t, 1);
    case WORD_SV:
    case WORD_COUNT:
        break;
    }
    return 0;
}

static int read_header(Text *t, Svr *svr)
{
    unsigned seen = 0;
    while (!(seen & 1u << WORD_SV)) {
        const char *word;
        const size_t size = next_word(t, &word);
        if (!size)
            return fail(t, "SVM text: ends within its header");
        unsigned i = 0;
        while (i < WORD_COUNT && !is_word(word, size, header_words[i]))
            i++;
        if (i == WORD_COUNT)
            return fail(t, "SVM text: unknown word in its header");
        if (read_header_value(t, (enum HeaderWord)i, svr) < 0)
            return -EINVAL;
        seen |= 1u << i;
    }
    const unsigned needed = 1u << WORD_SVM_TYPE | 1u << WORD_KERNEL_TYPE | 1u << WORD_TOTAL_SV |
                            1u << WORD_RHO | (svr->kernel != SVR_LINEAR ? 1u << WORD_GAMMA : 0);
    if ((seen & needed) != needed)
        return fail(t, "SVM text: its header is incomplete");

    t->at += strspn(t->at, " \t\r");
    if (svr->count && *t->at++ != '\n')
        return fail(t, "SVM text: fewer support vectors than total_sv");
    return 0;
}

static int read_index(Text *t, unsigned long *index)
{
    char *end;
    if (*t->at < '0' || *t->at > '9')
        return fail(t, "SVM text: bad support vector");
    errno = 0;
    *index = strtoul(t->at, &end, 10);
    if (*end != ':' || errno || !*index)
        return fail(t, "SVM text: bad support vector");
    t->at = end + 1;
    return 0;
}

/* Reads one line into `row` (may be NULL) and sets *width to its number of values. A value whose
 * index is above the number of features only adds its square to a distance, in the order of the
 * line: these values are packed behind the features', so that an index of a million needs no table
 * of a million. */
static int read_vector(Text *t, unsigned features, double *coefficient, double *row,
                       unsigned *width)
{
    unsigned long index, last = 0;
    unsigned place = 0;

    t->at += strspn(t->at, " \t\r");
    if (!*t->at || *t->at == '\n')
        return fail(t, "SVM text: fewer support vectors than total_sv");
    if (read_number(t, coefficient) < 0)
        return -EINVAL;
    for (;;) {
        t->at += strspn(t->at, " \t\r");
        if (!*t->at || *t->at == '\n')
            break;
        double value;
        if (read_index(t, &index) < 0 || read_number(t, &value) < 0)
            return -EINVAL;
        if (index <= last)
            return fail(t, "SVM text: indices of a support vector are not ascending");
        if (index <= features)
            place = (unsigned)index;
        else
            place = place < features ? features + 1 : place + 1;
        if (row)
            row[place - 1] = value;
        last = index;
    }
    if (*t->at)
        t->at++;
    *width = place;
    return 0;
}

/* Finds the number of values of the longest vector. `t` is a copy: the lines are read again to
 * store them. */
static int measure_vectors(Text t, Svr *svr, unsigned features, const char **why)
{
    for (unsigned i = 0; i < svr->count; i++) {
        double coefficient;
        unsigned width;
        if (read_vector(&t, features, &coefficient, NULL, &width) < 0) {
            *why = t.why;
            return -EINVAL;
        }
        if (width > svr->width)
            svr->width = width;
    }
    return 0;
}

static int read_vectors(Text *t, Svr *svr, unsigned features)
{
    if (!svr->count)
        return 0;
    const int err = measure_vectors(*t, svr, features, &t->why);
    if (err < 0)
        return err;

    double *coefficients = mem_array(svr->count, sizeof(double));
    svr->coefficients = coefficients;
    if (!coefficients)
        return -ENOMEM;
    double *vectors = mem_array(svr->count, (svr->width ? svr->width : 1) * sizeof(double));
    svr->vectors = vectors;
    if (!vectors)
        return -ENOMEM;
    for (unsigned i = 0; i < svr->count; i++) {
        unsigned width;
        double *row = vectors + (size_t)i * svr->width;
        if (read_vector(t, features, &coefficients[i], row, &width) < 0)
            return -EINVAL;
    }
    return 0;
}

int svr_create(Svr **out, const char *text, unsigned features, const char **why)
{
    Text t = { .at = text };
    *why = "out of memory";
    Svr *svr = mem_zalloc(sizeof(*svr));
    if (!svr)
        return -ENOMEM;
    int err = read_header(&t, svr);
    if (!err)
        err = read_vectors(&t, svr, features);
    if (err < 0) {
        if (t.why)
            *why = t.why;
        svr_destroy(svr);
        return err;
    }
    *out = svr;
    return 0;
}

void svr_destroy(Svr *svr)
{
    if (!svr)
        return;
    mem_free((void *)svr->coefficients);
    mem_free((void *)svr->vectors);
    mem_free(svr);
}
