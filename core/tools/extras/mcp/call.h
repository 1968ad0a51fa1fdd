/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Calls of tools. A few threads run them, others wait in a queue, and any thread can stop them. */
#ifndef MCP_CALL_H
#define MCP_CALL_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "common/child.h"
#include "mcp_options.h"
#include "rpc.h"
#include "tool.h"

enum CallStop {
    CALL_GOES_ON,
    CALL_CANCELLED, /* cancelled by the client, which expects no answer */
    CALL_ENDED,     /* because the server shuts down */
};

struct Call {
    const Tool *tool;
    json_t *id, *arguments;
    json_t *token; /* the client's progress token; NULL: it wants no progress */
    void *context; /* set by the creator of the call; calls do not use it */
    int revision;  /* likewise: the protocol revision */
    const McpConfig *config;
    Out *out;
    double deadline; /* in seconds of call_now */
    double told;     /* progress value last sent, and when; values must grow */
    double told_at;
    atomic_int stop;
    Children *children; /* those of the thread that runs the call */
    struct Call *next;
};

/* Seconds on a monotonic clock. */
double call_now(void);

/* Send the client a progress notification, at most a few per second. `total` 0: unknown. Call it
 * from the thread that runs the call. */
void call_progress(Call *call, double done, double total, const char *text);

typedef struct Calls Calls;

/* Called when a call has ended, on the thread that ran it, or on the thread that cancelled it while
 * it was waiting. Takes ownership of `result`, which is NULL if the call was stopped or memory ran
 * out. The call is freed afterwards. */
typedef void CallDone(void *arg, Call *call, json_t *result);

/* Start the threads. Returns 0 or a negative errno. */
int calls_create(Calls **out, const McpConfig *config, Out *client, CallDone *done, void *arg);

/* Queue a call and take ownership of its values. -EEXIST: a call with this id is running or
 * waiting; -EBUSY: the queue is full; -ENOMEM. After a failure the caller still owns the values. */
int calls_add(Calls *calls, const Call *call);

/* Cancel the call with this id. False: none. */
bool calls_cancel(Calls *calls, const json_t *id);

/* Stop all calls, run `done` for each, and wait for the threads to end. NULL is fine. */
void calls_destroy(Calls *calls);

#endif
