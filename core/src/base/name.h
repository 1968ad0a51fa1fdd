/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a name can be: names become keys and attributes of reports, and must come back from them. */
#ifndef BASE_NAME_H
#define BASE_NAME_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes of the well-formed UTF-8 character that starts here, and its code; 0 where there is none.
 * The terminating 0 is a character of one byte. */
unsigned utf8_character(const char *text, uint32_t *code);

/* Not empty, well-formed, without control characters and whatever else XML 1.0 has no way to
 * write. */
bool name_is_text(const char *name);

/* May this character stand in the name of an XML attribute, or begin it? Colons may not: they would
 * make a namespace of what stands before them. */
bool name_xml_character(uint32_t code, bool first);

/* Can this be an XML attribute as it is? Names that begin with `xml` are XML's own. */
bool name_is_attribute(const char *name);

/* Attributes and columns that reports have themselves. */
bool name_is_reserved(const char *name);

#endif
