/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/spare.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "gpu/device.h"
#include "gpu/upload.h"

/* At most so many blocks are kept. That is enough for the frames in flight, also in programs that
 * release thousands of pictures. */
enum { BLOCKS_MOST = 64 };
/* A kept block is freed when the last 64 pictures had no use for it: its size is no longer
 * needed. */
enum { IDLE_MOST = 64 };
#define BYTES_MOST ((size_t)512 << 20)

struct SpareBlock {
    SpareBlock *next;
    void *memory;
    size_t size;
    GpuDevice *device; /* owns the memory, which keeps the device open; NULL: ordinary memory */
    int process;       /* the process that took the memory from the device */
    uint64_t returned; /* value of spares.taken when the block came back */
};

static struct {
    SpareBlock *first; /* the last one returned */
    unsigned count;
    size_t bytes;
    uint64_t taken; /* calls of spare_take */
    unsigned contexts;
    GpuDevice *device;
    unsigned device_users;
    int process; /* the process that uses the device: a child process cannot use it */
} spares;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards `spares` */

static void block_free(SpareBlock *block)
{
    if (!block->device)
        mem_aligned_free(block->memory);
    else if (block->process == getpid())
        upload_free(block->device, block->memory);
    mem_free(block);
}

static void free_all(SpareBlock *blocks)
{
    for (SpareBlock *next; blocks; blocks = next) {
        next = blocks->next;
        block_free(blocks);
    }
}

static void drop_locked(SpareBlock **link, SpareBlock **dropped)
{
    SpareBlock *const block = *link;
    *link = block->next;
    spares.count--;
    spares.bytes -= block->size;
    block->next = *dropped;
    *dropped = block;
}

/* In a child process, forgets the parent's device and its blocks, whose memory is never freed
 * here. */
static void check_process_locked(void)
{
    const int process = getpid();
    SpareBlock *forgotten = NULL;
    if (spares.process == process)
        return;
    for (SpareBlock **link = &spares.first; *link;)
        if ((*link)->device)
            drop_locked(link, &forgotten);
        else
            link = &(*link)->next;
    for (SpareBlock *next; forgotten; forgotten = next) {
        next = forgotten->next;
        mem_free(forgotten);
    }
    spares.device = NULL;
    spares.device_users = 0;
    spares.process = process;
}

/* Removes the blocks that are not of this device and returns them. NULL removes those of all
 * devices. */
static SpareBlock *drop_others_locked(const GpuDevice *device)
{
    SpareBlock *dropped = NULL;
    for (SpareBlock **link = &spares.first; *link;)
        if ((*link)->device != device)
            drop_locked(link, &dropped);
        else
            link = &(*link)->next;
    return dropped;
}

/* ---- taking ---- */

/* Removes a block of this size from the list and returns it. NULL: there is none; if the oldest
 * block has been idle for too long, it is then moved to *dropped. */
static SpareBlock *find_locked(size_t size, SpareBlock **dropped)
{
    SpareBlock **oldest = NULL;
    spares.taken++;
    for (SpareBlock **link = &spares.first; *link; link = &(*link)->next) {
        SpareBlock *const block = *link;
        oldest = link;
        if (block->size != size)
            continue;
        *link = block->next;
        spares.count--;
        spares.bytes -= size;
        return block;
    }
    if (oldest && spares.taken - (*oldest)->returned > IDLE_MOST)
        drop_locked(oldest, dropped);
    return NULL;
}

/* Allocates memory of the device, or ordinary memory if the device has none left. */
static int fill(SpareBlock *block)
{
    int err = -ENOMEM;
    if (block->device)
        err = upload_alloc(block->device, block->size, &block->memory);
    if (err == -ENOMEM) {
        block->device = NULL;
        block->memory = mem_aligned_alloc(block->size);
        err = block->memory ? 0 : -ENOMEM;
    }
    if (!err)
        memset(block->memory, 0, block->size);
    return err;
}

/* The caller retains `device` during the call. */
static int create(SpareBlock **out, size_t size, GpuDevice *device)
{
    SpareBlock *const block = mem_zalloc(sizeof(*block));
    if (!block)
        return -ENOMEM;
    block->size = size;
    block->device = device;
    block->process = getpid();
    const int err = fill(block);
    if (err)
        mem_free(block);
    else
        *out = block;
    return err;
}

int spare_take(SpareBlock **out, size_t size, void **memory)
{
    SpareBlock *dropped = NULL;
    pthread_mutex_lock(&lock);
    check_process_locked();
    SpareBlock *block = find_locked(size, &dropped);
    GpuDevice *const device = block ? NULL : spares.device;
    if (device)
        gpu_device_retain(device);
    pthread_mutex_unlock(&lock);
    free_all(dropped);
    const int err = block ? 0 : create(&block, size, device);
    if (device)
        gpu_device_release(device);
    if (err)
        return err;
    *memory = block->memory;
    *out = block;
    return 0;
}

/* ---- giving back ---- */

static bool is_kept_locked(const SpareBlock *block)
{
    return spares.contexts && block->device == spares.device && spares.count < BLOCKS_MOST &&
           block->size <= BYTES_MOST - spares.bytes;
}

void spare_give_back(SpareBlock *block)
{
    pthread_mutex_lock(&lock);
    check_process_locked();
    bool kept = is_kept_locked(block);
    pthread_mutex_unlock(&lock);
    if (kept)
        memset(block->memory, 0, block->size);
    pthread_mutex_lock(&lock);
    kept = kept && is_kept_locked(block);
    if (kept) {
        block->returned = spares.taken;
        block->next = spares.first;
        spares.first = block;
        spares.count++;
        spares.bytes += block->size;
    }
    pthread_mutex_unlock(&lock);
    if (!kept)
        block_free(block);
}

/* ---- contexts and devices ---- */

void spare_enter(void)
{
    pthread_mutex_lock(&lock);
    check_process_locked();
    spares.contexts++;
    pthread_mutex_unlock(&lock);
}

void spare_leave(void)
{
    SpareBlock *dropped = NULL;
    pthread_mutex_lock(&lock);
    check_process_locked();
    if (!--spares.contexts)
        while (spares.first)
            drop_locked(&spares.first, &dropped);
    pthread_mutex_unlock(&lock);
    free_all(dropped);
}

bool spare_use_device(GpuDevice *device)
{
    SpareBlock *dropped = NULL;
    pthread_mutex_lock(&lock);
    check_process_locked();
    const bool used = !spares.device || spares.device == device;
    if (used && !spares.device_users++) {
        gpu_device_retain(device);
        spares.device = device;
        dropped = drop_others_locked(device);
    }
    pthread_mutex_unlock(&lock);
    free_all(dropped);
    return used;
}

void spare_leave_device(void)
{
    SpareBlock *dropped = NULL;
    GpuDevice *device = NULL;
    pthread_mutex_lock(&lock);
    check_process_locked();
    if (spares.device_users && !--spares.device_users) {
        device = spares.device;
        spares.device = NULL;
        dropped = drop_others_locked(NULL);
    }
    pthread_mutex_unlock(&lock);
    free_all(dropped);
    if (device)
        gpu_device_release(device);
}
