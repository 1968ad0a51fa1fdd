#include <errno.h>
#include <stdio.h>

#include "gpu.h"
#include "message.h"

int gpu_create(Gpu **gpu, const Options *options, VmafContext *vmaf)
{
    if (options->backend == BACKEND_CPU)
        return 0;
    if (options->backend == BACKEND_AUTO) {
        say("no GPU backend in this build: using the CPU");
        return 0;
    }
    say("the %s backend is not in this build; leave --backend out to use the CPU",
        backend_names[options->backend]);
    return -ENOSYS;
}

void gpu_destroy(Gpu *gpu)
{
}

int gpu_list_devices(void)
{
    say("no GPU backend in this build");
    return -ENOSYS;
}
