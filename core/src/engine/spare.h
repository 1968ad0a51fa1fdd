/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Memory of pictures that programs allocate one by one, as FFmpeg's filter does for each frame.
 * While there is a context, memory that comes back is kept and handed out again: new memory costs a
 * page fault for every page of it, and the program's thread waits for these. If a context scores on
 * a device, the memory is one that this device copies from directly. Any thread may call these
 * functions. */
#ifndef ENGINE_SPARE_H
#define ENGINE_SPARE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct GpuDevice GpuDevice;
typedef struct SpareBlock SpareBlock;

/* Takes a block of zeroed memory, aligned for pictures, which is in *memory. -ENOMEM: there is
 * none; other errors are the device's. */
int spare_take(SpareBlock **block, size_t size, void **memory);
/* Clears the memory and keeps it, or frees it. */
void spare_give_back(SpareBlock *block);

/* From the first context on memory is kept; with the last one it is freed. */
void spare_enter(void);
void spare_leave(void);

/* From now on memory of this device is handed out. False: that of another device is. */
bool spare_use_device(GpuDevice *device);
/* After spare_use_device returned true: ends it, with the last that used the same device. */
void spare_leave_device(void);

#endif
