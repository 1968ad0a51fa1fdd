/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/picture.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

struct VmafRef {
    atomic_int count;
    PictureGiveBack give_back;
    void *cookie;
    PlaneRange ranges[3];
    bool kept; /* the storage of this struct outlives the picture: a pool's */
};

/* A side of a chroma plane that is half as wide or high as luma. */
static unsigned half_rounded_down(unsigned side)
{
    return side / 2;
}

int shape_init(FrameShape *shape, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w,
               unsigned h)
{
    /* Sizes whose planes could overflow an int somewhere are no pictures. */
    const unsigned max_side = 1 << 16;
    if (pix_fmt < VMAF_PIX_FMT_YUV420P || pix_fmt > VMAF_PIX_FMT_YUV400P || bpc < 8 || bpc > 16 ||
        w == 0 || h == 0 || w > max_side || h > max_side)
        return -EINVAL;

    unsigned cw = pix_fmt == VMAF_PIX_FMT_YUV444P ? w : half_rounded_down(w);
    unsigned ch = pix_fmt == VMAF_PIX_FMT_YUV420P ? half_rounded_down(h) : h;
    if (pix_fmt == VMAF_PIX_FMT_YUV400P)
        cw = ch = 0;
    *shape = (FrameShape){ pix_fmt, bpc, { w, cw, cw }, { h, ch, ch } };
    return 0;
}

void shape_of_picture(FrameShape *shape, const VmafPicture *pic)
{
    *shape = (FrameShape){ .pix_fmt = pic->pix_fmt, .bpc = pic->bpc };
    for (unsigned p = 0; p < 3; p++) {
        shape->w[p] = pic->w[p];
        shape->h[p] = pic->h[p];
    }
}

/* Whole cache lines. Rows a multiple of 1024 bytes apart would fall into the same few sets of a
 * cache and push each other out in vertical filters, so such strides get one line more. */
size_t picture_stride(const FrameShape *shape, unsigned plane)
{
    assert(plane < 3);
    const size_t row = (size_t)shape->w[plane] * shape_sample_size(shape);
    const size_t stride = (row + MEM_ALIGN - 1) / MEM_ALIGN * MEM_ALIGN;
    return stride && stride % 1024 == 0 ? stride + MEM_ALIGN : stride;
}

size_t picture_size(const FrameShape *shape)
{
    size_t size = 0;
    for (unsigned p = 0; p < 3; p++)
        size += picture_stride(shape, p) * shape->h[p];
    return size;
}

static void fill(VmafPicture *pic, const FrameShape *shape, void *block)
{
    *pic = (VmafPicture){ .pix_fmt = shape->pix_fmt, .bpc = shape->bpc };
    char *at = block;
    for (unsigned p = 0; p < 3; p++) {
        pic->w[p] = shape->w[p];
        pic->h[p] = shape->h[p];
        pic->stride[p] = (ptrdiff_t)picture_stride(shape, p);
        pic->data[p] = shape->w[p] && shape->h[p] ? at : NULL;
        if (at) /* else it has no samples */
            at += picture_stride(shape, p) * shape->h[p];
    }
}

int picture_wrap(VmafPicture *pic, const FrameShape *shape, void *block, PictureGiveBack give_back,
                 void *cookie)
{
    VmafRef *ref = mem_zalloc(sizeof(*ref));
    if (!ref)
        return -ENOMEM;
    atomic_init(&ref->count, 1);
    ref->give_back = give_back;
    ref->cookie = cookie;
    fill(pic, shape, block);
    pic->ref = ref;
    return 0;
}

void *picture_cookie(const VmafPicture *pic, PictureGiveBack give_back)
{
    return pic->ref && pic->ref->give_back == give_back ? pic->ref->cookie : NULL;
}

void picture_retain(VmafPicture *out, const VmafPicture *pic)
{
    const int before = atomic_fetch_add(&pic->ref->count, 1);
    assert(before > 0); /* whoever passes it holds it */
    (void)before;
    *out = *pic;
}

void picture_release(VmafPicture *pic)
{
    VmafPicture last = *pic;
    memset(pic, 0, sizeof(*pic));
    if (!last.ref)
        return;
    const int before = atomic_fetch_sub(&last.ref->count, 1);
    assert(before > 0);
    if (before != 1)
        return;
    /* A pooled picture may be out again, on another thread, before give_back returns. */
    const bool kept = last.ref->kept;
    VmafRef *ref = last.ref;
    if (ref->give_back)
        ref->give_back(&last, ref->cookie);
    if (!kept)
        mem_free(ref);
}

int picture_holders(const VmafPicture *pic)
{
    return pic->ref ? atomic_load(&pic->ref->count) : 0;
}

PlaneRange *picture_ranges(const VmafPicture *pic)
{
    return pic->ref->ranges;
}

static void free_block(VmafPicture *pic, void *cookie)
{
    mem_aligned_free(cookie);
}

int picture_alloc(VmafPicture *pic, const FrameShape *shape)
{
    void *block = mem_aligned_alloc(picture_size(shape));
    if (!block)
        return -ENOMEM;
    const int err = picture_wrap(pic, shape, block, free_block, block);
    if (err) {
        mem_aligned_free(block);
        return err;
    }
    memset(block, 0, picture_size(shape));
    return 0;
}

/* Pictures of a pool that is for several threads. Fewer take less memory on small pages. */
enum { MANY = 16 };

typedef struct PoolSlot {
    VmafRef ref;
    PicturePool *pool;
    void *block;
} PoolSlot;

struct PicturePool {
    pthread_mutex_t lock;
    pthread_cond_t returned;
    FrameShape shape;
    unsigned count;
    unsigned free_count;
    unsigned waiting; /* threads between entering and a picture */
    bool closed;
    PoolMemory memory;
    void *store; /* of all blocks; NULL: each is its own */
    PoolSlot *slots;
    PoolSlot **free_slots; /* a stack */
};

static void pool_free(PicturePool *pool)
{
    for (unsigned i = 0; !pool->store && pool->slots && i < pool->count; i++)
        if (pool->slots[i].block)
            pool->memory.free(pool->memory.opaque, pool->slots[i].block);
    mem_free(pool->store);
    mem_free(pool->slots);
    mem_free(pool->free_slots);
    pthread_cond_destroy(&pool->returned);
    pthread_mutex_destroy(&pool->lock);
    mem_free(pool);
}

/* Unlocks, and frees a closed pool that nobody uses any more. */
static void pool_leave(PicturePool *pool)
{
    const bool last = pool->closed && pool->free_count == pool->count && pool->waiting == 0;
    pthread_mutex_unlock(&pool->lock);
    if (last)
        pool_free(pool);
}

static void return_slot(VmafPicture *pic, void *cookie)
{
    PoolSlot *slot = cookie;
    PicturePool *pool = slot->pool;
    pthread_mutex_lock(&pool->lock);
    assert(pool->free_count < pool->count);
    pool->free_slots[pool->free_count++] = slot;
    pthread_cond_signal(&pool->returned);
    pool_leave(pool);
}

/* Zeroed by the system, page by page as they are touched: a pool for a thousand threads, or for the
 * size that a broken header claims, takes no memory until its pictures are filled. */
static int alloc_plain(void *opaque, size_t size, void **block)
{
    char *const base = mem_zalloc(size + MEM_ALIGN);
    if (!base)
        return -ENOMEM;
    char *const aligned = base + MEM_ALIGN - (uintptr_t)base % MEM_ALIGN;
    ((void **)(void *)aligned)[-1] = base;
    *block = aligned;
    return 0;
}

static void free_plain(void *opaque, void *block)
{
    mem_free(((void **)block)[-1]);
}

/* One block for all pictures, on large pages: on small ones, the first frames wait for five hundred pages each, and the
 * end of a run for all of them. Where there is not so much memory in one piece, each picture has its own. */
static void store_all(PicturePool *pool)
{
    const size_t size = picture_size(&pool->shape);
    const size_t all = pool->count * size + MEM_ALIGN;
    char *const store = size <= SIZE_MAX / 2 / pool->count ? mem_zalloc(all) : NULL;
    if (!store)
        return;
    mem_advise_large(store, all);
    char *const first = store + MEM_ALIGN - (uintptr_t)store % MEM_ALIGN;
    for (unsigned i = 0; i < pool->count; i++)
        pool->slots[i].block = first + i * size;
    pool->store = store;
}

static int slot_fill(PoolSlot *slot)
{
    const PicturePool *const pool = slot->pool;
    const size_t size = picture_size(&pool->shape);
    const int err = pool->memory.alloc(pool->memory.opaque, size, &slot->block);
    if (!err && !pool->memory.as_is)
        memset(slot->block, 0, size);
    return err;
}

static int pool_fill(PicturePool *pool)
{
    const unsigned at_once = pool->memory.when_fetched && pool->count > 2 ? 2 : pool->count;
    pool->slots = mem_array(pool->count, sizeof(*pool->slots));
    pool->free_slots = mem_array(pool->count, sizeof(*pool->free_slots));
    if (!pool->slots || !pool->free_slots)
        return -ENOMEM;
    if (pool->memory.alloc == alloc_plain && pool->count >= MANY)
        store_all(pool);
    for (unsigned i = 0; i < pool->count; i++) {
        PoolSlot *slot = &pool->slots[pool->count - 1 - i];
        slot->pool = pool;
        const int err = !slot->block && i + at_once >= pool->count ? slot_fill(slot) : 0;
        if (err)
            return err;
        slot->ref.give_back = return_slot;
        slot->ref.cookie = slot;
        slot->ref.kept = true;
        pool->free_slots[pool->free_count++] = slot;
    }
    return 0;
}

int picture_pool_create(PicturePool **out, const FrameShape *shape, unsigned count)
{
    const PoolMemory memory = { alloc_plain, free_plain, NULL, .as_is = true };
    return picture_pool_create_in(out, shape, count, &memory);
}

int picture_pool_create_in(PicturePool **out, const FrameShape *shape, unsigned count,
                           const PoolMemory *memory)
{
    if (count == 0)
        return -EINVAL;
    PicturePool *pool = mem_zalloc(sizeof(*pool));
    if (!pool)
        return -ENOMEM;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->returned, NULL);
    pool->shape = *shape;
    pool->memory = *memory;
    pool->count = count;
    const int err = pool_fill(pool);
    log_debug("pool: %u pictures of %ux%u, %zu bytes each: %s", count, shape->w[0], shape->h[0],
              picture_size(shape), err ? "no memory" : "ready");
    if (err) {
        pool_free(pool);
        return err;
    }
    *out = pool;
    return 0;
}

void picture_pool_enter(PicturePool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->waiting++;
    pthread_mutex_unlock(&pool->lock);
}

int picture_pool_take(PicturePool *pool, VmafPicture *out)
{
    pthread_mutex_lock(&pool->lock);
    while (pool->free_count == 0 && !pool->closed)
        pthread_cond_wait(&pool->returned, &pool->lock);
    pool->waiting--;
    if (pool->closed) {
        pool_leave(pool);
        return -EINVAL;
    }
    PoolSlot *slot = pool->free_slots[--pool->free_count];
    pthread_mutex_unlock(&pool->lock);

    const int err = slot->block ? 0 : slot_fill(slot);
    if (err) {
        return_slot(NULL, slot);
        return err;
    }
    atomic_store(&slot->ref.count, 1);
    memset(slot->ref.ranges, 0, sizeof(slot->ref.ranges));
    fill(out, &pool->shape, slot->block);
    out->ref = &slot->ref;
    return 0;
}

int picture_pool_fetch(PicturePool *pool, VmafPicture *out)
{
    picture_pool_enter(pool);
    return picture_pool_take(pool, out);
}

void picture_pool_destroy(PicturePool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->closed = true;
    pthread_cond_broadcast(&pool->returned);
    pool_leave(pool);
}
