/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A row of samples that the low-pass covers. */
struct Row {
    f32 v0, v1, v2, v3, v4, v5, v6, v7, v8;
};
