/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The size and duration of a video stream, read from `ffmpeg -c copy -f framecrc`, which prints a
 * line for each packet. The byte count is that of the video stream alone, and nothing is decoded.
 */
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
    int64_t base_num, base_den; /* one tick in seconds, as a fraction */
    int64_t first, last, last_ticks;
    Media media;
} MediaReader;

/* The command whose output media_feed reads. The caller frees it. */
Argv media_command(const char *ffmpeg, const char *path);

void media_feed(MediaReader *reader, const char *bytes, size_t count);
/* Call after the last bytes. False: the file has no video. */
bool media_finish(MediaReader *reader, Media *media);

#endif
