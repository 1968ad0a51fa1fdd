/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The name of a codec with its profile and level, as playlists give it (RFC 6381), from the
 * configuration record in an MP4 file. Pure functions: any thread may call them. */
#ifndef TUNE_CODECS_H
#define TUNE_CODECS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct CodecName {
    char text[64];     /* "avc1.64001f"; empty: the codec has none */
    const char *range; /* VIDEO-RANGE of HLS: "SDR", "PQ" or "HLG" */
    bool retagged;     /* HEVC that the file calls hev1: Apple's players want hvc1 */
} CodecName;

/* Reads the first video of an MP4 file, of which at least the beginning with its `moov` is there.
 * False: there is none. */
bool codec_of_mp4(const uint8_t *data, size_t size, CodecName *name);

#endif
