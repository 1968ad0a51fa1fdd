/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The Model Context Protocol: messages in, answers out. Speaks the revisions that begin with a handshake
 * (2024-11-05 to 2025-11-25) and the one where each request stands for itself (2026-07-28). */
#ifndef MCP_SERVER_H
#define MCP_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "mcp_options.h"
#include "rpc.h"

/* Bytes of a message, at most. */
#define MESSAGE_MAX ((size_t)1 << 20)

typedef struct Server Server;

/* 0 or a negative errno. */
int server_create(Server **out, const McpConfig *config, Out *client);

/* A line from the client; a LineHandler (lines.h). False: the client has gone. */
bool server_hear(void *server, const char *text, size_t length);

/* Stops what runs, answers that, and frees everything. NULL is fine. */
void server_destroy(Server *server);

#endif
