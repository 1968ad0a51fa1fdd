/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/reader.h"
#include "synth.h"

const char *const synth_kind_names[SYNTH_KINDS] = { "same",    "blur",  "noise", "quant",
                                                    "dim",     "shift", "mix",   "flat",
                                                    "extreme", "check", "bands" };

const SynthClip synth_clips[] = {
    { "blur_64x64", SYNTH_BLUR, 64, 64, VMAF_PIX_FMT_YUV420P, 8, 4 },
    { "noise_97x61", SYNTH_NOISE, 97, 61, VMAF_PIX_FMT_YUV420P, 8, 5 },
    { "mix_176x144", SYNTH_MIX, 176, 144, VMAF_PIX_FMT_YUV420P, 8, 8 },
    { "mix_352x288_10", SYNTH_MIX, 352, 288, VMAF_PIX_FMT_YUV420P, 10, 6 },
    { "quant_352x288_12", SYNTH_QUANT, 352, 288, VMAF_PIX_FMT_YUV422P, 12, 3 },
    { "blur_320x180_16", SYNTH_BLUR, 320, 180, VMAF_PIX_FMT_YUV420P, 16, 3 },
    { "noise_200x120_444", SYNTH_NOISE, 200, 120, VMAF_PIX_FMT_YUV444P, 8, 4 },
    { "dim_160x90_400", SYNTH_DIM, 160, 90, VMAF_PIX_FMT_YUV400P, 8, 4 },
    { "shift_131x75_10", SYNTH_SHIFT, 131, 75, VMAF_PIX_FMT_YUV444P, 10, 4 },
    { "same_176x144", SYNTH_SAME, 176, 144, VMAF_PIX_FMT_YUV420P, 8, 3 },
    { "flat_128x96", SYNTH_FLAT, 128, 96, VMAF_PIX_FMT_YUV420P, 8, 3 },
    { "extreme_128x96", SYNTH_EXTREME, 128, 96, VMAF_PIX_FMT_YUV420P, 8, 3 },
    { "extreme_128x96_16", SYNTH_EXTREME, 128, 96, VMAF_PIX_FMT_YUV420P, 16, 3 },
    { "check_256x144", SYNTH_CHECK, 256, 144, VMAF_PIX_FMT_YUV420P, 8, 3 },
    { "check_256x144_10", SYNTH_CHECK, 256, 144, VMAF_PIX_FMT_YUV420P, 10, 3 },
    { "mix_1_frame", SYNTH_MIX, 176, 144, VMAF_PIX_FMT_YUV420P, 8, 1 },
    { "mix_640x360", SYNTH_MIX, 640, 360, VMAF_PIX_FMT_YUV420P, 8, 12 },
    { "mix_1280x720_10", SYNTH_MIX, 1280, 720, VMAF_PIX_FMT_YUV420P, 10, 3 },
    { "blur_32x32", SYNTH_BLUR, 32, 32, VMAF_PIX_FMT_YUV420P, 8, 2 },
    { "noise_17x17", SYNTH_NOISE, 17, 17, VMAF_PIX_FMT_YUV420P, 8, 2 },
    { 0 },
};

const SynthClip *synth_find(const char *name)
{
    for (const SynthClip *clip = synth_clips; clip->name; clip++)
        if (!strcmp(clip->name, name))
            return clip;
    return NULL;
}

/* A plane of 16-bit samples. */
typedef struct Plane {
    unsigned width, height;
    uint16_t *samples;
} Plane;

static uint32_t hash(uint32_t x, uint32_t y, uint32_t t, uint32_t p, uint32_t s)
{
    uint32_t h = x * 73856093u ^ y * 19349663u ^ t * 83492791u ^ p * 2654435761u ^ s * 40503u;
    h = (h ^ h >> 15) * 2246822519u;
    h = (h ^ h >> 13) * 3266489917u;
    return h ^ h >> 16;
}

static uint32_t triangle(uint32_t v)
{
    v &= 0x1ffff;
    return v < 0x10000 ? v : 0x1ffff - v;
}

/* A moving ramp, moving checks, a texture that pans, and a box that crosses the picture. */
static uint16_t scene(const Plane *plane, uint32_t x, uint32_t y, uint32_t t, uint32_t p)
{
    const uint32_t ramp = triangle(x * (701 + 97 * p) + y * (389 + 41 * p) + t * 1500) >> 1;
    const uint32_t checks = (((x + 3 * t) >> 4) ^ ((y + t) >> 4)) & 1 ? 9000 : 0;
    const uint32_t texture = hash(x - 2 * t, y, 0, p, 1) & 0x0fff;
    const bool inside = x - 5 * t - 8 < plane->width / 4 && y - 2 * t - 4 < plane->height / 3;
    const uint32_t sum = ramp + checks + texture + (inside ? 14000 : 0) + 2048;
    return (uint16_t)(sum < 0xffff ? sum : 0xffff);
}

static void make_reference(const Plane *ref, enum SynthKind kind, unsigned t, unsigned p)
{
    uint16_t *out = ref->samples;
    for (unsigned y = 0; y < ref->height; y++) {
        for (unsigned x = 0; x < ref->width; x++) {
            switch (kind) {
            case SYNTH_FLAT:
                *out++ = 0x4000;
                break;
            case SYNTH_EXTREME:
                *out++ = 0;
                break;
            case SYNTH_CHECK:
                *out++ = (x ^ y) & 8 ? 0xe000 : 0x2000;
                break;
            case SYNTH_BANDS:
                *out++ = (uint16_t)triangle(x * 7 + y * 5 + t * 700 + p * 5000);
                break;
            default:
                *out++ = scene(ref, x, y, t, p);
                break;
            }
        }
    }
}

/* The sample at x, y, where edges repeat. */
static unsigned at(const Plane *plane, int x, int y)
{
    const int right = (int)plane->width - 1, bottom = (int)plane->height - 1;
    x = x < 0 ? 0 : x > right ? right : x;
    y = y < 0 ? 0 : y > bottom ? bottom : y;
    return plane->samples[(size_t)y * plane->width + (size_t)x];
}

static unsigned blurred(const Plane *ref, int x, int y)
{
    unsigned sum = 8;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += (dy ? 1u : 2u) * (dx ? 1u : 2u) * at(ref, x + dx, y + dy);
    return sum >> 4;
}

static unsigned noisy(unsigned sample, uint32_t noise, uint32_t mask)
{
    const int sum = (int)sample + (int)(noise & mask) - (int)((mask + 1) / 2);
    return sum < 0 ? 0 : sum > 0xffff ? 0xffff : (unsigned)sum;
}

static unsigned distorted(const Plane *ref, enum SynthKind kind, int x, int y, unsigned t,
                          unsigned p)
{
    const unsigned r = at(ref, x, y);
    const uint32_t noise = hash((uint32_t)x, (uint32_t)y, t, p, 7);
    switch (kind) {
    case SYNTH_BLUR:
        return blurred(ref, x, y);
    case SYNTH_NOISE:
        return noisy(r, noise, 0x1fff);
    case SYNTH_QUANT:
        return (r & 0xf000) + 0x0800;
    case SYNTH_DIM:
        return r - (r >> 3);
    case SYNTH_SHIFT:
        return at(ref, x + 1, y);
    case SYNTH_MIX:
        return noisy(blurred(ref, x, y), noise, 0x0fff);
    case SYNTH_FLAT:
        return 0x4400;
    case SYNTH_EXTREME:
        return 0xffff;
    case SYNTH_CHECK:
        return at(ref, x - 1, y);
    case SYNTH_BANDS:
        return (r & 0xff00) + (r < 0xff00 ? 0x0100 : 0);
    default:
        return r;
    }
}

/* Sizes as in a file. Width 0: there is no such plane. */
static Plane plane_of(const SynthClip *clip, unsigned p)
{
    if (p && clip->pix_fmt == VMAF_PIX_FMT_YUV400P)
        return (Plane){ 0 };
    return (Plane){ .width = file_plane_width(clip->pix_fmt, clip->width, p),
                    .height = file_plane_height(clip->pix_fmt, clip->height, p) };
}

/* The caller frees plane->samples. */
static int make_plane(const SynthClip *clip, enum SynthSide side, unsigned t, unsigned p,
                      Plane *out)
{
    Plane ref = plane_of(clip, p);
    const size_t size = (size_t)ref.width * ref.height * sizeof(uint16_t);
    ref.samples = malloc(size);
    Plane made = ref;
    made.samples = malloc(size);
    if (!ref.samples || !made.samples) {
        free(ref.samples);
        free(made.samples);
        return -ENOMEM;
    }
    make_reference(&ref, clip->kind, t, p);
    uint16_t *sample = made.samples;
    for (unsigned y = 0; y < made.height; y++)
        for (unsigned x = 0; x < made.width; x++, sample++)
            *sample = (uint16_t)((side == SYNTH_REF
                                      ? at(&ref, (int)x, (int)y)
                                      : distorted(&ref, clip->kind, (int)x, (int)y, t, p)) >>
                                 (16 - clip->bitdepth));
    free(ref.samples);
    *out = made;
    return 0;
}

size_t synth_frame_size(const SynthClip *clip)
{
    size_t samples = 0;
    for (unsigned p = 0; p < 3; p++) {
        const Plane plane = plane_of(clip, p);
        samples += (size_t)plane.width * plane.height;
    }
    return samples * (clip->bitdepth > 8 ? 2 : 1);
}

int synth_frame(const SynthClip *clip, enum SynthSide side, unsigned t, uint8_t *out)
{
    for (unsigned p = 0; p < 3 && plane_of(clip, p).width; p++) {
        Plane plane;
        const int err = make_plane(clip, side, t, p, &plane);
        if (err)
            return err;
        for (size_t i = 0; i < (size_t)plane.width * plane.height; i++) {
            *out++ = plane.samples[i] & 0xff;
            if (clip->bitdepth > 8)
                *out++ = (uint8_t)(plane.samples[i] >> 8);
        }
        free(plane.samples);
    }
    return 0;
}

static void copy_row(const VmafPicture *pic, unsigned p, unsigned y, const uint16_t *row)
{
    uint8_t *const out = (uint8_t *)pic->data[p] + (ptrdiff_t)y * pic->stride[p];
    if (pic->bpc > 8)
        memcpy(out, row, pic->w[p] * sizeof(*row));
    else
        for (unsigned x = 0; x < pic->w[p]; x++)
            out[x] = (uint8_t)row[x];
}

int synth_picture(const SynthClip *clip, enum SynthSide side, unsigned t, VmafPicture *out)
{
    int err = vmaf_picture_alloc(out, clip->pix_fmt, clip->bitdepth, clip->width, clip->height);
    for (unsigned p = 0; !err && p < 3 && out->data[p]; p++) {
        Plane plane;
        err = make_plane(clip, side, t, p, &plane);
        if (err) {
            vmaf_picture_unref(out);
            break;
        }
        for (unsigned y = 0; y < out->h[p]; y++)
            copy_row(out, p, y, plane.samples + (size_t)y * plane.width);
        free(plane.samples);
    }
    return err;
}

int synth_write(const SynthClip *clip, enum SynthSide side, const char *path)
{
    const size_t size = synth_frame_size(clip);
    uint8_t *const frame = malloc(size);
    FILE *const file = fopen(path, "wb");
    int err = !frame ? -ENOMEM : !file ? -errno : 0;
    for (unsigned t = 0; t < clip->frames && !err; t++) {
        err = synth_frame(clip, side, t, frame);
        if (!err && fwrite(frame, 1, size, file) != size)
            err = -EIO;
    }
    if (file && fclose(file) && !err)
        err = -EIO;
    free(frame);
    return err;
}
