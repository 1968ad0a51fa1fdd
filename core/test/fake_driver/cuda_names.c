/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* CUDA functions that FFmpeg's libraries must find when they load, but never call in the tests. */
#include "fake_driver.h"

#define UNSUPPORTED(name)                                                                          \
    __attribute__((visibility("default"))) int name(void);                                         \
    int name(void)                                                                                 \
    {                                                                                              \
        complain(#name " is not implemented");                                                     \
        return NOT_SUPPORTED;                                                                      \
    }

UNSUPPORTED(cuArray3DCreate_v2)
UNSUPPORTED(cuArrayCreate_v2)
UNSUPPORTED(cuArrayDestroy)
UNSUPPORTED(cuCtxSetLimit)
UNSUPPORTED(cuDeviceComputeCapability)
UNSUPPORTED(cuDevicePrimaryCtxReset)
UNSUPPORTED(cuGLGetDevices_v2)
UNSUPPORTED(cuGraphicsGLRegisterImage)
UNSUPPORTED(cuGraphicsMapResources)
UNSUPPORTED(cuGraphicsResourceGetMappedPointer_v2)
UNSUPPORTED(cuGraphicsSubResourceGetMappedArray)
UNSUPPORTED(cuGraphicsUnmapResources)
UNSUPPORTED(cuGraphicsUnregisterResource)
UNSUPPORTED(cuLinkAddData)
UNSUPPORTED(cuLinkComplete)
UNSUPPORTED(cuLinkCreate)
UNSUPPORTED(cuLinkDestroy)
UNSUPPORTED(cuMemAllocManaged)
UNSUPPORTED(cuMemAllocPitch_v2)
UNSUPPORTED(cuMemcpy)
UNSUPPORTED(cuMemcpy2D_v2)
UNSUPPORTED(cuMemcpyAsync)
UNSUPPORTED(cuMemcpyDtoD_v2)
UNSUPPORTED(cuMemcpyDtoH_v2)
UNSUPPORTED(cuMemcpyHtoD_v2)
UNSUPPORTED(cuMemsetD8Async)
UNSUPPORTED(cuModuleGetGlobal)
UNSUPPORTED(cuStreamAddCallback)
UNSUPPORTED(cuStreamQuery)
UNSUPPORTED(cuTexObjectCreate)
UNSUPPORTED(cuTexObjectDestroy)
