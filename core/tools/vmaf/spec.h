/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What --model and --feature say. */
#ifndef TOOLS_SPEC_H
#define TOOLS_SPEC_H

#include <stddef.h>
#include <stdint.h>

/* One option of an extractor, as typed. */
typedef struct OptionSpec {
    char *extractor, *key, *value;
} OptionSpec;

typedef struct FeatureSpec {
    char *extractor;
    OptionSpec *options;
    size_t option_count;
} FeatureSpec;

typedef struct ModelSpec {
    char *version, *path; /* one at least */
    char *name;           /* NULL: not given */
    uint64_t flags;       /* enum VmafModelFlags */
    OptionSpec *overloads;
    size_t overload_count;
} ModelSpec;

/* 0, or -EINVAL with the reason in `error`, or -ENOMEM. Parts are parted by ':', keys and values by
 * '=';
 * \: and \= stand for the characters themselves, and a path may hold '=' as it is. A model may begin with
 * its plain name or file: NAME is version=NAME; what has a slash or ends in .json is path=FILE. */
int model_spec_parse(ModelSpec *spec, const char *text, char *error, size_t error_size);
int feature_spec_parse(FeatureSpec *spec, const char *text, char *error, size_t error_size);
void model_spec_destroy(ModelSpec *spec);
void feature_spec_destroy(FeatureSpec *spec);

/* What messages call the model. */
const char *model_spec_label(const ModelSpec *spec);
/* The metric its scores are stored under. */
const char *model_spec_name(const ModelSpec *spec);

#endif
