/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/dict.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static DictEntry *find(const Dict *dict, const char *key)
{
    for (size_t i = 0; dict && i < dict->count; i++)
        if (!strcmp(dict->entries[i].key, key))
            return &dict->entries[i];
    return NULL;
}

static int append(Dict *dict, const char *key, char *value)
{
    if (mem_grow(&dict->entries, dict->count, &dict->capacity, sizeof(*dict->entries)))
        return -ENOMEM;
    char *name = mem_strdup(key);
    if (!name)
        return -ENOMEM;
    dict->entries[dict->count++] = (DictEntry){ .key = name, .value = value };
    return 0;
}

int dict_set_raw(Dict **dict, const char *key, const char *value)
{
    assert(key && value);
    char *copy = mem_strdup(value);
    if (!copy)
        return -ENOMEM;

    DictEntry *entry = find(*dict, key);
    if (entry) {
        mem_free(entry->value);
        entry->value = copy;
        return 0;
    }

    Dict *d = *dict ? *dict : mem_zalloc(sizeof(*d));
    const int err = d ? append(d, key, copy) : -ENOMEM;
    if (err) {
        mem_free(copy);
        if (!*dict)
            dict_destroy(d);
        return err;
    }
    *dict = d;
    return 0;
}

/* Writes the stored form of a number. False, with nothing written, when `text` is not a number. */
static bool normalise_number(const char *text, char *out, size_t size)
{
    char *end;
    const float value = text_to_float(text, &end);
    if (end == text)
        return false;
    while (isspace((unsigned char)*end))
        end++;
    if (*end)
        return false;
    text_print_double(out, size, "%g", value);
    return true;
}

int dict_set(Dict **dict, const char *key, const char *value)
{
    char number[64];
    const bool is_number = normalise_number(value, number, sizeof(number));
    return dict_set_raw(dict, key, is_number ? number : value);
}

const char *dict_get(const Dict *dict, const char *key)
{
    const DictEntry *entry = find(dict, key);
    return entry ? entry->value : NULL;
}

int dict_merge(Dict **into, const Dict *from)
{
    for (size_t i = 0; from && i < from->count; i++) {
        const int err = dict_set_raw(into, from->entries[i].key, from->entries[i].value);
        if (err)
            return err;
    }
    return 0;
}

int dict_copy(Dict **out, const Dict *from)
{
    Dict *copy = NULL;
    const int err = dict_merge(&copy, from);
    if (err) {
        dict_destroy(copy);
        copy = NULL;
    }
    *out = copy;
    return err;
}

void dict_destroy(Dict *dict)
{
    if (!dict)
        return;
    for (size_t i = 0; i < dict->count; i++) {
        mem_free(dict->entries[i].key);
        mem_free(dict->entries[i].value);
    }
    mem_free(dict->entries);
    mem_free(dict);
}
