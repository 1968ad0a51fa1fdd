/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/decode_speed.h"

#include <math.h>
#include <string.h>

/* Millions of luma samples of 8 bits that one CPU decodes in a second with FFmpeg's decoders and
 * dav1d, from videos of a low bit rate; docs/adr/0057 says how they were measured. */
static const struct {
    const char *codec;
    double rate;
} cpu_rates[] = {
    { "h264", 350 },  { "hevc", 320 },        { "av1", 350 }, { "vp9", 290 },   { "vp8", 470 },
    { "mjpeg", 400 }, { "mpeg2video", 1000 }, { "vc1", 350 }, { "mpeg4", 700 },
};
#define OTHER_RATE 300.0
#define DEEP_SHARE 0.8       /* the share of that rate for more than 8 bits */
#define BITS_A_SECOND 100e6  /* bits of an encoded video that one CPU reads in a second */
#define CPU_OVERHEAD 30e-6   /* seconds for each frame */
#define ENGINE_RATE 750e6    /* samples a second of one decoding engine, when all are at work */
#define ENGINE_OVERHEAD 2e-4 /* seconds for each frame */
#define SCORING 10e-9        /* seconds for each sample: the default model on one CPU */
#define FETCHING 0.5e-9      /* seconds for each sample: from a device to the host */
/* The share of the speed of decoding that is left when frames go from the CPU to a device. */
#define FEEDING 0.8

static double samples(const DecodeLoad *load)
{
    return (double)load->width * load->height;
}

/* Seconds that a CPU needs to decode a frame. */
static double frame_seconds(const DecodeLoad *load)
{
    double rate = OTHER_RATE;
    for (unsigned i = 0; i < sizeof(cpu_rates) / sizeof(*cpu_rates); i++)
        if (!strcmp(load->codec, cpu_rates[i].codec))
            rate = cpu_rates[i].rate;
    if (load->depth > 8)
        rate *= DEEP_SHARE;
    return samples(load) / (rate * 1e6) + load->frame_bits / BITS_A_SECOND + CPU_OVERHEAD;
}

/* Seconds that a CPU needs to score a frame of the reference with one of each other video. */
static double scoring_seconds(const DecodeLoad *load)
{
    return load->scored_on_device ? 0.0 : (load->videos - 1) * samples(load) * SCORING;
}

double decode_speed_cpu(const DecodeLoad *load)
{
    const double decoding = frame_seconds(load);
    const double all = load->cpus / (load->videos * decoding + scoring_seconds(load));
    const double one = load->threads / decoding; /* a video has no more threads than these */
    return fmin(all, one) * (load->scored_on_device ? FEEDING : 1.0);
}

double decode_speed_device(const DecodeLoad *load, unsigned engines)
{
    const double decoding = samples(load) / ENGINE_RATE + ENGINE_OVERHEAD;
    const double fetching = load->videos * samples(load) * FETCHING;
    return fmin(engines / (load->videos * decoding),
                load->cpus / (fetching + scoring_seconds(load)));
}
