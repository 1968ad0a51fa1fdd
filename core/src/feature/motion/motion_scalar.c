/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The row routines of motion in plain C. All other versions must give the same results. A pair
 * holds one difference a word, row 0 then row 1. */
#include <stdlib.h>

#include "base/simd_fn.h"
#include "feature/motion/motion.h"

static const int32_t taps[] = MOTION_TAPS;

static void join_8(uint32_t *pair, const void *const earlier[2], const void *const current[2],
                   int n)
{
    for (int row = 0; row < 2; row++, pair += MOTION_PITCH) {
        const uint8_t *const a = earlier[row], *const b = current[row];
        for (int x = 0; x < n; x++)
            pair[x] = (uint32_t)(a[x] - b[x]);
    }
}

static void join_16(uint32_t *pair, const void *const earlier[2], const void *const current[2],
                    int n)
{
    for (int row = 0; row < 2; row++, pair += MOTION_PITCH) {
        const uint16_t *const a = earlier[row], *const b = current[row];
        for (int x = 0; x < n; x++)
            pair[x] = (uint32_t)(a[x] - b[x]);
    }
}

static void blur_columns(int16_t *columns, const uint32_t *const *pairs, int n, int bpc)
{
    const int64_t half = INT64_C(1) << (bpc - 1);
    for (int row = 0; row < 2; row++, columns += MOTION_ROW_WORDS) {
        for (int x = 0; x < n; x++) {
            int64_t sum = half;
            for (int k = 0; k < 5; k++) {
                const uint32_t *const pair = pairs[(row + k) >> 1];
                sum += (int64_t)taps[k] * (int32_t)pair[((row + k) & 1) * MOTION_PITCH + x];
            }
            const int32_t v = (int32_t)(sum >> bpc);
            columns[x] = (int16_t)(v >> 1);
            columns[MOTION_PITCH + x] = (int16_t)(v & 1);
        }
    }
}

static uint64_t blur_row(const int16_t *columns, int n)
{
    uint64_t sad = 0;
    for (int x = 0; x < n; x++) {
        int64_t sum = 1 << 15;
        for (int k = 0; k < 5; k++) {
            const int16_t *const at = columns + x + k - MOTION_REACH;
            sum += (int64_t)taps[k] * (2 * at[0] + at[MOTION_PITCH]);
        }
        sad += (uint64_t)llabs(sum >> 16);
    }
    return sad;
}

SIMD_DECLARE_ICL(motion_dsp_init, MotionDsp *dsp, unsigned bpc);

void motion_dsp_init(MotionDsp *dsp, unsigned bpc, unsigned cpu)
{
    *dsp = (MotionDsp){ bpc > 8 ? join_16 : join_8, blur_columns, blur_row };
    SIMD_CALL_ICL(cpu, motion_dsp_init, dsp, bpc);
}
