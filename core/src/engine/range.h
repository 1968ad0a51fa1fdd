/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Whether samples lie within the depth that their picture declares.
 *
 * Those of 9 to 15 bits take 16, so a picture can hold what its depth cannot: most often because its
 * values are in the high bits, as P010 and P016 have them. Tables and sums are made for what the depth
 * can hold; no feature may see such a picture. */
#ifndef ENGINE_RANGE_H
#define ENGINE_RANGE_H

#include "engine/picture.h"

/* Can samples of this depth be out of range at all? */
static inline bool range_matters(unsigned bpc)
{
    return bpc > 8 && bpc < 16;
}

/* Looks at rows that were just written, up to row `end`, and remembers with the picture what it found:
 * rows that are still in the cache cost next to nothing. */
void range_scan_rows(const VmafPicture *pic, unsigned plane, unsigned end);
/* The same for a whole plane that somebody else has looked at. */
void range_set(const VmafPicture *pic, unsigned plane, bool exceeds);
bool range_is_known(const VmafPicture *pic, unsigned plane);

/* -ERANGE, with a line that says what is wrong, if samples of these planes exceed the depth. Looks at
 * the rows that nobody has looked at yet, and remembers nothing: several contexts may read a picture. */
int range_check_pair(const VmafPicture *ref, const VmafPicture *dist, unsigned planes,
                     unsigned index);

#endif
