/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>

#include "input/libav.h"

static int io_read(void *opaque, uint8_t *into, int size)
{
    const int64_t got = source_take(opaque, into, (size_t)size);
    if (got == -ECANCELED)
        return AVERROR_EXIT;
    return got < 0 ? AVERROR((int)-got) : got ? (int)got : AVERROR_EOF;
}

static int64_t io_seek(void *opaque, int64_t offset, int whence)
{
    Source *const source = opaque;
    switch (whence & ~AVSEEK_FORCE) {
    case AVSEEK_SIZE:
        return (int64_t)source->size;
    case SEEK_CUR:
        offset += (int64_t)source->offset;
        break;
    case SEEK_END:
        offset += (int64_t)source->size;
        break;
    default:
        break;
    }
    if (offset < 0)
        return AVERROR(EINVAL);
    source->offset = (uint64_t)offset;
    return offset;
}

int libav_io_create(Libav *libav)
{
    enum { BUFFER = 1 << 16 };
    Source *const source = libav->video->source;
    uint8_t *const buffer = av_malloc(BUFFER);
    if (buffer)
        libav->io = avio_alloc_context(buffer, BUFFER, 0, source, io_read, NULL,
                                       source->seekable ? io_seek : NULL);
    if (libav->io)
        return 0;
    av_free(buffer);
    return -ENOMEM;
}

void libav_io_destroy(Libav *libav)
{
    if (libav->io)
        av_freep(&libav->io->buffer);
    avio_context_free(&libav->io);
}
