/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* An ordered key/value list: what VmafFeatureDictionary is. Numeric values are kept as the
 * reference keeps them: read as single precision, printed with %g. No locale is involved. */
#ifndef ENGINE_DICT_H
#define ENGINE_DICT_H

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

/* The text of a number as the reference stores it, or 0 when `text` is not wholly a number.
 * Writes at most `size` bytes. */
int dict_normalise_number(const char *text, char *out, size_t size);

/* strtod and printf without the locale: '.' is the decimal point whatever the host program set. */
double text_to_double(const char *text, char **end);
float text_to_float(const char *text, char **end);
int text_print_double(char *out, size_t size, const char *format, double value);

#endif
