/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* JSON-RPC 2.0: what a message is, and how answers look. */
#ifndef MCP_RPC_H
#define MCP_RPC_H

#include <jansson.h>
#include <stdbool.h>

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

#endif
