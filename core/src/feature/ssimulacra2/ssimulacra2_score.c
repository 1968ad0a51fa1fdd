/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Computes the score of ssimulacra2 from the sums of blocks, in double precision, for all
 * devices. */
#include <math.h>
#include <string.h>

#include "feature/ssimulacra2/ssimulacra2.h"

/* The order of a channel's sums in a result. */
enum { SSIM, RING, LOST, SSIM_4, RING_4, LOST_4 };

/* Weights of the terms: channel, scale, norm (1, 4), map (ssim, ring, lost). With fewer scales the
 * terms follow each other without gaps, so that they meet other weights than those of their row. */
#define WEIGHTS (3 * SSIMU2_SCALES * SSIMU2_SUMS)
static const double weights[WEIGHTS] = {
    /* X */
    0,
    0.0007376606707406586,
    0,
    0,
    0.0007793481682867309,
    0,
    0,
    0.0004371155730107379,
    0,
    1.1041726426657346,
    0.00066284834129271,
    0.00015231632783718752,
    0,
    0.0016406437456599754,
    0,
    1.8422455520539298,
    11.441172603757666,
    0,
    0.0007989109436015163,
    0.000176816438078653,
    0,
    1.8787594979546387,
    10.94906990605142,
    0,
    0.0007289346991508072,
    0.9677937080626833,
    0,
    0.00014003424285435884,
    0.9981766977854967,
    0.00031949755934435053,
    0.0004550992113792063,
    0,
    0,
    0.0013648766163243398,
    0,
    0,
    /* Y */
    0,
    0,
    0,
    7.466890328078848,
    0,
    17.445833984131262,
    0.0006235601634041466,
    0,
    0,
    6.683678146179332,
    0.00037724407979611296,
    1.027889937768264,
    225.20515300849274,
    0,
    0,
    19.213238186143016,
    0.0011401524586618361,
    0.001237755635509985,
    176.39317598450694,
    0,
    0,
    24.43300999870476,
    0.28520802612117757,
    0.0004485436923833408,
    0,
    0,
    0,
    34.77906344483772,
    44.835625328877896,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    /* B */
    0,
    0.0008680556573291698,
    0,
    0,
    0,
    0,
    0,
    0.0005313191874358747,
    0,
    0.00016533814161379112,
    0,
    0,
    0,
    0,
    0,
    0.0004179171803251336,
    0.0017290828234722833,
    0,
    0.0020827005846636437,
    0,
    0,
    8.826982764996862,
    23.19243343998926,
    0,
    95.1080498811086,
    0.9863978034400682,
    0.9834382792465353,
    0.0012286405048278493,
    171.2667255897307,
    0.9807858872435379,
    0,
    0,
    0,
    0.0005130064588990679,
    0,
    0.00010854057858411537,
};

/* The option `prune` leaves out weights below this one. */
#define LEAST_WEIGHT 0.01

static double weight_of(const Ssimu2Setup *setup, unsigned channel, unsigned scale, unsigned term)
{
    const double weight = weights[SSIMU2_SUMS * (setup->scales * channel + scale) + term];
    return setup->prune && weight < LEAST_WEIGHT ? 0.0 : weight;
}

void ssimu2_find_maps(Ssimu2Setup *setup)
{
    for (unsigned s = 0; s < setup->scales; s++) {
        for (unsigned c = 0; c < 3; c++) {
            Ssimu2Channel *const channel = &setup->scale[s].channel[c];
            *channel = (Ssimu2Channel){ 0 };
            for (unsigned term = 0; term < SSIMU2_SUMS; term++) {
                const bool wanted = weight_of(setup, c, s, term) != 0.0;
                channel->ssim |= wanted && (term == SSIM || term == SSIM_4);
                channel->edges |= wanted && term != SSIM && term != SSIM_4;
            }
        }
    }
}

static double sum_of(const float *blocks, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += (double)blocks[i];
    return sum;
}

const float *ssimu2_sums_of(const Ssimu2Scale *scale, unsigned channel, unsigned term,
                            const float *blocks)
{
    /* The order in Ssimu2Channel, with those of ssim if they are there. */
    static const unsigned places[SSIMU2_SUMS] = {
        [SSIM] = 0, [SSIM_4] = 1, [RING] = 2, [LOST] = 3, [RING_4] = 4, [LOST_4] = 5
    };
    const Ssimu2Channel *const c = &scale->channel[channel];
    const bool ssim = term == SSIM || term == SSIM_4;
    const unsigned place = places[term] - (ssim || c->ssim ? 0 : 2);
    return (ssim ? c->ssim : c->edges) ? blocks + c->first + place * ssimu2_block_count(scale)
                                       : NULL;
}

void ssimu2_add_blocks(Ssimu2Result *result, const Ssimu2Setup *setup, const float *blocks)
{
    memset(result, 0, sizeof(*result));
    for (unsigned s = 0; s < setup->scales; s++) {
        const Ssimu2Scale *const scale = &setup->scale[s];
        for (unsigned c = 0; c < 3; c++) {
            for (unsigned term = 0; term < SSIMU2_SUMS; term++) {
                const float *const plane = ssimu2_sums_of(scale, c, term, blocks);
                if (plane)
                    result->sums[s][c][term] = sum_of(plane, ssimu2_block_count(scale));
            }
        }
    }
}

static double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

double ssimu2_power(double x, double p)
{
    static const double root_2 = 0x1.6a09e667f3bcdp+0, log_2 = 0x1.62e42fefa39efp-1;
    static const double log2_e = 0x1.71547652b82fep+0;
    /* The natural logarithm of 2 in two parts: the product of the first one and any exponent is
     * exact. */
    static const double log_2_high = 0x1.62e42fee00000p-1, log_2_low = 0x1.a39ef35793c76p-33;
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    int exponent = (int)(bits >> 52) - 1023;
    double mantissa = of_bits((bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52);
    if (mantissa > root_2) {
        mantissa *= 0.5;
        exponent++;
    }
    const double z = (mantissa - 1.0) / (mantissa + 1.0), q = z * z;
    double t = 1.0 / 23.0;
    for (int n = 21; n > 1; n -= 2)
        t = t * q + 1.0 / n;
    t = t * q + 1.0;
    const double y = p * (exponent * log_2 + (z + z) * t);
    const double n = floor(y * log2_e + 0.5);
    const double r = (y - n * log_2_high) - n * log_2_low;
    t = 1.0;
    for (int j = 14; j > 0; j--)
        t = (t * r) / j + 1.0;
    return t * of_bits((uint64_t)((int)n + 1023) << 52);
}

double ssimu2_score(const Ssimu2Setup *setup, const Ssimu2Result *result)
{
    double s = 0.0;
    for (unsigned c = 0; c < 3; c++) {
        for (unsigned k = 0; k < setup->scales; k++) {
            const double area = (double)setup->scale[k].w * setup->scale[k].h;
            for (unsigned term = 0; term < SSIMU2_SUMS; term++) {
                const double weight = weight_of(setup, c, k, term);
                const double mean = result->sums[k][c][term] / area;
                if (weight != 0.0)
                    s += weight * (term < SSIM_4 ? mean : sqrt(sqrt(mean)));
            }
        }
    }
    s = s * 0.9562382616834844;
    s = (2.326765642916932 * s - (0.020884521182843837 * s) * s) +
        ((6.248496625763138e-05 * s) * s) * s;
    return s > 0.0 ? 100.0 - 10.0 * ssimu2_power(s, 0.6276336467831387) : 100.0;
}
