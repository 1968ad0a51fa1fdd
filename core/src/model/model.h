/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Models: what a file or a built-in table holds, and how scores follow from the features of a
 * frame.
 *
 * Threads: predicting may happen on several threads at once. Loading, overloading and destroying
 * a model belong to one thread, with no prediction by that model under way. */
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
#include "model/transform.h"

#define MODEL_FEATURES_MAX 64

enum ModelType {
    MODEL_TYPE_UNKNOWN, /* not said: fine for a model on its own */
    MODEL_TYPE_NU_SVR,
    MODEL_TYPE_BOOTSTRAP,
    MODEL_TYPE_RESIDUE_BOOTSTRAP,
};

enum ModelNorm {
    MODEL_NORM_UNKNOWN, /* not said: predicting fails */
    MODEL_NORM_NONE,
    MODEL_NORM_LINEAR_RESCALE,
};

typedef struct ModelFeature {
    char *name;    /* raw metric name, as feature_find_by_metric wants it */
    Dict *options; /* NULL: none */
    double slope, intercept;
    _Atomic(char *) metric; /* the stored name, found when first needed; NULL until then */
} ModelFeature;

struct VmafModel {
    char *name;      /* the metric its scores are stored under */
    char *source;    /* the built-in's name or the file's path */
    uint64_t number; /* no other model has it */
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

/* What a collection tells of a frame. */
enum CollectionFigure { FIGURE_BAGGING, FIGURE_STDDEV, FIGURE_LO, FIGURE_HI, FIGURE_COUNT };

struct VmafModelCollection {
    char *name;
    char *figures[FIGURE_COUNT]; /* the metrics its figures are stored under */
    VmafModel **members;         /* without the main model */
    unsigned count;
    size_t capacity;
};

/* One owner more: vmaf_model_destroy must then be called once more. Returns `model`. */
VmafModel *model_retain(VmafModel *model);

/* Claims the name that the model's scores are stored under, and those of a collection's figures, for
 * nobody else. -EINVAL (logged) when they are taken. */
int model_claim_name(const VmafModel *model, ScoreStore *scores);
int model_collection_claim_names(const VmafModelCollection *collection, ScoreStore *scores);

/* The score of a frame: the one stored under the model's name, else it is predicted from the stored
 * features, stored and returned. -EINVAL when a feature is missing, logged unless `quiet`, or when others
 * write under the model's name. */
int model_predict(VmafModel *model, ScoreStore *scores, unsigned index, bool quiet, double *score);

/* The same while frames come: reports list the model as if it had been asked for after the flush. Nothing is
 * logged. */
int model_predict_early(VmafModel *model, ScoreStore *scores, unsigned index, double *score);

/* The four figures of a frame. Members' scores and the figures are stored under names derived from
 * the collection's; asked again, they are answered from there. -EINVAL when it is no bootstrap
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

/* The name under which the i-th feature's scores are stored, given its options. It belongs to the
 * model and lives until an overload or the end of the model. -EINVAL when no feature provides it or
 * an option's value is bad, -ENOMEM. */
int model_feature_metric(VmafModel *model, unsigned i, const char **metric);

/* The models within the library. */
typedef struct BuiltinModel {
    const char *name;
    const char *summary; /* one line: what it is for */
    bool collection;
} BuiltinModel;

/* The i-th, NULL past the last. */
const BuiltinModel *builtin_model(unsigned i);

#endif
