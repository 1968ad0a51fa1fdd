/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The start and end of every call: the lock, requested faults, checks and complaints. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control.h"
#include "fake_driver.h"

#define EXPORTED __attribute__((visibility("default")))
#define FUNCTIONS_MAX 96
#define NEEDS_MASK 3u
#define RELEASING 4u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned complaints;
static bool initialised;
static int all_lost; /* the error of all calls after a fault lost the devices */
static bool contexts_gone;

static struct {
    const char *name;
    unsigned calls;
} functions[FUNCTIONS_MAX];

static struct {
    char function[64], what[16];
    unsigned nth;
    bool done;
} fault;
static __thread bool hangs_now, injected_now; /* thread-local, since node_wait releases the lock */

void call_lock(void)
{
    pthread_mutex_lock(&lock);
}

void call_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

bool call_hangs(void)
{
    return hangs_now;
}

void complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("fake driver: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    complaints++;
}

_Noreturn void hang_for_ever(const char *what)
{
    fprintf(stderr, "fake driver: %s would wait for ever\n", what);
    abort();
}

/* ---- faults ---- */

static unsigned count_call(const char *function)
{
    for (unsigned i = 0; i < FUNCTIONS_MAX; i++) {
        if (!functions[i].name)
            functions[i].name = function;
        if (!strcmp(functions[i].name, function))
            return ++functions[i].calls;
    }
    abort(); /* FUNCTIONS_MAX is too small */
}

static void lose_all(void)
{
    all_lost = LAUNCH_FAILED;
    contexts_gone = !strcmp(fault.what, "gone");
    for (unsigned i = 0; i < device_count(); i++)
        nodes_drop(device_at((int)i));
}

/* Returns the error of a requested fault, which replaces the call's work; 0 if there is none. */
static int inject(const char *function)
{
    const unsigned nth = count_call(function);
    if (nth != fault.nth || strcmp(function, fault.function))
        return OK;
    fault.done = true;
    if (!strcmp(fault.what, "hang"))
        hangs_now = true;
    else if (!strcmp(fault.what, "lost") || !strcmp(fault.what, "gone"))
        lose_all();
    else
        return atoi(fault.what);
    return all_lost;
}

static void set_fault(const char *function, unsigned nth, const char *what)
{
    memset(&fault, 0, sizeof(fault));
    for (unsigned i = 0; i < FUNCTIONS_MAX; i++)
        functions[i].calls = 0;
    if (!function)
        return;
    snprintf(fault.function, sizeof(fault.function), "%s", function);
    snprintf(fault.what, sizeof(fault.what), "%s", what);
    fault.nth = nth;
}

/* ---- control.h ---- */

EXPORTED int emulated_fail(const char *function, unsigned nth, const char *what)
{
    call_lock();
    set_fault(function, nth, what);
    call_unlock();
    return 0;
}

EXPORTED int emulated_failed(void)
{
    call_lock();
    const bool done = fault.done;
    call_unlock();
    return done;
}

EXPORTED unsigned emulated_calls(unsigned i, const char **function)
{
    call_lock();
    *function = i < FUNCTIONS_MAX ? functions[i].name : NULL;
    const unsigned calls = *function ? functions[i].calls : 0;
    call_unlock();
    return calls;
}

EXPORTED void emulated_go_on(void)
{
    call_lock();
    nodes_run_all();
    call_unlock();
}

EXPORTED int emulated_schedule(const char *text)
{
    call_lock();
    const int err = schedule_set(text);
    call_unlock();
    return err;
}

EXPORTED unsigned emulated_complaints(void)
{
    call_lock();
    const unsigned count = complaints;
    call_unlock();
    return count;
}

EXPORTED long emulated_leaks(void)
{
    call_lock();
    const long count = objects_live() + memory_live();
    call_unlock();
    return count;
}

EXPORTED void emulated_reset(void)
{
    call_lock();
    devices_reset();
    all_lost = OK;
    contexts_gone = false;
    complaints = 0;
    call_unlock();
}

__attribute__((constructor)) static void configure(void)
{
    const char *text = getenv("EMULATED_FAULT");
    char function[64], what[16];
    unsigned nth;
    if (text && sscanf(text, "%63[^:]:%u:%15s", function, &nth, what) == 3)
        set_fault(function, nth, what);
    const char *schedule = getenv("EMULATED_SCHEDULE");
    if (schedule && schedule_set(schedule)) {
        fprintf(stderr, "fake driver: no schedule '%s'\n", schedule);
        exit(2);
    }
}

static void write_calls(const char *path)
{
    FILE *file = path ? fopen(path, "w") : NULL;
    for (unsigned i = 0; file && i < FUNCTIONS_MAX && functions[i].name; i++)
        fprintf(file, "%s %u\n", functions[i].name, functions[i].calls);
    if (file)
        fclose(file);
}

/* While work hangs, its resources cannot be freed, so they do not count as leaks. */
__attribute__((destructor)) static void check_end(void)
{
    write_calls(getenv("EMULATED_CALLS"));
    const long left = nodes_hang() ? 0 : objects_live() + memory_live();
    if (!getenv("EMULATED_STRICT") || (!complaints && !left))
        return;
    fprintf(stderr, "fake driver: %u complaints, %ld objects left behind\n", complaints, left);
    fflush(NULL);
    _exit(99);
}

/* ---- calls ---- */

static int lost(void)
{
    const Context *context = context_current();
    return all_lost ? all_lost : context ? context->device->lost : OK;
}

int call_enter(const char *function, unsigned needs)
{
    call_lock();
    hangs_now = false;
    int result = inject(function);
    if (!result && !(needs & SURVIVES && !contexts_gone))
        result = lost();
    injected_now = result != OK;
    if (result || (needs & NEEDS_MASK) == NEEDS_NOTHING) {
        if (!result)
            initialised = true;
        return result;
    }
    if (!initialised)
        result = NOT_INITIALIZED;
    else if ((needs & NEEDS_MASK) == NEEDS_CONTEXT && !context_current())
        result = INVALID_CONTEXT;
    else if (needs & UNSAFE && capture_forbids_unsafe())
        result = CAPTURE_UNSUPPORTED;
    return result;
}

bool call_runs(unsigned needs, int entered)
{
    return !entered || (needs & RELEASING && injected_now);
}

/* After a requested fault, errors of the capture are expected. */
static bool is_complaint(int result)
{
    static const int fine[] = {
        OK,          OUT_OF_MEMORY,           NO_DEVICE, INVALID_IMAGE, NO_BINARY_FOR_GPU,
        INVALID_PTX, UNSUPPORTED_PTX_VERSION, NOT_FOUND, NOT_READY
    };
    for (unsigned i = 0; i < sizeof(fine) / sizeof(fine[0]); i++)
        if (result == fine[i])
            return false;
    return !fault.done || result < CAPTURE_UNSUPPORTED || result > CAPTURE_WRONG_THREAD;
}

int call_leave(const char *function, unsigned needs, int entered, int result)
{
    const bool injected = injected_now;
    if (injected)
        result = entered;
    else if (is_complaint(result) && !(needs & MAY_REFUSE) && !lost())
        complain("%s: %d", function, result);
    hangs_now = injected_now = false;
    if (!injected && lost() && (needs & NEEDS_MASK) != NEEDS_NOTHING && !(needs & SURVIVES))
        result = lost(); /* reports the failure of earlier work */
    call_unlock();
    return result;
}
