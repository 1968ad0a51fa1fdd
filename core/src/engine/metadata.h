/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tells registered handlers of scores as they are stored, and lets mounted models predict as soon
 * as their last feature is there. */
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

/* A model that predicts as soon as its last feature is there. The store calls `predict` for each
 * stored score that some handler does not take; `release` ends it. */
typedef struct ModelPredictor {
    VmafModel *model;
    void (*predict)(VmafModel *model, ScoreStore *scores, unsigned index);
    void (*release)(VmafModel *model);
} ModelPredictor;
/* Takes the predictor over on success. Mounting a model again releases it at once. -ENOMEM. */
int metadata_mount(Metadata *m, const ModelPredictor *predictor);

#endif
