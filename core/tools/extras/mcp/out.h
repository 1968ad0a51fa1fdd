/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The way to the client: whole messages, a line each, from any thread. */
#ifndef MCP_OUT_H
#define MCP_OUT_H

#include <jansson.h>
#include <stdbool.h>

typedef struct Out Out;

/* Takes the descriptor over. NULL: no memory. */
Out *out_create(int fd);
void out_destroy(Out *out);

/* Takes `message` over. After the first failure nothing is written any more: the client has gone. */
void out_send(Out *out, json_t *message);
bool out_is_broken(Out *out);

/* No waiting for a client that does not read, from now on. */
void out_stop(Out *out);

#endif
