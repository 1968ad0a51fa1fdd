/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the server was told at its start. */
#ifndef MCP_CONFIG_H
#define MCP_CONFIG_H

#include <stdint.h>

#include "allow.h"

typedef struct McpConfig {
    Allow *allow;
    uint64_t max_bytes; /* of a file */
    unsigned timeout;   /* seconds that a call may take */
    unsigned jobs;      /* calls that run at once */
    unsigned queue;     /* calls that wait for their turn */
    const char *tune;   /* the vmaf-tune to run; NULL: the one beside this program, or in PATH */
    const char *ffmpeg; /* that it runs; NULL: the one in PATH */
} McpConfig;

#endif
