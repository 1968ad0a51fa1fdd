/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/chroma.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>

bool chroma_can_raise(const Planes *shape)
{
    const unsigned across = planes_grid(shape, true), down = planes_grid(shape, false);
    return shape->count > 1 && across <= 2 && down <= 2 && across * down > 1;
}

/* Where sample k of chroma lies along a side, in halves of a sample of luma: 4 * k plus this. */
static unsigned offset_of(enum VideoSiting siting, bool across)
{
    switch (siting) {
    case SITING_CENTRE:
        return 1;
    case SITING_TOP_LEFT:
        return 0;
    case SITING_TOP:
        return across ? 1 : 0;
    case SITING_BOTTOM_LEFT:
        return across ? 0 : 2;
    case SITING_BOTTOM:
        return across ? 1 : 2;
    default:
        return across ? 0 : 1;
    }
}

/* The two samples of chroma next to a sample of luma, and their weights, which add up to 4. */
typedef struct Between {
    unsigned at[2], weight[2];
} Between;

static unsigned limit(int position, unsigned count)
{
    return position < 0 ? 0 : (unsigned)position < count ? (unsigned)position : count - 1;
}

static Between find_between(unsigned luma, bool halved, unsigned offset, unsigned count)
{
    if (!halved)
        return (Between){ { limit((int)luma, count), 0 }, { 4, 0 } };
    const int position = 2 * (int)luma - (int)offset + 4; /* not negative */
    const int first = position / 4 - 1;
    const unsigned part = (unsigned)position % 4;
    return (Between){ { limit(first, count), limit(first + 1, count) }, { 4 - part, part } };
}

static const uint8_t *row_at(const Planes *from, unsigned p, unsigned y)
{
    return from->data[p] + (ptrdiff_t)y * from->stride[p];
}

static unsigned sample(const uint8_t *row, unsigned x, bool wide)
{
    return wide ? ((const uint16_t *)row)[x] : row[x];
}

int chroma_raise(const Planes *from, unsigned p, enum VideoSiting siting, const VmafPicture *to)
{
    const bool wide = from->bitdepth > 8;
    const bool across = planes_grid(from, true) > 1, down = planes_grid(from, false) > 1;
    const unsigned up = to->bpc - from->bitdepth, half = up < CHROMA_BITS ? 8u >> up : 0;
    unsigned bits = 0;
    assert(to->bpc > 8 && to->bpc >= from->bitdepth && to->w[p] == to->w[0]);
    for (unsigned y = 0; y < to->h[p]; y++) {
        const Between v = find_between(y, down, offset_of(siting, false), from->height[p]);
        const uint8_t *const rows[2] = { row_at(from, p, v.at[0]), row_at(from, p, v.at[1]) };
        uint16_t *const out = (uint16_t *)((uint8_t *)to->data[p] + (ptrdiff_t)y * to->stride[p]);
        for (unsigned x = 0; x < to->w[p]; x++) {
            const Between h = find_between(x, across, offset_of(siting, true), from->width[p]);
            unsigned sum = 0;
            for (unsigned i = 0; i < 4; i++) {
                const unsigned value = sample(rows[i / 2], h.at[i % 2], wide);
                bits |= value;
                sum += v.weight[i / 2] * h.weight[i % 2] * value;
            }
            out[x] = (uint16_t)(((sum + half) << up) >> CHROMA_BITS);
        }
    }
    return bits >> from->bitdepth ? -ERANGE : 0;
}
