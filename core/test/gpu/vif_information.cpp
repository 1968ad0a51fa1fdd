// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "gpu/vif_information.h"

#include "feature/vif/vif_tile.h"

#define GPU_HOST
#define BUFFERS IN(0, u32, unused)
#define PARAMS
#define GROUP_W 1
#include "gpu/prelude/prelude.h"

namespace {

#define VIF_SCALE 0
#define STATE                                                                                      \
    u32 gain_whole, gain_room;                                                                     \
    f32 gain;                                                                                      \
    u32 gain_lo, gain_hi, gain_square_lo, gain_square_hi;                                          \
    const u32x2 *log_lines;                                                                        \
    u32 sums[VIF_RESULT_WORDS];
struct Whole {
    STATE
#include "feature/vif/vif_information.h"
};
#undef NOISE
#define VIF_FRACTIONAL
struct Fractional {
    STATE
#include "gpu/prelude/soft_double.h"
#include "feature/vif/vif_information.h"
};

template <typename Kind>
u32 told(const InformationGain *g, const u32x2 *lines, const u32 variances[3], int *how)
{
    Kind kind{g->whole, g->room, g->gain, g->lo, g->hi, g->square_lo, g->square_hi, lines, {}};
    bool close = false;
    u32 information = kind.information(variances[0], variances[1], variances[2], close);
    if (close)
        information = kind.look_closer(variances[0], variances[1], variances[2]);
    *how = kind.sums[VIF_UNSETTLED] ? LEFT_TO_HOST : close ? TOLD_CLOSER : TOLD_AT_ONCE;
    return information;
}

} // namespace

uint32_t information_of(const InformationGain *gain, const uint32_t lines[][2], const uint32_t variances[3], int *how)
{
    const u32x2 *pairs = reinterpret_cast<const u32x2 *>(lines);
    return gain->whole ? told<Whole>(gain, pairs, variances, how)
                       : told<Fractional>(gain, pairs, variances, how);
}
