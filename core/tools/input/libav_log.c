/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdio.h>
#include <string.h>

#include "input/libav.h"

/* Whose decoder or container logs: both have our pointer, and what belongs to them leads to them. */
static Libav *owner_of(void *object)
{
    while (object) {
        const AVClass *const class = *(const AVClass **)object;
        if (!class)
            return NULL;
        if (!strcmp(class->class_name, "AVFormatContext"))
            return ((AVFormatContext *)object)->opaque;
        if (!strcmp(class->class_name, "AVCodecContext"))
            return ((AVCodecContext *)object)->opaque;
        if (!class->parent_log_context_offset)
            return NULL;
        object = *(void **)((char *)object + class->parent_log_context_offset);
    }
    return NULL;
}

static void keep_line(void *object, int level, const char *format, va_list list)
{
    Libav *const libav = level <= AV_LOG_ERROR ? owner_of(object) : NULL;
    if (!libav)
        return;
    char line[sizeof(libav->log_line)];
    vsnprintf(line, sizeof(line), format, list);
    line[strcspn(line, "\n")] = '\0';
    if (!*line)
        return;
    pthread_mutex_lock(&libav->log_lock);
    memcpy(libav->log_line, line, sizeof(line));
    /* Matroska's files say nothing else when they are cut. */
    libav->cut |= strstr(line, "ended prematurely") != NULL;
    pthread_mutex_unlock(&libav->log_lock);
}

void libav_log_capture(void)
{
    av_log_set_callback(keep_line);
}

const char *libav_reason(Libav *libav, int err, char *line, size_t size)
{
    pthread_mutex_lock(&libav->log_lock);
    snprintf(line, size, "%s", libav->log_line);
    pthread_mutex_unlock(&libav->log_lock);
    if (!*line)
        av_strerror(err, line, size);
    return line;
}
