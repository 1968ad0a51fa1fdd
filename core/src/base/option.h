/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Options of a feature, declared once in a table: parsing, metric names, `--list_features` and the
 * docs use that table. */
#ifndef BASE_OPTION_H
#define BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/dict.h"

enum OptionType { OPTION_BOOL, OPTION_INT, OPTION_DOUBLE, OPTION_STRING };

/* The field at `offset` of the feature's options struct is a bool, int, double or const char *. */
typedef struct Option {
    const char *name;
    const char *alias; /* form of a value other than the default in metric names; NULL: none */
    const char *help;  /* one line, for --list_features */
    enum OptionType type;
    size_t offset;
    double def;           /* bool (0/1), int, double */
    double min, max;      /* int, double: inclusive; the default itself may lie outside */
    const char *def_text; /* string; NULL means none */
} Option;

/* The rows of a table, which ends with { 0 }. A field of another type does not compile.
 *     DOUBLE_OPTION(VifOptions, gain_limit, "vif_enhn_gain_limit", "egl", 100, 1, 100,
 *                   "most gain") */
#define BOOL_OPTION(struct_type, field, name_, alias_, def_, help_)                                \
    {                                                                                              \
        .name = name_, .alias = alias_, .help = help_, .type = OPTION_BOOL,                        \
        .offset = OPTION_FIELD(struct_type, field, bool), .def = def_                              \
    }
#define INT_OPTION(struct_type, field, name_, alias_, def_, min_, max_, help_)                     \
    {                                                                                              \
        .name = name_, .alias = alias_, .help = help_, .type = OPTION_INT,                         \
        .offset = OPTION_FIELD(struct_type, field, int), .def = def_, .min = min_, .max = max_     \
    }
#define DOUBLE_OPTION(struct_type, field, name_, alias_, def_, min_, max_, help_)                  \
    {                                                                                              \
        .name = name_, .alias = alias_, .help = help_, .type = OPTION_DOUBLE,                      \
        .offset = OPTION_FIELD(struct_type, field, double), .def = def_, .min = min_, .max = max_  \
    }
#define STRING_OPTION(struct_type, field, name_, alias_, def_, help_)                              \
    {                                                                                              \
        .name = name_, .alias = alias_, .help = help_, .type = OPTION_STRING,                      \
        .offset = OPTION_FIELD(struct_type, field, const char *), .def_text = def_                 \
    }

#define OPTION_FIELD(struct_type, field, type)                                                     \
    (offsetof(struct_type, field) + 0 * _Generic(((struct_type *)0)->field, type : 0))

/* Fills the struct at `into`: each field from `dict` (may be NULL) if the key exists, else with its
 * default. Strings point into the dict or at the defaults: the dict must live as long as the
 * struct. -EINVAL on a bad value (logged with the feature's name); unknown keys only warn.
 * `feature` NULL: nothing is logged. */
int option_parse(const Option *table, const char *feature, const Dict *dict, void *into);

/* Writes the name under which a metric is stored: `raw` itself while all options with an alias have
 * their defaults; otherwise the short name of `raw` followed by _ALIAS_VALUE (a bool: _ALIAS) for
 * each option that differs from its default, sorted by the options' full names:
 * "integer_vif_scale0_egl_1". `out` has `size` bytes; the name is cut at 255. */
void option_metric_name(const Option *table, const void *values, const char *raw, char *out,
                        size_t size);

/* True if the option of this name has another value than its default. */
bool option_differs(const Option *table, const void *values, const char *name);

/* Do two filled structs hold the same values? */
bool option_equal(const Option *table, const void *a, const void *b);

/* The short name that reports print for a metric ("integer_adm2"); `raw` itself if it has none. */
const char *metric_alias(const char *raw);

#endif
