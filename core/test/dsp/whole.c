/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "dsp/whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernels of vif's scales. motion uses the third. */
static const struct {
    int reach;
    int64_t taps[17];
} kernels[VIF_SCALES] = {
    { 8,
      { 489, 935, 1640, 2640, 3896, 5274, 6547, 7455, 7784, 7455, 6547, 5274, 3896, 2640, 1640, 935,
        489 } },
    { 4, { 1244, 3663, 7925, 12590, 14692, 12590, 7925, 3663, 1244 } },
    { 2, { 3571, 16004, 26386, 16004, 3571 } },
    { 1, { 10904, 43728, 10904 } },
};

typedef struct Plane {
    int w, h;
    int64_t *at;
} Plane;

static Plane new_plane(int w, int h)
{
    const Plane plane = { w, h, malloc((size_t)w * (size_t)h * sizeof(int64_t)) };
    if (!plane.at) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return plane;
}

static Plane picture(const WholeFrame *frame, int i)
{
    Plane plane = new_plane(frame->w, frame->h);
    for (int k = 0; k < plane.w * plane.h; k++)
        plane.at[k] = frame->bpc > 8 ? ((const uint16_t *)frame->planes[i])[k]
                                     : ((const uint8_t *)frame->planes[i])[k];
    return plane;
}

static int reflected(int i, int n)
{
    while (i < 0 || i >= n)
        i = i < 0 ? -i : 2 * (n - 1) - i;
    return i;
}

static int64_t round_shift(int64_t v, int bits)
{
    return bits ? (v + (INT64_C(1) << (bits - 1))) >> bits : v;
}

/* Filters in one direction, rounds, and frees its input. */
static Plane filtered(Plane in, int kernel, bool across, int shift)
{
    Plane out = new_plane(in.w, in.h);
    const int reach = kernels[kernel].reach;
    for (int y = 0; y < in.h; y++) {
        for (int x = 0; x < in.w; x++) {
            int64_t sum = 0;
            for (int k = -reach; k <= reach; k++) {
                const int row = across ? y : reflected(y + k, in.h);
                const int column = across ? reflected(x + k, in.w) : x;
                sum += kernels[kernel].taps[reach + k] * in.at[row * in.w + column];
            }
            out.at[y * in.w + x] = round_shift(sum, shift);
        }
    }
    free(in.at);
    return out;
}

static Plane product(const Plane *a, const Plane *b)
{
    Plane out = new_plane(a->w, a->h);
    for (int i = 0; i < a->w * a->h; i++)
        out.at[i] = a->at[i] * b->at[i];
    return out;
}

static Plane copy(const Plane *from)
{
    Plane out = new_plane(from->w, from->h);
    memcpy(out.at, from->at, (size_t)from->w * (size_t)from->h * sizeof(*out.at));
    return out;
}

static Plane halved(Plane in, int scale, int depth)
{
    Plane low = filtered(filtered(in, scale, false, depth), scale, true, 16);
    Plane out = new_plane(in.w / 2, in.h / 2);
    for (int y = 0; y < out.h; y++)
        for (int x = 0; x < out.w; x++)
            out.at[y * out.w + x] = low.at[2 * y * low.w + 2 * x];
    free(low.at);
    return out;
}

static void vif_scale(const Plane *ref, const Plane *dist, int scale, unsigned bpc,
                      const VifPixelParams *params, VifSums *sums)
{
    const int depth = scale ? 16 : (int)bpc, square = scale ? 16 : 2 * ((int)bpc - 8);
    Plane mean[2], moment[3]; /* mean of ref and dist; of their squares and their product */
    for (int i = 0; i < 2; i++)
        mean[i] = filtered(filtered(copy(i ? dist : ref), scale, false, depth), scale, true, 0);
    for (int i = 0; i < 3; i++) {
        const Plane p = product(i == 1 ? dist : ref, i ? dist : ref);
        moment[i] = filtered(filtered(p, scale, false, square), scale, true, 16);
    }
    *sums = (VifSums){ 0 };
    for (int k = 0; k < ref->w * ref->h; k++) {
        const int64_t r = mean[0].at[k], d = mean[1].at[k];
        const int64_t var_ref = moment[0].at[k] - round_shift(r * r, 32);
        const int64_t var_dis = moment[1].at[k] - round_shift(d * d, 32);
        const int64_t cov = moment[2].at[k] - round_shift(r * d, 32);
        vif_add_pixel(sums, (int32_t)var_ref, var_dis > 0 ? (int32_t)var_dis : 0, (int32_t)cov,
                      params);
    }
    for (int i = 0; i < 2; i++)
        free(mean[i].at);
    for (int i = 0; i < 3; i++)
        free(moment[i].at);
}

void whole_vif(const WholeFrame *frame, const VifPixelParams *params, VifResult *result)
{
    Plane ref = picture(frame, 0), dist = picture(frame, 1);
    for (int scale = 0; scale < VIF_SCALES; scale++) {
        if (scale > 0) {
            const int depth = scale == 1 ? (int)frame->bpc : 16;
            ref = halved(ref, scale, depth);
            dist = halved(dist, scale, depth);
        }
        vif_scale(&ref, &dist, scale, frame->bpc, params, &result->scale[scale]);
    }
    free(ref.at);
    free(dist.at);
}

uint64_t whole_motion(const WholeFrame *frame)
{
    enum { KERNEL = 2 };
    Plane earlier = picture(frame, 0), current = picture(frame, 1);
    uint64_t sad = 0;
    for (int i = 0; i < frame->w * frame->h; i++)
        earlier.at[i] -= current.at[i];
    const Plane blurred =
        filtered(filtered(earlier, KERNEL, false, (int)frame->bpc), KERNEL, true, 16);
    for (int i = 0; i < frame->w * frame->h; i++)
        sad += (uint64_t)llabs(blurred.at[i]);
    free(current.at);
    free(blurred.at);
    return sad;
}
