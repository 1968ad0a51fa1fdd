/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_METADATA_H
#define VMAF_METADATA_H

#include "libvmaf.h"
#include "macros.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A score that was just stored. */
typedef struct VmafMetadata {
    char *feature_name;     /**< the name the handler was registered for */
    unsigned picture_index; /**< as given to vmaf_read_pictures() or vmaf_import_feature_score() */
    double score;
} VmafMetadata;

/** A handler and the score it is called for. */
typedef struct VmafMetadataConfiguration {
    char *feature_name; /**< a stored name, e.g. `vmaf` or `integer_motion2`'s raw name; the caller
                           keeps the string for as long as the context lives */
    void (*callback)(void *data, VmafMetadata *metadata);
    void *data; /**< passed to the callback */
} VmafMetadataConfiguration;

/**
 * Registers a callback for every score that is stored under one name from now on.
 *
 * The callback runs inside the call that stored the score and on that thread: a worker's, when the
 * context has threads. Calls never overlap within a context. While at least one handler is
 * registered, models given to vmaf_use_features_from_model() are predicted as soon as the last
 * feature of a frame is stored, so that handlers for model scores are called although nobody asked
 * for those scores.
 *
 * The callback may ask for scores, import others and write a report: it gets the scores stored so
 * far, since nothing waits for frames inside a callback. It must not drive the context: reading
 * pictures and closing return -EINVAL.
 *
 * @return 0; -EINVAL when the context, the name or the callback is NULL; -ENOMEM.
 */
VMAF_EXPORT int vmaf_register_metadata_handler(VmafContext *vmaf, VmafMetadataConfiguration cfg);

#ifdef __cplusplus
}
#endif

#endif
