/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Scores one pair of pictures with one feature: the shortest way from samples to a score. */
#ifndef TEST_FEATURE_SCORING_H
#define TEST_FEATURE_SCORING_H

#include <stdbool.h>

#include "libvmaf/libvmaf.h"

/* Fills a new picture: sample (x, y) of plane p is value(p, x, y). */
typedef unsigned SampleOf(unsigned p, unsigned x, unsigned y);
VmafPicture scoring_picture(enum VmafPixelFormat format, unsigned bpc, unsigned w, unsigned h,
                            SampleOf *value);

unsigned scoring_get(const VmafPicture *pic, unsigned p, unsigned x, unsigned y);
void scoring_set(VmafPicture *pic, unsigned p, unsigned x, unsigned y, unsigned value);

/* A context that measures a single pair. `options` is "key=value:key=value" or NULL. */
typedef struct Scoring Scoring;

/* Scores the pair. Returns 0 or the error of reading it. Takes over both pictures. */
int scoring_open(Scoring **out, const char *feature, const char *options, VmafPicture ref,
                 VmafPicture dist);
double scoring_score(const Scoring *s, const char *metric); /* fails the test if there is no such
                                                             * score */
bool scoring_has(const Scoring *s, const char *metric);
void scoring_close(Scoring *s);

/* Does all of this for one metric. */
double score_of(const char *feature, const char *options, VmafPicture ref, VmafPicture dist,
                const char *metric);

#endif
