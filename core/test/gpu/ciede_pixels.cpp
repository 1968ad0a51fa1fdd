// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "gpu/ciede_pixels.h"

#include "feature/ciede/ciede.h"
#include "feature/ciede/ciede_tile.h"

#define GPU_HOST
#define BUFFERS IN(0, u32, unused)
#define PARAMS
#define GROUP_W 1
#include "gpu/prelude/prelude.h"

namespace {

#define STATE                                                                                      \
    const u32x4 *curves;                                                                           \
    f32 probe, luma_offset, chroma_offset, luma_scale, luma_scale_low, r_from_cr, r_from_cr_low,   \
        g_from_cb, g_from_cb_low, g_from_cr, g_from_cr_low, b_from_cb, b_from_cb_low;

#define FUSED 1
struct Doubles {
    STATE
#include "feature/ciede/pixel_f64.h"
};
#undef NUMBER

#define FMA_FUSES
#define fma_f64(a, b, c) __builtin_fma(a, b, c)
struct FusedDoubles {
    STATE
#include "feature/ciede/pixel_f64.h"
};
#undef fma_f64
#undef FMA_FUSES
#undef NUMBER
#undef SLACK_POWF

struct Fused {
    STATE
#include "feature/ciede/pixel_pairs.h"
};
#undef FUSED
#undef NUMBER

#define FUSED 0
struct Split {
    STATE
#include "feature/ciede/pixel_pairs.h"
};

void split(double value, f32 &high, f32 &low)
{
    high = f32(value);
    low = f32(value - f64(high));
}

template <typename Form>
int measure(const CiedeRange *range, const float *curves, const uint16_t ref[3], const uint16_t dist[3],
            float *difference)
{
    Form form{};
    form.curves = reinterpret_cast<const u32x4 *>(curves);
    form.luma_offset = f32(range->luma_offset);
    form.chroma_offset = f32(range->chroma_offset);
    split(range->luma_scale, form.luma_scale, form.luma_scale_low);
    split(R_FROM_CR * range->chroma_scale, form.r_from_cr, form.r_from_cr_low);
    split(G_FROM_CB * range->chroma_scale, form.g_from_cb, form.g_from_cb_low);
    split(G_FROM_CR * range->chroma_scale, form.g_from_cr, form.g_from_cr_low);
    split(B_FROM_CB * range->chroma_scale, form.b_from_cb, form.b_from_cb_low);
    u32 doubt = 0u;
    const auto from = form.to_lab(ref[0], ref[1], ref[2], doubt), to = form.to_lab(dist[0], dist[1], dist[2], doubt);
    *difference = form.float_of(form.difference(from, to, doubt));
    return doubt == 0u;
}

} // namespace

int pixel_difference(enum PixelForm form, const CiedeRange *range, const float *curves, const uint16_t ref[3],
                     const uint16_t dist[3], float *difference)
{
    return form == PIXEL_F64         ? measure<Doubles>(range, curves, ref, dist, difference)
           : form == PIXEL_FUSED_F64 ? measure<FusedDoubles>(range, curves, ref, dist, difference)
           : form == PIXEL_FUSED     ? measure<Fused>(range, curves, ref, dist, difference)
                                     : measure<Split>(range, curves, ref, dist, difference);
}
