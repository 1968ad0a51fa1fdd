/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>

#include "scoreline.h"

const char *score_text(char text[64], const Options *options, double score)
{
    snprintf(text, 64, *options->score_format ? options->score_format : "%f", score);
    return text;
}

int score_outcome(const Options *options, bool said)
{
    return said || options->outputs.count ? 0 : -EIO;
}
