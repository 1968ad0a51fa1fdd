/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants that xpsnr's kernels and the C code share. */
#define XPSNR_HISTORIES 3 /* no earlier frame exists, one does, or two do */
