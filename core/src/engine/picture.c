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
#include "engine/spare.h"

struct VmafRef {
    atomic_int count;
    PictureGiveBack give_back;
    void *cookie;
    PlaneRange ranges[3];
    bool kept; /* a pool owns the memory of this struct: it outlives the picture */
};

static unsigned half_rounded_down(unsigned side)
{
    return side / 2;
}

int shape_init(FrameShape *shape, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w,
               unsigned h)
{
    /* Larger planes could overflow an int somewhere. */
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
        if (at) /* NULL: a picture without samples */
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

/* ---- pictures over the memory of a caller ---- */

typedef struct Wrapped {
    int (*release)(VmafPicture *pic, void *cookie);
    void *cookie;
} Wrapped;

static void release_wrapped(VmafPicture *pic, void *cookie)
{
    Wrapped *const wrapped = cookie;
    if (wrapped->release)
        wrapped->release(pic, wrapped->cookie);
    mem_free(wrapped);
}

static bool planes_are_valid(const FrameShape *shape, const VmafPictureWrapped *wrapped)
{
    const size_t sample = shape_sample_size(shape);
    for (unsigned p = 0; p < 3; p++) {
        if (!shape->w[p] || !shape->h[p])
            continue;
        if (!wrapped->data[p] || wrapped->stride[p] < (ptrdiff_t)(shape->w[p] * sample) ||
            (uintptr_t)wrapped->data[p] % sample || (size_t)wrapped->stride[p] % sample)
            return false;
    }
    return true;
}

int picture_wrap_planes(VmafPicture *pic, const VmafPictureWrapped *from)
{
    FrameShape shape;
    if (shape_init(&shape, from->pix_fmt, from->bpc, from->w, from->h) ||
        !planes_are_valid(&shape, from))
        return -EINVAL;
    Wrapped *const wrapped = mem_zalloc(sizeof(*wrapped));
    if (!wrapped)
        return -ENOMEM;
    *wrapped = (Wrapped){ from->release_picture, from->cookie };
    VmafPicture made;
    const int err = picture_wrap(&made, &shape, NULL, release_wrapped, wrapped);
    if (err) {
        mem_free(wrapped);
        return err;
    }
    for (unsigned p = 0; p < 3; p++) {
        const bool exists = shape.w[p] && shape.h[p];
        made.data[p] = exists ? from->data[p] : NULL;
        made.stride[p] = exists ? from->stride[p] : 0;
    }
    *pic = made;
    return 0;
}

void *picture_cookie(const VmafPicture *pic, PictureGiveBack give_back)
{
    return pic->ref && pic->ref->give_back == give_back ? pic->ref->cookie : NULL;
}

void picture_retain(VmafPicture *out, const VmafPicture *pic)
{
    const int before = atomic_fetch_add(&pic->ref->count, 1);
    assert(before > 0); /* the caller holds it */
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

static void give_block_back(VmafPicture *pic, void *cookie)
{
    spare_give_back(cookie);
}

int picture_alloc(VmafPicture *pic, const FrameShape *shape)
{
    void *memory;
    SpareBlock *block;
    int err = spare_take(&block, picture_size(shape), &memory);
    if (err)
        return err;
    err = picture_wrap(pic, shape, memory, give_block_back, block);
    if (err)
        spare_give_back(block);
    return err;
}

/* ---- pools ---- */

/* Pools of at least this many pictures, which serve several threads, use one block of large pages.
 * Fewer pictures take less memory on small pages. */
enum { MANY = 16 };

typedef struct PoolSlot {
    VmafRef ref;
    PicturePool *pool;
    void *block;
} PoolSlot;

struct PicturePool {
    FrameShape shape;
    unsigned count;
    PoolMemory memory;
    void *store; /* one block for all pictures; NULL: each has its own */
    PoolSlot *slots;

    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t returned;
    PoolSlot **free_slots; /* a stack */
    unsigned free_count;
    unsigned waiting; /* threads between picture_pool_enter and the end of picture_pool_take */
    bool closed;
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

/* Unlocks the pool, and frees a closed one that nobody uses any more. */
static void pool_unlock(PicturePool *pool)
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
    pool_unlock(pool);
}

/* The system zeroes pages as they are touched: a pool for a thousand threads, or for the size that
 * a broken header claims, takes no memory until its pictures are filled. */
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

/* Allocates one block for all pictures, on large pages: with small pages, each of the first frames
 * waits for five hundred page faults, and the end of a run for all of them to be freed. Does
 * nothing when there is no such block: then each picture gets its own. */
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
        pool_unlock(pool);
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
    pool_unlock(pool);
}

/* ---- samples above the depth ---- */

/* Samples that are read together, at any address. */
typedef uint16_t Samples __attribute__((vector_size(16), aligned(2), may_alias));
enum { AT_ONCE = sizeof(Samples) / sizeof(uint16_t), SUMS = 4 };

/* All bits that are set in any sample. With several sums no step waits for the one before it. */
static unsigned row_bits(const uint16_t *row, unsigned width)
{
    Samples sums[SUMS] = { { 0 } };
    unsigned x = 0;
    for (; x + SUMS * AT_ONCE <= width; x += SUMS * AT_ONCE)
        for (unsigned i = 0; i < SUMS; i++)
            sums[i] |= *(const Samples *)(row + x + i * AT_ONCE);
    const Samples all = sums[0] | sums[1] | sums[2] | sums[3];
    unsigned bits = 0;
    for (unsigned i = 0; i < AT_ONCE; i++)
        bits |= all[i];
    for (; x < width; x++)
        bits |= row[x];
    return bits;
}

static bool rows_exceed(const VmafPicture *pic, unsigned p, unsigned y, unsigned end)
{
    unsigned bits = 0;
    for (; pic->data[p] && y < end; y++)
        bits |= row_bits((const void *)((const char *)pic->data[p] + (ptrdiff_t)y * pic->stride[p]),
                         pic->w[p]);
    return bits >> pic->bpc;
}

void range_scan_rows(const VmafPicture *pic, unsigned plane, unsigned end)
{
    PlaneRange *const known = &picture_ranges(pic)[plane];
    if (!range_matters(pic->bpc))
        return;
    if (end < known->rows) /* the picture is written again */
        *known = (PlaneRange){ 0 };
    known->exceeds |= rows_exceed(pic, plane, known->rows, end);
    known->rows = end;
}

void range_set(const VmafPicture *pic, unsigned plane, bool exceeds)
{
    picture_ranges(pic)[plane] = (PlaneRange){ pic->h[plane], exceeds };
}

bool range_is_known(const VmafPicture *pic, unsigned plane)
{
    return !range_matters(pic->bpc) || picture_ranges(pic)[plane].rows == pic->h[plane];
}

/* The first plane of `planes` (bit p: plane p) with samples above the depth; 3: none. */
static unsigned exceeded_plane(const VmafPicture *pic, unsigned planes)
{
    const PlaneRange *const known = picture_ranges(pic);
    unsigned p = 0;
    if (!range_matters(pic->bpc))
        return 3;
    while (p < 3 && (!(planes >> p & 1) ||
                     !(known[p].exceeds || rows_exceed(pic, p, known[p].rows, pic->h[p]))))
        p++;
    return p;
}

int range_check(const VmafPicture *pic, const char *side, unsigned planes, unsigned index)
{
    static const char *const names[] = { "Y", "Cb", "Cr" };
    const unsigned p = exceeded_plane(pic, planes);
    if (p == 3)
        return 0;
    log_error(
        "frame %u: plane %s of the %s picture has samples above %u, the most that %u bits "
        "hold. If the values are in the high bits, as in P010 and P016, shift them to the low "
        "bits",
        index, names[p], side, (1u << pic->bpc) - 1, pic->bpc);
    return -ERANGE;
}

int range_check_pair(const VmafPicture *ref, const VmafPicture *dist, unsigned planes,
                     unsigned index)
{
    const int err = range_check(ref, "reference", planes, index);
    return err ? err : range_check(dist, "distorted", planes, index);
}
