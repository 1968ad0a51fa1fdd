/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* An estimate of how many pairs of frames a second a run can score if the CPU decodes its videos,
 * and if a device does (docs/adr/0057). Any thread may call these functions. */
#ifndef TOOLS_INPUT_DECODE_SPEED_H
#define TOOLS_INPUT_DECODE_SPEED_H

#include <stdbool.h>

typedef struct DecodeLoad {
    const char *codec; /* FFmpeg's name */
    unsigned width, height, depth;
    double frame_bits; /* bits of the file for each frame; 0: unknown */
    unsigned videos;   /* videos of the run; all are taken to be like this one */
    unsigned cpus;     /* that decode, and score if no device does */
    unsigned threads;  /* threads of the CPU's decoder for one video */
    bool scored_on_device;
} DecodeLoad;

double decode_speed_cpu(const DecodeLoad *load);
/* `engines`: units of the device that decode side by side. */
double decode_speed_device(const DecodeLoad *load, unsigned engines);

#endif
