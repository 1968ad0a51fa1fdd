/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A whole run through the public API: a clip in, every score out. May be called on any thread. */
#ifndef TEST_GPU_SCORE_H
#define TEST_GPU_SCORE_H

#include "clip.h"
#include "libvmaf/device.h"

typedef struct ScoreRun {
    VmafDevice *device; /* NULL: on the CPU */
    const SynthClip *clip;
    const ClipFeature *features;
    unsigned feature_count;
    unsigned threads, subsample;
    enum ClipMemory ref, dist;
    bool pooled; /* pictures of the context's pool, in place of these two */
} ScoreRun;

/* A context with these features, on the device if there is one. */
int score_open(const ScoreRun *run, VmafContext **out);
/* Reads a frame of the clip under an index. */
int score_read(const ScoreRun *run, VmafContext *vmaf, unsigned t, unsigned index);
/* Flushes the context, takes all its scores as text (free it) and closes it, which it does in any case. */
int score_close(VmafContext *vmaf, char **scores);

/* All of it. */
int score_run(const ScoreRun *run, char **scores);

/* Prints where they differ. */
bool score_same(const char *wanted, const char *scores);

#endif
