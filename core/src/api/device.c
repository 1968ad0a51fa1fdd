/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The public functions of libvmaf/device.h: they check their arguments and call inward. A
 * VmafDevice is a GpuSession. */
#include "engine/context.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "gpu/client.h"
#include "gpu/import.h"
#include "libvmaf/device.h"

const char *vmaf_backend_name(unsigned i)
{
    for (const GpuBackend *const *b = gpu_backends; *b; b++)
        if (!(*b)->hidden && i-- == 0)
            return (*b)->name;
    return NULL;
}

int vmaf_backend_built(const char *backend)
{
    const GpuBackend *b = backend ? gpu_backend_find(backend) : NULL;
    return b ? b->probe != NULL : -EINVAL;
}

const char *vmaf_backend_title(const char *backend)
{
    const GpuBackend *b = backend ? gpu_backend_find(backend) : NULL;
    return b ? b->title : NULL;
}

const char *vmaf_backend_needs(const char *backend)
{
    const GpuBackend *b = backend ? gpu_backend_find(backend) : NULL;
    return b ? b->needs : NULL;
}

static bool bad_info(const VmafDeviceInfo *info)
{
    return !info || info->size < offsetof(VmafDeviceInfo, missing) + sizeof(info->missing);
}

static void fill_info(VmafDeviceInfo *out, const GpuBackend *backend, unsigned index,
                      const GpuDeviceInfo *in, unsigned devices)
{
    VmafDeviceInfo full = {
        .size = out->size,
        .backend = backend->name,
        .index = index,
        .type = in->type,
        .memory = in->memory,
        .devices = devices,
    };
    memcpy(full.uuid, in->uuid, sizeof(full.uuid));
    memcpy(full.name, in->name, sizeof(full.name));
    memcpy(full.driver, in->driver, sizeof(full.driver));
    snprintf(full.api, sizeof(full.api), "%s", backend->title);
    memcpy(full.version, in->version, sizeof(full.version));
    memcpy(full.pci, in->pci, sizeof(full.pci));
    memcpy(full.missing, in->missing, sizeof(full.missing));
    /* A caller built against a newer header has a longer struct. */
    memcpy(out, &full, out->size < sizeof(full) ? out->size : sizeof(full));
}

int vmaf_device_info(const char *backend, unsigned index, VmafDeviceInfo *info)
{
    const GpuBackend *b = backend ? gpu_backend_find(backend) : NULL;
    if (!b || bad_info(info))
        return -EINVAL;
    if (!b->probe)
        return -ENOSYS;
    GpuProbe *probe;
    int err = b->probe(b, false, &probe);
    if (err)
        return err;
    if (index < probe->count)
        fill_info(info, b, index, &probe->devices[index], 1);
    else
        err = -ENODEV;
    b->probe_end(probe);
    return err;
}

int vmaf_backend_missing(const char *backend, int allow_software, char *why, size_t size)
{
    const GpuBackend *b = backend ? gpu_backend_find(backend) : NULL;
    const GpuWish wish = { .index = -1, .allow_software = allow_software != 0 };
    return b && why && size ? session_missing(b, &wish, why, size) : -EINVAL;
}

/* Returns the backend that the options name, and fills *wish from them. NULL: the options are
 * invalid. */
static const GpuBackend *read_options(const VmafDeviceOptions *options, GpuWish *wish)
{
    /* A caller built against an older header has a shorter struct. */
    VmafDeviceOptions full = { 0 };
    if (!options || options->size < offsetof(VmafDeviceOptions, required))
        return NULL;
    memcpy(&full, options, options->size < sizeof(full) ? options->size : sizeof(full));
    if (full.required && full.fallback_cpu) {
        log_error("the options of a device are invalid: required and fallback_cpu contradict each "
                  "other; set one of them");
        return NULL;
    }
    *wish = (GpuWish){ .index = -1,
                       .device = full.device,
                       .several = true,
                       .allow_software = full.allow_software != 0,
                       .validation = full.enable_validation != 0,
                       .quiet = full.quiet != 0,
                       .fallback_cpu = full.fallback_cpu != 0,
                       .required = full.required != 0,
                       .depth = full.max_outstanding_frames,
                       .upload_bytes = full.upload_bytes,
                       .expected = { full.expected_pairs, full.expected_pair_bytes } };
    const GpuBackend *const b = full.backend ? gpu_backend_find(full.backend) : NULL;
    if (!b && !full.quiet)
        log_error("the options of a device name %s%s%s: use one of vmaf_backend_name()",
                  full.backend ? "an unknown backend (" : "no backend",
                  full.backend ? full.backend : "", full.backend ? ")" : "");
    return b;
}

int vmaf_device_missing(const VmafDeviceOptions *options, char *why, size_t size)
{
    GpuWish wish;
    const GpuBackend *b = why && size ? read_options(options, &wish) : NULL;
    return b ? session_missing(b, &wish, why, size) : -EINVAL;
}

int vmaf_device_open(VmafDevice **device, const VmafDeviceOptions *options)
{
    if (!device)
        return -EINVAL;
    *device = NULL;
    GpuWish wish;
    const GpuBackend *b = read_options(options, &wish);
    if (!b)
        return -EINVAL;
    GpuSession *session;
    const int err = session_open(&session, b, &wish);
    *device = (VmafDevice *)session;
    return err;
}

int vmaf_device_expect(VmafDevice *device, const VmafDeviceOptions *options)
{
    const size_t least = offsetof(VmafDeviceOptions, upload_bytes) + sizeof(options->upload_bytes);
    if (!device || !options || options->size < least)
        return -EINVAL;
    return session_expect((GpuSession *)device, options->max_outstanding_frames,
                          options->upload_bytes);
}

int vmaf_device_get_info(const VmafDevice *device, VmafDeviceInfo *info)
{
    if (!device || bad_info(info))
        return -EINVAL;
    const GpuSession *session = (const GpuSession *)device;
    fill_info(info, session->backend, session->index, &session->info, session->more_count + 1);
    return 0;
}

int vmaf_use_device(VmafContext *vmaf, VmafDevice *device)
{
    if (!vmaf)
        return -EINVAL;
    return device ? session_use((GpuSession *)device, vmaf) : context_use_gpu(vmaf, NULL);
}

int vmaf_leave_device(VmafContext *vmaf)
{
    if (!vmaf || context_in_handler(vmaf))
        return -EINVAL;
    return context_leave_gpu(vmaf);
}

int vmaf_device_is_lost(const VmafDevice *device)
{
    return device && session_is_abandoned((const GpuSession *)device);
}

void vmaf_device_close(VmafDevice **device)
{
    if (!device)
        return;
    session_close((GpuSession *)*device);
    *device = NULL;
}

unsigned vmaf_pairs_in_flight(const VmafContext *vmaf)
{
    /* May open the device that the environment names. */
    return vmaf ? context_pairs_in_flight((VmafContext *)vmaf) : 0;
}

/* ---- pictures that are already on the device ---- */

static const enum GpuHandleType types[] = {
    [VMAF_MEMORY_OPAQUE_FD] = GPU_HANDLE_OPAQUE_FD,
    [VMAF_MEMORY_DMABUF] = GPU_HANDLE_DMABUF,
    [VMAF_MEMORY_WIN32] = GPU_HANDLE_WIN32,
    [VMAF_MEMORY_ADDRESS] = GPU_HANDLE_ADDRESS,
};

int vmaf_import_picture(VmafContext *vmaf, const VmafSharedPicture *picture)
{
    GpuClient *client = client_of(vmaf, NULL);
    if (!client || !picture || picture->size < sizeof(*picture) ||
        picture->type < VMAF_MEMORY_OPAQUE_FD || picture->type > VMAF_MEMORY_ADDRESS)
        return -EINVAL;
    GpuForeign waits[2];
    const GpuForeign signal = { picture->semaphore, picture->signal_value };
    GpuIncoming in = {
        .w = picture->w,
        .h = picture->h,
        .bpc = picture->bpc,
        .pix_fmt = picture->pix_fmt,
        .is_ref = picture->is_ref != 0,
        .index = picture->index,
        .waits = waits,
        .signals = &signal,
        .signal_count = picture->semaphore && picture->signal_value,
    };
    if (picture->semaphore && picture->wait_value)
        waits[in.wait_count++] = (GpuForeign){ picture->semaphore, picture->wait_value };
    if (picture->type == VMAF_MEMORY_ADDRESS && client->session->backend->streams)
        waits[in.wait_count++] = (GpuForeign){ picture->stream, 0 };

    GpuForeignPicture memory = {
        .memory = { types[picture->type], picture->handle, picture->bytes },
    };
    for (unsigned p = 0; p < 3; p++) {
        memory.offset[p] = picture->offset[p];
        memory.stride[p] = picture->stride[p];
    }
    return imports_add_memory(client->imports, &in, &memory);
}

int vmaf_read_imported_pictures(VmafContext *vmaf, unsigned index)
{
    GpuClient *client = client_of(vmaf, NULL);
    return client ? client_read_imported(client, index) : -EINVAL;
}
