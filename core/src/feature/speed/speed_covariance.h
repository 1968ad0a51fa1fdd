/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How the samples of SpEED's blocks vary together. */
#ifndef FEATURE_SPEED_COVARIANCE_H
#define FEATURE_SPEED_COVARIANCE_H

#include "feature/speed/speed_frame.h"
#include "feature/speed/speed_matrix.h"

/* Working memory for one plane at a time. `setup` must outlive it. */
typedef struct SpeedCovariance SpeedCovariance;
int speed_covariance_create(SpeedCovariance **out, const SpeedSetup *setup);
void speed_covariance_destroy(SpeedCovariance *s);

/* Of a plane as speed_blocks_score takes it. */
void speed_covariance(SpeedCovariance *s, const float *plane, SpeedMatrix out);

/* The same by its definition, one entry after another: what tests hold it against. */
void speed_covariance_plainly(const SpeedSetup *setup, const float *plane, SpeedMatrix out);

#endif
