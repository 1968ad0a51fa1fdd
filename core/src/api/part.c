/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The public functions of libvmaf/part.h: they check their arguments and call inward. */
#include "libvmaf/part.h"

#include <errno.h>
#include <string.h>

#include "engine/part.h"
#include "engine/picture.h"

int vmaf_part_reach(const VmafContext *vmaf, unsigned *pairs)
{
    if (!vmaf || !pairs)
        return -EINVAL;
    *pairs = part_reach(vmaf);
    return 0;
}

int vmaf_part_record(VmafContext *vmaf, unsigned first)
{
    return vmaf ? part_record(vmaf, first) : -EINVAL;
}

int vmaf_part_kinds(VmafContext *vmaf, unsigned feature, const char **kinds)
{
    return vmaf && kinds ? part_kinds(vmaf, feature, kinds) : -EINVAL;
}

int vmaf_part_values(const VmafContext *vmaf, unsigned feature, unsigned index,
                     VmafPartValue *values)
{
    return vmaf && values ? part_values(vmaf, feature, index, values) : -EINVAL;
}

int vmaf_part_replay(VmafContext *vmaf, const VmafPartShape *shape, unsigned index,
                     const VmafPartValue *const *values)
{
    FrameShape own;
    if (!vmaf || !shape || !values || shape->size < sizeof(*shape) ||
        shape_init(&own, shape->pix_fmt, shape->bpc, shape->w, shape->h))
        return -EINVAL;
    return part_replay(vmaf, &own, index, values);
}

int vmaf_part_place(VmafContext *vmaf, unsigned feature, const VmafFeatureInfo *place)
{
    VmafFeatureInfo full = { .size = sizeof(full), .device_index = -1 };
    if (!vmaf || !place || place->size < sizeof(place->size))
        return -EINVAL;
    memcpy(&full, place, place->size < sizeof(full) ? place->size : sizeof(full));
    return part_set_place(vmaf, feature, &full);
}

int vmaf_part_speed(VmafContext *vmaf, unsigned threads, double seconds)
{
    return vmaf ? part_set_speed(vmaf, threads, seconds) : -EINVAL;
}
