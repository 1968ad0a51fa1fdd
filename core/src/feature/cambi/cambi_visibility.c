/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "feature/cambi/cambi.h"

/* Narrow range at 10 bits */
enum { BLACK = 64, WHITE = 940 };

int cambi_eotf(const char *name)
{
    if (!strcmp(name, "bt1886"))
        return CAMBI_BT1886;
    return strcmp(name, "pq") ? -EINVAL : CAMBI_PQ;
}

/* A display from 0.01 to 300 cd/m2. */
static double bt1886(double v)
{
    const double low = pow(0.01, 1 / 2.4), high = pow(300.0, 1 / 2.4);
    const double lifted = v + low / (high - low);
    return pow(high - low, 2.4) * pow(lifted > 0.0 ? lifted : 0.0, 2.4);
}

/* SMPTE ST 2084 */
static double pq(double v)
{
    const double root = pow(v, 1 / 78.84375), excess = root - 0.8359375;
    const double ratio = (excess > 0.0 ? excess : 0.0) / (18.8515625 - 18.6875 * root);
    return 10000 * pow(ratio, 1 / 0.1593017578125);
}

static double luminance(int code, enum CambiEotf eotf)
{
    code = code < BLACK ? BLACK : code > WHITE ? WHITE : code;
    const double v = (double)(code - BLACK) / (WHITE - BLACK);
    return eotf == CAMBI_PQ ? pq(v) : bt1886(v);
}

typedef struct Step {
    int size;
    double threshold;
    enum CambiEotf eotf;
} Step;

static bool visible(const Step *step, int code)
{
    const double base = luminance(code, step->eotf);
    return luminance(code + step->size, step->eotf) - base > step->threshold * base;
}

/* Where the limit lies: -1 below `code`, 0 here, 1 above. */
static int probe(const Step *step, int code)
{
    if (!visible(step, code))
        return -1;
    return visible(step, code + 1);
}

int cambi_step_limit(unsigned size, double threshold, enum CambiEotf eotf)
{
    const Step step = { (int)size, threshold, eotf };
    int low = BLACK, high = WHITE - (int)size - 1;
    int side = probe(&step, low);
    if (side <= 0)
        return side < 0 ? 0 : low;
    side = probe(&step, high);
    if (side >= 0)
        return side > 0 ? 1023 : high;
    for (;;) {
        const int middle = low + (high - low) / 2;
        side = probe(&step, middle);
        if (side == 0)
            return middle;
        if (side < 0)
            high = middle;
        else
            low = middle;
    }
}

int cambi_dark_code(double least, enum CambiEotf eotf)
{
    int code = BLACK;
    /* The limit keeps a mathematics library that falls short of the peak from searching on. */
    while (code < WHITE && luminance(code, eotf) < least)
        code++;
    return code == BLACK ? 0 : code;
}
