/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A plane swept in strips of columns, narrow enough for their buffers to stay in the nearest cache.
 *
 * A strip goes down the plane two rows at a time, through two buffers that the feature fills:
 *   pairs    rows y and y+1, y even; a ring of as many as the kernel reaches
 *   columns  what the vertical pass makes of them, before the horizontal pass sums it up
 * Both passes see the plane mirrored about its border samples. Strips are dealt out to jobs, which
 * the threads of a team share; a job has buffers and sums of its own. */
#ifndef FEATURE_COMMON_STRIPS_H
#define FEATURE_COMMON_STRIPS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/team.h"

#define STRIPS_MAX_JOBS 16
#define STRIPS_MAX_PAIRS 16 /* of a ring */

/* A feature's strips: the same for every plane it sweeps. Sizes are in bytes, multiples of
 * MEM_ALIGN. */
typedef struct StripsKind {
    int widest; /* strip */
    int step;   /* strips but the last are a multiple of it wide */
    int pairs;  /* in the longest ring */
    size_t pair_size, columns_size;
    int sums;              /* 64-bit words that a job adds up */
    int64_t shared_pixels; /* a plane of fewer is not worth waking other threads for */
} StripsKind;

/* Buffers and sums of the jobs. */
typedef struct Strips Strips;
/* For planes of up to `w` by `h`. `kind` must outlive it. -ENOMEM. */
int strips_create(Strips **strips, const StripsKind *kind, int w, int h);
void strips_destroy(Strips *strips);

/* One strip, as the feature's routines see it. */
typedef struct Strip {
    int w;        /* of the plane */
    int x0, x1;   /* the columns to sum up */
    int from, to; /* the same with as much as the plane has of what the kernel reaches */
    void *columns;
    uint64_t *sums; /* its job's, to add to */
} Strip;

typedef struct StripsPlane {
    int w, h;
    int reach;      /* of the kernel to each side, in columns */
    int pair_reach; /* the same in rows, rounded up to whole pairs: an even number */
    /* Fills `pair` with rows y and y+1, which may lie outside, columns from…to-1. */
    void (*load)(const void *arg, const Strip *strip, void *pair, int y);
    /* Adds up rows y and y+1 (where it is inside); the pair in the middle of pairs[0…pair_reach]
     * holds them. */
    void (*sum)(const void *arg, const Strip *strip, const void *const *pairs, int y);
    const void *arg;
} StripsPlane;

/* The strips of a plane `w` wide are about as wide as each other: this many columns, in whole steps.
 * The last one has what is left. */
int strips_width(int w, int widest, int step);

/* Sweeps one plane; `total` gets the sum over all jobs of each of their words. */
void strips_sweep(Strips *strips, const StripsPlane *plane, uint64_t *total, Team *team);

/* Asks the cache for a strip's part of a row, to be read or written: rows of a strip lie too far apart
 * for the hardware to see them coming. Rows that are to be loaded STRIPS_FETCH rows later are in time.
 * A core drops what it cannot queue: a few rows at a time, and not while much else is missed. */
#define STRIPS_FETCH 4
void strip_fetch(const void *part, size_t size);
void strip_fetch_to_write(const void *part, size_t size);

/* Fills the columns up to `reach` outside the plane that this strip needs, in `channels` channels of
 * 16-bit words, `pitch` apart; `columns` points at column x0 of the first. The plane is more than
 * one column wide. */
void strip_mirror(const Strip *strip, void *columns, int channels, int pitch, int reach);

#endif
