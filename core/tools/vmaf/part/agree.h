/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Are these all parts of one run, and each once? */
#ifndef TOOLS_SHARD_AGREE_H
#define TOOLS_SHARD_AGREE_H

#include "part.h"

/* Puts the parts in order. Says in one line which part is wrong, and how; -EINVAL. */
int parts_agree(PartFile *parts, size_t count);

#endif
