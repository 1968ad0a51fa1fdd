/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Checks of names: reports use them as keys and attributes, and reading a report must give them
 * back. Any thread. */
#ifndef BASE_NAME_H
#define BASE_NAME_H

#include <stdbool.h>
#include <stdint.h>

/* The length in bytes of the well-formed UTF-8 character that starts here, and its code; 0 if there
 * is none. The terminating 0 is a character of one byte. */
unsigned utf8_character(const char *text, uint32_t *code);

/* Is this text not empty, well-formed UTF-8, and without control characters and others that XML 1.0
 * cannot write? */
bool name_is_text(const char *name);

/* May the name of an XML attribute contain this character (first: begin with it)? Colons are
 * refused: the text before one would be a namespace. */
bool name_xml_character(uint32_t code, bool first);

/* Is this a valid name of an XML attribute? XML reserves names that begin with `xml`. */
bool name_is_attribute(const char *name);

/* Do reports use this name for an attribute or a column of their own? */
bool name_is_reserved(const char *name);

#endif
