/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The dialect reduced to what the preprocessor can tell about a kernel: its workgroup, buffers and
 * parameters. compile_kernel.py reads that; the rest of the output is not in any language. */
#define IN(slot, type, name) +1
#define OUT(slot, type, name) +1
#define ARG(type, name) +4
KERNEL_INFO[GROUP_W; GROUP_H; 0 BUFFERS; 0 PARAMS]
