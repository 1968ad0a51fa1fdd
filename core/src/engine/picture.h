/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures: one block of memory, shared by reference counting; pools of pictures; and the check
 * that samples lie within the depth of their picture. Any thread may retain and release a
 * picture. */
#ifndef ENGINE_PICTURE_H
#define ENGINE_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "libvmaf/picture.h"

/* The geometry that all pictures of a context share. Chroma sizes are 0 for 4:0:0. */
typedef struct FrameShape {
    enum VmafPixelFormat pix_fmt;
    unsigned bpc;
    unsigned w[3], h[3];
} FrameShape;

/* -EINVAL for an unknown format, a depth outside 8…16 or an empty size.
 *
 * Only this function decides how large the chroma planes of a picture are: the halves of odd sides
 * are rounded down, as the reference does it. (Files round them up, and readers leave out the last
 * column or row: see tools/input/reader.h.) A luma side of 1 has no chroma at all. */
int shape_init(FrameShape *shape, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w,
               unsigned h);
void shape_of_picture(FrameShape *shape, const VmafPicture *pic);

/* Whether there is any chroma sample. */
static inline bool shape_has_chroma(const FrameShape *shape)
{
    return shape->w[1] && shape->h[1];
}

/* The distance of neighbouring samples of plane p, in samples of luma. */
static inline unsigned plane_step_x(const FrameShape *shape, unsigned p)
{
    return p && shape->pix_fmt != VMAF_PIX_FMT_YUV444P ? 2 : 1;
}

static inline unsigned plane_step_y(const FrameShape *shape, unsigned p)
{
    return p && shape->pix_fmt == VMAF_PIX_FMT_YUV420P ? 2 : 1;
}

static inline unsigned shape_sample_size(const FrameShape *shape)
{
    return shape->bpc > 8 ? 2 : 1;
}

/* Returns the memory of a picture. Called once, by the thread that releases it last. */
typedef void (*PictureGiveBack)(VmafPicture *pic, void *cookie);

size_t picture_size(const FrameShape *shape);
size_t picture_stride(const FrameShape *shape, unsigned plane); /* in bytes */
/* Makes a picture with one reference over `block`, which must have picture_size() bytes; rows are
 * whole cache lines. On failure the caller keeps `block`; else `give_back` returns it (NULL:
 * nothing to do). */
int picture_wrap(VmafPicture *pic, const FrameShape *shape, void *block, PictureGiveBack give_back,
                 void *cookie);

/* A picture over planes of the caller, as vmaf_picture_wrap makes it. */
int picture_wrap_planes(VmafPicture *pic, const VmafPictureWrapped *from);

/* The cookie of a picture that was wrapped with this function; NULL for any other picture. */
void *picture_cookie(const VmafPicture *pic, PictureGiveBack give_back);

/* A picture over zeroed memory of its own, as vmaf_picture_alloc makes it. The memory is used again
 * (engine/spare.h). */
int picture_alloc(VmafPicture *pic, const FrameShape *shape);

/* Adds a reference to the same picture, in `out`. */
void picture_retain(VmafPicture *out, const VmafPicture *pic);
/* Gives up a reference and zeroes the struct. A zeroed struct is fine. */
void picture_release(VmafPicture *pic);
int picture_holders(const VmafPicture *pic);

/* ---- pools ---- */

/* A fixed number of pictures of one shape. Fetching blocks until one is free; the last one returned
 * is the first one reused. Any thread may fetch. A pool may be destroyed at any time: the last
 * picture that comes back frees its memory. */
typedef struct PicturePool PicturePool;
int picture_pool_create(PicturePool **pool, const FrameShape *shape, unsigned count);

/* Memory for a pool, such as a GPU's. */
typedef struct PoolMemory {
    int (*alloc)(void *opaque, size_t size, void **block);
    void (*free)(void *opaque, void *block);
    void *opaque;
    bool as_is; /* hand blocks out as alloc gives them; otherwise the pool clears them first */
    /* Allocation is slow: only two blocks are allocated at once, the others when they are first
     * fetched, by any thread. Blocks that are never needed are never allocated. */
    bool when_fetched;
} PoolMemory;
int picture_pool_create_in(PicturePool **pool, const FrameShape *shape, unsigned count,
                           const PoolMemory *memory);
int picture_pool_fetch(PicturePool *pool, VmafPicture *out);
/* picture_pool_fetch in two steps, for callers that look the pool up under a lock of their own:
 * after picture_pool_enter the pool stays until picture_pool_take returns a picture, -EINVAL (the
 * pool was destroyed) or an error of its memory. */
void picture_pool_enter(PicturePool *pool);
int picture_pool_take(PicturePool *pool, VmafPicture *out);
void picture_pool_destroy(PicturePool *pool); /* NULL is fine */

/* ---- samples above the depth ----
 *
 * Samples of 9 to 15 bits take 16, so a picture can hold values that its depth cannot: most often
 * because they are in the high bits, as in P010 and P016. The tables and sums of features are made
 * for the range of the depth, so no feature may see such a picture. */

/* The samples of a plane that were checked: none when the picture was just made or fetched. */
typedef struct PlaneRange {
    unsigned rows; /* checked, from the top */
    bool exceeds;  /* one of them has a sample above the depth */
} PlaneRange;
PlaneRange *picture_ranges(const VmafPicture *pic); /* one for each of its three planes */

/* Can samples of this depth be out of range at all? */
static inline bool range_matters(unsigned bpc)
{
    return bpc > 8 && bpc < 16;
}

/* Checks rows that were just written, up to row `end`, and stores the finding in the picture: rows
 * that are still in the cache cost next to nothing. */
void range_scan_rows(const VmafPicture *pic, unsigned plane, unsigned end);
/* Stores the finding for a whole plane that was checked elsewhere. */
void range_set(const VmafPicture *pic, unsigned plane, bool exceeds);
bool range_is_known(const VmafPicture *pic, unsigned plane);

/* -ERANGE (logged) if samples of these planes exceed the depth. Checks the rows that were not
 * checked before and stores nothing: several contexts may read a picture at once. */
int range_check(const VmafPicture *pic, const char *side, unsigned planes, unsigned index);
int range_check_pair(const VmafPicture *ref, const VmafPicture *dist, unsigned planes,
                     unsigned index);

#endif
