/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Names come from users (a model's name, an imported metric) and may hold anything. */
#include <string.h>
#include <strings.h>

#include "base/name.h"
#include "output/sheet.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static bool is_control(unsigned char byte)
{
    return byte < 0x20 || byte == 0x7f;
}

/* Writes text character by character; `special` writes one ASCII character and returns true when it
 * means something to the format. */
static void put_text(FILE *file, const char *text, bool (*special)(FILE *file, unsigned char c))
{
    while (*text) {
        uint32_t code;
        const unsigned length = utf8_character(text, &code);
        const bool unwritable = !length || code == 0xfffe || code == 0xffff; /* not in XML */
        if (unwritable)
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

/* `_xHHHH_`, as it stands in a name. */
static bool looks_escaped(const char *at)
{
    if (at[0] != '_' || at[1] != 'x')
        return false;
    const size_t digits = strspn(at + 2, "0123456789abcdefABCDEF");
    return digits >= 4 && at[2 + digits] == '_';
}

void put_xml_name(FILE *file, const char *name)
{
    /* Names that begin so are XML's own. */
    bool escape = !strncasecmp(name, "xml", 3) || name_is_reserved(name);
    for (const char *at = name; *at;) {
        uint32_t code;
        const unsigned length = utf8_character(at, &code);
        if (!length)
            code = (unsigned char)*at;
        if (escape || !length || !name_xml_character(code, at == name) || looks_escaped(at))
            fprintf(file, "_x%04X_", (unsigned)code);
        else
            fwrite(at, 1, length, file);
        escape = false;
        at += length ? length : 1;
    }
    if (!*name)
        fputs("_x_", file);
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
