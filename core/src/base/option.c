/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/option.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"

/* The reference cuts names at this size. */
#define METRIC_NAME_MAX 255

static void *field(void *values, const Option *o)
{
    return (char *)values + o->offset;
}

static void set_default(const Option *o, void *into)
{
    switch (o->type) {
    case OPTION_BOOL:
        *(bool *)field(into, o) = o->def != 0;
        break;
    case OPTION_INT:
        *(int *)field(into, o) = (int)o->def;
        break;
    case OPTION_DOUBLE:
        *(double *)field(into, o) = o->def;
        break;
    case OPTION_STRING:
        *(const char **)field(into, o) = o->def_text;
        break;
    }
}

static int bad_value(const Option *o, const char *feature, const char *text)
{
    if (feature)
        log_error("feature \"%s\": bad value \"%s\" for option \"%s\"", feature, text, o->name);
    return -EINVAL;
}

static void warn_trailing(const Option *o, const char *feature, const char *text, const char *end)
{
    if (feature && *end)
        log_warning("feature \"%s\": option \"%s\": ignoring \"%s\" at the end of \"%s\"", feature,
                    o->name, end, text);
}

/* If the text reads as 0, its digits must be zeros: the reference tells words from numbers this
 * way. */
static bool is_zero_by_accident(double value, const char *text)
{
    return value == 0 && text[0] != '0';
}

static int set_number(const Option *o, const char *feature, const char *text, void *into)
{
    assert(o->min <= o->max);
    char *end;
    double value;
    if (o->type == OPTION_INT) {
        /* Values beyond long saturate, and the range check below rejects them. */
        value = (double)strtol(text, &end, 10);
    } else {
        value = text_to_double(text, &end);
    }
    if (isnan(value) || is_zero_by_accident(value, text) || value < o->min || value > o->max)
        return bad_value(o, feature, text);
    warn_trailing(o, feature, text, end);
    if (o->type == OPTION_INT)
        *(int *)field(into, o) = (int)value;
    else
        *(double *)field(into, o) = value;
    return 0;
}

static int set_value(const Option *o, const char *feature, const char *text, void *into)
{
    switch (o->type) {
    case OPTION_BOOL:
        if (strcmp(text, "true") && strcmp(text, "false"))
            return bad_value(o, feature, text);
        *(bool *)field(into, o) = text[0] == 't';
        return 0;
    case OPTION_STRING:
        *(const char **)field(into, o) = text;
        return 0;
    case OPTION_INT:
    case OPTION_DOUBLE:
        return set_number(o, feature, text, into);
    }
    return -EINVAL;
}

static const Option *find(const Option *table, const char *name)
{
    for (const Option *o = table; o && o->name; o++)
        if (!strcmp(o->name, name))
            return o;
    return NULL;
}

int option_parse(const Option *table, const char *feature, const Dict *dict, void *into)
{
    for (const Option *o = table; o && o->name; o++) {
        const char *text = dict_get(dict, o->name);
        if (!text) {
            set_default(o, into);
            continue;
        }
        const int err = set_value(o, feature, text, into);
        if (err)
            return err;
    }
    for (size_t i = 0; feature && dict && i < dict->count; i++)
        if (!find(table, dict->entries[i].key))
            log_warning("feature \"%s\" has no option \"%s\"", feature, dict->entries[i].key);
    return 0;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool is_default(const Option *o, const void *values)
{
    const void *at = (const char *)values + o->offset;
    switch (o->type) {
    case OPTION_BOOL:
        return *(const bool *)at == (o->def != 0);
    case OPTION_INT:
        return *(const int *)at == (int)o->def;
    case OPTION_DOUBLE:
        return *(const double *)at == o->def;
    case OPTION_STRING:
        return same_text(*(const char *const *)at, o->def_text);
    }
    return true;
}

/* The option with the smallest name among those with an alias that differ from their defaults and
 * come after `after` (NULL: the smallest of all). */
static const Option *next_suffix(const Option *table, const void *values, const char *after)
{
    const Option *next = NULL;
    for (const Option *o = table; o && o->name; o++) {
        if (!o->alias || is_default(o, values) || (after && strcmp(o->name, after) <= 0))
            continue;
        if (!next || strcmp(o->name, next->name) < 0)
            next = o;
    }
    return next;
}

static void print_suffix(const Option *o, const void *values, char *out, size_t size)
{
    const void *at = (const char *)values + o->offset;
    char number[64];
    switch (o->type) {
    case OPTION_BOOL:
        snprintf(out, size, "_%s", o->alias);
        break;
    case OPTION_INT:
        snprintf(out, size, "_%s_%d", o->alias, *(const int *)at);
        break;
    case OPTION_DOUBLE:
        text_print_double(number, sizeof(number), "%g", *(const double *)at);
        snprintf(out, size, "_%s_%s", o->alias, number);
        break;
    case OPTION_STRING:
        snprintf(out, size, "_%s_%s", o->alias, *(const char *const *)at);
        break;
    }
}

void option_metric_name(const Option *table, const void *values, const char *raw, char *out,
                        size_t size)
{
    assert(size > 0);
    if (size > METRIC_NAME_MAX + 1)
        size = METRIC_NAME_MAX + 1;
    const Option *o = next_suffix(table, values, NULL);
    snprintf(out, size, "%s", o ? metric_alias(raw) : raw);
    for (; o; o = next_suffix(table, values, o->name)) {
        const size_t length = strlen(out);
        print_suffix(o, values, out + length, size - length);
    }
}

const char *metric_alias(const char *raw)
{
    static const char *const aliases[][2] = {
        { "VMAF_feature_adm2_score", "adm2" },
        { "VMAF_feature_aim_score", "aim" },
        { "VMAF_feature_adm3_score", "adm3" },
        { "VMAF_feature_adm_scale0_score", "adm_scale0" },
        { "VMAF_feature_adm_scale1_score", "adm_scale1" },
        { "VMAF_feature_adm_scale2_score", "adm_scale2" },
        { "VMAF_feature_adm_scale3_score", "adm_scale3" },
        { "VMAF_feature_motion_score", "motion" },
        { "VMAF_feature_motion2_score", "motion2" },
        { "VMAF_feature_motion3_score", "motion3" },
        { "VMAF_feature_vif_scale0_score", "vif_scale0" },
        { "VMAF_feature_vif_scale1_score", "vif_scale1" },
        { "VMAF_feature_vif_scale2_score", "vif_scale2" },
        { "VMAF_feature_vif_scale3_score", "vif_scale3" },
        { "VMAF_integer_feature_adm2_score", "integer_adm2" },
        { "VMAF_integer_feature_aim_score", "integer_aim" },
        { "VMAF_integer_feature_adm3_score", "integer_adm3" },
        { "VMAF_integer_feature_motion_score", "integer_motion" },
        { "VMAF_integer_feature_motion2_score", "integer_motion2" },
        { "VMAF_integer_feature_motion3_score", "integer_motion3" },
        { "VMAF_integer_feature_vif_scale0_score", "integer_vif_scale0" },
        { "VMAF_integer_feature_vif_scale1_score", "integer_vif_scale1" },
        { "VMAF_integer_feature_vif_scale2_score", "integer_vif_scale2" },
        { "VMAF_integer_feature_vif_scale3_score", "integer_vif_scale3" },
        { "Cambi_feature_cambi_score", "cambi" },
        { "Speed_chroma_feature_speed_chroma_u_score", "speed_chroma_u" },
        { "Speed_chroma_feature_speed_chroma_v_score", "speed_chroma_v" },
        { "Speed_chroma_feature_speed_chroma_uv_score", "speed_chroma_uv" },
        { "Speed_temporal_feature_speed_temporal_score", "speed_temporal" },
    };
    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
        if (!strcmp(raw, aliases[i][0]))
            return aliases[i][1];
    return raw;
}

bool option_differs(const Option *table, const void *values, const char *name)
{
    const Option *const o = find(table, name);
    return o && !is_default(o, values);
}

bool option_equal(const Option *table, const void *a, const void *b)
{
    for (const Option *o = table; o && o->name; o++) {
        const void *in_a = (const char *)a + o->offset;
        const void *in_b = (const char *)b + o->offset;
        bool equal = true;
        switch (o->type) {
        case OPTION_BOOL:
            equal = *(const bool *)in_a == *(const bool *)in_b;
            break;
        case OPTION_INT:
            equal = *(const int *)in_a == *(const int *)in_b;
            break;
        case OPTION_DOUBLE:
            equal = *(const double *)in_a == *(const double *)in_b;
            break;
        case OPTION_STRING:
            equal = same_text(*(const char *const *)in_a, *(const char *const *)in_b);
            break;
        }
        if (!equal)
            return false;
    }
    return true;
}
