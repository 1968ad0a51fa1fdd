/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdio.h>

#include "names.h"

void names_add(Names *names, const char *name)
{
    const int n = snprintf(names->text + names->used, sizeof(names->text) - names->used, "%s%s",
                           names->count++ ? ", " : "", name);
    names->used += n > 0 ? (size_t)n : 0;
    if (names->used >= sizeof(names->text))
        names->used = sizeof(names->text) - 1;
}
