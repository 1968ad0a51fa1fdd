/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/backend/cuda_hip/cuda_join.h"

#include <string.h>

#include "base/mem.h"

/* All texts begin alike, up to this line. */
static const char head_end[] = "\n.address_size 64\n";

char *cuda_join(const KernelImage *const *images, unsigned count)
{
    size_t size = 1, used = 0;
    for (unsigned i = 0; i < count; i++)
        size += images[i]->size;
    char *const text = mem_alloc(size);
    for (unsigned i = 0; text && i < count; i++) {
        const char *const whole = images[i]->data, *const end = strstr(whole, head_end);
        const char *const part = i && end ? end + strlen(head_end) : whole;
        const size_t length = strlen(part);
        memcpy(text + used, part, length);
        used += length;
    }
    if (text)
        text[used] = '\0';
    return text;
}
