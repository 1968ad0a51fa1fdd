/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What float_moment's kernel and its host code share. */
#define MOMENT_GROUP_W 64 /* words of a row per group */
#define MOMENT_ROWS 32    /* rows per group */

/* first_sum counts pairs: a group leaves the sum of its samples and that of their squares. */
#define FLOAT_MOMENT_PARAMS                                                                        \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(u32, groups_x) ARG(u32, first_sum)
