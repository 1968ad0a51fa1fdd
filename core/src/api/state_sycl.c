/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The public functions of libvmaf_sycl.h. A VmafSyclState is a GpuSession. Frame buffers are in
 * frames.c, times in profile.c. */
#include <errno.h>
#include <stdio.h>

#include "base/log.h"
#include "engine/context.h"
#include "libvmaf/libvmaf_sycl.h"
#include "gpu/backend/sycl/device.h"

/* ---- devices ---- */

int vmaf_sycl_list_devices(void)
{
    GpuProbe *probe;
    const int err = sycl_backend.probe(&sycl_backend, false, &probe);
    if (err == -ENODEV)
        return 0;
    if (err == -ENOSYS)
        log_error("sycl: no %s on this machine", sycl_backend.needs);
    if (err)
        return err;
    for (unsigned i = 0; i < probe->count; i++)
        printf("%u: %s (%s)\n", i, probe->devices[i].name, probe->devices[i].driver);
    const int count = (int)probe->count;
    sycl_backend.probe_end(probe);
    return count;
}

/* ---- states ---- */

static int init_by_wish(VmafSyclState **state, const GpuWish *wish, bool profiling)
{
    GpuSession *session;
    int err = session_open(&session, &sycl_backend, wish);
    if (!err && profiling) {
        err = vmaf_sycl_profiling_enable((VmafSyclState *)session);
        if (err) {
            session_close(session);
            session = NULL;
        }
    }
    *state = (VmafSyclState *)session;
    return err;
}

int vmaf_sycl_state_init(VmafSyclState **state, VmafSyclConfiguration cfg)
{
    if (!state)
        return -EINVAL;
    *state = NULL;
    if (cfg.device_index < -1)
        return -EINVAL;
    return init_by_wish(state, &(GpuWish){ .index = cfg.device_index }, cfg.enable_profiling != 0);
}

int vmaf_sycl_state_init_with_options(VmafSyclState **state, const VmafSyclOptions *options)
{
    if (state)
        *state = NULL;
    if (!state || !options || options->size < sizeof(*options))
        return -EINVAL;
    const GpuWish wish = { .index = -1,
                           .device = options->device,
                           .allow_software = options->allow_software != 0,
                           .fallback_cpu = options->fallback_cpu != 0 };
    return init_by_wish(state, &wish, options->enable_profiling != 0);
}

int vmaf_sycl_import_state(VmafContext *vmaf, VmafSyclState *state)
{
    return vmaf && state ? session_use(sycl_session(state), vmaf) : -EINVAL;
}

void vmaf_sycl_state_free(VmafSyclState **state)
{
    if (!state)
        return;
    session_close(sycl_session(*state));
    *state = NULL;
}

/* ---- pictures ---- */

int vmaf_sycl_preallocate_pictures(VmafContext *vmaf, VmafSyclPictureConfiguration cfg)
{
    static const enum SessionPictures kinds[] = {
        [VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_NONE] = SESSION_PICTURES_NONE,
        [VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_HOST] = SESSION_PICTURES_HOST,
        [VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_DEVICE] = SESSION_PICTURES_UPLOAD,
    };
    if ((unsigned)cfg.pic_prealloc_method >= sizeof(kinds) / sizeof(kinds[0]))
        return -EINVAL;
    return session_preallocate(vmaf, &sycl_backend,
                               &(SessionPool){ cfg.pic_params.w, cfg.pic_params.h,
                                               cfg.pic_params.bpc, cfg.pic_params.pix_fmt,
                                               kinds[cfg.pic_prealloc_method], NULL });
}

int vmaf_sycl_picture_fetch(VmafContext *vmaf, VmafPicture *pic)
{
    return vmaf && pic ? context_fetch_picture(vmaf, pic) : -EINVAL;
}

/* ---- work under way ---- */

int vmaf_sycl_wait_compute(VmafContext *vmaf)
{
    GpuClient *client = client_of(vmaf, &sycl_backend);
    return client ? gpu_device_drain(client->session->device) : -EINVAL;
}

int vmaf_flush_sycl(VmafContext *vmaf)
{
    return client_of(vmaf, &sycl_backend) ? context_flush(vmaf) : -EINVAL;
}

/* ---- memory of others ---- */

int vmaf_sycl_dmabuf_import(VmafSyclState *state, int fd, size_t size, void **ptr)
{
    if (ptr)
        *ptr = NULL;
    if (!state || !ptr || fd < 0 || !size)
        return -EINVAL;
    SyclDevice *dev = sycl_device(sycl_session(state)->device);
    if (gpu_device_is_abandoned(&dev->gpu))
        return -EIO;
    const int err = dev->plugin->import_dmabuf(dev->handle, fd, size, ptr);
    if (err)
        log_error("sycl: %s: a file descriptor was not imported: %s", dev->gpu.name,
                  dev->plugin->error());
    return err ? -EIO : 0;
}

void vmaf_sycl_dmabuf_free(VmafSyclState *state, void *ptr)
{
    if (!state || !ptr)
        return;
    SyclDevice *dev = sycl_device(sycl_session(state)->device);
    if (!gpu_device_is_abandoned(&dev->gpu))
        dev->plugin->release_dmabuf(dev->handle, ptr);
}
