/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Calls registered handlers for scores as they are stored, and lets models predict as soon as their
 * last feature is stored. The context owns it. Any thread may store scores meanwhile. */
#ifndef ENGINE_METADATA_H
#define ENGINE_METADATA_H

#include "engine/scores.h"
#include "libvmaf/metadata.h"
#include "libvmaf/model.h"

typedef struct Metadata Metadata;

int metadata_create(Metadata **out, ScoreStore *scores);
void metadata_destroy(Metadata *m);

/* Is this thread inside a call of one of the handlers? */
bool metadata_is_telling(const Metadata *m);

int metadata_add_handler(Metadata *m, const VmafMetadataConfiguration *handler);

/* A model that predicts as soon as its last feature is stored. `predict` is called after each
 * stored score while a handler for another metric is registered; `release` ends it. */
typedef struct ModelPredictor {
    VmafModel *model;
    void (*predict)(VmafModel *model, ScoreStore *scores, unsigned index);
    void (*release)(VmafModel *model);
} ModelPredictor;
/* Takes the predictor over on success. Mounting a model again releases it at once. -ENOMEM. */
int metadata_mount(Metadata *m, const ModelPredictor *predictor);

#endif
