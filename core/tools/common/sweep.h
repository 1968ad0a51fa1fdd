/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Removing temporary folders and drafts: our own, and those that killed programs left behind. Their
 * owners hold a lock on each as long as they live. Any thread may call these functions. */
#ifndef TOOLS_SWEEP_H
#define TOOLS_SWEEP_H

#include <stdbool.h>
#include <string.h>

#define SWEEP_PREFIX ".vmaf-tune-"
#define SWEEP_LOCK "lock"                     /* the file of a folder that its owner has locked */
#define SWEEP_DRAFT SWEEP_PREFIX "XXXXXX.tmp" /* name of a draft, for mkostemps */

static inline bool sweep_is_draft(const char *name)
{
    static const char end[] = ".tmp";
    return strlen(name) == strlen(SWEEP_DRAFT) &&
           !strcmp(name + strlen(SWEEP_DRAFT) - strlen(end), end);
}

/* Removes what killed programs of this user left in a folder. */
void sweep(const char *parent);

/* Removes a temporary folder with all its files. Takes over the descriptor of its lock, if that is
 * not -1. */
void sweep_remove(const char *path, int lock);

#endif
