/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Draws the values of a map (libvmaf/map.h) as a picture: from black, where nothing was lost, over
 * violet and orange to pale yellow, where most was lost. Places without a value are grey. */
#ifndef TOOLS_REPORT_HEAT_H
#define TOOLS_REPORT_HEAT_H

#include "report/pictures.h"

/* The scale of a map's colours. */
typedef struct HeatScale {
    double best,
        worst;        /* the values of its ends; values beyond them have the colours of the ends */
    const char *unit; /* a constant; empty: none */
} HeatScale;

/* The colour of a place that lost `part` of what the scale shows, 0 to 1; NaN: grey. */
void heat_colour(double part, uint8_t rgb[3]);

/* Draws `width` x `height` values, each as a square of `side` pixels. With a title, a legend lies
 * below them: the scale with its ends, and the title. Free the result with rgb_clear. 0 or
 * -ENOMEM. */
int heat_draw(Rgb *rgb, const double *values, unsigned width, unsigned height, unsigned side,
              const HeatScale *scale, const char *title);

/* The scale as a gradient of CSS, from its best to its worst end. */
#define HEAT_GRADIENT_SIZE 128
void heat_gradient(char text[HEAT_GRADIENT_SIZE]);

/* A value of the scale in words: `0.5`, `40 dB`. */
#define HEAT_VALUE_SIZE 48
const char *heat_value(char text[HEAT_VALUE_SIZE], double value, const char *unit);

#endif
