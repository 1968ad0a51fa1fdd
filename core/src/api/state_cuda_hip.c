/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "api/state_cuda_hip.h"

#include <errno.h>
#include <pthread.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/context.h"
#include "gpu/client.h"
#include "gpu/upload.h"

struct CudaHipState {
    CudaHipSource source;
    pthread_mutex_t lock;
    GpuSession *session; /* guarded by the lock; NULL once a context has it */
};

/* ---- states ---- */

static int open_session(const CudaHipSource *source, GpuSession **session)
{
    *session = NULL;
    if (source->by_index)
        return session_open(
            session, source->backend,
            &(GpuWish){ .index = source->index, .fallback_cpu = source->fallback_cpu });
    if (!source->api) {
        log_error("%s: no %s on this machine; install it, or use the CPU", source->backend->name,
                  source->backend->needs);
        return -ENOSYS;
    }
    GpuDevice *device;
    GpuDeviceInfo info;
    int err = cuda_hip_adopt(source->api, source->context, &device, &info);
    if (!err)
        err = session_adopt(session, source->backend, device, &info, 0);
    if (!err)
        (*session)->fallback_cpu = source->fallback_cpu;
    return err;
}

int cuda_hip_state_create(CudaHipState **out, const CudaHipSource *source)
{
    *out = NULL;
    CudaHipState *state = mem_zalloc(sizeof(*state));
    if (!state)
        return -ENOMEM;
    state->source = *source;
    const int err = open_session(source, &state->session);
    if (err) {
        mem_free(state);
        return err;
    }
    pthread_mutex_init(&state->lock, NULL);
    *out = state;
    return 0;
}

void cuda_hip_state_destroy(CudaHipState *state)
{
    if (!state)
        return;
    session_close(state->session);
    pthread_mutex_destroy(&state->lock);
    mem_free(state);
}

int cuda_hip_state_use(CudaHipState *state, VmafContext *vmaf)
{
    pthread_mutex_lock(&state->lock);
    GpuSession *session = state->session;
    state->session = NULL;
    pthread_mutex_unlock(&state->lock);
    int err = session ? 0 : open_session(&state->source, &session);
    if (!err)
        err = session_use(session, vmaf);
    session_close(session); /* the context holds it now */
    return err;
}

/* ---- pictures ---- */

static int alloc_device(void *device, size_t size, void **block)
{
    return upload_alloc_device(device, size, cuda_hip_address, block);
}

static void free_device(void *device, void *block)
{
    upload_free(device, block);
}

int cuda_hip_preallocate(VmafContext *vmaf, const GpuBackend *backend,
                         const CudaHipPictureParams *params)
{
    static const enum SessionPictures kinds[] = {
        [CUDA_HIP_PICTURES_NONE] = SESSION_PICTURES_NONE,
        [CUDA_HIP_PICTURES_DEVICE] = SESSION_PICTURES_DEVICE,
        [CUDA_HIP_PICTURES_HOST] = SESSION_PICTURES_HOST,
        [CUDA_HIP_PICTURES_HOST_PINNED] = SESSION_PICTURES_UPLOAD,
    };
    GpuClient *client = client_of(vmaf, backend);
    if (!client || (unsigned)params->method >= sizeof(kinds) / sizeof(kinds[0]))
        return -EINVAL;
    if (params->method == CUDA_HIP_PICTURES_NONE) /* with a pool, too */
        return 0;
    const PoolMemory device = {
        .alloc = alloc_device,
        .free = free_device,
        .opaque = client->session->device,
        .as_is = true,
    };
    return session_preallocate(vmaf, backend,
                               &(SessionPool){ params->w, params->h, params->bpc, params->pix_fmt,
                                               kinds[params->method], &device });
}

int cuda_hip_fetch_picture(VmafContext *vmaf, const GpuBackend *backend, VmafPicture *pic)
{
    return pic && client_of(vmaf, backend) ? context_fetch_pooled(vmaf, pic) : -EINVAL;
}

/* ---- semaphores ---- */

int cuda_hip_import_semaphore(VmafContext *vmaf, const GpuBackend *backend, intptr_t handle,
                              uintptr_t *semaphore)
{
    GpuClient *client = client_of(vmaf, backend);
    if (!client || !semaphore)
        return -EINVAL;
#ifdef _WIN32
    const GpuHandle shared = { .type = GPU_HANDLE_WIN32, .value = handle };
#else
    const GpuHandle shared = { .type = GPU_HANDLE_OPAQUE_FD, .value = handle };
#endif
    return cuda_hip_semaphore_import(client->session->device, &shared, semaphore);
}

int cuda_hip_free_semaphore(VmafContext *vmaf, const GpuBackend *backend, uintptr_t semaphore)
{
    GpuClient *client = client_of(vmaf, backend);
    if (!client)
        return -EINVAL;
    cuda_hip_semaphore_destroy(client->session->device, semaphore);
    return 0;
}
