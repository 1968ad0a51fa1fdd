/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What is in a video file, as `ffmpeg -c copy -f framecrc` tells: a line for each packet. So sizes are those of
 * the video alone, whatever else the file holds, and nothing is decoded. */
#ifndef TUNE_MEDIA_H
#define TUNE_MEDIA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/argv.h"

typedef struct Media {
    unsigned width, height;
    uint64_t frames, bytes;
    double seconds;
} Media;

typedef struct MediaReader {
    char line[256];
    size_t used;
    bool overlong;
    int64_t base_num, base_den; /* one tick, in seconds */
    int64_t first, last, last_ticks;
    Media media;
} MediaReader;

/* The command whose output is to be fed. */
Argv media_command(const char *ffmpeg, const char *path);

void media_feed(MediaReader *reader, const char *bytes, size_t count);
/* False: there was no video in it. */
bool media_finish(MediaReader *reader, Media *media);

#endif
