/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants shared by the kernel float_row_sums and its host code. */
#define SUMS_ROWS 32   /* rows of a workgroup, each summed by one thread */
#define SUMS_GROUP_H 8 /* threads that load terms, for each row */
#define SUMS_COLUMNS 64 /* columns loaded at a time */

/* The planes lie one after the other, without gaps. first_sum is a word of the result. */
#define FLOAT_SUMS_PARAMS ARG(u32, width) ARG(u32, height) ARG(u32, first_sum)
