/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The values of --model and --feature: parsed, and checked against what the library offers. The
 * check is stricter than the library's own: options that the library would ignore or cut short are
 * errors here. */
#ifndef TOOLS_SPEC_H
#define TOOLS_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libvmaf/model.h"

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
    char *version, *path; /* at least one is set */
    char *name;           /* NULL: not given */
    uint64_t flags;       /* enum VmafModelFlags */
    OptionSpec *overloads;
    size_t overload_count;
} ModelSpec;

/* 0; -EINVAL with the reason in `error`; or -ENOMEM. Items are separated by ':', keys from values
 * by '='. \: and \= stand for the characters themselves; a path may contain a plain '='. In a
 * model, the colon of a drive belongs to its path, too: path=C:\x or path=C:/x. A model may begin
 * with its name or file: NAME means version=NAME; a word that has a slash or ends in .json means
 * path=FILE. The caller destroys a parsed spec. */
int model_spec_parse(ModelSpec *spec, const char *text, char *error, size_t error_size);
int feature_spec_parse(FeatureSpec *spec, const char *text, char *error, size_t error_size);
void model_spec_destroy(ModelSpec *spec);
void feature_spec_destroy(FeatureSpec *spec);

/* Returns the extractor that makes this metric, which may have its stored or its printed name; or
 * xpsnr, whose planes are compared together; NULL: none. The library owns the string. */
const char *extractor_of_metric(const char *metric);

/* True for `auto`: the videos decide which model it is. */
bool model_spec_is_auto(const ModelSpec *spec);

/* The model's name in messages. */
const char *model_spec_label(const ModelSpec *spec);
/* The metric name of the model's scores. */
const char *model_spec_name(const ModelSpec *spec);

/* Both return 0, or print what is wrong and return -EINVAL. */
int check_feature(const FeatureSpec *spec);
/* Sets *used if the model uses the extractor. An extractor that exists but is unused is no error:
 * programs pass the same options with every model. */
int check_overload(const OptionSpec *overload, const VmafModel *model, bool *used);

#endif
