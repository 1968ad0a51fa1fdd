/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* cambi: how visible banding is. A picture becomes a plane of 10-bit codes and a mask of its flat
 * parts; at five scales each flat sample is compared with the codes near it. */
#ifndef FEATURE_CAMBI_H
#define FEATURE_CAMBI_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/feature.h"
#include "feature/cambi/cambi_dsp.h"

enum {
    CAMBI_SCALES = 5,
    CAMBI_MAX_STEPS = 32,  /* 2^max_log_contrast */
    CAMBI_MAX_WINDOW = 65, /* what the reciprocals' table holds */
    CAMBI_TOP_CODE = 1024, /* rounding to 10 bits can go one past 1023 */
};

/* ---- cambi_visibility.c ---- */

enum CambiEotf { CAMBI_BT1886, CAMBI_PQ };
int cambi_eotf(const char *name); /* -EINVAL when there is no such curve */

/* Largest code from which a rise of `step` codes shows; 0 or 1023 past the ends. */
int cambi_step_limit(unsigned step, double threshold, enum CambiEotf eotf);
/* First code of at least that luminance; 0 if black itself is. */
int cambi_dark_code(double luminance, enum CambiEotf eotf);

/* ---- what is fixed for a run ---- */

/* A picture kind: the distorted one at its encoding size, the reference at its source size. */
typedef struct CambiTarget {
    unsigned w, h;             /* prepared size */
    unsigned *from_x, *from_y; /* source positions; NULL: the size stays */
    unsigned kept_w, kept_h;   /* size at scale 0: halved or not */
    unsigned window;
    unsigned flat_needed; /* a mask needs more flat neighbours than this */
} CambiTarget;

typedef struct CambiSetup {
    unsigned bpc, src_w, src_h;
    CambiTarget target[2]; /* distorted, reference */
    bool smooth, halve, full_ref;
    double share; /* of the samples, those of largest contrast that count */
    unsigned steps;
    /* Codes outside low…high cannot matter to any contrast. An empty range has high < low. */
    int low, high;
    uint8_t first_step[CAMBI_TOP_CODE + 1]; /* least step that counts for a code; steps + 1: none */
    float reciprocal[CAMBI_MAX_WINDOW * CAMBI_MAX_WINDOW + 1];
    CambiDsp dsp;
} CambiSetup;

/* Weight of a step of 1…32 codes. */
extern const uint8_t cambi_step_weight[CAMBI_MAX_STEPS + 1];

/* ---- working memory of one measure ---- */

typedef struct CambiPlane {
    unsigned w, h;               /* of the current scale, in the top left */
    unsigned stored_w, stored_h; /* of scale 0 */
    size_t pitch;                /* of both */
    uint16_t *code;
    uint8_t *mask;
} CambiPlane;

typedef struct CambiFrame CambiFrame;
int cambi_frame_create(CambiFrame **out, const CambiSetup *setup);
void cambi_frame_destroy(CambiFrame *s);

/* Contrast map of a scale, handed out before it is pooled; w * h values. */
typedef void (*CambiMapFn)(void *cookie, unsigned scale, const float *map, unsigned w, unsigned h);

/* Mean of the largest contrasts at each scale. 0, or -EINVAL after a log line when a sample exceeds
 * the depth. */
int cambi_frame_measure(CambiFrame *s, unsigned target, const VmafPicture *pic,
                        double scores[CAMBI_SCALES], CambiMapFn map_fn, void *cookie);

/* Means of the largest contrasts; [0] distorted, [1] reference. */
typedef struct CambiResult {
    double scores[2][CAMBI_SCALES];
} CambiResult;

/* ---- the GPU: cambi_gpu.c ---- */

typedef struct CambiHeatmaps CambiHeatmaps;

extern const struct FeatureGpu cambi_gpu;

const CambiSetup *cambi_setup(const Feature *f);
CambiHeatmaps *cambi_heatmaps(const Feature *f); /* NULL: none are wanted */

/* ---- cambi_prepare.c ---- */

typedef struct CambiLines CambiLines;
int cambi_lines_create(CambiLines **out, const CambiSetup *setup);
void cambi_lines_destroy(CambiLines *lines);

int cambi_check_range(const CambiSetup *setup, const VmafPicture *pic);
int cambi_range_error(const CambiSetup *setup); /* logs it; -EINVAL */
/* Fills codes and mask at scale 0. */
void cambi_prepare(CambiLines *lines, const CambiSetup *setup, const CambiTarget *target,
                   const VmafPicture *pic, CambiPlane *plane);
void cambi_decimate(const CambiSetup *setup, CambiPlane *plane);
void cambi_mode_filter(CambiLines *lines, const CambiSetup *setup, CambiPlane *plane);

/* ---- cambi_contrast.c ---- */

typedef struct CambiCounters CambiCounters;
int cambi_counters_create(CambiCounters **out, const CambiSetup *setup);
void cambi_counters_destroy(CambiCounters *counters);
void cambi_contrast(CambiCounters *counters, const CambiSetup *setup, const CambiPlane *plane,
                    unsigned window, float *map);

/* ---- cambi_pool.c ---- */

typedef struct CambiRanks CambiRanks; /* working memory */
CambiRanks *cambi_ranks_create(void); /* NULL when out of memory */
void cambi_ranks_destroy(CambiRanks *ranks);

/* How many of n values count. */
size_t cambi_pool_count(size_t n, double share);

/* From this sum on the order of additions shows in a double. */
#define CAMBI_EXACT_BELOW 536870912.0

/* Mean of the `share` largest of n values; may reorder them. */
double cambi_pool(const CambiDsp *dsp, CambiRanks *ranks, float *map, size_t n, double share);

/* ---- cambi_heatmap.c ---- */

int cambi_heatmaps_create(CambiHeatmaps **out, const char *folder, const CambiSetup *setup);
void cambi_heatmaps_destroy(CambiHeatmaps *maps);
/* Ends the files: 0 when all of them are on the disk, else -EIO. */
int cambi_heatmaps_finish(CambiHeatmaps *maps);
/* Thread-safe. 0, or -EIO. */
int cambi_heatmaps_write(CambiHeatmaps *maps, unsigned scale, uint64_t picture, const float *map,
                         unsigned w, unsigned h);

#endif
