/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Parts of child.h that are the same on all systems. */
#include <errno.h>

#include "child.h"
#include "message.h"

int child_run(Children *children, const ChildParams *params, ChildEnd *end)
{
    Child *child;
    const unsigned wakes = children_wakes(children);
    int err = child_start(children, params, &child);
    while (!err && !child_ended(child, end)) {
        err = children_wait(children, NULL, 0, -1);
        if (!err && children_wakes(children) != wakes)
            err = -EINTR;
    }
    child_destroy(child);
    return err;
}

/* ---- the last lines that a child wrote ---- */

void tail_feed(Tail *tail, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *const line = tail->lines[tail->next % TAIL_LINES];
        const unsigned char c = (unsigned char)bytes[i];
        if (c == '\n' || c == '\r') {
            if (!tail->used) /* skip empty lines */
                continue;
            tail->next++;
            tail->used = 0;
            tail->lines[tail->next % TAIL_LINES][0] = 0;
        } else if (tail->used + 1 < TAIL_WIDTH) {
            line[tail->used++] = c == '\t' ? ' ' : c < 0x20 || c == 0x7f ? '?' : (char)c;
            line[tail->used] = 0;
        }
    }
}

void tail_say(const Tail *tail)
{
    const size_t end = tail->next + (tail->used > 0);
    for (size_t i = end > TAIL_LINES ? end - TAIL_LINES : 0; i < end; i++)
        say("  %s", tail->lines[i % TAIL_LINES]);
}
