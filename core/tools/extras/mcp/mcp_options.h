/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The command line of vmaf-mcp. */
#ifndef MCP_OPTIONS_H
#define MCP_OPTIONS_H

#include <stdint.h>
#include <stdio.h>

#include "allow.h"
#include "common/args.h"

/* What the server was told at its start. */

typedef struct McpConfig {
    Allow *allow;
    uint64_t max_bytes; /* of a file */
    unsigned timeout;   /* seconds that a call may take */
    unsigned jobs;      /* calls that run at once */
    unsigned queue;     /* calls that wait for their turn */
    const char *tune;   /* the vmaf-tune to run; NULL: the one beside this program, or in PATH */
    const char *ffmpeg; /* that it runs; NULL: the one in PATH */
} McpConfig;

enum McpAction { MCP_SERVE, MCP_HELP, MCP_VERSION };

/* 0; -EINVAL after a usage error, which it has printed; -ENOMEM. The folders are the caller's in any case. */
int mcp_options_parse(McpConfig *config, int argc, char **argv, enum McpAction *action);

extern const Arg mcp_options[];
void mcp_options_print_help(FILE *file);

#endif
