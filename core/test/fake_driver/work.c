/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Nodes: pieces of work that depend on others. The schedule chooses when they run. Nodes that may
 * run at the same time are interleaved, a few workgroups or rows at a time. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fake_driver.h"
#include "gpu/backend/host/device.h"

struct Node {
    Node *next, *previous; /* the list of nodes in flight, the oldest first */
    Work work;
    Node **before;
    unsigned before_count, references;
    bool done;
    bool asked;  /* a caller asked whether it is done */
    bool wanted; /* a caller waits for it or for a node that depends on it */
    uint64_t *order;
    unsigned unit_count, units_done; /* workgroups, rows */
    uint64_t time;
};

enum Schedule { RANDOM, LAZY, EAGER, COPIES_FIRST, KERNELS_FIRST, SCHEDULES };

static enum Schedule schedule;
static HostRandom chance = { 0x9e3779b97f4a7c15u };
static Node *first, *last;
static uint64_t last_time;

int schedule_set(const char *text)
{
    static const char *const names[SCHEDULES] = { "random", "lazy", "eager", "copies_first",
                                                  "kernels_first" };
    const size_t length = strcspn(text, ":");
    for (unsigned i = 0; i < SCHEDULES; i++)
        if (strlen(names[i]) == length && !strncmp(names[i], text, length)) {
            schedule = i;
            chance = random_of(text[length] ? strtoull(text + length + 1, NULL, 10) : 8);
            return OK;
        }
    return INVALID_VALUE;
}

/* ---- life of a node ---- */

Node *node_retain(Node *node)
{
    if (node)
        node->references++;
    return node;
}

void node_release(Node *node)
{
    if (node && --node->references == 0)
        free(node);
}

bool node_done(const Node *node)
{
    return !node || node->done;
}

uint64_t node_time(const Node *node)
{
    return node->time;
}

Node *node_create(const Work *work, Node *const *before, unsigned count)
{
    Node *node = calloc(1, sizeof(*node));
    Node **copy = calloc(count + 1, sizeof(Node *));
    if (!node || !copy)
        abort();
    node->work = *work;
    node->before = copy;
    for (unsigned i = 0; i < count; i++)
        if (!node_done(before[i]))
            copy[node->before_count++] = node_retain(before[i]);
    node->references = 2; /* the list's and the caller's */
    node->previous = last;
    *(last ? &last->next : &first) = node;
    last = node;
    return node;
}

/* Two ends differ by at least a microsecond, so that no kernel seems to take no time. */
static uint64_t time_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    return last_time = time > last_time + 1000 ? time : last_time + 1000;
}

static void finish(Node *node)
{
    node->done = true;
    node->time = time_now();
    for (unsigned i = 0; i < node->before_count; i++)
        node_release(node->before[i]);
    free(node->before);
    free(node->order);
    free(node->work.staged);
    *(node->previous ? &node->previous->next : &first) = node->next;
    *(node->next ? &node->next->previous : &last) = node->previous;
    node_release(node);
}

static void drop(const Device *device, const Context *context)
{
    for (Node *n = first, *next; n; n = next) {
        next = n->next;
        if (context ? n->work.context == context : n->work.context->device == device)
            finish(n);
    }
}

void nodes_forget(const Context *context)
{
    drop(NULL, context);
}

void nodes_drop(const Device *device)
{
    drop(device, NULL);
}

bool nodes_hang(void)
{
    for (const Node *n = first; n; n = n->next)
        if (n->work.hangs)
            return true;
    return false;
}

bool nodes_in_flight(const Context *context)
{
    for (const Node *n = first; n; n = n->next)
        if (n->work.context == context)
            return true;
    return false;
}

/* ---- running ---- */

/* Loses the device: none of its remaining work runs. */
static void fault(Node *node, const char *why)
{
    Device *device = node->work.context->device;
    const Function *function = node->work.kind == WORK_KERNEL ? node->work.function : NULL;
    complain("%s: %s", function ? function->kernel->name : "copy or fill", why);
    device->lost = ILLEGAL_ADDRESS;
    drop(device, NULL);
}

static void *room_for(size_t size)
{
    static void *object;
    static size_t object_size;
    if (size > object_size) {
        free(object);
        object = aligned_alloc(64, (size + 63) / 64 * 64);
        object_size = size;
    }
    return object;
}

/* The last buffer holds the results. */
static void spoil(const Work *work, const HostKernel *kernel)
{
    uint64_t address;
    size_t size;
    memcpy(&address, work->arguments + 8 * (kernel->buffer_count - 1), 8);
    uint32_t *const words = memory_find(work->context, address, &size);
    if (words)
        words[0] += 1000;
}

static const char *run_group(const Work *work, const HostKernel *kernel, unsigned number)
{
    static HostWorkgroup *runner;
    static char why[160];
    if (!runner && workgroup_create(&runner))
        abort();
    char *object = room_for(kernel->object_size), *at = object + sizeof(HostThread);
    const unsigned *groups = work->groups;
    const HostThread thread = { runner,
                                { number % groups[0], number / groups[0] % groups[1],
                                  number / groups[0] / groups[1] },
                                { 0, 0 } };
    memcpy(object, &thread, sizeof(thread));
    for (unsigned i = 0; i < kernel->buffer_count; i++, at += sizeof(HostArgument)) {
        uint64_t address;
        memcpy(&address, work->arguments + 8 * i, 8);
        HostArgument argument = { .runner = runner };
        argument.data = memory_find(work->context, address, &argument.size);
        if (!argument.data) {
            snprintf(why, sizeof(why), "buffer %u: no memory at %#llx", i, (long long)address);
            return why;
        }
        memcpy(at, &argument, sizeof(argument));
    }
    memcpy(at, work->arguments + 8 * kernel->buffer_count, kernel->params_size);
    at += kernel->params_size;
    /* Shared arrays hold noise or the data of an earlier workgroup. */
    if (random_coin(&chance))
        random_fill(&chance, at, kernel->object_size - (size_t)(at - object));
    if (workgroup_run(runner, kernel, object, &chance, why, sizeof(why)))
        return why;
    if (work->function->spoilt && number == 0)
        spoil(work, kernel);
    return NULL;
}

static void *row_at(const Work *work, uint64_t address, bool pageable)
{
    return pageable ? (void *)(uintptr_t)address
                    : memory_at(work->context, address, work->rows.row);
}

static const char *run_row(const Work *work, unsigned y)
{
    const Rows *rows = &work->rows;
    char *to = row_at(work, rows->to + y * rows->to_stride, rows->to_pageable);
    if (!to)
        return "writes where no memory is";
    if (work->kind == WORK_FILL) {
        for (size_t i = 0; i < rows->row; i += 4)
            memcpy(to + i, &work->word, 4);
        return NULL;
    }
    const char *from = row_at(work, rows->from + y * rows->from_stride, rows->from_pageable);
    if (!from)
        return "reads where no memory is";
    memmove(to, from, rows->row);
    return NULL;
}

/* A wait resets a binary semaphore to 0. */
static void set_semaphore(const Work *work)
{
    const Semaphore *semaphore = work->semaphore;
    if (!object_find(SEMAPHORE, semaphore))
        complain("semaphore destroyed while work in flight needs it");
    else if (work->kind == WORK_SIGNAL || !semaphore->timeline)
        atomic_store(semaphore->counter,
                     semaphore->timeline ? work->value : work->kind == WORK_SIGNAL);
}

static void prepare(Node *node)
{
    const Work *work = &node->work;
    if (work->kind == WORK_KERNEL)
        node->unit_count = work->groups[0] * work->groups[1] * work->groups[2];
    else if (work->kind == WORK_COPY || work->kind == WORK_FILL)
        node->unit_count = (unsigned)work->rows.rows;
    node->order = calloc(node->unit_count + 1, sizeof(*node->order));
    if (!node->order)
        abort();
    for (unsigned i = 0; i < node->unit_count; i++)
        node->order[i] = i;
    random_shuffle(&chance, node->order, node->unit_count);
}

/* Runs at least one of the remaining units of the node. */
static void run_piece(Node *node)
{
    const Work *work = &node->work;
    if (!node->order)
        prepare(node);
    const unsigned left = node->unit_count - node->units_done;
    unsigned count = left && random_coin(&chance) ? 1 + random_below(&chance, left) : left;
    if (work->kind == WORK_KERNEL && !object_find(FUNCTION, work->function)) {
        node->work.kind = WORK_NOTHING;
        fault(node, "the module of a kernel in flight is unloaded");
        return;
    }
    for (; count; count--) {
        const unsigned unit = (unsigned)node->order[node->units_done++];
        const char *why = work->kind == WORK_KERNEL ? run_group(work, work->function->kernel, unit)
                                                    : run_row(work, unit);
        if (why) {
            fault(node, why);
            return;
        }
    }
    if (node->units_done < node->unit_count)
        return;
    if (work->kind == WORK_SIGNAL || work->kind == WORK_WAIT)
        set_semaphore(work);
    finish(node);
}

/* ---- the schedule ---- */

static bool semaphore_reached(const Work *work)
{
    if (!object_find(SEMAPHORE, work->semaphore))
        return true;
    const uint64_t value = atomic_load(work->semaphore->counter);
    return value >= (work->semaphore->timeline ? work->value : 1);
}

bool nodes_wait_for_others(const Context *context)
{
    for (const Node *n = first; n; n = n->next)
        if (n->work.context == context && n->work.kind == WORK_WAIT && !semaphore_reached(&n->work))
            return true;
    return false;
}

static bool may_run(const Node *node)
{
    if (node->work.hangs)
        return false;
    for (unsigned i = 0; i < node->before_count; i++)
        if (!node->before[i]->done)
            return false;
    return node->work.kind != WORK_WAIT || semaphore_reached(&node->work);
}

/* Marks the nodes that `target` depends on; all nodes if it is NULL. */
static void want(const Node *target)
{
    for (Node *n = first; n; n = n->next)
        n->wanted = !target || n == target;
    for (Node *n = last; n && target; n = n->previous)
        for (unsigned i = 0; i < n->before_count && n->wanted; i++)
            n->before[i]->wanted = true;
}

typedef bool Choice(const Node *node);

static bool is_wanted(const Node *node)
{
    return node->wanted;
}

static bool is_any(const Node *node)
{
    return true;
}

static bool is_copy(const Node *node)
{
    return node->work.kind != WORK_KERNEL;
}

/* Runs a part of one node that may run. Returns false if there is none. */
static bool step(Choice *choice)
{
    unsigned count = 0;
    Node *chosen = NULL;
    for (Node *n = first; n; n = n->next)
        if (choice(n) && may_run(n) && random_below(&chance, ++count) == 0)
            chosen = n;
    if (chosen)
        run_piece(chosen);
    return chosen;
}

static bool reach(Node *target)
{
    while (!target->done) {
        want(target);
        const bool stray = schedule == RANDOM && random_below(&chance, 4) == 0;
        if (!(stray && step(is_any)) && !step(is_wanted))
            return target->done;
    }
    return true;
}

static void run_kernels(void)
{
    for (Node *n = first, *next; n; n = next) {
        node_retain(n);
        next = n->work.kind == WORK_KERNEL && reach(n) ? first : n->next;
        node_release(n);
    }
}

void nodes_run_all(void)
{
    while (step(is_any))
        ;
}

void nodes_go_on(void)
{
    if (schedule == EAGER)
        nodes_run_all();
    else if (schedule == COPIES_FIRST)
        while (step(is_copy))
            ;
    else if (schedule == KERNELS_FIRST)
        run_kernels();
    else if (schedule == RANDOM)
        while (random_coin(&chance) && step(is_any))
            ;
}

bool node_query(Node *node)
{
    if (node_done(node))
        return true;
    const bool early = schedule == RANDOM ? random_coin(&chance) : !node->asked;
    node->asked = true;
    if (early)
        return false;
    node_retain(node);
    const bool done = reach(node);
    node_release(node);
    return done;
}

int node_wait(Node *node)
{
    if (!node)
        return OK;
    node_retain(node);
    while (!reach(node)) {
        for (const Node *n = first; n; n = n->next)
            if (n->wanted && n->work.hangs)
                hang_for_ever("a call that synchronizes");
        call_unlock();
        usleep(500);
        call_lock();
    }
    node_release(node);
    return OK;
}
