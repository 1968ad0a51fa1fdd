/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Values checked against a JSON Schema: as much of it as the tools' own schemas use. */
#ifndef MCP_SCHEMA_H
#define MCP_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>

/* False: `why` names the place and what is wrong there. Knows type, enum, required, properties,
 * additionalProperties: false, items, minItems, maxItems, minLength, maxLength, minimum and maximum. */
bool schema_allows(const json_t *schema, const json_t *value, char *why, size_t size);

#endif
