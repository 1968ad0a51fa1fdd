/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdlib.h>
#include <string.h>

#include "fake_driver.h"

enum { STREAM_NON_BLOCKING = 1, EVENT_BLOCKING_SYNC = 1, EVENT_DISABLE_TIMING = 2 };

/* ---- streams ---- */

int stream_create(unsigned flags, Stream **out)
{
    if (flags & ~(unsigned)STREAM_NON_BLOCKING)
        return INVALID_VALUE;
    *out = object_create(STREAM, sizeof(**out));
    (*out)->blocking = !(flags & STREAM_NON_BLOCKING);
    return OK;
}

/* Work in flight continues. */
int stream_destroy(Stream *stream)
{
    capture_abandon(stream);
    node_release(stream->last);
    tips_free(stream->tips);
    object_forget(&stream->object);
    free(stream);
    return OK;
}

Stream *stream_find(const void *handle)
{
    Context *context = context_current();
    if ((uintptr_t)handle <= 1)
        return &context->legacy;
    Stream *stream = object_find(STREAM, handle);
    return stream && stream->object.context == context ? stream : NULL;
}

void stream_step(Stream *stream, Node *node)
{
    node_release(stream->last);
    stream->last = node;
}

/* The legacy stream and all blocking streams wait for each other. */
static unsigned predecessors(const Stream *stream, Node **before)
{
    const Context *context = stream->object.context;
    unsigned count = 0;
    before[count++] = stream->last;
    if (stream->blocking && stream != &context->legacy)
        before[count++] = context->legacy.last;
    if (stream == &context->legacy)
        for (Object *o = NULL; (o = object_next(STREAM, o)) && count < 64;)
            if (o->context == context && ((Stream *)o)->blocking)
                before[count++] = ((Stream *)o)->last;
    return count;
}

/* The legacy stream must not be used while a blocking stream is captured. */
static bool is_implicit(const Stream *stream)
{
    if (stream != &stream->object.context->legacy)
        return false;
    for (Object *o = NULL; (o = object_next(STREAM, o));)
        if (o->context == stream->object.context && ((Stream *)o)->blocking &&
            ((Stream *)o)->capture)
            return true;
    return false;
}

static int add_after(Stream *stream, const Work *work, Node *also)
{
    Node *before[66];
    unsigned count = predecessors(stream, before);
    before[count++] = also;
    stream_step(stream, node_create(work, before, count));
    nodes_go_on();
    return OK;
}

int stream_add(Stream *stream, Work *work)
{
    work->context = stream->object.context;
    work->hangs = call_hangs();
    if (is_implicit(stream) || stream->capture) {
        free(work->staged);
        return stream->capture ? capture_add(stream, work) : CAPTURE_IMPLICIT;
    }
    return add_after(stream, work, NULL);
}

int stream_wait_node(Stream *stream, Node *node)
{
    if (is_implicit(stream))
        return CAPTURE_IMPLICIT;
    return add_after(stream, &(Work){ .context = stream->object.context }, node);
}

int stream_wait_event(Stream *stream, Event *event)
{
    if (stream->capture || event->captured)
        return capture_wait(stream, event);
    return stream_wait_node(stream, event->recorded);
}

int stream_synchronize(Stream *stream)
{
    if (stream->capture || is_implicit(stream))
        return CAPTURE_UNSUPPORTED;
    if (stream == &stream->object.context->legacy) /* with all blocking streams */
        add_after(stream, &(Work){ .context = stream->object.context }, NULL);
    return node_wait(stream->last);
}

int context_synchronize(Context *context)
{
    node_wait(context->legacy.last);
    for (Object *o = NULL; (o = object_next(STREAM, o));)
        if (o->context == context)
            node_wait(((Stream *)o)->last);
    return OK;
}

/* ---- copies ---- */

static bool is_pinned(const Context *context, uint64_t address)
{
    size_t left;
    return memory_find(context, address, &left) != NULL;
}

/* Ordinary memory is read and written before the call returns. */
int stream_copy(Stream *stream, const Rows *rows)
{
    const Context *context = stream->object.context;
    Work work = { .kind = WORK_COPY, .rows = *rows };
    Rows *own = &work.rows;
    own->from_pageable = rows->from_pageable && !is_pinned(context, rows->from);
    own->to_pageable = rows->to_pageable && !is_pinned(context, rows->to);
    if (!rows->row || !rows->rows)
        return OK;
    if ((rows->rows > 1 && (rows->row > rows->from_stride || rows->row > rows->to_stride)))
        return INVALID_VALUE;
    if ((own->from_pageable || own->to_pageable) && stream->capture)
        return CAPTURE_UNSUPPORTED;
    if (own->from_pageable) {
        char *staged = malloc(rows->row * rows->rows);
        if (!staged)
            return OUT_OF_MEMORY;
        for (size_t y = 0; y < rows->rows; y++)
            memcpy(staged + y * rows->row,
                   (const char *)(uintptr_t)rows->from + y * rows->from_stride, rows->row);
        work.staged = staged;
        own->from = (uint64_t)(uintptr_t)staged;
        own->from_stride = rows->row;
    }
    const int err = stream_add(stream, &work);
    return err || !own->to_pageable ? err : node_wait(stream->last);
}

/* ---- events ---- */

int event_create(unsigned flags, Event **out)
{
    if (flags & ~(unsigned)(EVENT_BLOCKING_SYNC | EVENT_DISABLE_TIMING))
        return INVALID_VALUE;
    *out = object_create(EVENT, sizeof(**out));
    (*out)->timed = !(flags & EVENT_DISABLE_TIMING);
    return OK;
}

int event_destroy(Event *event)
{
    node_release(event->recorded);
    tips_free(event->captured);
    object_forget(&event->object);
    free(event);
    return OK;
}

int event_record(Event *event, Stream *stream)
{
    if (event->object.context != stream->object.context)
        return INVALID_HANDLE;
    if (stream->capture)
        return capture_record(stream, event);
    const int err = stream_add(stream, &(Work){ .kind = WORK_NOTHING });
    if (err)
        return err;
    tips_free(event->captured);
    event->captured = NULL;
    node_release(event->recorded);
    event->recorded = node_retain(stream->last);
    return OK;
}

int event_query(Event *event)
{
    if (event->captured)
        return CAPTURED_EVENT;
    nodes_go_on();
    const bool done = node_query(event->recorded);
    const int lost = event->object.context->device->lost;
    return lost ? lost : done ? OK : NOT_READY;
}

int event_synchronize(Event *event)
{
    return event->captured ? CAPTURED_EVENT : node_wait(event->recorded);
}

int event_elapsed(const Event *start, const Event *end, float *milliseconds)
{
    if (start->captured || end->captured)
        return CAPTURED_EVENT;
    if (!start->recorded || !end->recorded || !start->timed || !end->timed)
        return INVALID_HANDLE;
    if (!node_done(start->recorded) || !node_done(end->recorded))
        return NOT_READY;
    *milliseconds =
        (float)((double)(int64_t)(node_time(end->recorded) - node_time(start->recorded)) / 1e6);
    return OK;
}
