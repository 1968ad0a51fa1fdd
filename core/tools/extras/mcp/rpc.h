/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* JSON-RPC 2.0: what a message is, and how answers look. */
#ifndef MCP_RPC_H
#define MCP_RPC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum RpcError {
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_METHOD_NOT_FOUND = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_INTERNAL_ERROR = -32603,
    RPC_UNSUPPORTED_VERSION = -32022, /* of the Model Context Protocol */
};

enum RpcKind {
    RPC_REQUEST,
    RPC_NOTIFICATION,
    RPC_RESPONSE, /* to something that we never asked */
    RPC_BAD,      /* `why` says what is wrong */
};

/* Everything in it belongs to the value it was read from. */
typedef struct RpcMessage {
    enum RpcKind kind;
    json_t *id; /* NULL: none, or none that can be used */
    const char *method;
    json_t *params; /* an object; NULL: none */
    const char *why;
} RpcMessage;

/* A line as a JSON value; NULL: it is none, and `why` has a word on it. */
json_t *rpc_read(const char *text, size_t length, char *why, size_t size);

void rpc_examine(const json_t *value, RpcMessage *message);

/* Both take over what they are given and make a new value; `id` is only looked at, NULL stands for null.
 * NULL when there is no memory. */
json_t *rpc_result(const json_t *id, json_t *result);
json_t *rpc_error(const json_t *id, int code, const char *text, json_t *data);
json_t *rpc_notification(const char *method, json_t *params);

/* A string, whatever the bytes: what is cut within a character, or was none, becomes question marks. */
json_t *rpc_text(const char *text);

/* Is it what a request may have as its id, and a call as its progress token? */
bool rpc_is_id(const json_t *value);

/* Bytes as they come, cut into lines. A line that is longer than the limit is told of and passed over, so
 * that memory stays bounded whatever is sent. */

/* `text` is not terminated, and has no line end; NULL: the line was too long. False: enough, stop. */
typedef bool LineHandler(void *arg, const char *text, size_t length);

typedef struct Lines {
    LineHandler *handle;
    void *arg;
    size_t limit; /* bytes of a line */
    char *data;   /* what came of the line so far */
    size_t size, room;
    bool skipping; /* the rest of a line that was too long */
} Lines;

/* Calls the handler for each line that is whole now. 0; -ECANCELED: the handler wants no more; -ENOMEM. */
int lines_feed(Lines *lines, const char *bytes, size_t count);

/* What has come since the last line end is a line, too, when nothing follows. */
int lines_end(Lines *lines);

void lines_free(Lines *lines);

/* The way to the client: whole messages, a line each, from any thread. */

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
