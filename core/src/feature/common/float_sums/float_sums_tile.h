/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the kernel of ordered sums and its host code share. */
#define SUMS_ROWS 32   /* rows per group, added up by a thread each */
#define SUMS_GROUP_H 8 /* threads that load for each of them */
#define SUMS_COLUMNS 64 /* loaded at a time */

/* Planes lie one after the other, without gaps; first_sum is a word of the result. */
#define FLOAT_SUMS_PARAMS ARG(u32, width) ARG(u32, height) ARG(u32, first_sum)
