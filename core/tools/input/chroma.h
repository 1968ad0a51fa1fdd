/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Raises a plane of chroma to the size of luma: linear between samples, in integers, wherever the
 * samples lie. A pure function, for any thread. */
#ifndef TOOLS_INPUT_CHROMA_H
#define TOOLS_INPUT_CHROMA_H

#include "input/convert.h"

/* The bits that interpolation adds to a sample. */
enum { CHROMA_BITS = 4 };

/* True if chroma of this shape has half the width or height of luma, or half of both. */
bool chroma_can_raise(const Planes *shape);

/* Raises plane p (1 or 2), whose samples lie as `siting` says, to a 4:4:4 picture of more than 8
 * bits. If it has CHROMA_BITS more bits than the samples, or more, nothing is rounded. -ERANGE if a
 * sample exceeds its bit depth. */
int chroma_raise(const Planes *from, unsigned p, enum VideoSiting siting, const VmafPicture *to);

#endif
