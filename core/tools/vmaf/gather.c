/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gather.h"

#include <errno.h>
#include <stdlib.h>

int gather_scores(Gathered *out, unsigned frames, unsigned step, ScoreAsker ask, void *arg)
{
    const size_t count = (frames - 1) / step + 1;
    *out = (Gathered){ .scores = malloc(count * sizeof(*out->scores)),
                       .count = count,
                       .figures = { .size = sizeof(out->figures) } };
    int err = out->scores ? 0 : -ENOMEM;
    for (size_t i = 0; !err && i < count; i++)
        err = ask(arg, (unsigned)i * step, &out->scores[i]);
    if (!err)
        err = vmaf_statistics(out->scores, count, &out->figures);
    if (err)
        gathered_clear(out);
    return err;
}

void gathered_clear(Gathered *gathered)
{
    free(gathered->scores);
    *gathered = (Gathered){ 0 };
}
