/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_FEATURE_H
#define VMAF_FEATURE_H

#include "macros.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Options of a feature extractor: keys and values, both text.
 *
 * The caller owns a dictionary until a function that consumes it succeeds. It is not thread-safe.
 */
typedef struct VmafFeatureDictionary VmafFeatureDictionary;

/**
 * Sets one option. Key and value are copied; setting a key again replaces its value.
 *
 * A value that is entirely a number is kept in a short form: read in single precision and printed
 * with six significant digits, so `1.0` becomes `1` and `1.23456789` becomes `1.23457`. Scores and
 * metric names follow from the short form. The decimal point is `.` in every locale.
 *
 * @param dict the dictionary; created when *dict is NULL
 * @return 0; -EINVAL when an argument is NULL; -ENOMEM, with the dictionary unchanged
 */
VMAF_EXPORT int vmaf_feature_dictionary_set(VmafFeatureDictionary **dict, const char *key,
                                            const char *val);

/**
 * Frees a dictionary and sets *dict to NULL. An empty one (*dict NULL) is fine.
 *
 * @return 0; -EINVAL when `dict` is NULL
 */
VMAF_EXPORT int vmaf_feature_dictionary_free(VmafFeatureDictionary **dict);

#ifdef __cplusplus
}
#endif

#endif
