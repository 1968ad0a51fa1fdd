/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Escaping: names come from users (a model's name, an imported metric) and may contain anything. */
#include <string.h>
#include <strings.h>

#include "base/name.h"
#include "output/sheet.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static bool is_control(unsigned char byte)
{
    return byte < 0x20 || byte == 0x7f;
}

/* The escape of one character. */
typedef char Escaped[8];

/* Returns the escape of an ASCII character that has a meaning in the format; NULL: none is
 * needed. */
typedef const char *Escape(unsigned char c, Escaped text);

/* Writes long pieces at once: names are written for every frame. */
static void put_text(FILE *file, const char *text, Escape *escape)
{
    const char *begin = text; /* start of the text not written yet */
    while (*text) {
        uint32_t code;
        Escaped escaped;
        const unsigned length = utf8_character(text, &code);
        const bool unwritable = !length || code == 0xfffe || code == 0xffff; /* not in XML */
        const char *const instead = unwritable   ? REPLACEMENT
                                    : length > 1 ? NULL
                                                 : escape((unsigned char)*text, escaped);
        const char *const next = text + (length ? length : 1);
        if (instead) {
            fwrite(begin, 1, (size_t)(text - begin), file);
            fputs(instead, file);
            begin = next;
        }
        text = next;
    }
    fwrite(begin, 1, (size_t)(text - begin), file);
}

static const char *xml_escape(unsigned char c, Escaped text)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\t':
    case '\n':
    case '\r':
        snprintf(text, sizeof(Escaped), "&#%d;", c);
        return text;
    default: /* XML 1.0 cannot write the other control characters */
        return is_control(c) ? REPLACEMENT : NULL;
    }
}

static const char *json_escape(unsigned char c, Escaped text)
{
    if (c == '"' || c == '\\')
        snprintf(text, sizeof(Escaped), "\\%c", c);
    else if (is_control(c))
        snprintf(text, sizeof(Escaped), "\\u%04x", c);
    else
        return NULL;
    return text;
}

static const char *csv_escape(unsigned char c, Escaped text)
{
    (void)text;
    return c == '"' ? "\"\"" : is_control(c) ? " " : NULL;
}

/* A bar ends a subtitle's line, and braces enclose its times; neither has an escape. */
static const char *sub_escape(unsigned char c, Escaped text)
{
    (void)text;
    return is_control(c) || strchr("|{}", c) ? "_" : NULL;
}

void put_xml_text(FILE *file, const char *text)
{
    put_text(file, text, xml_escape);
}

/* Is this text `_xHHHH_`, as in an escaped name? */
static bool looks_escaped(const char *at)
{
    if (at[0] != '_' || at[1] != 'x')
        return false;
    const size_t digits = strspn(at + 2, "0123456789abcdefABCDEF");
    return digits >= 4 && at[2 + digits] == '_';
}

void put_xml_name(FILE *file, const char *name)
{
    /* Is this a name that XML reserves? */
    bool escape = !strncasecmp(name, "xml", 3) || name_is_reserved(name);
    const char *begin = name, *at = name; /* the text not written yet begins at `begin` */
    while (*at) {
        uint32_t code;
        const unsigned length = utf8_character(at, &code);
        const char *const next = at + (length ? length : 1);
        if (!length)
            code = (unsigned char)*at;
        if (escape || !length || !name_xml_character(code, at == name) || looks_escaped(at)) {
            fwrite(begin, 1, (size_t)(at - begin), file);
            fprintf(file, "_x%04X_", (unsigned)code);
            begin = next;
        }
        escape = false;
        at = next;
    }
    fwrite(begin, 1, (size_t)(at - begin), file);
    if (!*name)
        fputs("_x_", file);
}

void put_json_text(FILE *file, const char *text)
{
    put_text(file, text, json_escape);
}

void put_csv_text(FILE *file, const char *text)
{
    const bool quoted = strpbrk(text, ",\"\r\n") != NULL;
    if (quoted)
        fputc('"', file);
    put_text(file, text, csv_escape);
    if (quoted)
        fputc('"', file);
}

void put_sub_text(FILE *file, const char *text)
{
    put_text(file, text, sub_escape);
}
