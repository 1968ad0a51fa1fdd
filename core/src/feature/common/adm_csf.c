/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/common/adm_csf.h"

#include <math.h>

#include "base/decimal.h"

#define PI 3.14159265358979323846

/* Every step below is rounded to the type it is stored in, and the scores depend on each rounding.
 * All library functions are the double versions. */

static float pixels_per_degree(const AdmCsf *csf)
{
    return (float)(csf->view_dist * csf->display_height * PI / 180.0);
}

/* Cycles per degree at the middle of a level's band. */
static float level_frequency(const AdmCsf *csf, int level)
{
    return (float)(pixels_per_degree(csf) / pow(2.0, level + 1));
}

/* Watson's quantisation noise visibility for the wavelet levels. */
static float watson(const AdmCsf *csf, int level, int diagonal)
{
    static const float amplitude[ADM_LEVELS][2] = {
        { 0.67234f, 0.72709f },
        { 0.41317f, 0.49428f },
        { 0.22727f, 0.28688f },
        { 0.11792f, 0.15214f },
    };
    static const float orientation_gain[2] = { 1.0f, 0.534f };
    const float a = 0.495f, k = 0.466f, f0 = 0.401f;

    const double cycles = pow(2.0, level + 1) * f0 * orientation_gain[diagonal];
    const float u = (float)decimal_log(cycles / pixels_per_degree(csf));
    const float exponent = k * u * u;
    const float step = (float)(2.0 * a * pow(10.0, exponent) / amplitude[level][diagonal]);
    return 1.0f / step;
}

/* Parameter `i` of Barten's fit, interpolated between its values at 20 and at 150 cd/m2. */
static float barten_parameter(int i, float luminance)
{
    static const float at_20[4] = { 0.334278f, 3.79542f, 1.07327f, 6.4635f };
    static const float at_150[4] = { 0.394533f, 2.7755f, 1.16577f, 7.45665f };
    const float x0 = (float)decimal_log(20.0), x1 = (float)decimal_log(150.0),
                x = (float)decimal_log(luminance);
    return at_20[i] + ((at_150[i] - at_20[i]) / (x1 - x0)) * (x - x0);
}

/* Barten's model: neural contrast sensitivity, optics of the eye, adaptation to the luminance. */
static float barten(const AdmCsf *csf, int level, double scale)
{
    static const float mtf_gain[4] = { 0.424838596301290f, 0.572435103936480f,
                                       0.000167576239164937f, 0.00255872352306433f };
    static const float mtf_decay[4] = { 0.028f, 0.37f, 37.0f, 360.0f };
    const float luminance = 100.0f;
    const float frequency = level_frequency(csf, level);
    const float p[4] = { barten_parameter(0, luminance), barten_parameter(1, luminance),
                         barten_parameter(2, luminance), barten_parameter(3, luminance) };

    const float high = (float)(1.0 + pow(p[0] * frequency, p[1]));
    const float low = (float)(1.0 / pow(1.0 - exp(-pow(frequency / 7.0f, 2.0)), p[2]));
    const float neural = (float)(p[3] / pow(high * low, 0.5));

    float mtf = 0.0f;
    for (int i = 0; i < 4; i++)
        mtf = (float)(mtf + mtf_gain[i] * exp(-mtf_decay[i] * frequency));

    const float adaptation =
        (float)(30.162f * pow(pow(4.0627f / luminance, 1.6596f) + 1.0, -0.2712f));
    return (float)(neural * mtf * adaptation * scale);
}

static float native(const AdmCsf *csf, int level, int diagonal)
{
    float frequency = level_frequency(csf, level);
    if (diagonal)
        frequency = (float)(frequency / 0.7);
    return (float)((0.31 + 0.69 * frequency) * exp(-0.29 * frequency));
}

typedef struct CsfRow {
    int display_height;
    double view_dist;
    float hv[ADM_LEVELS], d[ADM_LEVELS];
} CsfRow;

#define CSF_ROWS 9

/* clang-format off */
static const CsfRow csf_blend[CSF_ROWS] = {
    { 1080, 3.0, { .01183f, .025026f, .04295f, .058621f },
      { .004302f, .011778f, .023918f, .035901f } },
    { 2160, 1.5, { .01183f, .025026f, .04295f, .058621f },
      { .004302f, .011778f, .023918f, .035901f } },
    { 1080, 5.0, { .004212f, .014809f, .029642f, .047464f },
      { .000984f, .005852f, .0146f, .027574f } },
    { 2160, 3.0, { .00226f, .01183f, .025026f, .04295f },
      { .000479f, .004302f, .011778f, .023918f } },
    { 2160, 5.0, { .000092f, .004212f, .014809f, .029642f },
      { .000050f, .000984f, .005852f, .0146f } },
    { 720, 3.0, { .018715f, .035637f, .052798f, .061509f },
      { .007999f, .018396f, .031851f, .037718f } },
    { 720, 5.0, { .010144f, .022561f, .040309f, .05672f },
      { .003463f, .010282f, .021839f, .034641f } },
    { 480, 3.0, { .027961f, .045875f, .060275f, .056234f },
      { .013572f, .026277f, .036959f, .034511f } },
    { 480, 5.0, { .016781f, .032822f, .05032f, .061594f },
      { .00691f, .016545f, .029917f, .037777f } },
};

static const CsfRow csf_blend_mae[CSF_ROWS] = {
    { 1080, 3.0, { .011249f, .022606f, .035930f, .045673f },
      { .004097f, .010921f, .021430f, .031313f } },
    { 2160, 1.5, { .011249f, .022606f, .035930f, .045673f },
      { .004097f, .010921f, .021430f, .031313f } },
    { 1080, 5.0, { .004052f, .013939f, .026298f, .038833f },
      { .000927f, .005544f, .013415f, .024515f } },
    { 2160, 3.0, { .002166f, .011249f, .022606f, .035930f },
      { .000447f, .004097f, .010921f, .021430f } },
    { 2160, 5.0, { .000077f, .004052f, .013939f, .026298f },
      { .000045f, .000927f, .005544f, .013415f } },
    { 720, 3.0, { .017329f, .030870f, .042134f, .047410f },
      { .007509f, .016707f, .028072f, .032722f } },
    { 720, 5.0, { .009689f, .020577f, .034162f, .044523f },
      { .003302f, .009579f, .019661f, .030318f } },
    { 480, 3.0, { .024969f, .037825f, .046676f, .043974f },
      { .012511f, .023424f, .032139f, .030166f } },
    { 480, 5.0, { .015665f, .028766f, .040612f, .047483f },
      { .006514f, .015107f, .026476f, .032776f } },
};
/* clang-format on */

static AdmCsfWeights from_table(const CsfRow *table, const AdmCsf *csf, int level)
{
    for (const CsfRow *row = table; row < table + CSF_ROWS; row++) {
        if (row->display_height == csf->display_height && row->view_dist == csf->view_dist)
            return (AdmCsfWeights){ row->hv[level], row->d[level] };
    }
    return (AdmCsfWeights){ -22.0f, -22.0f };
}

static AdmCsfWeights from_watson(const AdmCsf *csf, int level)
{
    return (AdmCsfWeights){ watson(csf, level, 0), watson(csf, level, 1) };
}

static AdmCsfWeights from_barten(const AdmCsf *csf, int level)
{
    return (AdmCsfWeights){ barten(csf, level, csf->scale), barten(csf, level, csf->diag_scale) };
}

AdmCsfWeights adm_csf_fixed(const AdmCsf *csf, int level)
{
    switch (csf->mode) {
    case 1:
        return from_barten(csf, level);
    case 2:
        return from_table(csf_blend, csf, level);
    case 3:
        return from_table(csf_blend_mae, csf, level);
    default:
        return from_watson(csf, level);
    }
}

AdmCsfWeights adm_csf_float(const AdmCsf *csf, int level)
{
    switch (csf->mode) {
    case 1:
        return from_barten(csf, level);
    case 2:
        return (AdmCsfWeights){ native(csf, level, 0), native(csf, level, 1) };
    default:
        return from_watson(csf, level);
    }
}
