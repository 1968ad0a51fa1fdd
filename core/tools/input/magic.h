/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Files that are no raw video, told by how they begin. */
#ifndef TOOLS_INPUT_MAGIC_H
#define TOOLS_INPUT_MAGIC_H

#include <stddef.h>
#include <stdint.h>

/* How much of a file is looked at. */
#define MAGIC_SIZE 4096

/* What kind of file begins with these bytes; NULL when they may be samples. Sure rather than complete: samples are
 * practically never taken for a file. */
const char *magic_of(const uint8_t *start, size_t size);

#endif
