/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/log.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/model.h"

static double normalise(const VmafModel *model, const ModelFeature *f, double value)
{
    return model->norm == MODEL_NORM_LINEAR_RESCALE ? f->slope * value + f->intercept : value;
}

static double denormalise(const VmafModel *model, const ModelFeature *f, double x)
{
    return model->norm == MODEL_NORM_LINEAR_RESCALE ? (x - f->intercept) / f->slope : x;
}

static int fetch_features(VmafModel *model, ScoreStore *scores, unsigned index, bool quiet,
                          double *x)
{
    for (unsigned i = 0; i < model->feature_count; i++) {
        const ModelFeature *f = &model->features[i];
        const char *metric;
        double value;
        int err = model_feature_metric(model, i, &metric);
        if (err == -ENOMEM)
            return err;
        if (!err)
            err = scores_get(scores, metric, index, &value);
        if (err < 0) {
            if (!quiet)
                log_error("vmaf_predict_score_at_index(): no feature '%s' at index %u", f->name,
                          index);
            return -EINVAL;
        }
        x[i] = normalise(model, f, value);
    }
    return 0;
}

/* If speed_chroma found nothing (exactly 0), the loss of luma replaces it. The tested value and
 * the luma value are those after normalising and denormalising, not the stored features. */
static int correct_chroma(const VmafModel *model, double *x)
{
    unsigned luma, chroma;
    if (model->chroma == 0.0 || model_chroma_features(model, &luma, &chroma) < 0) {
        log_error(
            "model %s: chroma correction needs a factor, one adm3 and one speed_chroma feature",
            model->name);
        return -EINVAL;
    }
    const ModelFeature *l = &model->features[luma], *c = &model->features[chroma];
    if (denormalise(model, c, x[chroma]) == 0.0) {
        const double value = -model->chroma * denormalise(model, l, x[luma]) + model->chroma;
        x[chroma] = normalise(model, c, value);
    }
    return 0;
}

/* The score before transform and clip. */
static int predict_raw(VmafModel *model, ScoreStore *scores, unsigned index, bool quiet,
                       double *raw)
{
    double x[MODEL_FEATURES_MAX];
    assert(model->feature_count <= MODEL_FEATURES_MAX && model->svr);
    if (model->norm == MODEL_NORM_UNKNOWN) {
        if (!quiet)
            log_error("model %s has no norm_type", model->name);
        return -EINVAL;
    }
    int err = fetch_features(model, scores, index, quiet, x);
    if (!err && model->chroma_on)
        err = correct_chroma(model, x);
    if (err < 0)
        return err;
    const double y = svr_predict(model->svr, x, model->feature_count);
    *raw = model->norm == MODEL_NORM_LINEAR_RESCALE ? (y - model->intercept) / model->slope : y;
    return 0;
}

static double finish(const VmafModel *model, double raw)
{
    double score = transform_apply(&model->transform, raw);
    if (model->clip_on) {
        if (score < model->clip_min)
            score = model->clip_min;
        if (score > model->clip_max)
            score = model->clip_max;
    }
    return score;
}

int model_claim_name(const VmafModel *model, ScoreStore *scores)
{
    const char *const name = model->name;
    return scores_claim(scores, &name, 1, CLAIM_MODEL, model->number);
}

int model_collection_claim_names(const VmafModelCollection *c, ScoreStore *scores)
{
    int err = 0;
    for (unsigned i = 0; i < c->count && !err; i++)
        err = model_claim_name(c->members[i], scores);
    if (err || !c->count)
        return err;
    return scores_claim(scores, (const char *const *)c->figures, FIGURE_COUNT, CLAIM_MODEL,
                        c->members[0]->number);
}

static int predict(VmafModel *model, ScoreStore *scores, unsigned index, bool quiet,
                   const ScoreOrder *order, double *score)
{
    int err = model_claim_name(model, scores);
    if (err < 0)
        return err;
    if (!scores_get(scores, model->name, index, score))
        return 0;
    double raw;
    err = predict_raw(model, scores, index, quiet, &raw);
    if (err < 0)
        return err;
    /* Another thread may be faster: then its stored value is the score. */
    double value = finish(model, raw);
    err = scores_settle(scores, model->name, index, &value, order);
    if (err < 0)
        return err;
    *score = value;
    return 0;
}

int model_predict(VmafModel *model, ScoreStore *scores, unsigned index, bool quiet, double *score)
{
    return predict(model, scores, index, quiet, NULL, score);
}

/* The order in reports of scores that were asked for after the flush. */
static const ScoreOrder after_flush = { .step = SCORES_FLUSH, .feature = UINT_MAX };

int model_predict_early(VmafModel *model, ScoreStore *scores, unsigned index, double *score)
{
    return predict(model, scores, index, true, &after_flush, score);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double percentile(const double *sorted, unsigned count, double percent)
{
    const double place = percent * (count - 1) / 100.0;
    const double low = floor(place), high = ceil(place);
    if (low == high)
        return sorted[(unsigned)low];
    return sorted[(unsigned)low] * (high - place) + sorted[(unsigned)high] * (place - low);
}

/* Computes the figures from the members' raw scores, and sorts those. */
static void bootstrap(const VmafModel *first, double *raw, unsigned count, double *figures)
{
    const double delta = 0.01;
    double sum = 0.0, squares = 0.0;
    for (unsigned i = 0; i < count; i++)
        sum += raw[i];
    const double mean = sum / count;
    for (unsigned i = 0; i < count; i++)
        squares += (raw[i] - mean) * (raw[i] - mean);
    const double deviation = sqrt(squares / count);
    qsort(raw, count, sizeof(*raw), compare);

    /* Scales the deviation of the raw scores by the slope of the transform at the mean. */
    const double slope =
        (finish(first, mean + delta) - finish(first, mean - delta)) / (2.0 * delta);
    figures[FIGURE_BAGGING] = finish(first, mean);
    figures[FIGURE_STDDEV] = deviation * slope;
    figures[FIGURE_LO] = finish(first, percentile(raw, count, 2.5));
    figures[FIGURE_HI] = finish(first, percentile(raw, count, 97.5));
}

static bool is_bootstrap(const VmafModelCollection *c)
{
    const enum ModelType type = c->count ? c->members[0]->type : MODEL_TYPE_UNKNOWN;
    return type == MODEL_TYPE_BOOTSTRAP || type == MODEL_TYPE_RESIDUE_BOOTSTRAP;
}

static bool stored_figures(const VmafModelCollection *c, ScoreStore *scores, unsigned index,
                           double *figures)
{
    for (unsigned i = 0; i < FIGURE_COUNT; i++)
        if (scores_get(scores, c->figures[i], index, &figures[i]) < 0)
            return false;
    return true;
}

/* `early`: frames are still being read; nothing is logged. */
static int predict_figures(VmafModelCollection *c, ScoreStore *scores, unsigned index, bool early,
                           double *figures)
{
    const ScoreOrder *const order = early ? &after_flush : NULL;
    double *raw = mem_array(c->count, sizeof(*raw));
    if (!raw)
        return -ENOMEM;
    int err = 0;
    for (unsigned i = 0; i < c->count && !err; i++) {
        err = predict_raw(c->members[i], scores, index, early, &raw[i]);
        double value = err ? 0 : finish(c->members[i], raw[i]);
        if (!err)
            err = scores_settle(scores, c->members[i]->name, index, &value, order);
    }
    if (!err)
        bootstrap(c->members[0], raw, c->count, figures);
    for (unsigned i = 0; i < FIGURE_COUNT && !err; i++)
        err = scores_settle(scores, c->figures[i], index, &figures[i], order);
    mem_free(raw);
    return err;
}

static void to_collection_score(const double *figures, VmafModelCollectionScore *score)
{
    score->type = VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP;
    score->bootstrap.bagging_score = figures[FIGURE_BAGGING];
    score->bootstrap.stddev = figures[FIGURE_STDDEV];
    score->bootstrap.ci.p95.lo = figures[FIGURE_LO];
    score->bootstrap.ci.p95.hi = figures[FIGURE_HI];
}

static int predict_collection(VmafModelCollection *c, ScoreStore *scores, unsigned index,
                              bool early, VmafModelCollectionScore *score)
{
    double figures[FIGURE_COUNT];
    if (!is_bootstrap(c)) {
        if (!early)
            log_error("model collection %s is not of a bootstrap type", c->name);
        return -EINVAL;
    }
    int err = model_collection_claim_names(c, scores);
    if (!err && !stored_figures(c, scores, index, figures))
        err = predict_figures(c, scores, index, early, figures);
    if (err < 0)
        return err;
    to_collection_score(figures, score);
    return 0;
}

int model_collection_predict(VmafModelCollection *c, ScoreStore *scores, unsigned index,
                             VmafModelCollectionScore *score)
{
    return predict_collection(c, scores, index, false, score);
}

int model_collection_predict_early(VmafModelCollection *c, ScoreStore *scores, unsigned index,
                                   VmafModelCollectionScore *score)
{
    return predict_collection(c, scores, index, true, score);
}

static double polynomial(const Transform *t, double score)
{
    double out = 0.0;
    if (t->has_p[0])
        out += t->p[0];
    if (t->has_p[1])
        out += t->p[1] * score;
    if (t->has_p[2])
        out += t->p[2] * score * score;
    return out;
}

static double on_segment(const Knot *a, const Knot *b, double x)
{
    if (a->y == b->y)
        return a->y;
    /* A segment that begins at 0 has a form of its own: the general one rounds differently. */
    if (a->x == 0.0)
        return ((b->y - a->y) / b->x) * x + a->y;
    const double slope = (b->y - a->y) / (b->x - a->x);
    return slope * x + (a->y - a->x * slope);
}

/* The first and last segments extend beyond their ends; at a shared knot the later segment counts.
 * Knots out of order end the search with the value found so far. */
static double piecewise_linear(const Transform *t, double x)
{
    assert(t->knot_count <= TRANSFORM_KNOTS_MAX);
    if (t->knot_count < 2)
        return x;
    double out = 0.0;
    const unsigned last = t->knot_count - 2;
    for (unsigned i = 0; i <= last; i++) {
        const Knot *a = &t->knots[i], *b = &t->knots[i + 1];
        if (!(a->x < b->x && a->y <= b->y))
            break;
        if ((a->x <= x && x <= b->x) || (i == 0 && x < a->x) || (i == last && x > b->x))
            out = on_segment(a, b, x);
    }
    return out;
}

static bool has_polynomial(const Transform *t)
{
    return t->has_p[0] || t->has_p[1] || t->has_p[2];
}

bool transform_is_on(const Transform *t)
{
    return t->enabled && (has_polynomial(t) || t->has_knots);
}

double transform_apply(const Transform *t, double score)
{
    if (!t->enabled)
        return score;
    double out = score;
    if (has_polynomial(t))
        out = polynomial(t, score);
    if (t->has_knots)
        out = piecewise_linear(t, out);
    if (t->out_lte_in && out > score)
        out = score;
    if (t->out_gte_in && out < score)
        out = score;
    return out;
}
