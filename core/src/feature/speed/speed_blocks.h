/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SpEED's statistics: two reduced planes compared by the entropies of their 5x5 blocks. */
#ifndef FEATURE_SPEED_BLOCKS_H
#define FEATURE_SPEED_BLOCKS_H

#include "feature/speed/speed_frame.h"

/* Working memory for one pair of planes at a time. `setup` must outlive it. */
typedef struct SpeedBlocks SpeedBlocks;
int speed_blocks_create(SpeedBlocks **out, const SpeedSetup *setup);
void speed_blocks_destroy(SpeedBlocks *s);

/* The planes are small_w x small_h, freed of their local mean, without gaps between rows. */
SpeedScore speed_blocks_score(SpeedBlocks *s, const float *ref, const float *dist);

#endif
