/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* JSON-RPC 2.0 messages, splitting input into lines, and writing to the client. */
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
    RPC_UNSUPPORTED_VERSION = -32022, /* defined by the Model Context Protocol */
};

enum RpcKind {
    RPC_REQUEST,
    RPC_NOTIFICATION,
    RPC_RESPONSE, /* ignored, since the server sends no requests */
    RPC_BAD,      /* `why` says what is wrong */
};

/* A parsed message. The pointers belong to the JSON value it was read from. */
typedef struct RpcMessage {
    enum RpcKind kind;
    json_t *id; /* NULL: missing or invalid */
    const char *method;
    json_t *params; /* an object; NULL: none */
    const char *why;
} RpcMessage;

/* Parse a line. NULL: not JSON, with a message in `why`. */
json_t *rpc_read(const char *text, size_t length, char *why, size_t size);

void rpc_examine(const json_t *value, RpcMessage *message);

/* Make an answer or a notification. They take ownership of `result`, `data` and `params` and copy
 * `id` (NULL becomes null). NULL: no memory. */
json_t *rpc_result(const json_t *id, json_t *result);
json_t *rpc_error(const json_t *id, int code, const char *text, json_t *data);
json_t *rpc_notification(const char *method, json_t *params);

/* Make a JSON string from any bytes. If they are not valid UTF-8, each byte outside of ASCII
 * becomes a question mark. */
json_t *rpc_text(const char *text);

/* Can the value be a request's id or a progress token? */
bool rpc_is_id(const json_t *value);

/* Splits incoming bytes into lines. A line longer than the limit is reported and skipped, so memory
 * stays bounded for any input. */

/* `text` has no terminator and no line end. NULL: the line was too long. Return false to stop. */
typedef bool LineHandler(void *arg, const char *text, size_t length);

typedef struct Lines {
    LineHandler *handle;
    void *arg;
    size_t limit; /* maximum length of a line, in bytes */
    char *data;   /* incomplete line so far */
    size_t size, room;
    bool skipping; /* inside a line that was too long */
} Lines;

/* Pass each complete line to the handler. Returns 0; -ECANCELED if the handler stopped; -ENOMEM. */
int lines_feed(Lines *lines, const char *bytes, size_t count);

/* Pass on the last line if no line end follows it. */
int lines_end(Lines *lines);

void lines_free(Lines *lines);

/* The output to the client: one message per line. Any thread may send. */

typedef struct Out Out;

/* Create the output and take ownership of the descriptor. NULL: no memory. */
Out *out_create(int fd);
void out_destroy(Out *out);

/* Send a message and take ownership of it. After the first failure nothing more is written: the
 * client is gone. */
void out_send(Out *out, json_t *message);
bool out_is_broken(Out *out);

/* From now on, do not wait for a client that stopped reading. */
void out_stop(Out *out);

#endif
