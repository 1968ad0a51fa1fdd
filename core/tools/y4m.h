/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The header line of a YUV4MPEG2 stream. */
#ifndef TOOLS_Y4M_H
#define TOOLS_Y4M_H

#include <stdbool.h>
#include <stddef.h>

#include "libvmaf/picture.h"

/* Lines are read up to this length, newline included. */
#define Y4M_LINE_MAX 4096

typedef struct Y4mHeader {
    unsigned width, height, bitdepth;
    enum VmafPixelFormat pix_fmt;
    bool alpha;           /* a fourth plane, as large as the first, follows the others */
    bool other_version;   /* of the format: read as version 2 */
    bool interlace_known; /* false: taken as progressive */
} Y4mHeader;

/* Parses `line` (no newline, any bytes). -EINVAL with the reason in `error`. */
int y4m_parse_header(Y4mHeader *header, const char *line, size_t length, char *error,
                     size_t error_size);

/* Bytes up to and with the newline, or 0 when there is none. */
size_t y4m_line_length(const unsigned char *data, size_t size);

#endif
