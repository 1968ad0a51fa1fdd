/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants shared by the kernel of float_moment and its host code. */
#define MOMENT_GROUP_W 64 /* words of a row in a workgroup */
#define MOMENT_ROWS 32    /* rows of a workgroup */

/* first_sum counts pairs: a workgroup writes the sum of its samples and that of their squares. */
#define FLOAT_MOMENT_PARAMS                                                                        \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(u32, groups_x) ARG(u32, first_sum)
