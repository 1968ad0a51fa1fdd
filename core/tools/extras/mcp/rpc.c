/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "rpc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *rpc_read(const char *text, size_t length, char *why, size_t size)
{
    json_error_t error;
    /* Names that come twice are refused: who checks a message and who acts on it must see the same one. */
    json_t *const value =
        json_loadb(text, length, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
    if (!value)
        snprintf(why, size, "not JSON: %s (at byte %d)", error.text, error.position);
    return value;
}

bool rpc_is_id(const json_t *value)
{
    return json_is_string(value) || json_is_integer(value);
}

static const char *fault(const json_t *value)
{
    const json_t *const id = json_object_get(value, "id"), *const method =
                                                               json_object_get(value, "method");
    const json_t *const params = json_object_get(value, "params");
    const char *const version = json_string_value(json_object_get(value, "jsonrpc"));
    if (!version || strcmp(version, "2.0") != 0)
        return "a message is JSON-RPC 2.0: it has \"jsonrpc\": \"2.0\"";
    if (id && !rpc_is_id(id))
        return "an id is a string or an integer";
    if (method && !json_is_string(method))
        return "a method is a string";
    if (params && !json_is_object(params))
        return "params are an object";
    if (!method && !json_object_get(value, "result") && !json_object_get(value, "error"))
        return "a message has a method, or is a response";
    return NULL;
}

void rpc_examine(const json_t *value, RpcMessage *message)
{
    json_t *const id = json_object_get(value, "id");
    *message = (RpcMessage){
        .kind = RPC_BAD,
        .id = rpc_is_id(id) ? id : NULL,
        .method = json_string_value(json_object_get(value, "method")),
        .params = json_object_get(value, "params"),
        .why = json_is_object(value) ? fault(value) : "a message is an object",
    };
    if (message->why)
        return;
    message->kind = !message->method ? RPC_RESPONSE : id ? RPC_REQUEST : RPC_NOTIFICATION;
}

json_t *rpc_text(const char *text)
{
    json_t *value = json_string(text);
    char *const plain = value ? NULL : strdup(text);
    for (char *at = plain; at && *at; at++)
        if ((unsigned char)*at >= 0x80)
            *at = '?';
    if (plain)
        value = json_string(plain);
    free(plain);
    return value;
}

static json_t *answer(const json_t *id, const char *what, json_t *content)
{
    json_t *const copy = id ? json_deep_copy(id) : json_null();
    return json_pack("{s:s, s:o, s:o}", "jsonrpc", "2.0", "id", copy, what, content);
}

json_t *rpc_result(const json_t *id, json_t *result)
{
    return answer(id, "result", result);
}

json_t *rpc_error(const json_t *id, int code, const char *text, json_t *data)
{
    return answer(
        id, "error",
        json_pack("{s:i, s:o, s:o*}", "code", code, "message", rpc_text(text), "data", data));
}

json_t *rpc_notification(const char *method, json_t *params)
{
    return json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params);
}
