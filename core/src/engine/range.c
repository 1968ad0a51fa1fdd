/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/range.h"

#include <errno.h>
#include <stdint.h>

#include "base/log.h"

/* Samples that are looked at together, wherever they lie. */
typedef uint16_t Samples __attribute__((vector_size(16), aligned(2), may_alias));
enum { AT_ONCE = sizeof(Samples) / sizeof(uint16_t), SUMS = 4 };

/* Every bit that some sample has. With several sums no step waits for the one before it. */
static unsigned row_bits(const uint16_t *row, unsigned width)
{
    Samples sums[SUMS] = { { 0 } };
    unsigned x = 0;
    for (; x + SUMS * AT_ONCE <= width; x += SUMS * AT_ONCE)
        for (unsigned i = 0; i < SUMS; i++)
            sums[i] |= *(const Samples *)(row + x + i * AT_ONCE);
    const Samples all = sums[0] | sums[1] | sums[2] | sums[3];
    unsigned bits = 0;
    for (unsigned i = 0; i < AT_ONCE; i++)
        bits |= all[i];
    for (; x < width; x++)
        bits |= row[x];
    return bits;
}

static bool rows_exceed(const VmafPicture *pic, unsigned p, unsigned y, unsigned end)
{
    unsigned bits = 0;
    for (; pic->data[p] && y < end; y++)
        bits |= row_bits((const void *)((const char *)pic->data[p] + (ptrdiff_t)y * pic->stride[p]),
                         pic->w[p]);
    return bits >> pic->bpc;
}

void range_scan_rows(const VmafPicture *pic, unsigned plane, unsigned end)
{
    PlaneRange *const known = &picture_ranges(pic)[plane];
    if (!range_matters(pic->bpc))
        return;
    if (end < known->rows) /* written anew */
        *known = (PlaneRange){ 0 };
    known->exceeds |= rows_exceed(pic, plane, known->rows, end);
    known->rows = end;
}

void range_set(const VmafPicture *pic, unsigned plane, bool exceeds)
{
    picture_ranges(pic)[plane] = (PlaneRange){ pic->h[plane], exceeds };
}

bool range_is_known(const VmafPicture *pic, unsigned plane)
{
    return !range_matters(pic->bpc) || picture_ranges(pic)[plane].rows == pic->h[plane];
}

/* The first of the planes whose bits are set with samples above the depth; 3: none. */
static unsigned exceeded_plane(const VmafPicture *pic, unsigned planes)
{
    const PlaneRange *const known = picture_ranges(pic);
    unsigned p = 0;
    if (!range_matters(pic->bpc))
        return 3;
    while (p < 3 && (!(planes >> p & 1) ||
                     !(known[p].exceeds || rows_exceed(pic, p, known[p].rows, pic->h[p]))))
        p++;
    return p;
}

static int check(const VmafPicture *pic, const char *side, unsigned planes, unsigned index)
{
    static const char *const names[] = { "Y", "Cb", "Cr" };
    const unsigned p = exceeded_plane(pic, planes);
    if (p == 3)
        return 0;
    log_error("frame %u: plane %s of the %s picture has samples above %u, the most that %u bits "
              "hold: are the values in the high bits, as in P010 and P016? They belong in the low "
              "ones",
              index, names[p], side, (1u << pic->bpc) - 1, pic->bpc);
    return -ERANGE;
}

int range_check_pair(const VmafPicture *ref, const VmafPicture *dist, unsigned planes,
                     unsigned index)
{
    const int err = check(ref, "reference", planes, index);
    return err ? err : check(dist, "distorted", planes, index);
}
