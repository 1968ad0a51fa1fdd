/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What kernels that halve images have in common. Include it after KERNEL_BEGIN and exact_float.h. */

#include "feature/float_ms_ssim/halving_row.h"
#ifdef F64
#include "feature/float_ms_ssim/halving_sum_f64.h"
#else
#include "feature/common/ssim/double_sum.h"
#include "feature/common/ssim/anchored_sum.h"
#include "feature/float_ms_ssim/halving_sum.h"
#endif
#include "feature/float_ms_ssim/halving_tile.h"
