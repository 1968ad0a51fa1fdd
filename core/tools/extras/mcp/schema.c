/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Check {
    char *why;
    size_t size;
} Check;

static bool allows(Check *check, const json_t *schema, const json_t *value, const char *path);

static bool refuse(Check *check, const char *path, const char *format, const char *detail)
{
    const int used = snprintf(check->why, check->size, "%s: ", path);
    if (used > 0 && (size_t)used < check->size)
        snprintf(check->why + used, check->size - (size_t)used, format, detail);
    return false;
}

static bool is_type(const json_t *value, const char *type)
{
    if (!strcmp(type, "object"))
        return json_is_object(value);
    if (!strcmp(type, "array"))
        return json_is_array(value);
    if (!strcmp(type, "string"))
        return json_is_string(value);
    if (!strcmp(type, "boolean"))
        return json_is_boolean(value);
    if (!strcmp(type, "number"))
        return json_is_number(value);
    /* JSON allows an integer to be written as 5.0. */
    return !strcmp(type, "integer") &&
           (json_is_integer(value) ||
            (json_is_real(value) && floor(json_real_value(value)) == json_real_value(value)));
}

/* Count the characters of UTF-8 text: all bytes that are not continuation bytes. */
static size_t characters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static bool in_bounds(Check *check, const json_t *schema, const char *lowest, const char *highest,
                      double figure, const char *path, const char *what)
{
    const json_t *const low = json_object_get(schema, lowest);
    const json_t *const high = json_object_get(schema, highest);
    char text[64];
    if (low && figure < json_number_value(low)) {
        snprintf(text, sizeof(text), "at least %.12g%s", json_number_value(low), what);
        return refuse(check, path, *what ? "must have %s" : "must be %s", text);
    }
    if (high && figure > json_number_value(high)) {
        snprintf(text, sizeof(text), "at most %.12g%s", json_number_value(high), what);
        return refuse(check, path, *what ? "must have %s" : "must be %s", text);
    }
    return true;
}

static bool is_one_of(Check *check, const json_t *choices, const json_t *value, const char *path)
{
    char names[256] = "";
    size_t used = 0, i;
    const json_t *choice;
    json_array_foreach(choices, i, choice)
    {
        if (json_equal(choice, value))
            return true;
        if (used < sizeof(names) && json_is_string(choice))
            used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
                                     json_string_value(choice));
    }
    return refuse(check, path, "must be one of %s", names);
}

static bool members_allowed(Check *check, const json_t *schema, const json_t *value,
                            const char *path)
{
    json_t *const properties = json_object_get(schema, "properties");
    const json_t *name, *member;
    const char *key;
    size_t i;
    json_array_foreach(
        json_object_get(schema, "required"), i,
        name) if (!json_object_get(value,
                                   json_string_value(name))) return refuse(check, path,
                                                                           "\"%s\" is missing",
                                                                           json_string_value(name));
    json_object_foreach ((json_t *)value, key, member) {
        const json_t *const inner = json_object_get(properties, key);
        char where[128];
        snprintf(where, sizeof(where), "%s.%s", path, key);
        if (!inner && json_is_false(json_object_get(schema, "additionalProperties")))
            return refuse(check, path, "unknown member \"%.60s\"", key);
        if (inner && !allows(check, inner, member, where))
            return false;
    }
    return true;
}

static bool items_allowed(Check *check, const json_t *schema, const json_t *value, const char *path)
{
    const json_t *const inner = json_object_get(schema, "items");
    const json_t *item;
    size_t i;
    if (!in_bounds(check, schema, "minItems", "maxItems", (double)json_array_size(value), path,
                   " items"))
        return false;
    json_array_foreach(value, i, item)
    {
        char where[128];
        snprintf(where, sizeof(where), "%s[%zu]", path, i);
        if (inner && !allows(check, inner, item, where))
            return false;
    }
    return true;
}

static bool allows(Check *check, const json_t *schema, const json_t *value, const char *path)
{
    const char *const type = json_string_value(json_object_get(schema, "type"));
    const json_t *const choices = json_object_get(schema, "enum");
    if (type && !is_type(value, type))
        return refuse(check, path, "must be of type %s", type);
    if (choices && !is_one_of(check, choices, value, path))
        return false;
    if (json_is_string(value))
        return in_bounds(check, schema, "minLength", "maxLength",
                         (double)characters(json_string_value(value)), path, " characters");
    if (json_is_number(value))
        return in_bounds(check, schema, "minimum", "maximum", json_number_value(value), path, "");
    if (json_is_array(value))
        return items_allowed(check, schema, value, path);
    return !json_is_object(value) || members_allowed(check, schema, value, path);
}

bool schema_allows(const json_t *schema, const json_t *value, char *why, size_t size)
{
    Check check = { why, size };
    return allows(&check, schema, value, "arguments");
}
