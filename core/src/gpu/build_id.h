/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef GPU_BUILD_ID_H
#define GPU_BUILD_ID_H

/* What this library is made of: a hash of its sources and of how they are compiled (build_id.py). */
extern const char build_id[];

#endif
