/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Writes text into pages, escaped as the context needs it. Write errors stay in the stream. */
#ifndef TOOLS_REPORT_TEXT_H
#define TOOLS_REPORT_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Escapes text for the content or a quoted attribute of HTML or SVG. Control characters, which
 * are not allowed there, become spaces. */
void put_html(FILE *file, const char *text);

/* Writes the name of a metric as put_html, with its unit: PSNR of any kind is in dB. */
void put_metric(FILE *file, const char *name);

/* Writes a JSON string, with its quotes, that is safe inside a <script> element. Bytes that are no
 * UTF-8 become question marks. */
void put_script_string(FILE *file, const char *text);

void put_base64(FILE *file, const uint8_t *data, size_t size);

/* Formats a score: two decimals, four below 1; "–" if it is not finite. */
#define FIGURE_TEXT_SIZE 48
const char *figure_text(char text[FIGURE_TEXT_SIZE], double score);

/* Formats a finite time in seconds as `1:02:03.040`. */
#define TIME_TEXT_SIZE 48
const char *time_text(char text[TIME_TEXT_SIZE], double seconds);

#endif
