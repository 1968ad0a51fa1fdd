/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <assert.h>
#include <string.h>

#include "option.h"

enum { ROWS_MAX = 160 };

bool option_is_in(const Arg *group, const char *name)
{
    for (; group->name || group->help; group++)
        if (group->name && !strcmp(group->name, name))
            return true;
    return false;
}

const Arg *option_table(void)
{
    static const Arg *const groups[] = { video_options,   align_options, sync_options,
                                         compute_options, part_options,  output_options,
                                         place_options,   about_options };
    static Arg table[ROWS_MAX + 1]; /* the last one ends it */
    unsigned count = 0;
    if (table[0].help)
        return table;
    for (unsigned i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
        for (const Arg *row = groups[i]; row->name || row->help; row++) {
            assert(count < ROWS_MAX);
            if (row->id == EACH_BACKEND)
                count += backend_options(&table[count], ROWS_MAX - count);
            else
                table[count++] = *row;
        }
    }
    return table;
}
