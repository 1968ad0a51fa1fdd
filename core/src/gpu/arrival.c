/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/arrival.h"

#include "base/mem.h"
#include "engine/picture.h"

void arrival_init(GpuArrival *arrival)
{
    arrival->submitted = false;
    atomic_init(&arrival->has_left, false);
    atomic_init(&arrival->references, 1);
}

static void release_pair(const GpuRelease release[2])
{
    for (unsigned side = 0; side < 2; side++)
        if (release[side].call)
            release[side].call(release[side].opaque);
}

static void free_arrival(GpuArrival *arrival)
{
    mem_free(arrival);
}

void *arrival_create(size_t size, const GpuRelease release[2])
{
    GpuArrival *arrival = mem_zalloc(size);
    if (!arrival) {
        release_pair(release);
        return NULL;
    }
    arrival->release[0] = release[0];
    arrival->release[1] = release[1];
    arrival->destroy = free_arrival;
    arrival_init(arrival);
    return arrival;
}

void arrival_leave(GpuArrival *arrival)
{
    if (!atomic_exchange(&arrival->has_left, true))
        release_pair(arrival->release);
}

void arrival_release(GpuArrival *arrival)
{
    if (atomic_fetch_sub(&arrival->references, 1) != 1)
        return;
    arrival_leave(arrival);
    arrival->destroy(arrival);
}

static void give_back(VmafPicture *pic, void *arrival)
{
    arrival_release(arrival);
}

GpuArrival *arrival_of(const VmafPicture *pic)
{
    return picture_cookie(pic, give_back);
}

static int make_picture(GpuArrival *arrival, const FrameShape *shape, VmafPicture *pic)
{
    const int err = picture_wrap(pic, shape, NULL, give_back, arrival);
    if (err)
        return err;
    atomic_fetch_add(&arrival->references, 1);
    for (unsigned p = 0; p < 3; p++) {
        pic->data[p] = NULL;
        /* The device checks the samples, and the result is known when the frame is collected. */
        range_set(pic, p, false);
    }
    return 0;
}

int arrival_pictures(GpuArrival *arrival, const FrameShape *shape, VmafPicture *ref,
                     VmafPicture *dist)
{
    *ref = *dist = (VmafPicture){ 0 };
    int err = make_picture(arrival, shape, ref);
    if (!err)
        err = make_picture(arrival, shape, dist);
    if (err)
        picture_release(ref);
    return err;
}
