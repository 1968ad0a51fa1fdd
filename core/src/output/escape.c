/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Names come from users (a model's name, an imported metric) and may hold anything. */
#include <string.h>

#include "output/sheet.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

/* Bytes of the well-formed UTF-8 character that starts here, or 0. */
static unsigned utf8_length(const char *text)
{
    const unsigned char *const s = (const unsigned char *)text;
    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xc2 && s[0] <= 0xdf)
        return is_continuation(s[1]) ? 2 : 0;
    if (s[0] >= 0xe0 && s[0] <= 0xef) {
        const bool overlong = s[0] == 0xe0 && s[1] < 0xa0;
        const bool surrogate = s[0] == 0xed && s[1] > 0x9f;
        return is_continuation(s[1]) && is_continuation(s[2]) && !overlong && !surrogate ? 3 : 0;
    }
    if (s[0] >= 0xf0 && s[0] <= 0xf4) {
        const bool overlong = s[0] == 0xf0 && s[1] < 0x90;
        const bool too_large = s[0] == 0xf4 && s[1] > 0x8f;
        return is_continuation(s[1]) && is_continuation(s[2]) && is_continuation(s[3]) &&
                       !overlong && !too_large
                   ? 4
                   : 0;
    }
    return 0;
}

static bool is_control(unsigned char byte)
{
    return byte < 0x20 || byte == 0x7f;
}

/* Writes text character by character; `special` writes one ASCII character and returns true when it
 * means something to the format. */
static void put_text(FILE *file, const char *text, bool (*special)(FILE *file, unsigned char c))
{
    while (*text) {
        const unsigned length = utf8_length(text);
        if (!length)
            fputs(REPLACEMENT, file);
        else if (length > 1 || !special(file, (unsigned char)*text))
            fwrite(text, 1, length, file);
        text += length ? length : 1;
    }
}

static bool xml_special(FILE *file, unsigned char c)
{
    switch (c) {
    case '&':
        fputs("&amp;", file);
        return true;
    case '<':
        fputs("&lt;", file);
        return true;
    case '>':
        fputs("&gt;", file);
        return true;
    case '"':
        fputs("&quot;", file);
        return true;
    case '\t':
    case '\n':
    case '\r':
        fprintf(file, "&#%d;", c);
        return true;
    default: /* XML 1.0 has no way to write the other control characters */
        if (is_control(c))
            fputs(REPLACEMENT, file);
        return is_control(c);
    }
}

static bool json_special(FILE *file, unsigned char c)
{
    if (c == '"' || c == '\\')
        fprintf(file, "\\%c", c);
    else if (is_control(c))
        fprintf(file, "\\u%04x", c);
    else
        return false;
    return true;
}

static bool csv_special(FILE *file, unsigned char c)
{
    if (c == '"')
        fputs("\"\"", file);
    else if (is_control(c))
        fputc(' ', file);
    else
        return false;
    return true;
}

/* A bar ends a subtitle's line, braces its times; there is no escape for them. */
static bool sub_special(FILE *file, unsigned char c)
{
    if (!is_control(c) && !strchr("|{}", c))
        return false;
    fputc('_', file);
    return true;
}

void put_xml_text(FILE *file, const char *text)
{
    put_text(file, text, xml_special);
}

void put_json_text(FILE *file, const char *text)
{
    put_text(file, text, json_special);
}

void put_csv_text(FILE *file, const char *text)
{
    const bool quoted = strpbrk(text, ",\"\r\n") != NULL;
    if (quoted)
        fputc('"', file);
    put_text(file, text, csv_special);
    if (quoted)
        fputc('"', file);
}

void put_sub_text(FILE *file, const char *text)
{
    put_text(file, text, sub_special);
}
