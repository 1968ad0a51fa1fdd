/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Sweeps a plane in strips of columns, narrow enough for their buffers to stay in the nearest
 * cache.
 *
 * A strip moves down the plane two rows at a time, through two buffers that the feature fills:
 *   pairs    rows y and y+1, y even; a ring as long as the kernel needs
 *   columns  the output of the vertical pass, before the horizontal pass sums it up
 * Both passes see the plane mirrored at its border samples. The strips are divided among jobs,
 * which the threads of a team share. Each job has its own buffers and sums. */
#ifndef FEATURE_COMMON_STRIPS_H
#define FEATURE_COMMON_STRIPS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/team.h"

#define STRIPS_MAX_JOBS 16
#define STRIPS_MAX_PAIRS 16 /* longest ring */

/* Constants of a feature's strips. Sizes are in bytes, multiples of MEM_ALIGN. */
typedef struct StripsKind {
    int widest; /* widest strip */
    int step;   /* all strips but the last are a multiple of it wide */
    int pairs;  /* pairs in the longest ring */
    size_t pair_size, columns_size;
    int sums;              /* 64-bit words of sums of each job */
    int64_t shared_pixels; /* a plane with fewer is not worth waking other threads for */
} StripsKind;

/* The buffers and sums of the jobs. One sweep at a time may use them. */
typedef struct Strips Strips;
/* Creates buffers for planes of up to `w` by `h`. `kind` must outlive them. 0 or -ENOMEM. Destroy
 * takes NULL. */
int strips_create(Strips **strips, const StripsKind *kind, int w, int h);
void strips_destroy(Strips *strips);

/* One strip, as the feature's routines see it. */
typedef struct Strip {
    int w;        /* width of the plane */
    int x0, x1;   /* columns x0…x1-1 are summed */
    int from, to; /* the same, extended by the kernel's reach within the plane */
    void *columns;
    uint64_t *sums; /* the sums of its job, to add to */
} Strip;

typedef struct StripsPlane {
    int w, h;
    int reach;      /* reach of the kernel to each side, in columns */
    int pair_reach; /* the same in rows, rounded up to whole pairs: an even number */
    /* Fills `pair` with columns from…to-1 of rows y and y+1, which may lie outside the plane. */
    void (*load)(const void *arg, const Strip *strip, void *pair, int y);
    /* Adds rows y and y+1 (if inside) to the strip's sums. The middle pair of pairs[0…pair_reach]
     * holds them. */
    void (*sum)(const void *arg, const Strip *strip, const void *const *pairs, int y);
    const void *arg;
} StripsPlane;

/* The width of strips for a plane `w` wide, in whole steps: all strips are about equally wide. The
 * last one has the remaining columns. */
int strips_width(int w, int widest, int step);

/* Sweeps one plane. `total` gets, for each word, the sum over all jobs. */
void strips_sweep(Strips *strips, const StripsPlane *plane, uint64_t *total, Team *team);

/* Prefetches a strip's piece of a row, to be read or written: rows of a strip lie too far apart for
 * the hardware to predict. STRIPS_FETCH rows ahead is early enough. A core drops prefetches that it
 * cannot queue: fetch a few rows at a time, and not while many other loads miss the cache. */
#define STRIPS_FETCH 4
void strip_fetch(const void *part, size_t size);
void strip_fetch_to_write(const void *part, size_t size);

/* Fills the columns outside the plane that this strip needs, up to `reach`, in `channels` channels
 * of 16-bit words, `pitch` apart. `columns` points at column x0 of the first. The plane is more
 * than one column wide. */
void strip_mirror(const Strip *strip, void *columns, int channels, int pitch, int reach);

#endif
