/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MCP_SCRATCH_H
#define MCP_SCRATCH_H

/* A file without a name, which is gone when it is closed; closed in programs that are run. Negative errno. */
int scratch_file(void);

#endif
