/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Finds where a video can be cut into sections: packets that decode to the same frames by
 * themselves as in the whole file. It reads the packets and does not believe the container's flags.
 * In doubt it does not cut. A Cutter belongs to one thread. */
#ifndef TOOLS_INPUT_LIBAV_CUT_H
#define TOOLS_INPUT_LIBAV_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/libav_api.h"

typedef struct Cutter {
    enum AVCodecID codec;
    unsigned length_size; /* bytes of the length before each NAL unit; 0: start codes */
    bool off;             /* something was seen after which nothing is cut */
    uint64_t packets;     /* seen so far */
    uint8_t *headers;     /* the parameter sets in the first packet: each section repeats them */
    size_t headers_size;
} Cutter;

/* False: videos of this codec are not cut. Close the cutter in both cases. */
bool cutter_open(Cutter *cutter, const AVCodecParameters *parameters);
void cutter_close(Cutter *cutter);
/* Looks at the next packet of the video; give it all of them. True if a section may begin here. */
bool cutter_look(Cutter *cutter, const AVPacket *packet);
/* True if each packet of this codec decodes to exactly one frame. */
bool cutter_counts_frames(const Cutter *cutter);

#endif
