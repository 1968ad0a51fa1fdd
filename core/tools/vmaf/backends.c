/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdio.h>
#include <string.h>

#include "backends.h"
#include "libvmaf/device.h"

unsigned backend_find(const char *text, const char *end, const char **name)
{
    unsigned i = 0;
    while ((*name = vmaf_backend_name(i))) {
        const size_t length = strlen(*name);
        if (!strncmp(text, *name, length) && !strcmp(text + length, end))
            break;
        i++;
    }
    return i;
}

const char *backend_of_extractor(const char *extractor)
{
    const char *const last = strrchr(extractor, '_');
    return last && vmaf_backend_built(last + 1) >= 0 ? last + 1 : NULL;
}

bool backend_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *word = list; word; word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL)
        if (!strncmp(word, name, length) && (!word[length] || word[length] == ','))
            return true;
    return !strcmp(list, "all") && strcmp(name, "host"); /* which is for tests */
}

void backend_names(char *text, size_t size)
{
    const char *name;
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; (name = vmaf_backend_name(i)) && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 !i                         ? ""
                                 : vmaf_backend_name(i + 1) ? ", "
                                                            : " or ",
                                 name);
}
