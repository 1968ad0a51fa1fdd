/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/resident.h"

#include <errno.h>

#include "base/log.h"
#include "engine/context.h"
#include "engine/picture.h"
#include "gpu/upload.h"

void resident_close(Resident *resident)
{
    for (unsigned side = 0; side < 2; side++)
        import_range_destroy(resident->device, &resident->ranges[side]);
    resident->device->ops->commands_destroy(resident->device, resident->commands);
}

/* Makes both queues wait for the copies that the caller has enqueued, since the caller does not. */
static int order_after_callers(GpuDevice *device)
{
    const GpuForeign callers = { 0, 0 };
    int err = 0;
    for (unsigned q = GPU_COMPUTE; !err && q <= GPU_TRANSFER; q++) {
        GpuPoint done;
        err = gpu_device_submit(device,
                                &(GpuSubmit){ .queue = (enum GpuQueue)q,
                                              .foreign_waits = &callers,
                                              .foreign_wait_count = 1 },
                                &done);
    }
    return err;
}

/* ---- chroma that nobody filled ---- */

/* True if the plane is as upload_alloc_device left it. */
static bool is_unwritten(const VmafPicture *view, unsigned p)
{
    const uint32_t word = UPLOAD_UNWRITTEN;
    const size_t row = (size_t)view->w[p] * (view->bpc > 8 ? 2 : 1);
    if (!row || !view->h[p])
        return false;
    for (unsigned y = 0; y < view->h[p]; y++) {
        const char *at = (const char *)view->data[p] + (ptrdiff_t)y * view->stride[p];
        for (size_t i = 0; i < row; i++)
            if (at[i] != ((const char *)&word)[i % sizeof(word)])
                return false;
    }
    return true;
}

/* Fails if a feature reads chroma and the caller filled only luma, as FFmpeg's filter does for any
 * format: the scores would be wrong. */
static int check_chroma(Resident *resident, const VmafPicture *ref, const VmafPicture *dist,
                        const char *feature)
{
    VmafPicture views[2];
    int err = upload_view(resident->device, ref, &views[0]);
    if (!err)
        err = upload_view(resident->device, dist, &views[1]);
    if (err)
        return err;
    for (unsigned i = 0; i < 4; i++) {
        if (!is_unwritten(&views[i / 2], 1 + i % 2))
            continue;
        log_error(
            "%s: feature \"%s\" reads chroma, but only luma was copied to the pictures on the "
            "device (as FFmpeg's filter does); turn chroma off in the feature, or pass pictures in "
            "host memory",
            resident->device->backend, feature);
        return -EINVAL;
    }
    resident->has_chroma = true;
    return 0;
}

/* ---- samples above the depth (engine/picture.h) ---- */

static int record_look(Resident *resident, VmafPicture *const pics[2])
{
    GpuDevice *device = resident->device;
    const GpuOps *ops = device->ops;
    int err = 0;
    if (!resident->commands)
        err = ops->commands_create(device, GPU_COMPUTE, &resident->commands);
    if (err)
        return err;
    ops->begin(resident->commands);
    for (unsigned side = 0; !err && side < 2; side++) {
        FrameShape shape;
        shape_of_picture(&shape, pics[side]);
        ImportTarget target = { .device = device,
                                .shape = &shape,
                                .commands = resident->commands,
                                .picture = upload_source(device, pics[side]) };
        for (unsigned p = 0; p < 3; p++) {
            target.offset[p] = import_plane_offset(&shape, p);
            target.planes |= (shape.w[p] && shape.h[p] ? 1u : 0) << p;
        }
        err = import_range_record(&target, &resident->ranges[side]);
    }
    ops->barrier(resident->commands);
    const int end_err = ops->end(resident->commands);
    return err ? err : end_err;
}

static int look_at_range(Resident *resident, VmafPicture *const pics[2])
{
    int err = record_look(resident, pics);
    if (!err)
        err = gpu_device_run(resident->device, resident->commands);
    for (unsigned side = 0; !err && side < 2; side++)
        import_range_note(&resident->ranges[side], pics[side]);
    return err;
}

/* ---- admitting a pair ---- */

static int view_if_needed(Resident *resident, bool on_cpu, VmafPicture *pic)
{
    bool known = true;
    for (unsigned p = 0; p < 3; p++)
        known = known && range_is_known(pic, p);
    return on_cpu || !known ? upload_view(resident->device, pic, pic) : 0;
}

int resident_admit(Resident *resident, const VmafContext *context, VmafPicture *ref,
                   VmafPicture *dist)
{
    GpuDevice *device = resident->device;
    const bool there = upload_is_device(device, ref);
    if (there != upload_is_device(device, dist)) {
        log_error("%s: one picture of the pair is on the device and the other is not",
                  device->backend);
        return -EINVAL;
    }
    if (!there)
        return 0;
    ContextNeeds needs;
    context_needs(context, &needs);
    int err = order_after_callers(device);
    if (!err && needs.chroma && !resident->has_chroma)
        err = check_chroma(resident, ref, dist, needs.chroma);
    if (!err && range_matters(ref->bpc) && !needs.on_cpu)
        err = look_at_range(resident, (VmafPicture *const[2]){ ref, dist });
    if (!err)
        err = view_if_needed(resident, needs.on_cpu, ref);
    return err ? err : view_if_needed(resident, needs.on_cpu, dist);
}
