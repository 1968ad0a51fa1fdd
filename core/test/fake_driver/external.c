/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Memory and semaphores of other APIs. Files in memory (memfd_create) stand for both: shared memory
 * is the file's content, a semaphore is a 64-bit counter at its start. The driver takes over an
 * imported descriptor and closes it. */
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_driver.h"

enum { OPAQUE_FD = 1, TIMELINE_SEMAPHORE_FD = 9 };

struct ExternalMemory {
    Object object;
    void *data;
    size_t size;
};

static int map_file(int fd, size_t size, void **out)
{
    struct stat file;
    if (fstat(fd, &file))
        return INVALID_VALUE;
    if (!S_ISREG(file.st_mode) || !size || (uint64_t)file.st_size < size)
        return OPERATING_SYSTEM;
    *out = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return *out == MAP_FAILED ? OPERATING_SYSTEM : OK;
}

int external_memory_import(int type, int fd, uint64_t size, ExternalMemory **out)
{
    if (type != OPAQUE_FD)
        return NOT_SUPPORTED;
    void *data;
    const int err = map_file(fd, size, &data);
    if (err)
        return err;
    close(fd);
    ExternalMemory *memory = object_create(EXTERNAL_MEMORY, sizeof(*memory));
    memory->data = data;
    memory->size = size;
    *out = memory;
    return OK;
}

int external_memory_map(ExternalMemory *memory, uint64_t offset, uint64_t size, uint64_t *out)
{
    if (!size || offset > memory->size || size > memory->size - offset)
        return INVALID_VALUE;
    return memory_wrap((char *)memory->data + offset, size, out);
}

/* The caller must have freed the mappings before. */
int external_memory_destroy(ExternalMemory *memory)
{
    munmap(memory->data, memory->size);
    object_forget(&memory->object);
    free(memory);
    return OK;
}

int semaphore_import(int type, int fd, Semaphore **out)
{
    if (type != OPAQUE_FD && type != TIMELINE_SEMAPHORE_FD)
        return NOT_SUPPORTED;
    void *counter;
    const int err = map_file(fd, sizeof(uint64_t), &counter);
    if (err)
        return err;
    close(fd);
    Semaphore *semaphore = object_create(SEMAPHORE, sizeof(*semaphore));
    semaphore->counter = counter;
    semaphore->timeline = type == TIMELINE_SEMAPHORE_FD;
    *out = semaphore;
    return OK;
}

int semaphore_destroy(Semaphore *semaphore)
{
    munmap((void *)semaphore->counter, sizeof(uint64_t));
    object_forget(&semaphore->object);
    free(semaphore);
    return OK;
}
