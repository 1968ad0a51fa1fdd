/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Reads of a pipe, which wait for its writer unless another thread ends that: the part of a Source that
 * differs between systems. */
#ifndef TOOLS_INPUT_WAITING_H
#define TOOLS_INPUT_WAITING_H

#include <sys/uio.h>

#include "input/source.h"

int waiting_open(Source *source);   /* 0 or a negative errno */
void waiting_close(Source *source); /* one that was not opened is fine */

/* The number of bytes, 0 at the end, or a negative errno: -ECANCELED once the source is cancelled, -EINTR
 * when `holding` was ended by source_wake. */
int64_t waiting_read(Source *source, const struct iovec *pieces, unsigned count, bool holding);

#endif
