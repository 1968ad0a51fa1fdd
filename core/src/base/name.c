/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/name.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

/* The bytes after the first add six bits each. */
static bool add_byte(unsigned char byte, uint32_t *code)
{
    *code = *code << 6 | (byte & 0x3f);
    return (byte & 0xc0) == 0x80;
}

unsigned utf8_character(const char *text, uint32_t *code)
{
    const unsigned char *const s = (const unsigned char *)text;
    const unsigned length = s[0] < 0x80   ? 1
                            : s[0] < 0xc0 ? 0
                            : s[0] < 0xe0 ? 2
                            : s[0] < 0xf0 ? 3
                                          : 4;
    /* The smallest code that needs this many bytes. */
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    static const unsigned char lead_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    if (!length || s[0] > 0xf4)
        return 0;
    *code = s[0] & lead_bits[length];
    for (unsigned i = 1; i < length; i++)
        if (!add_byte(s[i], code))
            return 0;
    const bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < least[length] || surrogate || *code > 0x10ffff ? 0 : length;
}

bool name_is_text(const char *name)
{
    const char *at = name;
    while (*at) {
        uint32_t code;
        const unsigned length = utf8_character(at, &code);
        if (!length || code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xfffe ||
            code == 0xffff)
            return false;
        at += length;
    }
    return at != name;
}

/* Letters that every edition of XML 1.0 allows: parsers of the fourth edition and older know far
 * fewer than the fifth allows. Only the common scripts are here; letters of others are written as
 * codes. */
bool name_xml_character(uint32_t code, bool first)
{
    static const struct {
        uint32_t low, high;
    } letters[] = {
        { 'A', 'Z' },       { 'a', 'z' },       { '_', '_' },     /* ASCII */
        { 0xc0, 0xd6 },     { 0xd8, 0xf6 },     { 0xf8, 0x131 },  /* Latin */
        { 0x38e, 0x3a1 },   { 0x3a3, 0x3ce },                     /* Greek */
        { 0x401, 0x40c },   { 0x40e, 0x44f },   { 0x451, 0x45c }, /* Cyrillic */
        { 0x3041, 0x3094 }, { 0x30a1, 0x30fa },                   /* Japanese */
        { 0x4e00, 0x9fa5 }, { 0xac00, 0xd7a3 },                   /* Han, Hangul */
    };
    if (!first && (code == '-' || code == '.' || (code >= '0' && code <= '9')))
        return true;
    for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
        if (code >= letters[i].low && code <= letters[i].high)
            return true;
    return false;
}

bool name_is_attribute(const char *name)
{
    const char *at = name;
    while (*at) {
        uint32_t code;
        const unsigned length = utf8_character(at, &code);
        if (!length || !name_xml_character(code, at == name))
            return false;
        at += length;
    }
    return at != name && strncasecmp(name, "xml", 3) != 0;
}

bool name_is_reserved(const char *name)
{
    return !strcmp(name, "frameNum") || !strcmp(name, "Frame");
}
