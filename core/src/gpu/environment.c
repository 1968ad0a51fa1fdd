/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/context.h"

#define VARIABLE "VMAF_BACKEND"

/* A value of the variable and the device that serves it. Kept until the process ends. */
typedef struct Shared {
    struct Shared *next;
    char *asked;               /* the variable's value */
    char *words;               /* the same, split: NAME, then DEVICE behind a 0 */
    const GpuBackend *backend; /* NULL: any */
    const char *device;        /* NULL: any */
    bool allow_software;
    GpuSession *session; /* NULL: not opened yet */
    int process;         /* the process that opened it; a child cannot use its parent's */
} Shared;

static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* guards `all` and its entries; held while a device is opened */
static Shared *all;

static const char *variable_value(void)
{
    const char *words = getenv(VARIABLE);
    return words && *words ? words : NULL;
}

static bool is_cpu(const char *words)
{
    return !strcmp(words, "cpu");
}

bool environment_asks(void)
{
    const char *words = variable_value();
    return words && !is_cpu(words);
}

/* ---- parsing the variable ---- */

static int report_invalid(const char *words)
{
    char names[128] = "";
    size_t used = 0;
    for (const GpuBackend *const *b = gpu_backends; *b && used < sizeof(names); b++)
        if (!(*b)->hidden)
            used += (size_t)snprintf(names + used, sizeof(names) - used, "%s, ", (*b)->name);
    log_error(VARIABLE "=%s is not understood: use %scpu or auto, and append :DEVICE to choose "
                       "a GPU",
              words, names);
    return -EINVAL;
}

static void shared_destroy(Shared *shared)
{
    if (shared) {
        mem_free(shared->asked);
        mem_free(shared->words);
    }
    mem_free(shared);
}

static char *copy_text(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = mem_zalloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static Shared *parse(const char *words)
{
    Shared *shared = mem_zalloc(sizeof(*shared));
    if (shared) {
        shared->asked = copy_text(words);
        shared->words = copy_text(words);
    }
    if (!shared || !shared->asked || !shared->words) {
        shared_destroy(shared);
        return NULL;
    }
    char *colon = strchr(shared->words, ':');
    if (colon) {
        *colon = '\0';
        shared->device = colon + 1;
    }
    shared->backend = gpu_backend_find(shared->words);
    shared->allow_software = gpu_environment_allows_software();
    return shared;
}

static bool is_valid(const Shared *shared)
{
    return (shared->backend || !strcmp(shared->words, "auto")) &&
           (!shared->device || shared->device[0]);
}

/* Adds the entry to the list, or frees it and returns the equal one that is there. */
static Shared *find_or_add_locked(Shared *wanted)
{
    for (Shared *s = all; s; s = s->next) {
        if (!strcmp(s->asked, wanted->asked) && s->allow_software == wanted->allow_software) {
            shared_destroy(wanted);
            return s;
        }
    }
    wanted->next = all;
    all = wanted;
    return wanted;
}

/* ---- devices ---- */

static bool is_idle(GpuSession *session)
{
    pthread_mutex_lock(&session->lock);
    const bool idle = !session->clients;
    pthread_mutex_unlock(&session->lock);
    return idle;
}

/* Closes the idle sessions when the process ends. A context that is still at work keeps its
 * device. */
static void close_all(void)
{
    pthread_mutex_lock(&lock);
    for (Shared *s = all; s; s = s->next) {
        if (s->session && s->process == getpid() && is_idle(s->session)) {
            session_close(s->session);
            s->session = NULL;
        }
    }
    pthread_mutex_unlock(&lock);
}

/* If neither a backend nor a device is named (VMAF_BACKEND=auto), the CPU may be used, too. */
static GpuWish wish_of(const Shared *shared)
{
    const bool named = shared->backend || shared->device;
    return (GpuWish){ .index = -1,
                      .device = shared->device,
                      .several = true,
                      .allow_software = shared->allow_software,
                      .quiet = !shared->backend,
                      .fallback_cpu = !named,
                      .required = named };
}

static bool is_candidate(const GpuBackend *backend)
{
    return !backend->hidden && backend->probe;
}

/* Opens the first backend that has a GPU, or the device that was named. */
static int open_best_locked(Shared *shared)
{
    const GpuWish wish = wish_of(shared);
    int err = -ENODEV;
    for (const GpuBackend *const *b = gpu_backends; err && *b; b++)
        if (is_candidate(*b))
            err = session_open(&shared->session, *b, &wish);
    if (!err || !shared->device)
        return 0;
    log_error("no backend has a device \"%s\" that works here", shared->device);
    for (const GpuBackend *const *b = gpu_backends; *b; b++) {
        char why[1024];
        if (is_candidate(*b) && session_missing(*b, &wish, why, sizeof(why)))
            log_error("%s: %s", (*b)->name, why);
    }
    return -ENODEV;
}

static int open_shared_locked(Shared *shared)
{
    /* close_all is registered. It runs before the functions that drivers registered when they were
     * loaded. */
    static bool closes;
    const GpuWish wish = wish_of(shared);
    const int err = shared->backend ? session_open(&shared->session, shared->backend, &wish)
                                    : open_best_locked(shared);
    if (err) {
        log_error(VARIABLE
                  "=%s asks for a device that cannot be used, so nothing is scored. Append "
                  ":DEVICE to choose another one, set VMAF_ALLOW_SOFTWARE=1 to allow software "
                  "devices, or unset " VARIABLE " to use the CPU",
                  shared->asked);
        return err;
    }
    shared->process = getpid();
    if (shared->session && !closes)
        closes = !atexit(close_all);
    return 0;
}

static void warn_of_cpu(void)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&warned))
        log_insist(VARIABLE "=auto: no usable GPU found; scoring on the CPU");
}

/* Gives the context its device. */
static int provide_device(VmafContext *context, void *opaque)
{
    Shared *shared = opaque;
    if (!is_valid(shared))
        return report_invalid(shared->asked);
    pthread_mutex_lock(&lock);
    if (shared->process != getpid())
        shared->session = NULL; /* it is the parent process's */
    int err = shared->session ? 0 : open_shared_locked(shared);
    if (!err && shared->session)
        err = session_use(shared->session, context);
    const bool none = !err && !shared->session;
    pthread_mutex_unlock(&lock);
    if (none)
        warn_of_cpu();
    else if (!err)
        client_of(context, NULL)->logs_devices = true;
    return err;
}

int environment_use(VmafContext *context)
{
    const char *words = variable_value();
    if (!words || is_cpu(words))
        return 0;
    Shared *shared = parse(words);
    if (!shared)
        return -ENOMEM;
    pthread_mutex_lock(&lock);
    shared = find_or_add_locked(shared);
    pthread_mutex_unlock(&lock);
    context_default_gpu(context, provide_device, shared);
    return 0;
}

/* ---- logging where features run ---- */

typedef struct Names {
    char text[512];
    size_t used;
} Names;

static void add_name(Names *names, const char *name)
{
    if (names->used < sizeof(names->text))
        names->used +=
            (size_t)snprintf(names->text + names->used, sizeof(names->text) - names->used, "%s%s",
                             names->used ? ", " : "", name);
}

void environment_log_devices(const GpuClient *client)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    Names there = { .used = 0 }, here = { .used = 0 };
    for (unsigned i = 0; i < context_feature_count(client->context); i++) {
        VmafFeatureInfo feature;
        context_feature(client->context, i, &feature);
        add_name(feature.device ? &there : &here, feature.extractor);
    }
    const GpuSession *session = client->session;
    log_info("running on %s (%s): %s", session->title, session->backend->name, there.text);
    if (here.used && !atomic_flag_test_and_set(&warned))
        log_insist(VARIABLE ": these features run on the CPU, because they have no GPU code or "
                            "cannot run there: %s",
                   here.text);
}
