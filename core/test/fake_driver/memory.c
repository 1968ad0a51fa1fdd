/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Memory. Device addresses come from a range that the host cannot read, each is used only once, and
 * their data is elsewhere. Pinned memory is ordinary host memory, followed by an inaccessible
 * page. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fake_driver.h"

#ifdef __SANITIZE_THREAD__ /* leaves less address space */
#define RANGE ((size_t)1 << 38)
#else
#define RANGE ((size_t)1 << 42)
#endif
#define GRAIN ((size_t)4096)

enum MemoryKind { MEMORY_DEVICE, MEMORY_PINNED, MEMORY_REGISTERED, MEMORY_MAPPED };

typedef struct Allocation {
    struct Allocation *next;
    enum MemoryKind kind;
    Context *context;
    uint64_t address;
    size_t size;
    char *data;
} Allocation;

static Allocation *allocations;
static HostRandom noise = { 12345 };

static size_t rounded(size_t size)
{
    return (size + GRAIN - 1) / GRAIN * GRAIN;
}

static uint64_t fresh_address(size_t size)
{
    static uint64_t next, end;
    if (!next) {
        void *range =
            mmap(NULL, RANGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (range == MAP_FAILED)
            abort();
        next = (uint64_t)(uintptr_t)range;
        end = next + RANGE;
    }
    const uint64_t address = next;
    next += rounded(size) + GRAIN;
    if (next > end)
        abort(); /* the address space is used up */
    return address;
}

static Allocation *add(enum MemoryKind kind, uint64_t address, size_t size, void *data)
{
    Allocation *made = malloc(sizeof(*made));
    if (!made)
        abort();
    *made = (Allocation){ allocations, kind, context_current(), address, size, data };
    return allocations = made;
}

int memory_alloc(size_t size, uint64_t *out)
{
    Device *device = context_current()->device;
    if (!out || !size)
        return INVALID_VALUE;
    if (size > device->total - device->used)
        return OUT_OF_MEMORY;
    void *data = malloc(size);
    if (!data)
        return OUT_OF_MEMORY;
    random_fill(&noise, data, size);
    device->used += size;
    *out = add(MEMORY_DEVICE, fresh_address(size), size, data)->address;
    return OK;
}

int memory_alloc_host(size_t size, void **out)
{
    if (!out || !size)
        return INVALID_VALUE;
    char *data = mmap(NULL, rounded(size) + GRAIN, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        return OUT_OF_MEMORY;
    mprotect(data + rounded(size), GRAIN, PROT_NONE);
    random_fill(&noise, data, rounded(size));
    add(MEMORY_PINNED, (uint64_t)(uintptr_t)data, size, data);
    *out = data;
    return OK;
}

int memory_wrap(void *data, size_t size, uint64_t *out)
{
    *out = add(MEMORY_MAPPED, fresh_address(size), size, data)->address;
    return OK;
}

int memory_register(void *block, size_t size)
{
    const uint64_t first = (uint64_t)(uintptr_t)block;
    if (!block || !size)
        return INVALID_VALUE;
    for (const Allocation *a = allocations; a; a = a->next)
        if (first < a->address + a->size && a->address < first + size)
            return ALREADY_REGISTERED;
    add(MEMORY_REGISTERED, first, size, block);
    return OK;
}

/* ---- freeing ---- */

static void release(Allocation **link)
{
    Allocation *gone = *link;
    *link = gone->next;
    if (gone->kind == MEMORY_PINNED)
        munmap(gone->data, rounded(gone->size) + GRAIN);
    if (gone->kind == MEMORY_DEVICE) {
        gone->context->device->used -= gone->size;
        free(gone->data);
    }
    free(gone);
}

static enum MemoryKind kind_to_free(const Allocation *a)
{
    return a->kind == MEMORY_MAPPED ? MEMORY_DEVICE : a->kind;
}

/* Functions that free memory wait for all work of the device first. */
static int free_at(uint64_t address, enum MemoryKind kind, int otherwise)
{
    if (nodes_hang())
        hang_for_ever("freeing memory");
    Allocation **link = &allocations;
    while (*link && ((*link)->address != address || kind_to_free(*link) != kind))
        link = &(*link)->next;
    if (!*link || (kind == MEMORY_DEVICE && (*link)->context != context_current()))
        return otherwise;
    /* A real driver would wait here for all work of the context. */
    if (nodes_wait_for_others((*link)->context))
        complain("memory freed while work waits for a semaphore of another API");
    release(link);
    return OK;
}

int memory_free(uint64_t address)
{
    return address ? free_at(address, MEMORY_DEVICE, INVALID_VALUE) : OK;
}

int memory_free_host(void *block)
{
    return block ? free_at((uint64_t)(uintptr_t)block, MEMORY_PINNED, INVALID_VALUE) : OK;
}

int memory_unregister(void *block)
{
    return free_at((uint64_t)(uintptr_t)block, MEMORY_REGISTERED, NOT_REGISTERED);
}

long memory_forget(const Context *context)
{
    long forgotten = 0;
    for (Allocation **link = &allocations; *link;) {
        if ((*link)->context == context) {
            release(link);
            forgotten++;
        } else {
            link = &(*link)->next;
        }
    }
    return forgotten;
}

long memory_live(void)
{
    long live = 0;
    for (const Allocation *a = allocations; a; a = a->next)
        live++;
    return live;
}

/* ---- finding ---- */

void *memory_find(const Context *context, uint64_t address, size_t *left)
{
    for (const Allocation *a = allocations; a; a = a->next)
        if (address - a->address < a->size &&
            (a->kind == MEMORY_PINNED || a->kind == MEMORY_REGISTERED || a->context == context)) {
            *left = a->size - (address - a->address);
            return a->data + (address - a->address);
        }
    return NULL;
}

void *memory_at(const Context *context, uint64_t address, size_t size)
{
    size_t left;
    void *data = memory_find(context, address, &left);
    return data && left >= size ? data : NULL;
}
