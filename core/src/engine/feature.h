/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A feature, as the engine sees it. It works in two steps. `measure` turns one pair of pictures
 * into a small result: integer sums wherever the metric has them. It is pure, so frames are
 * measured in any order on any thread, by the scalar code, by vector code or by a GPU. `report`
 * turns a result into scores; it is called in stream order, by one thread at a time, and is the
 * only place that remembers earlier frames. All backends share `report`: those that agree on the
 * result agree on every bit of the score. */
#ifndef ENGINE_FEATURE_H
#define ENGINE_FEATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/option.h"
#include "engine/picture.h"
#include "engine/team.h"

typedef struct Feature Feature;
typedef struct FeatureDef FeatureDef;
typedef struct FeatureGpu FeatureGpu; /* gpu/feature_gpu.h */
typedef struct FeatureMap FeatureMap; /* engine/map.h */
typedef struct ScoreStore ScoreStore; /* engine/scores.h */
typedef struct ScoreEntry ScoreEntry; /* engine/scores.h */

enum FeatureFlag {
    FEATURE_EVERY_FRAME = 1 << 0, /* not skipped by subsampling */
    FEATURE_SERIAL = 1 << 1,      /* measure keeps history: in order, with one scratch for all */
    FEATURE_CHROMA = 1 << 2,      /* may read planes 1 and 2 (init narrows it: Feature.planes) */
    FEATURE_PREV_DIST = 1 << 3,   /* measure looks at prev_dist */
};

/* When the reference knows a score first: this orders the columns of a report. */
enum OutputDelay { OUTPUT_NOW, OUTPUT_NEXT_FRAME, OUTPUT_FLUSH };

typedef struct FeatureOutput {
    const char *name; /* raw metric name; NULL ends the table */
    const char *help; /* one line, for --list_features; may be NULL */
    enum OutputDelay delay;
    bool plain_name; /* options add nothing to its name (float_adm's debug output `adm`) */
    bool extra;      /* debug or optional: no model uses this metric */
} FeatureOutput;

/* A piece of a result: consecutive numbers of one type. A part of a clip passes these numbers to
 * the context that makes the scores (engine/part.h), so `report` may read nothing else. */
enum FieldType { FIELD_U64, FIELD_I64, FIELD_DOUBLE, FIELD_FLOAT, FIELD_BOOL };
typedef struct ResultField {
    enum FieldType type;
    unsigned offset, size; /* in bytes; size 0 ends the table */
} ResultField;
#define RESULT_FIELD(struct_type, field, type_)                                                    \
    {                                                                                              \
        .type = type_, .offset = offsetof(struct_type, field),                                     \
        .size = sizeof(((struct_type *)0)->field)                                                  \
    }

/* Features that run on a GPU: bit i is the i-th feature offered to client_open (gpu/client.h). */
typedef uint64_t FeatureSet;
#define FEATURE_SET_SIZE 64

/* The work a GPU did for one feature: the proof that the feature ran there. */
typedef struct GpuTally {
    unsigned passes;       /* kernels that a frame takes */
    uint64_t frames;       /* frames whose results were collected */
    uint64_t launches;     /* kernels handed to the device */
    uint64_t frames_again; /* frames measured once more on the CPU, to settle a last bit */
    uint64_t frames_timed; /* frames timed by the device's clock; 0 when it has none */
    double timed_us;       /* time that the feature's kernels took in the timed frames */
} GpuTally;

/* Tells a device from others with its name. If frames are spread over several devices, this
 * describes all of them together. */
typedef struct DeviceIdentity {
    const char *type; /* as in VmafFeatureInfo.device_type; a constant */
    int index;        /* in the backend's list; -1: unknown, or several devices */
    char uuid[1024];  /* comma-separated; empty: unknown */
    char pci[1024];   /* comma-separated; empty: unknown */
} DeviceIdentity;

/* The device a feature runs on, and the work done for it there. */
typedef struct FeatureDevice {
    const char *backend, *name;     /* both NULL for the CPU */
    const DeviceIdentity *identity; /* NULL for the CPU; lives as long as the context */
    GpuTally tally;                 /* zeros for the CPU */
} FeatureDevice;

/* One pair, as `measure` sees it. */
typedef struct FramePair {
    const VmafPicture *ref, *dist;
    const VmafPicture *prev_ref[2]; /* references of one and of two reads before; NULL: none */
    const VmafPicture *prev_dist; /* distorted picture of one read before, for FEATURE_PREV_DIST */
    uint64_t position;            /* 0 for the first pair read, whatever its index */
} FramePair;

/* The identity of a pair. */
typedef struct FrameId {
    uint64_t position;
    unsigned index; /* chosen by the caller: scores are stored under it */
} FrameId;

struct FeatureDef {
    const char *name;
    const char *summary;   /* one line, for --list_features */
    const Option *options; /* name NULL ends the table; the table itself may be NULL */
    size_t options_size;
    const FeatureOutput *outputs;
    unsigned flags;
    size_t result_size;
    const ResultField *fields; /* fields of a result; NULL: it has none */
    /* The number of earlier reads that `measure` looks back at, through prev_ref or its own memory
     * (FEATURE_SERIAL): a part of a clip reads as many pairs before its own. The memory of `report`
     * does not count. */
    unsigned reach;

    /* Called once, when the first pair sets the shape: refuses shapes and options that the feature
     * does not support (logged, -EINVAL) and builds tables. */
    int (*init)(Feature *f);
    /* Frees the state, after a failed init, too. May be NULL; feature_free_state often suffices. */
    void (*close)(Feature *f);

    /* Working memory for one measure at a time; the engine makes as many as run at once and reuses
     * them, so measure allocates nothing. Both may be NULL. */
    int (*scratch_create)(const Feature *f, void **scratch);
    void (*scratch_destroy)(void *scratch);

    int (*measure)(const Feature *f, void *scratch, const FramePair *pair, void *result,
                   Team *team);
    /* Both may be NULL. can_join returns true if most of the work for `other` is the same as for
     * `f`; both have this def and the same shape, and are past init. `other` then becomes a guest
     * of `f`, and measure_all replaces measure: results[0] is for `f`, and results[i] is for
     * guests[i - 1]. A FEATURE_SERIAL feature has neither function. */
    bool (*can_join)(const Feature *f, const Feature *other);
    int (*measure_all)(const Feature *f, void *scratch, const FramePair *pair, void *const *results,
                       Team *team);
    int (*report)(Feature *f, const FrameId *id, const void *result);
    int (*flush)(Feature *f); /* emits scores that were held back; may be NULL */

    /* NULL, or the names of two numeric options: if `again` is not 0, the feature is registered a
     * second time, with the value of `again` for `instead`. */
    const char *again, *instead;

    const FeatureGpu *gpu; /* NULL: runs on the CPU whatever the backend */
    const FeatureMap *map; /* NULL: no maps */
};

/* A registered feature: a def with options. The engine fills all but `state`. */
struct Feature {
    const FeatureDef *def;
    Dict *dict;       /* as given; owned */
    void *options;    /* def->options_size bytes, parsed; owned */
    char **names;     /* stored metric name of each output; owned */
    FrameShape shape; /* valid from init on */
    unsigned cpu;     /* enum CpuFlag bits that may be used */
    /* Bit p: plane p is read. The engine sets it from FEATURE_CHROMA before init; init may clear
     * bits (an option that switches chroma off). */
    unsigned planes;
    bool undelayed; /* init may set it: all outputs are OUTPUT_NOW, whatever their table says */
    void *state;    /* owned by the feature, which frees it in close */
    /* Other features that measure_all measures, too (FeatureDef.can_join). The scheduler fills the
     * list before the first scratch is made. */
    Feature **guests;
    unsigned guest_count;
    ScoreStore *scores;
    int (*hear)(void *arg, const ScoreEntry *entry); /* takes emitted scores; NULL: `scores` does */
    void *hear_arg;
    bool gpu_only;       /* registered under a backend's name (vif_vulkan): never runs on the CPU */
    unsigned order;      /* number in the order of registration */
    unsigned first_step; /* number of the first pair it reported on, from 1: orders the columns */
};

/* Makes a feature from its options. Takes `dict` (NULL: all defaults) over on success only. -EINVAL
 * for a bad option value (logged), -ENOMEM. */
int feature_create(Feature **out, const FeatureDef *def, Dict *dict);
void feature_destroy(Feature *f);

/* A `close` for states that are one block of memory. */
void feature_free_state(Feature *f);

/* The number of entries in def->outputs and Feature.names. */
unsigned feature_output_count(const FeatureDef *def);

/* The identity of a registration: the extractor's name and the text that its options add to metric
 * names. Two features with equal keys would write the same metrics. */
#define FEATURE_KEY_SIZE 256
void feature_key(const Feature *f, char key[FEATURE_KEY_SIZE]);

/* Emits outputs[output] of frame `index`. -ENOMEM; an index that already has a score is found when
 * the frame is stored. */
int feature_emit(Feature *f, unsigned output, unsigned index, double value);

/* Stores a figure about the whole clip (apsnr_y); the last value set counts. */
int feature_emit_aggregate(Feature *f, const char *name, double value);

/* The table of all features (feature/registry.c), NULL-ended, in lookup order. */
extern const FeatureDef *const feature_registry[];
const FeatureDef *feature_find(const char *extractor);
/* Tells in words which extractor has replaced this one; NULL if none has. */
const char *feature_successor(const char *extractor);
/* The extractor that other programs know by this name; NULL: none. */
const char *feature_elsewhere(const char *name);
const FeatureDef *feature_find_by_metric(const char *raw_metric);

#endif
