/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Coefficients of log2(1 + y), 0 <= y < 1, highest power first. */
#ifndef FEATURE_FLOAT_VIF_LOG_H
#define FEATURE_FLOAT_VIF_LOG_H

#define VIF_LOG2_POLY                                                                              \
    {                                                                                              \
        -0.012671635276421f, 0.064841182402670f, -0.157048836463065f, 0.257167726303123f,          \
            -0.353800560300520f, 0.480131410397451f, -0.721314327952201f, 1.442694803896991f, 0.0f \
    }

#endif
