/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "rpc.h"
#include "common/json_memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire.h"

/* ---- integers that jansson cannot hold ----
 * An id may be any integer, and its answer must have the same. Those beyond 64 bits become strings
 * with a mark when a message is read, and integers again when an answer is written. */

#define MARK "\"\\u0001integer:"

/* The length of an integer of more than 64 bits at the beginning of the text; 0: there is none. */
static size_t large_integer(const char *text, const char *end)
{
    char digits[32];
    size_t length = *text == '-';
    while (text + length < end && text[length] >= '0' && text[length] <= '9')
        length++;
    if (length < 19 || (text + length < end && strchr(".eE", text[length])))
        return 0;
    if (length >= sizeof(digits))
        return length;
    memcpy(digits, text, length);
    digits[length] = '\0';
    errno = 0;
    strtoll(digits, NULL, 10);
    return errno == ERANGE ? length : 0;
}

/* The end of the string, number or single character that begins here. */
static const char *token_end(const char *text, const char *end)
{
    const char *at = text + 1;
    if (*text == '"') {
        while (at < end && *at != '"')
            at += *at == '\\' && at + 1 < end ? 2 : 1;
        return at < end ? at + 1 : end;
    }
    if (strchr("-0123456789", *text) && *text)
        while (at < end && *at && strchr("+-.0123456789eE", *at))
            at++;
    return at;
}

/* A copy of the text in which each large integer is a marked string. NULL: no memory. */
static char *mark_integers(const char *text, size_t length, size_t *marked)
{
    const char *const end = text + length;
    char *copy = NULL;
    FILE *const file = open_memstream(&copy, marked);
    while (file && text < end) {
        const size_t large = large_integer(text, end);
        const char *const next = large ? text + large : token_end(text, end);
        if (large)
            fprintf(file, MARK "%.*s\"", (int)large, text);
        else
            fwrite(text, 1, (size_t)(next - text), file);
        text = next;
    }
    const bool lost = !file || ferror(file);
    if (file && (fclose(file) || lost)) {
        free(copy);
        copy = NULL;
    }
    return copy;
}

/* Turns marked strings into integers again, in place. */
static void unmark_integers(char *text)
{
    char *out = strstr(text, MARK);
    for (const char *at = out; at && *at;) {
        const char *const digits = at + strlen(MARK);
        const bool begins = !strncmp(at, MARK, strlen(MARK)) && (at == text || at[-1] != '\\');
        const size_t length = begins ? strspn(digits, "-0123456789") : 0;
        if (length && digits[length] == '"') {
            memmove(out, digits, length);
            out += length;
            at = digits + length + 1;
        } else {
            *out++ = *at++;
        }
    }
    if (out)
        *out = '\0';
}

json_t *rpc_read(const char *text, size_t length, char *why, size_t size)
{
    json_error_t error = { .text = "out of memory" };
    char *const marked = mark_integers(text, length, &length);
    /* Refuse duplicate names: otherwise two parsers of one message could see different values. */
    json_t *const value =
        marked ? json_loadb(marked, length,
                            JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error)
               : NULL;
    if (!value)
        snprintf(why, size, "not JSON: %s (at byte %d)", error.text, error.position);
    free(marked);
    return value;
}

/* True if a string in the value has a character of value 0, which would end it early for us. */
static bool has_nul(const json_t *value)
{
    const char *name;
    json_t *inner;
    size_t i;
    if (json_is_string(value))
        return strlen(json_string_value(value)) != json_string_length(value);
    json_object_foreach ((json_t *)value, name, inner)
        if (has_nul(inner))
            return true;
    json_array_foreach(value, i, inner) if (has_nul(inner)) return true;
    return false;
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
        return "a message must have \"jsonrpc\": \"2.0\"";
    if (id && !rpc_is_id(id))
        return "an id must be a string or an integer";
    if (method && !json_is_string(method))
        return "a method must be a string";
    if (params && !json_is_object(params))
        return "params must be an object";
    if (has_nul(method) || has_nul(params))
        return "a text may not contain the character U+0000";
    if (!method && !json_object_get(value, "result") && !json_object_get(value, "error"))
        return "a message needs a method, a result or an error";
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
        .why = json_is_object(value) ? fault(value) : "a message must be an object",
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

static int keep(Lines *lines, const char *bytes, size_t count)
{
    if (lines->skipping)
        return 0;
    if (count > lines->limit - lines->size) {
        lines->skipping = true;
        lines->size = 0;
        return lines->handle(lines->arg, NULL, 0) ? 0 : -ECANCELED;
    }
    if (lines->size + count > lines->room) {
        const size_t room =
            lines->size + count < lines->limit / 2 ? 2 * (lines->size + count) : lines->limit;
        char *const data = realloc(lines->data, room);
        if (!data)
            return -ENOMEM;
        lines->data = data;
        lines->room = room;
    }
    if (count)
        memcpy(lines->data + lines->size, bytes, count);
    lines->size += count;
    return 0;
}

static int end_line(Lines *lines)
{
    const bool skipped = lines->skipping;
    size_t size = lines->size;
    lines->skipping = false;
    lines->size = 0;
    if (skipped)
        return 0;
    if (size && lines->data[size - 1] == '\r')
        size--;
    return lines->handle(lines->arg, lines->data ? lines->data : "", size) ? 0 : -ECANCELED;
}

int lines_feed(Lines *lines, const char *bytes, size_t count)
{
    int err = 0;
    while (!err && count) {
        const char *const end = memchr(bytes, '\n', count);
        const size_t piece = end ? (size_t)(end - bytes) : count;
        err = keep(lines, bytes, piece);
        if (!err && end)
            err = end_line(lines);
        bytes += piece + (end ? 1 : 0);
        count -= piece + (end ? 1 : 0);
    }
    return err;
}

int lines_end(Lines *lines)
{
    return lines->size || lines->skipping ? end_line(lines) : 0;
}

void lines_free(Lines *lines)
{
    free(lines->data);
    lines->data = NULL;
    lines->size = lines->room = 0;
}

struct Out {
    pthread_mutex_t lock; /* held while a message is written */
    Wire *wire;
    bool broken;
};

Out *out_create(int fd)
{
    Out *const out = calloc(1, sizeof(*out));
    if (!out)
        return NULL;
    out->wire = wire_create(fd);
    if (!out->wire) {
        free(out);
        return NULL;
    }
    pthread_mutex_init(&out->lock, NULL);
    return out;
}

void out_destroy(Out *out)
{
    if (!out)
        return;
    pthread_mutex_destroy(&out->lock);
    wire_destroy(out->wire);
    free(out);
}

void out_stop(Out *out)
{
    wire_stop(out->wire);
}

bool out_is_broken(Out *out)
{
    pthread_mutex_lock(&out->lock);
    const bool broken = out->broken;
    pthread_mutex_unlock(&out->lock);
    return broken;
}

void out_send(Out *out, json_t *message)
{
    /* Twelve digits suffice for any score, and print numbers read from text unchanged. */
    char *const text =
        json_whole_text(message, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
    json_decref(message);
    if (text)
        unmark_integers(text);
    pthread_mutex_lock(&out->lock);
    if (!text)
        out->broken = true; /* no memory: disconnect rather than leave a request unanswered */
    if (!out->broken)
        out->broken = !wire_write(out->wire, text, strlen(text)) || !wire_write(out->wire, "\n", 1);
    pthread_mutex_unlock(&out->lock);
    free(text);
}
