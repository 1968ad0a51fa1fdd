/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* VmafFeatureDictionary: an ordered list of keys and values. Numeric values are stored like in the
 * reference: read as single precision, printed with %g, independent of the locale. Not
 * thread-safe. */
#ifndef BASE_DICT_H
#define BASE_DICT_H

#include <stddef.h>

typedef struct VmafFeatureDictionary Dict;

typedef struct DictEntry {
    char *key, *value;
} DictEntry;

struct VmafFeatureDictionary {
    DictEntry *entries;
    size_t count, capacity;
};

/* Creates *dict when it is NULL; replaces the value of a key already there. */
int dict_set(Dict **dict, const char *key, const char *value);     /* normalises whole numbers */
int dict_set_raw(Dict **dict, const char *key, const char *value); /* keeps the text as it is */
const char *dict_get(const Dict *dict, const char *key); /* NULL when absent; dict may be NULL */
int dict_copy(Dict **out, const Dict *from);             /* NULL or empty gives *out = NULL */
int dict_merge(Dict **into, const Dict *from);           /* entries of `from` win */
void dict_destroy(Dict *dict);

#endif
