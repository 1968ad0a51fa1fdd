/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Kernels in C, and a host device with the objects that most tests need. */
#ifndef TEST_GPU_HOST_KIT_H
#define TEST_GPU_HOST_KIT_H

#include "gpu/backend/host/host.h"
#include "testing.h"

#define GROUP 64
#define GROUPS 4
#define WORDS (GROUP * GROUPS)
#define BYTES (WORDS * sizeof(uint32_t))
#define SHORT_NS 20000000 /* long enough to show that nothing happens */

/* Kernels with two buffers and two words of parameters; host_kit.c describes them. */
extern const KernelInfo add_info, turn_info, turn_twice_info, undefined_info, miss_info,
    two_places_info;
extern const HostKernel *const kernels[]; /* all of the above */

typedef struct Rig {
    GpuDevice *dev;
    const GpuOps *ops;
    GpuBuffer *staging, *a, *b, *readback;
    GpuKernel *kernel;
    GpuBindings *a_to_b, *b_to_a;
    GpuCommands *compute[2], *transfer[2];
} Rig;

static inline GpuRange whole(GpuBuffer *buffer)
{
    return (GpuRange){ buffer, 0, buffer->size };
}

/* Creates a device with these kernels and fills the struct. `kernel` is the one that `info`
 * names. */
void set_up(Rig *rig, enum HostSchedule schedule, uint64_t seed, const KernelInfo *info);
void tear_down(Rig *rig);

/* Writes the words of a frame to the staging buffer. set_up does so for frame 0. */
void paint(const Rig *rig, unsigned frame);
/* True if the readback holds the frame's words, each with `plus` added. `turned`: reversed within
 * each workgroup. */
bool holds(const Rig *rig, unsigned frame, uint32_t plus, bool turned);

void copy(const Rig *rig, GpuCommands *commands, GpuBuffer *from, GpuBuffer *to);
void dispatch(const Rig *rig, GpuCommands *commands, GpuBindings *bindings, uint32_t param);
GpuPoint submit(const Rig *rig, enum GpuQueue queue, GpuCommands *commands, const GpuPoint *wait);

#endif
