/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The dialect as a question to the preprocessor: what does this kernel want? compile_kernel.py reads the
 * answer; the rest of what comes out is no language at all. */
#define IN(slot, type, name) +1
#define OUT(slot, type, name) +1
#define ARG(type, name) +4
KERNEL_INFO[GROUP_W; GROUP_H; 0 BUFFERS; 0 PARAMS]
