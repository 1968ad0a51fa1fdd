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

#define MODEL_FEATURES_MAX 64

/* ---- svr.c: support vector regression, the numbers of a trained model and its value at a point.
 * Several threads may predict at once. ---- */

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
    double slope, intercept; /* slope and intercept of the score */
    ModelFeature features[MODEL_FEATURES_MAX];
    unsigned feature_count;
    bool clip_on;
    double clip_min, clip_max;
    Transform transform;
    bool chroma_on; /* chroma correction */
    double chroma;
    bool has_target; /* pictures are converted to `target` (engine/conversion.h) */
    VmafPictureConvertTarget target;
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

/* As model_predict_early: for progress, while frames are still being read. */
int model_collection_predict_early(VmafModelCollection *collection, ScoreStore *scores,
                                   unsigned index, VmafModelCollectionScore *score);

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

/* ---- model.c: making models, for the reader of model files and the built-in tables ---- */

#define MODEL_DEFAULT_NAME "vmaf"

/* Makes an empty model. `name` NULL: "vmaf". `source`: the built-in's name or the file's path. */
int model_create(VmafModel **model, const char *name, const char *source);
void model_destroy(VmafModel *model); /* NULL is fine */

/* Merges `options` over those of every feature that the extractor provides. */
int model_overload(VmafModel *model, const char *extractor, const Dict *options);

/* Finds the numbers of the adm3 and the speed_chroma feature. Chroma correction needs exactly one
 * of each: otherwise -EINVAL. */
int model_chroma_features(const VmafModel *model, unsigned *luma, unsigned *chroma);

int collection_create(VmafModelCollection **collection, const char *name);
void collection_destroy(VmafModelCollection *collection); /* and its members; NULL is fine */
/* The name for the next member to be added; the caller frees it. NULL when out of memory. */
char *collection_member_name(const VmafModelCollection *collection);
/* Takes the member over on success. -EINVAL when its type differs from the other members'. */
int collection_add(VmafModelCollection *collection, VmafModel *member);

/* ---- model files (json.c) ---- */

/* These log what is wrong with the file. On failure they leave their results untouched. */
int model_read_file(VmafModel **model, const VmafModelConfig *cfg, const char *path);
int model_collection_read_file(VmafModel **model, VmafModelCollection **collection,
                               const VmafModelConfig *cfg, const char *path);
/* Reads a model or a collection; *collection is NULL for a single model. Errors of a file that is
 * neither are those of reading a model. */
int model_or_collection_read_file(VmafModel **model, VmafModelCollection **collection,
                                  const VmafModelConfig *cfg, const char *path);

/* The built-in models: constant tables that gen_builtin.py writes from the files in model/. Loading
 * a model copies its names and options but not its support vectors. */

typedef struct BuiltinFeature {
    const char *name;
    double slope, intercept;
    const char *const *options; /* key, value, key, value, ..., NULL; or NULL */
} BuiltinFeature;

typedef struct BuiltinTable {
    BuiltinModel about;
    enum ModelType type;
    enum ModelNorm norm;
    double slope, intercept;
    const BuiltinFeature *features;
    unsigned feature_count;
    bool clip_on;
    double clip_min, clip_max;
    Transform transform;
    bool chroma_on;
    double chroma;
    const Svr *const *svrs; /* the main model's, then those of the members of a collection */
    unsigned svr_count;
} BuiltinTable;

extern const BuiltinTable builtin_tables[];
extern const unsigned builtin_table_count;

/* NULL when there is no such model. */
const BuiltinTable *builtin_find(const char *name);

int builtin_load(VmafModel **model, const VmafModelConfig *cfg, const BuiltinTable *table);
int builtin_load_collection(VmafModel **model, VmafModelCollection **collection,
                            const VmafModelConfig *cfg, const BuiltinTable *table);

#endif
