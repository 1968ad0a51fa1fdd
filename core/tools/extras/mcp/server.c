/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "server.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "libvmaf/libvmaf.h"
#include "rpc.h"
#include "tool.h"

/* Revisions of the protocol, oldest first. */
enum Revision {
    BEFORE_HANDSHAKE,
    REVISION_2024_11_05,
    REVISION_2025_03_26, /* allows batches of messages */
    REVISION_2025_06_18, /* adds structured results, drops batches */
    REVISION_2025_11_25, /* reports wrong arguments to the model */
    REVISION_2026_07_28, /* needs no handshake */
    REVISIONS
};

static const char *const revision_names[REVISIONS] = { "",           "2024-11-05", "2025-03-26",
                                                       "2025-06-18", "2025-11-25", "2026-07-28" };

#define META "io.modelcontextprotocol/"
#define LIST_TTL 3600000 /* milliseconds for which clients may cache constant answers */
#define SUBSCRIPTIONS_MAX 16

static const char instructions[] =
    "Scores how well an encoded video preserves the quality of its reference "
    "(VMAF, SSIMULACRA2, XPSNR and other metrics). VMAF runs from 0 to 100; 95 or more is hardly "
    "distinguishable from the reference, 80 is good, below 60 is clearly worse. "
    "Look at p1 or p5 besides the mean: a good mean can hide bad scenes. Paths "
    "must name files below the folders that the server was started with.";

/* The answers to a batch, which are sent together. */
typedef struct Batch {
    json_t *answers;
    unsigned open; /* missing answers, plus one while the batch is being read */
} Batch;

struct Server {
    Out *client;
    Calls *calls;
    enum Revision revision; /* chosen in the handshake */
    json_t *subscriptions;  /* ids of requests that stay open */
    json_t *schemas;        /* argument schemas of the tools, by name */
    pthread_mutex_t lock;   /* guards all batches, because calls end on other threads */
};

/* A request and how to answer it. */
typedef struct Request {
    Server *server;
    Batch *batch; /* NULL: not in a batch */
    const json_t *id;
    json_t *params;
    enum Revision revision;
} Request;

/* ---- answers ---- */

static Batch *batch_create(void)
{
    Batch *const batch = calloc(1, sizeof(*batch));
    if (batch)
        *batch = (Batch){ json_array(), 1 };
    return batch;
}

/* Expect one more answer. Does nothing if `batch` is NULL. */
static void batch_expect(Server *server, Batch *batch)
{
    pthread_mutex_lock(&server->lock);
    if (batch)
        batch->open++;
    pthread_mutex_unlock(&server->lock);
}

/* Add an answer, or NULL if a request gets none. The last one sends and frees the batch. */
static void batch_take(Server *server, Batch *batch, json_t *answer)
{
    pthread_mutex_lock(&server->lock);
    if (answer)
        json_array_append_new(batch->answers, answer);
    const bool last = !--batch->open;
    pthread_mutex_unlock(&server->lock);
    if (!last)
        return;
    if (json_array_size(batch->answers))
        out_send(server->client, batch->answers);
    else
        json_decref(batch->answers);
    free(batch);
}

static void deliver(Server *server, Batch *batch, json_t *answer)
{
    if (batch)
        batch_take(server, batch, answer);
    else if (answer)
        out_send(server->client, answer);
}

static json_t *server_info(void)
{
    return json_pack("{s:s, s:s, s:s}", "name", "vmaf-mcp", "title", "VMAF video quality",
                     "version", vmaf_version());
}

/* Add what the newest revision requires in each result. */
static json_t *dress(enum Revision revision, json_t *result)
{
    if (revision < REVISION_2026_07_28 || !result)
        return result;
    json_t *const meta = json_object_get(result, "_meta");
    json_object_set_new(result, "resultType", json_string("complete"));
    if (meta)
        json_object_set_new(meta, META "serverInfo", server_info());
    else
        json_object_set_new(result, "_meta", json_pack("{s:o}", META "serverInfo", server_info()));
    return result;
}

static void answer(const Request *request, json_t *result)
{
    deliver(request->server, request->batch,
            rpc_result(request->id, dress(request->revision, result)));
}

static void refuse(const Request *request, int code, const char *text)
{
    deliver(request->server, request->batch, rpc_error(request->id, code, text, NULL));
}

static void refuse_message(Server *server, Batch *batch, const json_t *id, int code,
                           const char *text)
{
    batch_expect(server, batch);
    deliver(server, batch, rpc_error(id, code, text, NULL));
}

/* ---- methods ---- */

static json_t *capabilities(void)
{
    return json_pack("{s:{}}", "tools");
}

static void initialize(const Request *request)
{
    Server *const server = request->server;
    const char *const wanted =
        json_string_value(json_object_get(request->params, "protocolVersion"));
    enum Revision revision = REVISION_2025_11_25; /* if the client's revision is unknown */
    if (server->revision != BEFORE_HANDSHAKE) {
        refuse(request, RPC_INVALID_REQUEST, "the session is initialized already");
        return;
    }
    if (request->batch) {
        refuse(request, RPC_INVALID_REQUEST, "initialize cannot be part of a batch");
        return;
    }
    if (!wanted) {
        refuse(request, RPC_INVALID_PARAMS, "initialize needs a protocolVersion");
        return;
    }
    for (unsigned i = REVISION_2024_11_05; i <= REVISION_2025_11_25; i++)
        if (!strcmp(wanted, revision_names[i]))
            revision = i;
    server->revision = revision;
    answer(request, json_pack("{s:s, s:o, s:o, s:s}", "protocolVersion", revision_names[revision],
                              "capabilities", capabilities(), "serverInfo", server_info(),
                              "instructions", instructions));
}

static void discover(const Request *request)
{
    answer(request,
           json_pack("{s:[s], s:o, s:s, s:i, s:s}", "supportedVersions",
                     revision_names[REVISION_2026_07_28], "capabilities", capabilities(),
                     "instructions", instructions, "ttlMs", LIST_TTL, "cacheScope", "public"));
}

static void ping(const Request *request)
{
    answer(request, json_object());
}

static json_t *describe_tool(const Tool *tool, enum Revision revision)
{
    json_t *const entry =
        json_pack("{s:s, s:s, s:o}", "name", tool->name, "description", tool->description,
                  "inputSchema", json_loads(tool->input, 0, NULL));
    if (entry && revision >= REVISION_2025_03_26)
        json_object_set_new(entry, "annotations",
                            json_pack("{s:s, s:b, s:b, s:b}", "title", tool->title, "readOnlyHint",
                                      1, "idempotentHint", 1, "openWorldHint", 0));
    if (entry && revision >= REVISION_2025_06_18) {
        json_object_set_new(entry, "title", json_string(tool->title));
        json_object_set_new(entry, "outputSchema", json_loads(tool->output, 0, NULL));
    }
    return entry;
}

static void list_tools(const Request *request)
{
    json_t *const list = json_array();
    if (json_object_get(request->params, "cursor")) { /* we never return any */
        json_decref(list);
        refuse(request, RPC_INVALID_PARAMS, "unknown cursor");
        return;
    }
    for (const Tool *const *tool = tools; *tool; tool++)
        json_array_append_new(list, describe_tool(*tool, request->revision));
    json_t *const result = json_pack("{s:o}", "tools", list);
    if (result && request->revision >= REVISION_2026_07_28) {
        json_object_set_new(result, "ttlMs", json_integer(LIST_TTL));
        json_object_set_new(result, "cacheScope", json_string("public"));
    }
    answer(request, result);
}

/* A model can correct wrong arguments, so newer clients get the message as a result that the model
 * sees. */
static void refuse_arguments(const Request *request, const char *why)
{
    if (request->revision >= REVISION_2025_11_25)
        answer(request, tool_failure("%s", why));
    else
        refuse(request, RPC_INVALID_PARAMS, why);
}

static void call_tool(const Request *request)
{
    Server *const server = request->server;
    const json_t *const name = json_object_get(request->params, "name");
    const json_t *const given = json_object_get(request->params, "arguments");
    const json_t *const token =
        json_object_get(json_object_get(request->params, "_meta"), "progressToken");
    const Tool *const tool = json_is_string(name) ? tool_find(json_string_value(name)) : NULL;
    char why[512];
    if (!json_is_string(name)) {
        refuse(request, RPC_INVALID_PARAMS, "a call needs the name of a tool");
        return;
    }
    if (!tool) {
        snprintf(why, sizeof(why), "Unknown tool: %.100s", json_string_value(name));
        refuse(request, RPC_INVALID_PARAMS, json_string_value(name)[0] ? why : "Unknown tool");
        return;
    }
    if (given && !json_is_object(given)) {
        refuse(request, RPC_INVALID_PARAMS, "arguments must be an object");
        return;
    }
    if (token && !rpc_is_id(token)) {
        refuse(request, RPC_INVALID_PARAMS, "a progressToken must be a string or an integer");
        return;
    }
    json_t *const arguments = given ? json_deep_copy(given) : json_object();
    if (!schema_allows(json_object_get(server->schemas, tool->name), arguments, why, sizeof(why))) {
        json_decref(arguments);
        refuse_arguments(request, why);
        return;
    }
    /* copies, because the call runs on another thread */
    const Call call = {
        .tool = tool,
        .id = json_deep_copy(request->id),
        .arguments = arguments,
        .token = token ? json_deep_copy(token) : NULL,
        .context = request->batch,
        .revision = (int)request->revision,
    };
    const int err = calls_add(server->calls, &call);
    if (!err)
        return;
    json_decref(call.id);
    json_decref(call.arguments);
    json_decref(call.token);
    if (err == -EEXIST)
        refuse(request, RPC_INVALID_REQUEST, "a request with this id is still running");
    else if (err == -EBUSY)
        answer(request, tool_failure("too many calls are waiting; try again later"));
    else
        refuse(request, RPC_INTERNAL_ERROR, strerror(-err));
}

/* A call has ended; see CallDone. */
static void call_done(void *arg, Call *call, json_t *result)
{
    Server *const server = arg;
    const int stop = atomic_load(&call->stop);
    json_t *message = NULL;
    if (stop == CALL_GOES_ON && result)
        message = rpc_result(call->id, dress((enum Revision)call->revision, result));
    else if (stop != CALL_CANCELLED)
        message = rpc_error(
            call->id, RPC_INTERNAL_ERROR,
            stop == CALL_ENDED ? "the server ended before the call did" : "out of memory", NULL);
    if (result && (stop != CALL_GOES_ON))
        json_decref(result);
    deliver(server, call->context, message);
}

/* Accept subscriptions, but never notify: nothing that the server offers changes. */
static void listen_for_changes(const Request *request)
{
    Server *const server = request->server;
    if (!json_is_object(json_object_get(request->params, "notifications"))) {
        refuse(request, RPC_INVALID_PARAMS, "notifications must be an object");
        return;
    }
    if (json_array_size(server->subscriptions) >= SUBSCRIPTIONS_MAX) {
        refuse(request, RPC_INTERNAL_ERROR, "too many subscriptions");
        return;
    }
    json_array_append_new(server->subscriptions, json_deep_copy(request->id));
    out_send(server->client,
             rpc_notification("notifications/subscriptions/acknowledged",
                              json_pack("{s:{s:o}, s:{}}", "_meta", META "subscriptionId",
                                        json_deep_copy(request->id), "notifications")));
}

static bool end_subscription(Server *server, const json_t *id)
{
    const json_t *open;
    size_t i;
    json_array_foreach(
        server->subscriptions, i,
        open) if (json_equal(open, id)) return !json_array_remove(server->subscriptions, i);
    return false;
}

static void notice(Server *server, const RpcMessage *message)
{
    const json_t *const id = json_object_get(message->params, "requestId");
    if (!strcmp(message->method, "notifications/cancelled") && rpc_is_id(id) &&
        !calls_cancel(server->calls, id))
        end_subscription(server, id);
}

/* ---- requests ---- */

typedef struct Method {
    const char *name;
    void (*run)(const Request *request);
    enum Revision first, last; /* revisions that have the method */
} Method;

static const Method methods[] = {
    { "initialize", initialize, BEFORE_HANDSHAKE, REVISION_2025_11_25 },
    { "ping", ping, BEFORE_HANDSHAKE, REVISION_2025_11_25 },
    { "server/discover", discover, REVISION_2026_07_28, REVISION_2026_07_28 },
    { "subscriptions/listen", listen_for_changes, REVISION_2026_07_28, REVISION_2026_07_28 },
    { "tools/list", list_tools, REVISION_2024_11_05, REVISION_2026_07_28 },
    { "tools/call", call_tool, REVISION_2024_11_05, REVISION_2026_07_28 },
};

/* Find the revision that a request uses: its own, or the one from the handshake. False: the request
 * was refused. */
static bool find_revision(Request *request)
{
    const json_t *const meta = json_object_get(request->params, "_meta");
    const json_t *const version = json_object_get(meta, META "protocolVersion");
    request->revision = request->server->revision;
    if (meta && !json_is_object(meta)) {
        refuse(request, RPC_INVALID_PARAMS, "_meta must be an object");
        return false;
    }
    if (!version)
        return true;
    const char *const name = json_string_value(version);
    request->revision = REVISION_2026_07_28;
    if (!name || !json_is_object(json_object_get(meta, META "clientCapabilities"))) {
        refuse(request, RPC_INVALID_PARAMS,
               "_meta needs a protocolVersion (a string) and clientCapabilities (an object)");
        return false;
    }
    if (strcmp(name, revision_names[REVISION_2026_07_28]) != 0) {
        deliver(request->server, request->batch,
                rpc_error(request->id, RPC_UNSUPPORTED_VERSION, "Unsupported protocol version",
                          json_pack("{s:[s], s:O}", "supported",
                                    revision_names[REVISION_2026_07_28], "requested", version)));
        return false;
    }
    return true;
}

static void handle_request(Server *server, Batch *batch, const RpcMessage *message)
{
    Request request = { server, batch, message->id, message->params, BEFORE_HANDSHAKE };
    batch_expect(server, batch);
    if (!find_revision(&request))
        return;
    const Method *method = NULL;
    for (size_t i = 0; !method && i < sizeof(methods) / sizeof(*methods); i++)
        if (!strcmp(methods[i].name, message->method))
            method = &methods[i];
    if (!method || request.revision > method->last)
        refuse(&request, RPC_METHOD_NOT_FOUND, "Method not found");
    else if (request.revision < method->first)
        refuse(&request, RPC_INVALID_PARAMS,
               "begin with initialize, or send protocolVersion and clientCapabilities in "
               "_meta of each request");
    else
        method->run(&request);
}

static void handle_value(Server *server, Batch *batch, const json_t *value)
{
    RpcMessage message;
    rpc_examine(value, &message);
    switch (message.kind) {
    case RPC_REQUEST:
        handle_request(server, batch, &message);
        return;
    case RPC_NOTIFICATION:
        notice(server, &message);
        return;
    case RPC_RESPONSE:
        return;
    case RPC_BAD:
        refuse_message(server, batch, message.id, RPC_INVALID_REQUEST, message.why);
        return;
    }
}

static void handle_batch(Server *server, const json_t *list)
{
    Batch *const batch = batch_create();
    const json_t *value;
    size_t i;
    if (!batch)
        return;
    json_array_foreach(list, i, value) handle_value(server, batch, value);
    batch_take(server, batch, NULL);
}

static bool is_blank(const char *text, size_t length)
{
    while (length && strchr(" \t\r", *text) && *text) {
        text++;
        length--;
    }
    return !length;
}

bool server_hear(void *arg, const char *text, size_t length)
{
    Server *const server = arg;
    char why[256];
    if (!text) {
        snprintf(why, sizeof(why), "a message may have at most %zu bytes", MESSAGE_MAX);
        refuse_message(server, NULL, NULL, RPC_INVALID_REQUEST, why);
        return !out_is_broken(server->client);
    }
    if (is_blank(text, length))
        return true;
    json_t *const value = rpc_read(text, length, why, sizeof(why));
    const bool batches =
        server->revision == REVISION_2024_11_05 || server->revision == REVISION_2025_03_26;
    if (!value)
        refuse_message(server, NULL, NULL, RPC_PARSE_ERROR, why);
    else if (json_is_array(value) && batches && json_array_size(value))
        handle_batch(server, value);
    else
        handle_value(server, NULL, value);
    json_decref(value);
    return !out_is_broken(server->client);
}

int server_create(Server **out, const McpConfig *config, Out *client)
{
    Server *const server = calloc(1, sizeof(*server));
    *out = NULL;
    if (!server)
        return -ENOMEM;
    server->client = client;
    server->subscriptions = json_array();
    server->schemas = json_object();
    pthread_mutex_init(&server->lock, NULL);
    for (const Tool *const *tool = tools; *tool; tool++)
        json_object_set_new(server->schemas, (*tool)->name, json_loads((*tool)->input, 0, NULL));
    const int err = calls_create(&server->calls, config, client, call_done, server);
    if (err) {
        server_destroy(server);
        return err;
    }
    *out = server;
    return 0;
}

void server_destroy(Server *server)
{
    if (!server)
        return;
    calls_destroy(server->calls);
    json_decref(server->subscriptions);
    json_decref(server->schemas);
    pthread_mutex_destroy(&server->lock);
    free(server);
}
