/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Private declarations of cambi, which measures how visible banding is. A picture becomes a plane
 * of 10-bit codes and a mask of its flat areas; then, at five scales, each flat sample is compared
 * with the codes near it. */
#ifndef FEATURE_CAMBI_H
#define FEATURE_CAMBI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/feature.h"

enum {
    CAMBI_SCALES = 5,
    CAMBI_MAX_STEPS = 32,  /* 2^max_log_contrast */
    CAMBI_MAX_WINDOW = 65, /* limit of the table of reciprocals */
    CAMBI_TOP_CODE = 1024, /* rounding to 10 bits can give one more than 1023 */
    CAMBI_SLACK =
        64, /* rows have this many spare elements at their end, which row functions may overwrite */
};

#define CAMBI_NO_CODE 0xffff

/* ---- row functions, chosen for the CPU; all are exact: integers, or one rounding each ---- */

/* The input for the contrasts of a run of equal codes. */
typedef struct CambiRun {
    const uint16_t *own;   /* counts of the run's code around each of its samples */
    ptrdiff_t pitch;       /* from a code's counts to the next code's */
    unsigned first, steps; /* steps to try */
    const float *reciprocal;
} CambiRun;

typedef struct CambiDsp {
    void (*widen_8)(uint16_t *out, const uint8_t *in, size_t n);                  /* in << 2 */
    void (*narrow_16)(uint16_t *out, const uint16_t *in, size_t n, unsigned bpc); /* to 10 bits */
    /* Mean of each sample, its right neighbour, and the two below, rounded down. */
    void (*smooth)(uint16_t *out, const uint16_t *row, const uint16_t *below, size_t n);
    /* 1 where a sample equals its right and its lower neighbour, else 0. */
    void (*flat)(uint8_t *out, const uint16_t *row, const uint16_t *below, size_t n);
    /* sums += enter - leave */
    void (*slide)(uint8_t *sums, const uint8_t *enter, const uint8_t *leave, size_t n);
    /* 1 where seven neighbouring sums, from x - 3 on, add up to more than `needed`, else 0. */
    void (*mask)(uint8_t *out, const uint8_t *sums, unsigned needed, size_t n);
    /* Every other element, n of them; `out` may be `in`. */
    void (*keep_even_16)(uint16_t *out, const uint16_t *in, size_t n);
    void (*keep_even_8)(uint8_t *out, const uint8_t *in, size_t n);
    /* The value that occurs at least twice among three, else the smallest. `out` may be one of
     * them. */
    void (*mode3)(uint16_t *out, const uint16_t *a, const uint16_t *b, const uint16_t *c, size_t n);

    /* code - low where masked and within 0…span, else CAMBI_NO_CODE. */
    void (*masked)(uint16_t *out, const uint16_t *code, const uint8_t *mask, unsigned low,
                   unsigned span, size_t n);
    /* Puts CAMBI_NO_CODE into both rows where they are equal. */
    void (*cancel)(uint16_t *a, uint16_t *b, size_t n);
    /* Lists where runs of equal codes start, with n at the end, and returns the number of runs. The
     * list needs room for n + 1 entries and CAMBI_SLACK. */
    unsigned (*runs)(uint16_t *starts, const uint16_t *codes, size_t n);
    /* counts += by, counts -= by. They may also change counts behind the n-th. */
    void (*add)(uint16_t *counts, const uint16_t *by, size_t n);
    void (*subtract)(uint16_t *counts, const uint16_t *by, size_t n);
    /* The contrasts of a run of n samples. */
    void (*contrast)(float *out, const CambiRun *run, size_t n);
    /* Returns the sum of the values above a limit; *count gets their number. The order of additions
     * is undefined: for multiples of 2^-24, a sum below 2^29 is exact; any other result is not
     * below 2^29. */
    double (*sum_above)(const float *values, size_t n, float limit, size_t *count);
} CambiDsp;

void cambi_dsp_init(CambiDsp *dsp, unsigned cpu);

/* Weight of a step of 1…32 codes. */
extern const uint8_t cambi_step_weight[CAMBI_MAX_STEPS + 1];

/* ---- cambi.c: the setup, constant after init ---- */

/* Size and window for a kind of picture: the distorted one at its encoding size, or the reference
 * at its source size. */
typedef struct CambiTarget {
    unsigned w, h;             /* prepared size */
    unsigned *from_x, *from_y; /* source positions; NULL: the size does not change */
    unsigned kept_w, kept_h;   /* size at scale 0, which may be halved */
    unsigned window;
    unsigned flat_needed; /* a sample is masked if more of its neighbours than this are flat */
} CambiTarget;

typedef struct CambiSetup {
    unsigned bpc, src_w, src_h;
    CambiTarget target[2]; /* distorted, reference */
    bool smooth, halve, full_ref;
    double share; /* share of the samples, those of largest contrast, that counts */
    unsigned steps;
    /* Codes outside low…high cannot affect any contrast. If the range is empty, high < low. */
    int low, high;
    uint8_t
        first_step[CAMBI_TOP_CODE + 1]; /* smallest step that counts for a code; steps + 1: none */
    float reciprocal[CAMBI_MAX_WINDOW * CAMBI_MAX_WINDOW + 1];
    CambiDsp dsp;
} CambiSetup;

enum CambiEotf { CAMBI_BT1886, CAMBI_PQ };
int cambi_eotf(const char *name); /* -EINVAL if there is no such curve */

/* The largest code from which a rise of `step` codes is visible; 0 or 1023 if it lies outside the
 * range. */
int cambi_step_limit(unsigned step, double threshold, enum CambiEotf eotf);
/* The first code of at least that luminance; 0 if black is bright enough. */
int cambi_dark_code(double luminance, enum CambiEotf eotf);

typedef struct CambiHeatmaps CambiHeatmaps;

const CambiSetup *cambi_setup(const Feature *f);
CambiHeatmaps *cambi_heatmaps(const Feature *f); /* NULL: no heat maps are wanted */

/* ---- cambi_frame.c: from a picture to the scores of its scales ---- */

/* Means of the largest contrasts; [0] distorted, [1] reference. */
typedef struct CambiResult {
    double scores[2][CAMBI_SCALES];
} CambiResult;

/* Codes and mask of a picture. */
typedef struct CambiPlane {
    unsigned w, h;               /* size at the current scale, which is in the top left corner */
    unsigned stored_w, stored_h; /* size at scale 0 */
    size_t pitch;                /* pitch of both arrays */
    uint16_t *code;
    uint8_t *mask;
} CambiPlane;

/* Create and destroy the working memory of one measure at a time (FeatureDef.scratch_create and
 * scratch_destroy). */
typedef struct CambiFrame CambiFrame;
int cambi_frame_create(const Feature *f, void **frame);
void cambi_frame_destroy(void *frame);

/* Receives the contrast map of a scale, w * h values, before the map is reordered. */
typedef void (*CambiMapFn)(void *cookie, unsigned scale, const float *map, unsigned w, unsigned h);

/* Computes the mean of the largest contrasts at each scale. Returns 0, or -EINVAL after a log line
 * if a sample exceeds the depth. `map_fn` may be NULL. */
int cambi_frame_measure(CambiFrame *s, unsigned target, const VmafPicture *pic,
                        double scores[CAMBI_SCALES], CambiMapFn map_fn, void *cookie);

/* Logs that a sample exceeds the depth; returns -EINVAL. */
int cambi_range_error(const CambiSetup *setup);

/* ---- cambi_contrast.c: contrasts of a scale, and the mean of the largest ---- */

/* Working memory of one thread. */
typedef struct CambiCounters CambiCounters;
int cambi_counters_create(CambiCounters **out, const CambiSetup *setup);
void cambi_counters_destroy(CambiCounters *counters);
/* Fills `map` with the contrasts of the current scale, plane->w * plane->h values. */
void cambi_contrast(CambiCounters *counters, const CambiSetup *setup, const CambiPlane *plane,
                    unsigned window, float *map);

/* Working memory of one thread. */
typedef struct CambiRanks CambiRanks;
CambiRanks *cambi_ranks_create(void); /* NULL if there is no memory */
void cambi_ranks_destroy(CambiRanks *ranks);

/* The number of values, of n, that count. */
size_t cambi_top_count(size_t n, double share);

/* From this sum on the order of additions affects a sum in double. */
#define CAMBI_EXACT_BELOW 536870912.0

/* Mean of the largest of n values, a `share` of them. May reorder the map. */
double cambi_top_mean(const CambiDsp *dsp, CambiRanks *ranks, float *map, size_t n, double share);

/* ---- cambi_gpu.c ---- */

extern const struct FeatureGpu cambi_gpu;

/* ---- cambi_heatmap.c: files of contrast maps ---- */

/* Creates the folder and opens a file for each scale. */
int cambi_heatmaps_create(CambiHeatmaps **out, const char *folder, const CambiSetup *setup);
void cambi_heatmaps_destroy(CambiHeatmaps *maps);
/* Completes the files. Returns 0 if all of them were written in full, else -EIO. */
int cambi_heatmaps_finish(CambiHeatmaps *maps);
/* Writes the map of a scale of picture number `picture`. Any thread may call it. Returns 0 or
 * -EIO. */
int cambi_heatmaps_write(CambiHeatmaps *maps, unsigned scale, uint64_t picture, const float *map,
                         unsigned w, unsigned h);

#endif
