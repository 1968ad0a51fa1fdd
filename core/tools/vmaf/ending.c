/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "ending.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char *const names[SIDES] = { "the reference", "the distorted video" };

static enum Side other(enum Side side)
{
    return side == SIDE_REF ? SIDE_DIST : SIDE_REF;
}

/* True if each frame of the reference has one partner of its own. Then frames are counted;
 * otherwise only their times tell what is missing. */
static bool is_frame_by_frame(const Ending *ending)
{
    const double ref = ending->side[SIDE_REF].duration, dist = ending->side[SIDE_DIST].duration;
    const bool same = ref <= 0.0 || dist <= 0.0 || fabs(ref - dist) * 2000 <= ref;
    return ending->by_number || (same && !ending->resampled);
}

uint64_t ending_allows(const Ending *ending, enum Side side)
{
    const SideEnd *const own = &ending->side[side], *const its = &ending->side[other(side)];
    const bool timed = !is_frame_by_frame(ending) && own->duration > 0.0 && its->duration > 0.0;
    const double ratio = timed ? its->duration / own->duration : 1.0;
    const double moved = (double)its->before * ratio - (double)own->before;
    const double share = ratio > 1.01 ? floor(ratio + 0.001) : 0.0;
    return (uint64_t)((moved > 0.0 ? floor(moved + 0.5) : 0.0) + share);
}

uint64_t ending_wanted(const Ending *ending, enum Side side)
{
    const SideEnd *const own = &ending->side[side];
    const enum FrameStatus its = ending->side[other(side)].status;
    const uint64_t allowed = ending_allows(ending, side);
    if (ending->enough || own->status != FRAME_WHOLE || its == FRAME_CUT)
        return own->taken;
    const uint64_t wanted = is_frame_by_frame(ending) ? own->before + ending->pairs + allowed + 1
                                                      : own->taken + allowed;
    return wanted > own->taken ? wanted : own->taken;
}

uint64_t ending_left(const Ending *ending, enum Side side)
{
    const SideEnd *const own = &ending->side[side];
    const uint64_t after = own->found - own->before;
    if (is_frame_by_frame(ending))
        return after > ending->pairs ? after - ending->pairs : 0;
    return own->status == FRAME_WHOLE ? own->found - own->taken + 1 : 0;
}

static void say_cut(const Ending *ending, enum Side side, char *why, size_t size)
{
    const char *const what = ending->side[side].cut;
    snprintf(why, size, "%s is cut off%s: %" PRIu64 " frame%s scored", names[side],
             what ? what : "", ending->pairs, ending->pairs == 1 ? " was" : "s were");
}

static void say_shorter(const Ending *ending, enum Side longer, char *why, size_t size)
{
    const SideEnd *const own = &ending->side[longer];
    const uint64_t known = own->stated > own->found ? own->stated : own->found;
    const bool all = own->stated >= own->found && own->stated > own->before;
    if (all && is_frame_by_frame(ending))
        snprintf(why, size, "%s ended before %s: %" PRIu64 " of %" PRIu64 " frames were scored",
                 names[other(longer)], names[longer], ending->pairs, known - own->before);
    else
        snprintf(why, size, "%s ended before %s: %" PRIu64 " frame%s scored, and more follow",
                 names[other(longer)], names[longer], ending->pairs,
                 ending->pairs == 1 ? " was" : "s were");
}

bool ending_is_complete(const Ending *ending, char *why, size_t size)
{
    *why = 0;
    for (enum Side side = SIDE_REF; side < SIDES; side++)
        if (!*why && ending->side[side].status == FRAME_CUT)
            say_cut(ending, side, why, size);
    for (enum Side side = SIDE_REF; side < SIDES && !ending->enough; side++)
        if (!*why && ending_left(ending, side) > ending_allows(ending, side))
            say_shorter(ending, side, why, size);
    return !*why;
}
