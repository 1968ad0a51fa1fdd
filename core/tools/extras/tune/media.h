/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Finds out what a video file holds, and whether an encode covers its whole source. */
#ifndef TUNE_MEDIA_H
#define TUNE_MEDIA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/argv.h"

/* The size and duration of a video stream, read from `ffmpeg -c copy -f framecrc`, which prints a
 * line for each packet. The byte count is that of the video stream alone, and nothing is decoded.
 * Packets that are decoded but not shown (before the start of an edit list) count as bytes only. */
typedef struct Media {
    unsigned width, height;
    uint64_t frames, bytes;
    uint64_t
        digest[2]; /* digest of all packets with their times and checksums; identifies the video */
    double seconds;
    double span; /* seconds from the first frame to the last one */
    bool timed;  /* the file gives each frame a time */
} Media;

/* Packets of a video, by the order in its file. */
typedef struct Packet {
    double time; /* in seconds, when its frame is shown */
    uint64_t bytes;
    bool key;
} Packet;

typedef struct Packets {
    Packet *at; /* free() it */
    size_t count, room;
    bool failed; /* out of memory: packets were lost */
} Packets;

typedef struct MediaReader {
    Packets *packets; /* where packets are listed; NULL: they are not */
    char line[256];
    size_t used;
    bool untimed;               /* some packet has no presentation time */
    int64_t base_num, base_den; /* one tick in seconds, as a fraction */
    int64_t first, last, last_ticks;
    Media media;
} MediaReader;

/* The command whose output media_feed reads. The caller frees it. */
Argv media_command(const char *ffmpeg, const char *path);
/* The command that tells the size at which the first frame is shown, turned as the file says; its
 * output is for media_feed, too. */
Argv media_shape_command(const char *ffmpeg, const char *path);
/* The command that decodes only the key frames, and writes each as `width` x `height` bytes of
 * luma. */
Argv media_key_command(const char *ffmpeg, const char *path, unsigned width, unsigned height);
/* The command that decodes the video and prints "frame=N" lines: the last N is the number of frames
 * that can be decoded. */
Argv media_count_command(const char *ffmpeg, const char *path);

/* The command that writes the video as Y4M, and prints its progress like the one before. */
Argv media_decode_command(const char *ffmpeg, const char *path, const char *y4m);

void media_feed(MediaReader *reader, const char *bytes, size_t count);
/* Call after the last bytes. False: the file has no video. */
bool media_finish(MediaReader *reader, Media *media);

/* Reads "frame=12" from ffmpeg's progress, and "progress frame=12 …" from the vmaf command's. */
typedef struct FrameCount {
    char line[128];
    size_t used;
    uint64_t frame; /* the last number */
} FrameCount;

void frame_count_feed(FrameCount *count, const char *bytes, size_t size);

/* The first respect in which an encode differs from its source. */
enum MediaDifference { MEDIA_SAME, MEDIA_FRAMES, MEDIA_SHAPE, MEDIA_DURATION };

/* `scaled`: another width and height are no difference. */
enum MediaDifference media_compare(const Media *source, const Media *encode, bool scaled);
/* Describe the difference, with a remedy where there is one. */
void media_difference_text(enum MediaDifference difference, const Media *source,
                           const Media *encode, char *text, size_t size);

#endif
