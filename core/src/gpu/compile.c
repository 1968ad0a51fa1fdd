/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/compile.h"

#include <assert.h>
#include <stdatomic.h>

#include "base/mem.h"
#include "engine/team.h"
#include "gpu/kernels.h"

#define COMPILE_THREADS 16

struct Compile {
    GpuDevice *device;
    atomic_int err;
    unsigned count;
    const KernelInfo *kernels[]; /* room for all there are */
};

Compile *compile_create(GpuDevice *device)
{
    unsigned all = 0;
    while (kernel_infos[all].name)
        all++;
    Compile *compile = mem_zalloc(sizeof(*compile) + all * sizeof(*compile->kernels));
    if (compile)
        compile->device = device;
    return compile;
}

static bool has_kernel(const Compile *compile, const KernelInfo *info)
{
    unsigned i = 0;
    while (i < compile->count && compile->kernels[i] != info)
        i++;
    return i < compile->count;
}

static atomic_ullong *word_of(GpuDevice *device, const KernelInfo *info, unsigned long long *bit)
{
    const size_t number = (size_t)(info - kernel_infos);
    assert(number / 64 < sizeof(device->made) / sizeof(*device->made));
    *bit = 1ull << number % 64;
    return &device->made[number / 64];
}

static bool is_made(GpuDevice *device, const KernelInfo *info)
{
    unsigned long long bit;
    return atomic_load(word_of(device, info, &bit)) & bit;
}

void compile_add(Compile *compile, const GpuPlan *plan)
{
    for (unsigned p = 0; p < plan->pass_count; p++) {
        const KernelInfo *info = gpu_kernel_for(compile->device, plan->passes[p].kernel);
        if (info && !has_kernel(compile, info) && !is_made(compile->device, info))
            compile->kernels[compile->count++] = info;
    }
}

static void compile_one(void *arg, unsigned job)
{
    Compile *compile = arg;
    GpuKernel *kernel; /* the device keeps it */
    int none = 0;
    if (atomic_load(&compile->err))
        return;
    const KernelInfo *info = compile->kernels[job];
    const int err = compile->device->ops->kernel_get(compile->device, info, &kernel);
    unsigned long long bit;
    if (err)
        atomic_compare_exchange_strong(&compile->err, &none, err);
    else
        atomic_fetch_or(word_of(compile->device, info, &bit), bit);
}

int compile_finish(Compile *compile)
{
    const unsigned count = compile->count;
    const GpuOps *ops = compile->device->ops;
    Team *team = NULL;
    if (count > 1 && ops->kernels_ahead)
        ops->kernels_ahead(compile->device, compile->kernels, count);
    int err = count > 1 ? team_create(&team, count < COMPILE_THREADS ? count : COMPILE_THREADS) : 0;
    if (!err)
        team_run(team, count, compile_one, compile);
    if (team)
        team_destroy(team);
    err = err ? err : atomic_load(&compile->err);
    mem_free(compile);
    return err;
}
