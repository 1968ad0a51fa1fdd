// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "gpu/adm_decouple.h"

#define GPU_HOST
#define BUFFERS IN(0, u32, unused)
#define PARAMS
#define GROUP_W 1
#include "gpu/prelude/prelude.h"

namespace {

#define GAIN u32 gain_whole, gain_lo, gain_hi, gain_shift;
#define ADM_COARSE 0
struct Fine {
    GAIN
#include "feature/adm/adm_decouple.h"
};
#define ADM_FRACTIONAL
struct FineFractional {
    GAIN
#include "feature/adm/adm_decouple.h"
};
#undef ADM_FRACTIONAL
#undef ADM_COARSE
#undef ADM_WIDE
#undef ADM_SUM
#undef ADM_TOP_BIT

#define ADM_COARSE 1
struct Coarse {
    GAIN
#include "feature/adm/adm_decouple.h"
};
#define ADM_FRACTIONAL
struct CoarseFractional {
    GAIN
#include "feature/adm/adm_decouple.h"
};

} // namespace

unsigned decouple_nearly_aligned(const int32_t o[2], const int32_t t[2])
{
    return Coarse{}.nearly_aligned(o[0], o[1], t[0], t[1]);
}

int decouple_aligned(int coarse, const int32_t o[2], const int32_t t[2])
{
    return coarse ? Coarse{}.aligned(o[0], o[1], t[0], t[1])
                  : Fine{}.aligned(o[0], o[1], t[0], t[1]);
}

template <typename Kind>
static int32_t restore(const DecoupleGain *gain, int32_t o, int32_t t, int aligned)
{
    return Kind{gain->whole, gain->lo, gain->hi, gain->shift}.restore(o, t, aligned != 0);
}

int32_t decouple_restore(int coarse, const DecoupleGain *gain, int32_t o, int32_t t, int aligned)
{
    if (gain->whole)
        return coarse ? restore<Coarse>(gain, o, t, aligned) : restore<Fine>(gain, o, t, aligned);
    return coarse ? restore<CoarseFractional>(gain, o, t, aligned)
                  : restore<FineFractional>(gain, o, t, aligned);
}
