/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Models: the contents of a file or a built-in table, and predicting scores from the features of a
 * frame.
 *
 * Several threads may predict with a model at once. Only one thread may load, overload or destroy
 * it, while no prediction with that model is under way. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dict.h"
#include "engine/scores.h"
#include "libvmaf/libvmaf.h"
#include "libvmaf/model.h"
#include "model/svr.h"

#define MODEL_FEATURES_MAX 64

enum ModelType {
    MODEL_TYPE_UNKNOWN, /* not given: fine for a model on its own */
    MODEL_TYPE_NU_SVR,
    MODEL_TYPE_BOOTSTRAP,
    MODEL_TYPE_RESIDUE_BOOTSTRAP,
};

enum ModelNorm {
    MODEL_NORM_UNKNOWN, /* not given: predicting fails */
    MODEL_NORM_NONE,
    MODEL_NORM_LINEAR_RESCALE,
};

typedef struct ModelFeature {
    char *name;    /* raw metric name, see feature_find_by_metric */
    Dict *options; /* NULL: none */
    double slope, intercept;
    _Atomic(char *) metric; /* the stored name, found when first needed; NULL until then */
} ModelFeature;

/* The score transform: an optional polynomial, then an optional piecewise linear map. */
#define TRANSFORM_TERMS 3
#define TRANSFORM_KNOTS_MAX 10

typedef struct Knot {
    double x, y;
} Knot;

typedef struct Transform {
    bool enabled;
    bool has_p[TRANSFORM_TERMS];
    double p[TRANSFORM_TERMS]; /* constant, linear, quadratic */
    bool has_knots;
    unsigned knot_count;
    Knot knots[TRANSFORM_KNOTS_MAX];
    bool out_lte_in, out_gte_in; /* the result may not exceed, or fall below, the input */
} Transform;

/* Does the transform change scores? One that is enabled may have no terms. */
bool transform_is_on(const Transform *transform);

/* Returns `score` itself when the transform is not enabled. */
double transform_apply(const Transform *transform, double score);

struct VmafModel {
    char *name;      /* the metric its scores are stored under */
    char *source;    /* the built-in's name or the file's path */
    uint64_t number; /* unique in the process */
    enum ModelType type;
    enum ModelNorm norm;
    double slope, intercept; /* of the score */
    ModelFeature features[MODEL_FEATURES_MAX];
    unsigned feature_count;
    bool clip_on;
    double clip_min, clip_max;
    Transform transform;
    bool chroma_on; /* chroma correction */
    double chroma;
    const Svr *svr;       /* a constant table for built-in models */
    Svr *own_svr;         /* set when svr came from a file */
    atomic_uint retained; /* owners beyond the first */
};

/* The figures of a collection for a frame. */
enum CollectionFigure { FIGURE_BAGGING, FIGURE_STDDEV, FIGURE_LO, FIGURE_HI, FIGURE_COUNT };

struct VmafModelCollection {
    char *name;
    char *figures[FIGURE_COUNT]; /* the metrics its figures are stored under */
    VmafModel **members;         /* without the main model */
    unsigned count;
    size_t capacity;
};

/* Adds an owner: vmaf_model_destroy must then be called once more. Returns `model`. */
VmafModel *model_retain(VmafModel *model);

/* Registers the model's features with the context, claims its name, and lets it predict as soon as
 * its last feature is there, for metadata handlers. The context keeps the model alive. */
int model_use(VmafModel *model, VmafContext *ctx);

/* Claim the names under which the scores of a model, or the figures of a collection, are stored.
 * -EINVAL (logged) when a name is taken. */
int model_claim_name(const VmafModel *model, ScoreStore *scores);
int model_collection_claim_names(const VmafModelCollection *collection, ScoreStore *scores);

/* Returns the score of a frame that is stored under the model's name, or else predicts it from the
 * stored features and stores it. -EINVAL when a feature is missing (logged unless `quiet`), or when
 * the name is taken. */
int model_predict(VmafModel *model, ScoreStore *scores, unsigned index, bool quiet, double *score);

/* Predicts while frames are still being read: reports list the model as if it had been asked for
 * after the flush. Logs nothing. */
int model_predict_early(VmafModel *model, ScoreStore *scores, unsigned index, double *score);

/* The four figures of a frame. The members' scores and the figures are stored under names derived
 * from the collection's; later calls return the stored ones. -EINVAL when it is not a bootstrap
 * collection or a feature is missing. */
int model_collection_predict(VmafModelCollection *collection, ScoreStore *scores, unsigned index,
                             VmafModelCollectionScore *score);

/* Pools a stored metric over low..high inclusive, leaving out the indices that `subsample` (0 and
 * 1: none) skips. -EINVAL when a score is missing, nothing is left, or low > high. */
int score_pool(ScoreStore *scores, const char *name, enum VmafPoolingMethod method, unsigned low,
               unsigned high, unsigned subsample, double *score);

/* Predicts every frame of the range, then pools. */
int model_pool(VmafModel *model, ScoreStore *scores, enum VmafPoolingMethod method, unsigned low,
               unsigned high, unsigned subsample, double *score);
int model_collection_pool(VmafModelCollection *collection, ScoreStore *scores,
                          enum VmafPoolingMethod method, unsigned low, unsigned high,
                          unsigned subsample, VmafModelCollectionScore *score);

/* The name under which the i-th feature's scores are stored, given its options. The model owns it
 * until an overload or its end. -EINVAL when no extractor provides the feature or an option has a
 * bad value; -ENOMEM. */
int model_feature_metric(VmafModel *model, unsigned i, const char **metric);

/* A model built into the library. */
typedef struct BuiltinModel {
    const char *name;
    const char *summary; /* its use, in one line */
    bool collection;
} BuiltinModel;

/* The i-th one; NULL past the last. */
const BuiltinModel *builtin_model(unsigned i);

#endif
