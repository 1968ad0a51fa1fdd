// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "gpu/adm_decouple.h"

#define GPU_HOST
#define BUFFERS IN(0, u32, unused)
#define PARAMS
#define GROUP_W 1
#include "gpu/prelude/prelude.h"

namespace {

struct Fine {
    u32 gain_whole, gain_lo, gain_hi, gain_shift;
#include "gpu/prelude/soft_double.h"
#define ADM_COARSE 0
#include "feature/adm/adm_decouple.h"
#undef ADM_COARSE
};

struct Coarse {
    u32 gain_whole, gain_lo, gain_hi, gain_shift;
#include "gpu/prelude/soft_double.h"
#define ADM_COARSE 1
#include "feature/adm/adm_decouple.h"
};

} // namespace

unsigned decouple_nearly_aligned(const int32_t o[2], const int32_t t[2])
{
    return Coarse{}.nearly_aligned(o[0], o[1], t[0], t[1]);
}

int decouple_aligned(const int32_t o[2], const int32_t t[2])
{
    return Coarse{}.aligned(o[0], o[1], t[0], t[1]);
}

int32_t decouple_restore(int coarse, const DecoupleGain *gain, int32_t o, int32_t t, int aligned)
{
    Fine fine{gain->whole, gain->lo, gain->hi, gain->shift};
    Coarse rough{gain->whole, gain->lo, gain->hi, gain->shift};
    return coarse ? rough.restore(o, t, aligned != 0) : fine.restore(o, t, aligned != 0);
}
