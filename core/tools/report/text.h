/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Text for a page: what HTML, scripts and readers make of it. */
#ifndef TOOLS_REPORT_TEXT_H
#define TOOLS_REPORT_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* As text or within a quoted attribute, of HTML or SVG. Control characters, which have no place there, become
 * spaces. */
void put_html(FILE *file, const char *text);

/* As a string of JSON that may stand in a script of a page, with its quotes. */
void put_script_string(FILE *file, const char *text);

void put_base64(FILE *file, const uint8_t *data, size_t size);

/* A score for readers: two decimals, four below 1; "–" when it is no number. */
#define FIGURE_TEXT_SIZE 48
const char *figure_text(char text[FIGURE_TEXT_SIZE], double score);

/* `1:02:03.040`; needs the rate. */
#define TIME_TEXT_SIZE 48
const char *time_text(char text[TIME_TEXT_SIZE], unsigned frame, double rate);

#endif
