/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/reader.h"

static const VideoReader *const readers[] = {
    &raw_reader,
    &y4m_reader,
};

const VideoReader *reader_probe(const uint8_t *start, size_t size)
{
    for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++)
        if (readers[i]->probe && readers[i]->probe(start, size))
            return readers[i];
    return NULL;
}
