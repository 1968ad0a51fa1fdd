/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The command line of vmaf-mcp. */
#ifndef MCP_OPTIONS_H
#define MCP_OPTIONS_H

#include <stdio.h>

#include "common/args.h"
#include "config.h"

enum McpAction { MCP_SERVE, MCP_HELP, MCP_VERSION };

/* 0; -EINVAL after a usage error, which it has printed; -ENOMEM. The folders are the caller's in any case. */
int mcp_options_parse(McpConfig *config, int argc, char **argv, enum McpAction *action);

extern const Arg mcp_options[];
void mcp_options_print_help(FILE *file);

#endif
