/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/heat.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- colours ---- */

/* Colours at equal distances. Each is lighter than the one before, so that the scale also reads
 * without colours. */
enum { STOPS = 6 };
static const uint8_t stops[STOPS][3] = { { 0, 0, 0 },     { 58, 12, 112 },  { 150, 20, 110 },
                                         { 225, 65, 50 }, { 250, 160, 30 }, { 255, 250, 190 } };
static const uint8_t nothing[3] = { 128, 128, 128 };

void heat_colour(double part, uint8_t rgb[3])
{
    if (isnan(part)) {
        memcpy(rgb, nothing, sizeof(nothing));
        return;
    }
    const double at = fmin(fmax(part, 0.0), 1.0) * (STOPS - 1);
    const unsigned below = at < STOPS - 1 ? (unsigned)at : STOPS - 2;
    for (unsigned i = 0; i < 3; i++)
        rgb[i] = (uint8_t)(stops[below][i] +
                           (at - below) * (stops[below + 1][i] - stops[below][i]) + 0.5);
}

void heat_gradient(char text[HEAT_GRADIENT_SIZE])
{
    int used = snprintf(text, HEAT_GRADIENT_SIZE, "linear-gradient(90deg");
    for (unsigned i = 0; i < STOPS; i++)
        used += snprintf(text + used, HEAT_GRADIENT_SIZE - (size_t)used, ",#%02x%02x%02x",
                         stops[i][0], stops[i][1], stops[i][2]);
    snprintf(text + used, HEAT_GRADIENT_SIZE - (size_t)used, ")");
}

const char *heat_value(char text[HEAT_VALUE_SIZE], double value, const char *unit)
{
    snprintf(text, HEAT_VALUE_SIZE, "%g%s%s", value, *unit ? " " : "", unit);
    return text;
}

/* ---- text: letters of three by five dots, a digit of octal for each row ---- */

enum { DOT = 2, LETTER_W = 4 * DOT, LETTER_H = 5 * DOT };

static unsigned letter_rows(char c)
{
    static const unsigned digits[10] = { 075557, 026227, 071747, 071717, 055711,
                                         074717, 074757, 071122, 075757, 075717 };
    static const unsigned letters[26] = {
        025755, 065656, 034443, 065556, 074647, 074644, 034553, 055755, 072227,
        011152, 055655, 044447, 057755, 065555, 025552, 065644, 025563, 065655,
        034216, 072222, 055557, 055552, 055775, 055255, 055222, 071247,
    };
    const unsigned char lower = (unsigned char)tolower((unsigned char)c);
    if (lower >= 'a' && lower <= 'z')
        return letters[lower - 'a'];
    if (c >= '0' && c <= '9')
        return digits[c - '0'];
    return c == '_' ? 07 : c == '.' ? 02 : c == '-' ? 0700 : c == '=' ? 07070 : 0;
}

static void put_pixel(const Rgb *rgb, unsigned x, unsigned y, const uint8_t colour[3])
{
    if (x < rgb->width && y < rgb->height)
        memcpy(rgb->data + ((size_t)y * rgb->width + x) * 3, colour, 3);
}

/* Writes text in white; what does not fit into the picture is left out. */
static void put_text(const Rgb *rgb, unsigned x, unsigned y, const char *text)
{
    static const uint8_t white[3] = { 255, 255, 255 };
    for (; *text; text++, x += LETTER_W) {
        const unsigned rows = letter_rows(*text);
        for (unsigned i = 0; i < 5 * DOT; i++)
            for (unsigned j = 0; j < 3 * DOT; j++)
                if (rows >> (3 * (4 - i / DOT) + 2 - j / DOT) & 1)
                    put_pixel(rgb, x + j, y + i, white);
    }
}

/* ---- the picture ---- */

enum { GAP = 4, BAR_H = 12, LEGEND_H = BAR_H + 2 * LETTER_H + 4 * GAP };

static void draw_legend(const Rgb *rgb, unsigned top, const HeatScale *scale, const char *title)
{
    char best[HEAT_VALUE_SIZE], worst[HEAT_VALUE_SIZE];
    heat_value(best, scale->best, scale->unit);
    heat_value(worst, scale->worst, scale->unit);
    const unsigned left = GAP, right = rgb->width > 3 * GAP ? rgb->width - GAP : rgb->width;
    for (unsigned x = left; x < right; x++) {
        uint8_t colour[3];
        heat_colour((double)(x - left) / (right - left), colour);
        for (unsigned y = 0; y < BAR_H; y++)
            put_pixel(rgb, x, top + GAP + y, colour);
    }
    const unsigned end = (unsigned)strlen(worst) * LETTER_W, line = top + BAR_H + 2 * GAP;
    put_text(rgb, left, line, best);
    put_text(rgb, right > end ? right - end : 0, line, worst);
    put_text(rgb, left, line + LETTER_H + GAP, title);
}

static double part_lost(double value, const HeatScale *scale)
{
    return (value - scale->best) / (scale->worst - scale->best);
}

int heat_draw(Rgb *rgb, const double *values, unsigned width, unsigned height, unsigned side,
              const HeatScale *scale, const char *title)
{
    const unsigned w = width * side, h = height * side;
    *rgb = (Rgb){ w, h + (title ? LEGEND_H : 0), NULL };
    rgb->data = calloc((size_t)rgb->width * rgb->height, 3);
    if (!rgb->data)
        return -ENOMEM;
    for (unsigned y = 0; y < h; y++)
        for (unsigned x = 0; x < w; x++)
            heat_colour(part_lost(values[(size_t)(y / side) * width + x / side], scale),
                        rgb->data + ((size_t)y * w + x) * 3);
    if (title)
        draw_legend(rgb, h, scale, title);
    return 0;
}
