/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The test conditions of AOM and of Netflix, by version: the models and features they score. */
#ifndef TOOLS_PRESET_H
#define TOOLS_PRESET_H

#include <stdbool.h>

#define PRESET_MODELS 2
#define PRESET_FEATURES 6

typedef struct Preset {
    const char *version;
    const char *models[PRESET_MODELS];     /* as --model wants them; NULL ends */
    const char *features[PRESET_FEATURES]; /* as --feature wants them; NULL ends */
    bool common_bitdepth;                  /* the inputs may differ in depth */
} Preset;

/* NULL when there is no such version. */
const Preset *preset_aom_ctc(const char *version);
const Preset *preset_nflx_ctc(const char *version);

#endif
