/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Widths at which a sweep in strips goes wrong first, from the constants that cut them. */
#ifndef TEST_WIDTHS_H
#define TEST_WIDTHS_H

#include <stdio.h>
#include <stdlib.h>

#include "feature/common/strips.h"

/* The least width of which the last strip has a single column, so that the strip before it reaches
 * over the border, too. Ends the program if there is none: a test of it would test nothing. */
static inline int narrow_width(int widest, int step)
{
    for (int w = 2; w < 64 * widest; w++) {
        const int strip = strips_width(w, widest, step);
        if (w > strip && w % strip == 1)
            return w;
    }
    fprintf(stderr, "no width has a last strip of one column\n");
    exit(2);
}

#endif
