/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A context that measures a part of a clip, or makes scores from results that other contexts
 * measured. The contexts exchange the numbers in each feature's result. The context owns its
 * Part. */
#ifndef ENGINE_PART_H
#define ENGINE_PART_H

#include "engine/context.h"
#include "libvmaf/part.h"

typedef struct Part Part;

void part_destroy(Part *part); /* NULL is fine */

/* See the functions of these names in libvmaf/part.h; the caller has checked the arguments. */
unsigned part_reach(const VmafContext *ctx);
int part_record(VmafContext *ctx, unsigned first);
int part_kinds(VmafContext *ctx, unsigned feature, const char **kinds);
int part_values(const VmafContext *ctx, unsigned feature, unsigned index, VmafPartValue *values);
int part_replay(VmafContext *ctx, const FrameShape *shape, unsigned index,
                const VmafPartValue *const *values);
int part_set_place(VmafContext *ctx, unsigned feature, const VmafFeatureInfo *place);
int part_set_speed(VmafContext *ctx, unsigned threads, double seconds);

/* True if the part has fixed the list of features, so that none can be added: a recording context
 * has sized its rows, a replaying one its results. `part` NULL: false. */
bool part_has_fixed_features(const Part *part);

/* Checks that a context with a part may read the pair: it does not replay, and pairs of a recording
 * one come in their order. Logs why not; -EINVAL. */
int part_check_read(const VmafContext *ctx, unsigned index);

/* Called before each pair is read. When the part's own pairs begin, it notes the work done for the
 * pairs before them, which the part's figures leave out. */
void part_note_read(VmafContext *ctx, unsigned index);

/* Replace figures of the context by those that the part knows better. `part` NULL: do nothing. */
void part_feature(const Part *part, unsigned feature, VmafFeatureInfo *info);
void part_speed(const Part *part, ContextSpeed *speed);

#endif
