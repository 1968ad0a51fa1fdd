/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Memory of pictures that programs allocate one by one, as FFmpeg's filter does for each frame.
 * While a context exists, memory that comes back is kept for later pictures: new memory costs a
 * page fault for every page of it, and the program's thread waits for these. If a context scores on
 * a device, the memory is of a kind that this device copies from directly. Any thread may call
 * these functions. */
#ifndef ENGINE_SPARE_H
#define ENGINE_SPARE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct GpuDevice GpuDevice;
typedef struct SpareBlock SpareBlock;

/* Returns a block of zeroed memory, aligned for pictures, and its address in *memory. The caller
 * owns it until spare_give_back. -ENOMEM: there is none; other errors are the device's. */
int spare_take(SpareBlock **block, size_t size, void **memory);
/* Takes the block back: clears the memory and keeps it, or frees it. */
void spare_give_back(SpareBlock *block);

/* Called by each context: memory is kept from the first one's spare_enter on, and freed with the
 * last one's spare_leave. */
void spare_enter(void);
void spare_leave(void);

/* Makes spare_take return memory of this device from now on. Returns false if another device is in
 * use already. */
bool spare_use_device(GpuDevice *device);
/* Ends one use that spare_use_device began. After the last one, memory is ordinary again. */
void spare_leave_device(void);

#endif
