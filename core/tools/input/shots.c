/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/shots.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* A change of fewer grey levels than this is no cut, whatever the frames around it do. A larger one
 * must also be a multiple of the changes before. */
#define LEAST_CHANGE 6.0f
#define TIMES_USUAL 3.0f
/* At least this share of the samples changes its bin of the histogram at a cut. From the change
 * below on, the histogram does not matter: two shots may have the same brightness. */
#define LEAST_BINS 0.12f
#define LARGE_CHANGE 18.0f
/* A flash: the frames before and after it differ by less than this share of the change to it. */
#define FLASH 0.5f
/* Frames of a shot, at least: a shorter one is an effect. */
#define LEAST_FRAMES 4

void shot_frame_of_picture(ShotFrame *frame, const VmafPicture *pic)
{
    const unsigned step = pic->h[0] > 720 ? 4 : pic->h[0] > 360 ? 2 : 1;
    const unsigned shift = pic->bpc - 5;
    uint32_t bins[SHOT_BINS] = { 0 };
    uint64_t samples = 0;
    thumb_of_picture(&frame->thumb, pic, step);
    for (unsigned y = 0; y < pic->h[0]; y += step, samples += pic->w[0]) {
        const char *const row = (const char *)pic->data[0] + (ptrdiff_t)y * pic->stride[0];
        if (pic->bpc > 8)
            for (unsigned x = 0; x < pic->w[0]; x++)
                bins[(((const uint16_t *)(const void *)row)[x] >> shift) % SHOT_BINS]++;
        else
            for (unsigned x = 0; x < pic->w[0]; x++)
                bins[((const uint8_t *)row)[x] >> shift]++;
    }
    for (unsigned i = 0; i < SHOT_BINS; i++)
        frame->histogram[i] = (float)bins[i] / (float)samples;
}

static float cells_change(const ShotFrame *a, const ShotFrame *b)
{
    float sum = 0;
    for (unsigned i = 0; i < THUMB_CELLS; i++)
        sum += fabsf(a->thumb.cell[i] - b->thumb.cell[i]);
    return sum / THUMB_CELLS;
}

static float bins_change(const ShotFrame *a, const ShotFrame *b)
{
    float sum = 0;
    for (unsigned i = 0; i < SHOT_BINS; i++)
        sum += fabsf(a->histogram[i] - b->histogram[i]);
    return sum / 2;
}

void shot_look(ShotLooker *looker, const ShotFrame *frame, ShotChange *change)
{
    *change = (ShotChange){ { 0 }, { 0 } };
    for (unsigned i = 0; i < 2 && i < looker->count; i++) {
        const ShotFrame *const before = &looker->frames[(looker->count - 1 - i) % 2];
        change->cells[i] = cells_change(before, frame);
        change->bins[i] = bins_change(before, frame);
    }
    looker->frames[looker->count++ % 2] = *frame;
}

static float usual_change(const ShotFinder *finder)
{
    const unsigned count = finder->usual_count < SHOT_MEMORY ? finder->usual_count : SHOT_MEMORY;
    float sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += finder->usual[i];
    return count ? sum / (float)count : 0;
}

/* Does the last frame look like the first one of a shot? */
static bool is_candidate(const ShotFinder *finder)
{
    return finder->count > 1 && finder->count - 1 - finder->shot >= LEAST_FRAMES &&
           finder->cells >= LEAST_CHANGE && finder->cells >= TIMES_USUAL * usual_change(finder) &&
           (finder->bins >= LEAST_BINS || finder->cells >= LARGE_CHANGE);
}

static bool begin_shot(ShotFinder *finder, uint64_t *first)
{
    *first = finder->shot = finder->count - 1;
    finder->usual_count = 0;
    return true;
}

bool shot_finder_add(ShotFinder *finder, const ShotChange *change, uint64_t *first)
{
    bool cut = false, flash = false;
    if (finder->count) {
        const bool candidate = is_candidate(finder);
        /* After a flash the picture is again that of the frame before it. */
        flash = candidate && change->cells[1] < FLASH * finder->cells;
        if (candidate && !flash)
            cut = begin_shot(finder, first);
        else if (!candidate && finder->count > 1)
            finder->usual[finder->usual_count++ % SHOT_MEMORY] = finder->cells;
        finder->cells = change->cells[flash];
        finder->bins = change->bins[flash];
    }
    finder->count++;
    return cut;
}

bool shot_finder_end(ShotFinder *finder, uint64_t *first)
{
    return is_candidate(finder) && begin_shot(finder, first);
}
