/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The conversion of a context's pictures before any feature sees them, if its models ask for
 * certain colours. For the thread that drives the context. */
#ifndef ENGINE_CONVERSION_H
#define ENGINE_CONVERSION_H

#include "engine/picture.h"

typedef struct Conversion {
    bool decided; /* a model was registered, with which all others must agree */
    bool wanted;  /* that model has a target */
    bool begun;   /* a pair was read for that target */
    /* A format of UNKNOWN, and a depth of 0: each picture keeps its own. */
    VmafPictureConvertTarget target;
    VmafColor source[2];                      /* colours of the reference and the distorted video */
    VmafPictureConvertContext *converters[2]; /* NULL: not needed so far */
    VmafColor from[2];                        /* the colours that each converter converts */
} Conversion;

void conversion_clear(Conversion *conversion);

/* Checks that a model with this target (NULL: none) can join the models before it: -EINVAL (logged)
 * if they want different pictures, or if pairs were read already. */
int conversion_check_model(const Conversion *conversion, const char *model,
                           const VmafPictureConvertTarget *target, bool begun);
void conversion_add_model(Conversion *conversion, const VmafPictureConvertTarget *target);

/* Sets the colours of both videos; NULL: they are unknown. -EINVAL for values outside the enums;
 * -EBUSY once a pair was read for a target. */
int conversion_set_source(Conversion *conversion, const VmafColor *ref, const VmafColor *dist);

/* The shape that pictures of this shape are converted to. */
void conversion_shape(const Conversion *conversion, const FrameShape *shape, FrameShape *result);

/* Fills `made` with the pictures that the features see: new references to the same pictures, or
 * converted ones, which the caller releases. The caller keeps its own references, and the CPU must
 * be able to read the pictures. Errors are logged: -EINVAL for pictures of unknown colours, -ERANGE
 * for samples above the depth, -ENOTSUP without zimg. */
int conversion_run(Conversion *conversion, const VmafPicture *ref, const VmafPicture *dist,
                   unsigned index, VmafPicture made[2]);

#endif
