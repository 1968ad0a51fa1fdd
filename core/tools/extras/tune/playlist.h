/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Publishes a ladder: writes the master playlist of HLS, and the command that makes its rungs. */
#ifndef TUNE_PLAYLIST_H
#define TUNE_PLAYLIST_H

#include <stdio.h>

#include "codecs.h"
#include "job.h"

#define SEGMENT_SECONDS 6 /* length of a segment for HLS */

/* A rung with its encoder (which scales), its setting and what that was measured to give. */
typedef struct PlannedRung {
    Job job;
    double peak; /* the largest rate of a segment, in kbit/s; at least the mean rate */
    CodecName codec;
} PlannedRung;

/* Finds out how the rung's codec is called, by encoding the source's first frames as its command
 * does. A codec without a name is no error. Returns 0 or a negative errno. */
int rung_find_codec(PlannedRung *rung, const Workshop *shop);

/* Containers round times, and rates with them: the usual rate that is near. 0: not known. */
double rung_frame_rate(const PlannedRung *rung);

/* The largest rate of packets within this many seconds, in kbit/s. Negative: out of memory. */
double packets_peak(const Packets *packets, double seconds);

/* The name of a rung's playlist: "1280x720-2500k.m3u8". */
void rung_name(const PlannedRung *rung, char *text, size_t size);

/* `sound`: each rung has audio of SOUND_RATE kbit/s, too. */
#define SOUND_RATE 128
#define SOUND_CODEC "mp4a.40.2" /* AAC, low complexity */
void playlist_write(const PlannedRung *rungs, size_t count, bool sound, FILE *file);

/* The command that decodes the source once, and makes all rungs as fragmented MP4 with their
 * playlists. free() it; NULL: no memory. */
char *ladder_command(const Workshop *shop, const Original *source, const PlannedRung *rungs,
                     size_t count, bool sound);

#endif
