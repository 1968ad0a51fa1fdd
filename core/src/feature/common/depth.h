/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Figures that follow from the sample depth, for the psnr family and the float features. */
#ifndef FEATURE_COMMON_DEPTH_H
#define FEATURE_COMMON_DEPTH_H

/* The float features scale samples to 0…256: how much one step of a sample is then worth. */
static inline double depth_step(unsigned bpc)
{
    return 1.0 / (1u << (bpc - 8));
}

/* The largest sample on that scale: 255, 255.75, 255.9375, 255.99609375. */
static inline double depth_peak(unsigned bpc)
{
    return ((1u << bpc) - 1) * depth_step(bpc);
}

/* The score in dB that stands for no error at all: 60, 72, 84, 108. */
static inline double depth_ceiling_db(unsigned bpc)
{
    return 6.0 * bpc + 12.0;
}

#endif
