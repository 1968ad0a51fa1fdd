/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* PNG files in memory, through libpng. */
#ifndef TOOLS_REPORT_PNG_H
#define TOOLS_REPORT_PNG_H

#include <stddef.h>

#include "report/rgb.h"

typedef struct Png {
    uint8_t *data;
    size_t size;
} Png;

/* False: this program was built without libpng, and png_make gives -ENOSYS. */
bool png_can(void);

int png_make(Png *png, const Rgb *rgb);
void png_clear(Png *png);

#endif
