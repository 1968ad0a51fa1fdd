/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures: one block of memory, counted references, pools. */
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

/* What runs once, on the thread that drops the last reference, before the bookkeeping is freed. */
typedef void (*PictureRelease)(VmafPicture *pic, void *cookie);

/* Fills geometry, strides (whole cache lines) and a fresh reference over `block`, which must hold
 * picture_size() bytes. The caller keeps `block` on failure; `release` gives it back later. */
size_t picture_size(const FrameShape *shape);
size_t picture_stride(const FrameShape *shape, unsigned plane); /* in bytes; the same for all */
int picture_wrap(VmafPicture *pic, const FrameShape *shape, void *block, PictureRelease release,
                 void *cookie);

/* A picture over zeroed memory of its own: what vmaf_picture_alloc makes. */
int picture_alloc(VmafPicture *pic, const FrameShape *shape);

/* Another counted reference to the same picture. */
void picture_ref(VmafPicture *out, const VmafPicture *pic);
/* Drops one and zeroes the struct. A zeroed struct is fine. */
void picture_drop(VmafPicture *pic);
int picture_ref_count(const VmafPicture *pic);

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
} PoolMemory;
int picture_pool_create_in(PicturePool **pool, const FrameShape *shape, unsigned count,
                           const PoolMemory *memory);
int picture_pool_fetch(PicturePool *pool, VmafPicture *out);
void picture_pool_destroy(PicturePool *pool);

#endif
