/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The --feature options at work. */
#ifndef TOOLS_EXTRACTORS_H
#define TOOLS_EXTRACTORS_H

#include "libvmaf/libvmaf.h"
#include "options.h"

/* Checks and registers them, in their order. Says what is wrong; negative errno. */
int extractors_use(const Options *options, VmafContext *vmaf);

/* Bit p: one of them may read plane p. */
unsigned extractors_planes(const Options *options);

/* The same for one extractor; one that nobody knows might read any. */
unsigned extractor_planes(const char *name);

#endif
