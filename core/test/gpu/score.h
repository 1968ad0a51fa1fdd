/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A whole run through the public API: scores a clip and returns every score. May be called on any
 * thread. */
#ifndef TEST_GPU_SCORE_H
#define TEST_GPU_SCORE_H

#include "clip.h"
#include "libvmaf/device.h"

typedef struct ScoreRun {
    VmafDevice *device; /* NULL: score on the CPU */
    const SynthClip *clip;
    const ClipFeature *features;
    unsigned feature_count;
    unsigned threads, subsample;
    enum ClipMemory ref, dist;
    bool pooled; /* use pictures of the context's pool instead of these two */
} ScoreRun;

/* Opens a context with these features, on the device if there is one. */
int score_open(const ScoreRun *run, VmafContext **out);
/* Reads a frame of the clip under an index. */
int score_read(const ScoreRun *run, VmafContext *vmaf, unsigned t, unsigned index);
/* Flushes the context, returns all its scores as a text that the caller frees, and closes it, which
 * it does even on failure. */
int score_close(VmafContext *vmaf, char **scores);

/* Closes the context. Returns err if it is not 0, else the error of closing, else SCORES_WRONG if
 * the scores are not the wanted text. */
#define SCORES_WRONG 1
int score_finish(VmafContext *vmaf, int err, const char *wanted);

/* Opens a context and reads all frames, every other one from pictures of the context's pool.
 * Without a context (*out NULL) there is nothing to close. */
int score_start_mixed(const ScoreRun *run, VmafContext **out);

/* Reads frame t of the clip in pictures of a format that may lack its chroma. Fails the test if it
 * cannot. */
void score_read_as(const SynthClip *clip, enum VmafPixelFormat format, VmafContext *vmaf,
                   unsigned t);

/* Opens, reads all frames and closes. */
int score_run(const ScoreRun *run, char **scores);

/* True if the texts are equal; else prints where they differ. */
bool score_same(const char *wanted, const char *scores);

#endif
