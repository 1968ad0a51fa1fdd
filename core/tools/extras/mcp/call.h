/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Calls of tools: each runs on a thread of its own, a few at a time, and can be stopped from outside. */
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
    CALL_CANCELLED, /* by the client, who wants no answer */
    CALL_ENDED,     /* the server ends */
};

struct Call {
    const Tool *tool;
    json_t *id, *arguments;
    json_t *token; /* of the client, to tell it the progress with; NULL: it does not want to know */
    void *context; /* of whoever made the call */
    int revision;  /* likewise */
    const McpConfig *config;
    Out *out;
    double deadline; /* on the clock of call_now */
    double told;     /* the last progress, which must grow; and when */
    double told_at;
    atomic_int stop;
    Children *children; /* of the thread that runs it */
    struct Call *next;
};

/* Seconds on a clock that only goes forward. */
double call_now(void);

/* Tells the client how far the call is, at most a few times a second. `total` 0: not known. */
void call_progress(Call *call, double done, double total, const char *text);

typedef struct Calls Calls;

/* `done` is called by the thread that ran the call, with what the tool made of it (NULL: no memory, or it
 * was stopped); it may not keep the call. */
typedef void CallDone(void *arg, Call *call, json_t *result);

/* 0 or a negative errno. */
int calls_create(Calls **out, const McpConfig *config, Out *client, CallDone *done, void *arg);

/* Takes over the call's values. -EEXIST: a call with this id is under way; -EBUSY: too many are waiting;
 * -ENOMEM. On failure nothing is taken over. */
int calls_add(Calls *calls, const Call *call);

/* False: there is none with this id. */
bool calls_cancel(Calls *calls, const json_t *id);

/* Stops all of them, each with its `done`, and waits for that. NULL is fine. */
void calls_destroy(Calls *calls);

#endif
