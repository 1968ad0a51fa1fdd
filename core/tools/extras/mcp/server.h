/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The Model Context Protocol server. Supports the revisions with a handshake (2024-11-05 to
 * 2025-11-25) and the one in which each request is independent (2026-07-28). One thread passes in
 * messages; answers may leave from other threads. */
#ifndef MCP_SERVER_H
#define MCP_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "mcp_options.h"
#include "rpc.h"

/* Maximum size of a message in bytes. */
#define MESSAGE_MAX ((size_t)1 << 20)

typedef struct Server Server;

/* Create a server that answers to `client`, which must outlive it. Returns 0 or a negative errno.
 */
int server_create(Server **out, const McpConfig *config, Out *client);

/* Handle a line from the client; a LineHandler (rpc.h). False: the client is gone. */
bool server_hear(void *server, const char *text, size_t length);

/* Stop running calls, answer them, and free everything. NULL is fine. */
void server_destroy(Server *server);

#endif
