// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "gpu/ssim_sums.h"

#include "feature/common/ssim/ssim_tile.h"

#define GPU_HOST
#define BUFFERS IN(0, u32, unused)
#define PARAMS
#define GROUP_W 1
#include "gpu/prelude/prelude.h"

namespace
{

struct Window {
#include "gpu/prelude/exact_float.h"
#include "feature/common/ssim/window_maps.h"
#include "feature/common/ssim/double_sum.h"
#include "feature/common/ssim/window_floats.h"
};

struct Halves {
#include "gpu/prelude/exact_float.h"
#include "feature/common/ssim/double_sum.h"
#include "feature/float_ms_ssim/halving_sum.h"
};

/* With doubles, for samples and for floats. */
#define F64
struct WindowOfSamples {
#include "feature/common/ssim/window_maps.h"
#include "feature/common/ssim/window_f64.h"
};

struct HalvesOfSamples {
#include "feature/float_ms_ssim/halving_sum.h"
};

#define IMAGE_F32
struct WindowOfFloats {
#include "feature/common/ssim/window_maps.h"
#include "feature/common/ssim/window_f64.h"
};

struct HalvesOfFloats {
#include "feature/float_ms_ssim/halving_sum.h"
};

} // namespace

const float sums_taps[SUMS_TAPS] = { 0.001028f, 0.007599f, 0.036001f, 0.109361f,
                                     0.213006f, 0.266012f, 0.213006f, 0.109361f,
                                     0.036001f, 0.007599f, 0.001028f };
const float sums_quarter[25] = {
    0.000714f,  -0.000450f, -0.002090f, 0.007132f,  0.016114f, -0.000450f, 0.000283f,
    0.001316f,  -0.004490f, -0.010146f, -0.002090f, 0.001316f, 0.006115f,  -0.020867f,
    -0.047149f, 0.007132f,  -0.004490f, -0.020867f, 0.071207f, 0.160885f,  0.016114f,
    -0.010146f, -0.047149f, 0.160885f,  0.363505f,
};

template <typename Across> static void put_maps(const Across &row, float out[SUMS_MAPS])
{
    const float maps[SUMS_MAPS] = { row.a, row.b, row.aa, row.bb, row.ab };
    for (u32 map = 0; map < SUMS_MAPS; map++)
        out[map] = maps[map];
}

/* The class that the kernel calls Sums, once all taps are added. */
template <typename Kernel>
static typename Kernel::Sums gathered(Kernel &kernel, const typename Kernel::Anchors &anchors,
                                      const float in[SUMS_MAPS][SUMS_TAPS])
{
    typename Kernel::Sums sums = kernel.sums_start(anchors);
    for (u32 k = 0; k < SUMS_TAPS; k++)
        kernel.sums_add(sums,
                        typename Kernel::Across{ in[0][k], in[1][k], in[2][k], in[3][k], in[4][k] },
                        sums_taps[k]);
    return sums;
}

unsigned sums_window(const float in[SUMS_MAPS][SUMS_TAPS], const SumsExtent *tile,
                     float out[SUMS_MAPS])
{
    Window w;
    const Window::Anchors anchors = w.anchors_of(Window::Extent{ tile->peak, tile->least });
    u32 doubt = 0;
    put_maps(w.sums_round(gathered(w, anchors, in), anchors, doubt), out);
    return doubt;
}

template <typename Kernel>
static void window_of_doubles(const float in[SUMS_MAPS][SUMS_TAPS], float out[SUMS_MAPS])
{
    Kernel w;
    const typename Kernel::Anchors none{ true };
    put_maps(w.sums_end(gathered(w, none, in), none, false, 0), out);
}

void sums_window_f64(const float in[SUMS_MAPS][SUMS_TAPS], int with_floats, float out[SUMS_MAPS])
{
    if (with_floats)
        window_of_doubles<WindowOfFloats>(in, out);
    else
        window_of_doubles<WindowOfSamples>(in, out);
}

float sums_double(const float *terms, unsigned count)
{
    Window w;
    Window::DoubleSum sum = w.double_sum_start();
    for (u32 k = 0; k < count; k++)
        w.double_sum_add(sum, terms[k]);
    return w.double_sum_round(sum);
}

static Halves::HalvingBounds bounds_of(Halves &halves, const SumsExtent *tile)
{
    if (!tile)
        return halves.halving_bounds_of_bytes();
    return halves.halving_bounds(2.0f * halves.power_below(max_f32(tile->peak, 9.5367432e-7f)),
                                 tile->least);
}

template <typename Kernel>
static float halved(const float in[SUMS_HALVE_TAPS][SUMS_HALVE_TAPS],
                    const typename Kernel::HalvingBounds &bounds, u32 &doubt)
{
    Kernel kernel;
    typename Kernel::Halving sum = kernel.halving_start(bounds);
    for (u32 r = 0; r < SUMS_HALVE_TAPS; r++) {
        const f32 *v = in[r], *t = sums_quarter + 5 * (r <= 4 ? r : 8 - r);
        const typename Kernel::Row row{ v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8] };
        if (r == 3)
            kernel.turn_over(sum);
        if (r >= 3 && r <= 5)
            kernel.middle_row(sum, row, t[0], t[1], t[2], t[3], t[4]);
        else
            kernel.outer_row(sum, row, t[0], t[1], t[2], t[3], t[4]);
    }
    return kernel.halving_round(sum, bounds, 1, doubt);
}

int sums_halving(const float in[SUMS_HALVE_TAPS][SUMS_HALVE_TAPS], const SumsExtent *tile,
                 float *out)
{
    Halves halves;
    u32 doubt = 0;
    *out = halved<Halves>(in, bounds_of(halves, tile), doubt);
    return doubt == 0;
}

float sums_halving_f64(const float in[SUMS_HALVE_TAPS][SUMS_HALVE_TAPS], int with_floats)
{
    u32 doubt = 0;
    return with_floats ? halved<HalvesOfFloats>(in, {}, doubt)
                       : halved<HalvesOfSamples>(in, {}, doubt);
}

float sums_root(float x)
{
    return Window{}.rounded_root(x);
}

float sums_quotient(float above, float below)
{
    return Window{}.rounded_quotient(above, below);
}

float sums_root_f64(float x)
{
    return WindowOfFloats{}.rounded_root(x);
}

float sums_quotient_f64(float above, float below)
{
    return WindowOfFloats{}.rounded_quotient(above, below);
}

double sums_tally(float high, float low, unsigned count)
{
    Window w;
    Window::Tally tally = w.tally_start();
    for (u32 i = 0; i < count; i++)
        w.tally_add(tally, Window::Pair{ high, low });
    return double(w.tally_sum(tally)) * 0x1p-48;
}
