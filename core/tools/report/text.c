/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/text.h"
#include "../../src/base/mask.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void put_html(FILE *file, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        case '\'':
            fputs("&#39;", file);
            break;
        default:
            fputc((unsigned char)*text < 0x20 || *text == 0x7f ? ' ' : *text, file);
        }
    }
}

void put_metric(FILE *file, const char *name)
{
    put_html(file, name);
    if (strstr(name, "snr"))
        fputs(" <small>in dB</small>", file);
}

void put_script_string(FILE *file, const char *text)
{
    fputc('"', file);
    size_t whole;
    for (; *text; text += whole) {
        const unsigned char c = (unsigned char)*text;
        text_control_size((const unsigned char *)text, &whole);
        if (whole > 1)
            fwrite(text, 1, whole, file);
        else if (c >= 0x80)
            fputc('?', file);
        else if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 0x20 || c == '<' || c == '>' || c == '&' || c == 0x7f)
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

void put_base64(FILE *file, const uint8_t *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const unsigned left = size - i < 3 ? (unsigned)(size - i) : 3;
        const uint32_t bits = (uint32_t)data[i] << 16 |
                              (left > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
                              (left > 2 ? data[i + 2] : 0);
        const char four[4] = { digits[bits >> 18], digits[bits >> 12 & 63],
                               left > 1 ? digits[bits >> 6 & 63] : '=',
                               left > 2 ? digits[bits & 63] : '=' };
        fwrite(four, 1, sizeof(four), file);
    }
}

const char *figure_text(char text[FIGURE_TEXT_SIZE], double score)
{
    if (isinf(score))
        return score > 0.0 ? "∞" : "-∞";
    if (isnan(score))
        return "–";
    snprintf(text, FIGURE_TEXT_SIZE,
             fabs(score) >= 1e15 ? "%.3g"
             : fabs(score) < 1.0 ? "%.4f"
                                 : "%.2f",
             score);
    return text;
}

const char *time_text(char text[TIME_TEXT_SIZE], double seconds)
{
    const double most = 1e15; /* in whole milliseconds, and no real time */
    const uint64_t ms = (uint64_t)(fmin(fabs(seconds) * 1000.0, most) + 0.5);
    snprintf(text, TIME_TEXT_SIZE, "%s%" PRIu64 ":%02u:%02u.%03u", seconds < 0.0 && ms ? "-" : "",
             ms / 3600000, (unsigned)(ms / 60000 % 60), (unsigned)(ms / 1000 % 60),
             (unsigned)(ms % 1000));
    return text;
}
