/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The command line of vmaf-mcp. */
#ifndef MCP_OPTIONS_H
#define MCP_OPTIONS_H

#include <stdint.h>
#include <stdio.h>

#include "allow.h"
#include "common/args.h"

/* The configuration of the server. It does not change while the server runs. */

typedef struct McpConfig {
    Allow *allow;
    uint64_t max_bytes; /* largest file that may be read */
    unsigned timeout;   /* seconds that a call may take */
    unsigned jobs;      /* calls that run at the same time */
    unsigned queue;     /* calls that may wait */
    const char *tune;   /* path of vmaf-tune; NULL: beside this program, or in PATH */
    const char *ffmpeg; /* path of ffmpeg for vmaf-tune; NULL: in PATH */
} McpConfig;

enum McpAction { MCP_SERVE, MCP_HELP, MCP_VERSION };

/* Parse the command line. Returns 0; -EINVAL after printing a usage error; -ENOMEM. The caller
 * destroys `allow` in any case. */
int mcp_options_parse(McpConfig *config, int argc, char **argv, enum McpAction *action);

extern const Arg mcp_options[];
void mcp_options_print_help(FILE *file);

#endif
