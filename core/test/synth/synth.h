/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Test clips made by integer arithmetic alone: the same bytes on every machine, with nothing to
 * download. A sample is made in 16 bits and shifted down to the clip's depth. */
#ifndef TEST_SYNTH_H
#define TEST_SYNTH_H

#include <stddef.h>
#include <stdint.h>

#include "libvmaf/picture.h"

/* The change made to the reference. The last four have a reference of their own. */
enum SynthKind {
    SYNTH_SAME,    /* nothing */
    SYNTH_BLUR,    /* 3x3 binomial */
    SYNTH_NOISE,   /* noise of an eighth of the range */
    SYNTH_QUANT,   /* 16 levels */
    SYNTH_DIM,     /* an eighth darker */
    SYNTH_SHIFT,   /* one sample left */
    SYNTH_MIX,     /* blur, then half the noise */
    SYNTH_FLAT,    /* one grey against another */
    SYNTH_EXTREME, /* black against white */
    SYNTH_CHECK,   /* a chequerboard, moved one sample right */
    SYNTH_BANDS,   /* a slow ramp, against one of 256 levels, a level up */
    SYNTH_KINDS
};
extern const char *const synth_kind_names[SYNTH_KINDS];

typedef struct SynthClip {
    const char *name;
    enum SynthKind kind;
    unsigned width, height;
    enum VmafPixelFormat pix_fmt;
    unsigned bitdepth, frames;
} SynthClip;

enum SynthSide { SYNTH_REF, SYNTH_DIST };

/* The named clips, ended by one without a name; NULL when there is no such one. */
extern const SynthClip synth_clips[];
const SynthClip *synth_find(const char *name);

/* Bytes of a frame in a raw file; chroma sizes are rounded up. */
size_t synth_frame_size(const SynthClip *clip);

/* Frame `t` as a raw file holds it, 16-bit samples in little-endian order. -ENOMEM. */
int synth_frame(const SynthClip *clip, enum SynthSide side, unsigned t, uint8_t *out);

/* Frame `t` in a new picture (chroma rounded down). Negative errno. */
int synth_picture(const SynthClip *clip, enum SynthSide side, unsigned t, VmafPicture *out);

/* Writes a raw file. Negative errno. */
int synth_write(const SynthClip *clip, enum SynthSide side, const char *path);

#endif
