/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The constants of a clip, and the distortions of planes from the sums of blocks. The doubles are
 * computed only here, in this order, for all devices. */
#include <math.h>

#include "feature/common/plane.h"
#include "feature/xpsnr/xpsnr.h"

/* The area of the picture that blocks of 128x128 are meant for. */
#define UHD_AREA (3840.0 * 2160.0)
/* In larger pictures activity is measured at half the resolution. */
#define LARGE_AREA (2048 * 1152)
/* In larger pictures weights are not smoothed. */
#define SMOOTH_AREA (640 * 480)

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static unsigned blocks_of(unsigned n, unsigned edge)
{
    return n / edge + (n % edge != 0);
}

void xpsnr_setup_init(XpsnrSetup *setup, const FrameShape *shape, unsigned planes, unsigned order)
{
    const uint64_t area = plane_area(shape->w[0], shape->h[0]);
    const double ratio = (double)area / UHD_AREA;
    unsigned edge = 4 * (unsigned)(32.0 * sqrt(ratio) + 0.5);
    *setup = (XpsnrSetup){
        .shape = *shape,
        .planes = planes,
        .order = order,
        .plain = !edge,
        .large = area > LARGE_AREA,
        .smooth = area <= SMOOTH_AREA,
        .scale = sqrt(16.0 * (double)(UINT64_C(1) << (2 * shape->bpc - 9)) /
                      sqrt(larger(0.00001, ratio))),
        .floor = (double)(1u << (shape->bpc - 6)),
    };
    if (setup->plain) /* one block; its sides are multiples of 4, as those of all blocks */
        edge = ((shape->w[0] > shape->h[0] ? shape->w[0] : shape->h[0]) + 3) / 4 * 4;
    for (unsigned p = 0; p < 3; p++) {
        const bool half = p && shape->pix_fmt != VMAF_PIX_FMT_YUV444P;
        setup->edge[p] = half ? edge / 2 : edge;
        setup->edge_y[p] = half && shape->pix_fmt == VMAF_PIX_FMT_YUV420P ? edge / 2 : edge;
    }
    setup->across = blocks_of(shape->w[0], edge);
    setup->down = blocks_of(shape->h[0], edge);
}

/* The extent of block `number` in one direction, and that of its active part, which leaves out the
 * border at the edges of the picture. */
typedef struct Extent {
    unsigned whole, from, to;
} Extent;

static Extent extent_of(unsigned number, unsigned edge, unsigned size, unsigned border)
{
    const unsigned at = number * edge, whole = smaller(edge, size - at);
    const bool is_last = at + whole == size;
    return (Extent){
        .whole = whole,
        .from = at ? 0 : border,
        .to = !is_last         ? whole
              : whole > border ? whole - border
                               : 0,
    };
}

static double weight_of(const XpsnrSetup *setup, const XpsnrBlock *block, unsigned history,
                        const Extent *x, const Extent *y)
{
    if (x->to <= x->from || y->to <= y->from)
        return 1.0;
    /* In large pictures the high-pass of such a narrow block does not count. */
    const uint64_t spatial = setup->large && x->to <= 12 ? 0 : block->spatial;
    double activity = (double)spatial / ((double)(x->to - x->from) * (double)(y->to - y->from));
    activity += (double)(2 * block->temporal[history]) / ((double)x->whole * (double)y->whole);
    return 1.0 / larger(activity, setup->floor);
}

/* Called after weight i of the block in this column was computed. Limits the weight before it to
 * the largest of its neighbours; the neighbour to the left and the one above are limited already.
 * In a row's first column the weight before belongs to the end of the row above. */
static void limit_previous(const XpsnrSetup *setup, double *w, size_t i, unsigned column)
{
    const size_t across = setup->across;
    double limit = w[i];
    if (!column)
        limit = i > 1 ? w[i - 2] : 0.0;
    else if (column > 1)
        limit = larger(w[i - 2], w[i]);
    if (i > across)
        limit = larger(limit, w[i - 1 - across]);
    if (i > 0 && w[i - 1] > limit)
        w[i - 1] = limit;
    if (i + 1 == xpsnr_block_count(setup) && i > across) {
        limit = larger(w[i - 1], w[i - across]);
        if (w[i] > limit)
            w[i] = limit;
    }
}

static void compute_weights(const XpsnrSetup *setup, const XpsnrBlock *blocks, unsigned history,
                            double *weights)
{
    const unsigned border = setup->large ? 2 : 1, edge = setup->edge[0];
    size_t i = 0;
    for (unsigned row = 0; row < setup->down; row++) {
        const Extent y = extent_of(row, edge, setup->shape.h[0], border);
        for (unsigned column = 0; column < setup->across; column++, i++) {
            const Extent x = extent_of(column, edge, setup->shape.w[0], border);
            weights[i] = weight_of(setup, &blocks[i], history, &x, &y);
            if (setup->smooth)
                limit_previous(setup, weights, i, column);
        }
    }
}

/* A plane of rounded-down chroma may have fewer blocks in a row or column than luma. */
static uint64_t plane_distortion(const XpsnrSetup *setup, const XpsnrBlock *blocks,
                                 const double *weights, unsigned p)
{
    const unsigned across = blocks_of(setup->shape.w[p], setup->edge[p]);
    const unsigned down = blocks_of(setup->shape.h[p], setup->edge_y[p]);
    double total = 0.0;
    for (unsigned row = 0; row < down; row++) {
        const size_t first = (size_t)row * setup->across;
        for (size_t i = first; i < first + across; i++)
            total += (double)blocks[i].sse[p] * weights[i];
    }
    return xpsnr_rounded(setup, total);
}

uint64_t xpsnr_rounded(const XpsnrSetup *setup, double total)
{
    return total > 0.0 ? (uint64_t)(total * setup->scale + 0.5) : 0;
}

void xpsnr_distortion(const XpsnrSetup *setup, const XpsnrBlock *blocks, unsigned history,
                      double *weights, uint64_t distortion[3])
{
    if (!setup->plain)
        compute_weights(setup, blocks, history, weights);
    for (unsigned p = 0; p < 3; p++) {
        if (!(setup->planes >> p & 1))
            distortion[p] = 0;
        else if (setup->plain)
            distortion[p] = blocks[0].sse[p];
        else
            distortion[p] = plane_distortion(setup, blocks, weights, p);
    }
}
