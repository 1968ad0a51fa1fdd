/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* From sums to scores: shared by every backend. */
#include "feature/adm/adm.h"

#include <math.h>

/* Cube roots of the bands' energies, each above the same noise floor, all in single precision. */
static float combine(const float energy[ADM_BANDS], const AdmLevel *l, double noise)
{
    const float third = 1.0f / 3.0f;
    const int area = (l->right - l->left) * (l->bottom - l->top);
    const float floor_level = powf((float)(area * noise), third);
    float root[ADM_BANDS];
    for (int b = 0; b < ADM_BANDS; b++)
        root[b] = powf(energy[b], third) + floor_level;
    return root[ADM_H] + root[ADM_V] + root[ADM_D];
}

static float masked_energy(const AdmLevel *l, bool fine, const int64_t sum[ADM_BANDS], double noise)
{
    float energy[ADM_BANDS];
    for (int b = 0; b < ADM_BANDS; b++) {
        /* Coarse sums are rounded to single precision at once, fine ones by way of double. */
        if (fine)
            energy[b] = (float)((double)sum[b] / exp2(l->scale[b]));
        else
            energy[b] = (float)sum[b] / exp2f((float)l->scale[b]);
    }
    return combine(energy, l, noise);
}

static float plain_energy(const AdmLevel *l, const int64_t sum[ADM_BANDS], double noise)
{
    float energy[ADM_BANDS];
    for (int b = 0; b < ADM_BANDS; b++) {
        const double weight = b == ADM_D ? l->weight.d : l->weight.hv;
        energy[b] = (float)((double)sum[b] / exp2(l->plain_scale) * pow(weight, 3.0));
    }
    return combine(energy, l, noise);
}

AdmScores adm_scores(const AdmLevel level[ADM_LEVELS], const AdmOptions *options,
                     const FrameShape *shape, const AdmResult *result)
{
    AdmScores s = { 0 };
    double aim_num = 0.0;

    for (int i = 0; i < ADM_LEVELS; i++) {
        const AdmLevel *const l = &level[i];
        const AdmSums *const sums = &result->level[i];
        if (i == 0 && options->skip_scale0) {
            s.den_scale[i] = 1e-10f;
        } else {
            s.num_scale[i] = masked_energy(l, i == 0, sums->num, options->noise_weight);
            s.den_scale[i] = plain_energy(l, sums->den, options->noise_weight);
            if (!options->skip_aim)
                aim_num += masked_energy(l, i == 0, sums->aim, 0.0);
        }
        s.num += s.num_scale[i];
        s.den += s.den_scale[i];
    }

    const double limit = 1e-10 * ((double)shape->w[0] * shape->h[0]) / (1920.0 * 1080.0);
    s.num = s.num < limit ? 0.0 : s.num;
    s.den = s.den < limit ? 0.0 : s.den;
    s.adm2 = s.den == 0.0 ? 1.0 : s.num / s.den;
    s.aim = s.den == 0.0 ? 0.0 : aim_num / s.den;

    const double mixed = s.adm2 * options->dlm_weight + (1.0 - s.aim) * (1.0 - options->dlm_weight);
    s.adm3 = mixed > options->min_val ? mixed : options->min_val;
    return s;
}
