/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures: one block of memory, shared by counting who holds it; pools. */
#ifndef ENGINE_PICTURE_H
#define ENGINE_PICTURE_H

#include <stdbool.h>

#include "libvmaf/picture.h"

/* The geometry all pictures of a context share. Chroma sizes are 0 for 4:0:0. */
typedef struct FrameShape {
    enum VmafPixelFormat pix_fmt;
    unsigned bpc;
    unsigned w[3], h[3];
} FrameShape;

/* -EINVAL for an unknown format, a depth outside 8…16 or an empty size.
 *
 * This alone says how large chroma planes are in a picture: the halves of odd sides are rounded
 * down, as the reference does it. (Files round them up, and whoever reads one leaves out the last
 * column or row: see tools/input/plane_size.h.) A side of 1 leaves none at all. */
int shape_init(FrameShape *shape, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w,
               unsigned h);
void shape_of_picture(FrameShape *shape, const VmafPicture *pic);

/* Whether there is any sample of chroma. */
static inline bool shape_has_chroma(const FrameShape *shape)
{
    return shape->w[1] && shape->h[1];
}

static inline unsigned shape_sample_size(const FrameShape *shape)
{
    return shape->bpc > 8 ? 2 : 1;
}

/* Gives the memory of a picture back. Called once, by the thread that releases it last. */
typedef void (*PictureGiveBack)(VmafPicture *pic, void *cookie);

/* Makes a picture, held once, over `block`, which must have picture_size() bytes; rows are whole
 * cache lines. On failure the caller keeps `block`; else `give_back` (NULL: nothing) returns it. */
size_t picture_size(const FrameShape *shape);
size_t picture_stride(const FrameShape *shape, unsigned plane); /* in bytes; the same for all */
int picture_wrap(VmafPicture *pic, const FrameShape *shape, void *block, PictureGiveBack give_back,
                 void *cookie);

/* What picture_wrap got, for a picture that this function gives back; NULL for any other. */
void *picture_cookie(const VmafPicture *pic, PictureGiveBack give_back);

/* A picture over zeroed memory of its own: what vmaf_picture_alloc makes. */
int picture_alloc(VmafPicture *pic, const FrameShape *shape);

/* Holds the same picture once more, through `out`. */
void picture_retain(VmafPicture *out, const VmafPicture *pic);
/* Lets go of it and zeroes the struct. A zeroed struct is fine. */
void picture_release(VmafPicture *pic);
int picture_holders(const VmafPicture *pic);

/* What is known of each plane's samples (engine/range.h): nothing when the picture was just made or
 * fetched. */
typedef struct PlaneRange {
    unsigned rows; /* looked at, from the top */
    bool exceeds;  /* some sample of them is above the depth */
} PlaneRange;
PlaneRange *picture_ranges(const VmafPicture *pic); /* of its three planes */

/* A fixed number of pictures of one shape. Fetching blocks until one is free; the last one returned
 * is the first reused. Destroying it at any time is fine: the last picture out frees it. */
typedef struct PicturePool PicturePool;
int picture_pool_create(PicturePool **pool, const FrameShape *shape, unsigned count);

/* The same over memory from elsewhere, such as a GPU's. */
typedef struct PoolMemory {
    int (*alloc)(void *opaque, size_t size, void **block);
    void (*free)(void *opaque, void *block);
    void *opaque;
    bool as_is; /* hand blocks out as alloc gives them; otherwise the pool clears them first */
    /* Blocks take long to get: all but two come when they are fetched, by any thread, and those that are never
     * needed do not. */
    bool when_fetched;
} PoolMemory;
int picture_pool_create_in(PicturePool **pool, const FrameShape *shape, unsigned count,
                           const PoolMemory *memory);
int picture_pool_fetch(PicturePool *pool, VmafPicture *out);
/* The same in two steps, for those who look the pool up: once entered, it stays until they took a picture
 * or (-EINVAL) found it destroyed; other errors are its memory's. */
void picture_pool_enter(PicturePool *pool);
int picture_pool_take(PicturePool *pool, VmafPicture *out);
void picture_pool_destroy(PicturePool *pool);

#endif
