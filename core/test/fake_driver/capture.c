/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Captures: work submitted to a stream becomes nodes of a graph. Another stream joins by waiting
 * for an event of the capture. When the capture ends, the first stream must have waited for all
 * that joined. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "fake_driver.h"

enum CaptureMode { CAPTURE_GLOBAL, CAPTURE_THREAD_LOCAL, CAPTURE_RELAXED };

/* The nodes of a capture that the next node or event depends on, by number. */
struct Tips {
    Capture *capture; /* NULL once it has ended */
    unsigned count, nodes[];
};

typedef struct GraphNode {
    Work work;
    struct Tips *before;
} GraphNode;

struct Graph {
    Object object;
    GraphNode *nodes;
    unsigned count;
};

struct GraphExec {
    Object object;
    Graph copy;
    Node *last; /* end of the last launch */
};

struct Capture {
    Capture *next;
    Stream *origin;
    enum CaptureMode mode;
    pthread_t thread;
    bool invalid;
    Graph graph;
};

static Capture *captures;

/* ---- tips ---- */

void tips_free(struct Tips *tips)
{
    free(tips);
}

/* Returns the union of `a` and `b`, which may be NULL. */
static struct Tips *tips_join(Capture *capture, const struct Tips *a, const struct Tips *b)
{
    const unsigned a_count = a ? a->count : 0, b_count = b ? b->count : 0;
    struct Tips *tips = malloc(sizeof(*tips) + (a_count + b_count) * sizeof(unsigned));
    if (!tips)
        abort();
    tips->capture = capture;
    tips->count = a_count;
    if (a_count)
        memcpy(tips->nodes, a->nodes, a_count * sizeof(unsigned));
    for (unsigned i = 0; i < b_count; i++) {
        unsigned at = 0;
        while (at < a_count && tips->nodes[at] != b->nodes[i])
            at++;
        if (at == a_count)
            tips->nodes[tips->count++] = b->nodes[i];
    }
    return tips;
}

static void set_tips(struct Tips **at, struct Tips *tips)
{
    free(*at);
    *at = tips;
}

/* ---- the capture ---- */

static int spoil(Capture *capture, int err)
{
    capture->invalid = true;
    return err;
}

int capture_begin(Stream *stream, int mode)
{
    if (stream == &stream->object.context->legacy)
        return CAPTURE_UNSUPPORTED;
    if (stream->capture)
        return spoil(stream->capture, CAPTURE_UNMATCHED);
    if (mode < CAPTURE_GLOBAL || mode > CAPTURE_RELAXED)
        return INVALID_VALUE;
    Capture *capture = calloc(1, sizeof(*capture));
    if (!capture)
        abort();
    *capture =
        (Capture){ .next = captures, .origin = stream, .mode = mode, .thread = pthread_self() };
    captures = capture;
    stream->capture = capture;
    stream->tips = tips_join(capture, NULL, NULL);
    return OK;
}

bool capture_forbids_unsafe(void)
{
    bool forbids = false;
    for (Capture *c = captures; c; c = c->next)
        if (c->mode == CAPTURE_GLOBAL ||
            (c->mode == CAPTURE_THREAD_LOCAL && pthread_equal(c->thread, pthread_self()))) {
            c->invalid = true;
            forbids = true;
        }
    return forbids;
}

int capture_add(Stream *stream, const Work *work)
{
    Capture *capture = stream->capture;
    Graph *graph = &capture->graph;
    if (capture->invalid)
        return CAPTURE_INVALIDATED;
    graph->nodes = realloc(graph->nodes, (graph->count + 1) * sizeof(*graph->nodes));
    struct Tips *own = malloc(sizeof(*own) + sizeof(unsigned));
    if (!graph->nodes || !own)
        abort();
    *own = (struct Tips){ capture, 1 };
    own->nodes[0] = graph->count;
    graph->nodes[graph->count++] = (GraphNode){ *work, stream->tips };
    stream->tips = own;
    return OK;
}

int capture_record(Stream *stream, Event *event)
{
    if (stream->capture->invalid)
        return CAPTURE_INVALIDATED;
    set_tips(&event->captured, tips_join(stream->capture, stream->tips, NULL));
    node_release(event->recorded);
    event->recorded = NULL;
    return OK;
}

int capture_wait(Stream *stream, Event *event)
{
    Capture *theirs = event->captured ? event->captured->capture : NULL;
    if (event->captured && !theirs)
        return CAPTURED_EVENT;
    if (!theirs)
        return spoil(stream->capture, CAPTURE_ISOLATION);
    if (theirs->invalid)
        return CAPTURE_INVALIDATED;
    if (stream == &stream->object.context->legacy)
        return spoil(theirs, CAPTURE_IMPLICIT);
    if (stream->capture && stream->capture != theirs) {
        spoil(stream->capture, OK);
        return spoil(theirs, CAPTURE_MERGE);
    }
    stream->capture = theirs;
    set_tips(&stream->tips, tips_join(theirs, stream->tips, event->captured));
    return OK;
}

/* ---- the end of a capture ---- */

static void free_nodes(Graph *graph)
{
    for (unsigned i = 0; i < graph->count; i++)
        free(graph->nodes[i].before);
    free(graph->nodes);
}

/* True if the origin's tips depend on every node. */
static bool is_joined(const Graph *graph, const struct Tips *end)
{
    bool *joined = calloc(graph->count + 1, sizeof(*joined)), all = true;
    for (unsigned i = 0; i < end->count; i++)
        joined[end->nodes[i]] = true;
    for (unsigned n = graph->count; n-- > 0;) {
        all = all && joined[n];
        const struct Tips *before = graph->nodes[n].before;
        for (unsigned i = 0; i < before->count; i++)
            joined[before->nodes[i]] = true;
    }
    free(joined);
    return all;
}

static void leave(Capture *capture)
{
    for (Object *o = NULL; (o = object_next(STREAM, o));) {
        Stream *stream = (Stream *)o;
        if (stream->capture != capture)
            continue;
        stream->capture = NULL;
        set_tips(&stream->tips, NULL);
    }
    for (Object *o = NULL; (o = object_next(EVENT, o));) {
        struct Tips *captured = ((Event *)o)->captured;
        if (captured && captured->capture == capture)
            captured->capture = NULL;
    }
    Capture **link = &captures;
    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
}

void capture_abandon(Stream *stream)
{
    Capture *capture = stream->capture;
    if (!capture)
        return;
    capture->invalid = true;
    if (capture->origin != stream)
        return;
    leave(capture);
    free_nodes(&capture->graph);
    free(capture);
}

int capture_end(Stream *stream, Graph **out)
{
    Capture *capture = stream->capture;
    *out = NULL;
    if (!capture)
        return INVALID_VALUE;
    if (capture->origin != stream)
        return spoil(capture, CAPTURE_UNMATCHED);
    if (capture->mode != CAPTURE_RELAXED && !pthread_equal(capture->thread, pthread_self()))
        return CAPTURE_WRONG_THREAD;
    int err = capture->invalid ? CAPTURE_INVALIDATED : OK;
    if (!err && !is_joined(&capture->graph, stream->tips))
        err = CAPTURE_UNJOINED;
    leave(capture);
    if (err) {
        free_nodes(&capture->graph);
    } else {
        Graph *graph = object_create(GRAPH, sizeof(*graph));
        graph->nodes = capture->graph.nodes;
        graph->count = capture->graph.count;
        *out = graph;
    }
    free(capture);
    return err;
}

/* ---- graphs ---- */

int graph_destroy(Graph *graph)
{
    free_nodes(graph);
    object_forget(&graph->object);
    free(graph);
    return OK;
}

int graph_instantiate(Graph *graph, GraphExec **out)
{
    GraphExec *exec = object_create(GRAPH_EXEC, sizeof(*exec));
    exec->copy.count = graph->count;
    exec->copy.nodes = malloc((graph->count + 1) * sizeof(*graph->nodes));
    if (!exec->copy.nodes)
        abort();
    for (unsigned i = 0; i < graph->count; i++)
        exec->copy.nodes[i] =
            (GraphNode){ graph->nodes[i].work, tips_join(NULL, graph->nodes[i].before, NULL) };
    *out = exec;
    return OK;
}

/* A launch in flight continues. */
int graph_exec_destroy(GraphExec *exec)
{
    free_nodes(&exec->copy);
    node_release(exec->last);
    object_forget(&exec->object);
    free(exec);
    return OK;
}

/* Runs after all work of the stream and after the previous launch. */
int graph_launch(GraphExec *exec, Stream *stream)
{
    const Graph *graph = &exec->copy;
    if (stream->capture)
        return NOT_SUPPORTED;
    int err = stream_wait_node(stream, exec->last);
    if (err)
        return err;
    Node **nodes = calloc(graph->count + 1, sizeof(Node *));
    Node **before = calloc(graph->count + 1, sizeof(Node *));
    if (!nodes || !before)
        abort();
    for (unsigned n = 0; n < graph->count; n++) {
        const struct Tips *tips = graph->nodes[n].before;
        unsigned count = 0;
        for (; count < tips->count; count++)
            before[count] = nodes[tips->nodes[count]];
        if (!count)
            before[count++] = stream->last;
        nodes[n] = node_create(&graph->nodes[n].work, before, count);
    }
    nodes[graph->count] = node_retain(stream->last);
    const Work end = { .context = stream->object.context, .hangs = call_hangs() };
    stream_step(stream, node_create(&end, nodes, graph->count + 1));
    node_release(exec->last);
    exec->last = node_retain(stream->last);
    for (unsigned n = 0; n <= graph->count; n++)
        node_release(nodes[n]);
    free(nodes);
    free(before);
    nodes_go_on();
    return OK;
}
