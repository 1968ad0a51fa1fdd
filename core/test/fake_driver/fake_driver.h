/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The fake driver: a library for tests that exports the functions of libcuda.so.1, or (with
 * EMULATED_HIP) those of libamdhip64.so, and runs on the CPU. It was written from the public
 * documentation of both. It parses each image and then runs the host backend's kernel of the same
 * name.
 *
 * It uses every freedom that the documentation leaves to a driver. Streams run late, early or in
 * shuffled order, with their work interleaved; new memory holds noise; no address is used twice;
 * the host cannot read device memory; handles, contexts and captures are checked at every call. It
 * reports each mistake of its caller as a complaint: a line on stderr, a count, and the documented
 * error code. Tests control it with the functions of control.h.
 *
 * All work runs in the calling thread, under one lock, which api.c takes. */
#ifndef FAKE_DRIVER_H
#define FAKE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/backend/host/kernel.h"
#include "gpu/backend/host/random.h"

/* Results, equal in both APIs. */
enum {
    OK = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    NO_BINARY_FOR_GPU = 209,
    INVALID_PTX = 218,
    UNSUPPORTED_PTX_VERSION = 222,
    OPERATING_SYSTEM = 304,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    ALREADY_REGISTERED = 712,
    NOT_REGISTERED = 713,
    LAUNCH_FAILED = 719,
    NOT_SUPPORTED = 801,
    CAPTURE_UNSUPPORTED = 900,
    CAPTURE_INVALIDATED = 901,
    CAPTURE_MERGE = 902,
    CAPTURE_UNMATCHED = 903,
    CAPTURE_UNJOINED = 904,
    CAPTURE_ISOLATION = 905,
    CAPTURE_IMPLICIT = 906,
    CAPTURED_EVENT = 907,
    CAPTURE_WRONG_THREAD = 908,
};

/* ---- call.c: the start and end of every call ---- */

enum CallNeeds {
    NEEDS_NOTHING,
    NEEDS_INIT,
    NEEDS_CONTEXT,
    RELEASES = 4 | NEEDS_CONTEXT, /* does its work even if it returns an earlier error */
    RELEASES_DEVICE = 4 | NEEDS_INIT,
    UNSAFE = 8,      /* forbidden during a capture, unless it is relaxed */
    SURVIVES = 32,   /* also works on a lost device */
    MAY_REFUSE = 16, /* callers may try it, so an error is no complaint */
};

void call_lock(void); /* for use inside the driver; call_enter takes the lock, too */
void call_unlock(void);
int call_enter(const char *function, unsigned needs);
bool call_runs(unsigned needs,
               int entered); /* true if the call should do its work after call_enter */
int call_leave(const char *function, unsigned needs, int entered, int result);
bool call_hangs(void); /* true if a fault was requested that makes the enqueued work never end */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void
hang_for_ever(const char *what); /* reports that the caller would wait for ever, and aborts */

/* ---- device.c: devices, contexts, and the objects in them ---- */

typedef struct Node Node;
typedef struct Capture Capture;
typedef struct Context Context;

typedef struct Device {
    char name[64], arch[32], pci[16];
    uint8_t uuid[16];
    size_t total, used;
    Context *primary;
    unsigned retains;
    unsigned flags; /* flags of the primary context */
    int lost;       /* the error that every call returns once the device is lost, else 0 */
} Device;

enum ObjectKind {
    CONTEXT,
    STREAM,
    EVENT,
    MODULE,
    FUNCTION,
    GRAPH,
    GRAPH_EXEC,
    EXTERNAL_MEMORY,
    SEMAPHORE
};

typedef struct Object {
    struct Object *next;
    enum ObjectKind kind;
    Context *context;
} Object;

typedef struct Stream {
    Object object;
    bool blocking; /* synchronises with the legacy stream */
    Node *last;
    Capture *capture;
    struct Tips *tips; /* during a capture: the nodes that the next one depends on */
} Stream;

struct Context {
    Object object;
    Device *device;
    Stream legacy;
};

typedef struct Event {
    Object object;
    bool timed;
    Node *recorded;
    struct Tips *captured; /* recorded during a capture, which may have ended */
} Event;

int devices_init(void);
void devices_reset(void);
Device *device_at(int number); /* NULL if there is no such device */
unsigned device_count(void);
int device_retain(Device *device, Context **out);
int device_release(Device *device);
int context_create(Device *device, Context **out);
int context_destroy(Context *context);
Context *context_current(void); /* NULL if there is none */
int context_push(Context *context);
int context_pop(Context **out);

void *object_create(enum ObjectKind kind, size_t size); /* in the current context */
void *object_find(enum ObjectKind kind,
                  const void *handle); /* NULL if there is none, or it was destroyed */
void object_forget(Object *object);    /* removes it from the list; the caller frees it */
long objects_live(void);
/* Iterates over the objects of a kind; `after` NULL starts. */
Object *object_next(enum ObjectKind kind, const Object *after);

/* ---- memory.c ---- */

int memory_alloc(size_t size, uint64_t *out);
int memory_free(uint64_t address);
int memory_alloc_host(size_t size, void **out);
int memory_free_host(void *block);
int memory_register(void *block, size_t size); /* pins ordinary memory for every context */
int memory_unregister(void *block);
int memory_wrap(void *data, size_t size, uint64_t *out); /* unmaps `data` when freed */
/* Returns the host pointer for a context's address, and the number of bytes left there; NULL if
 * unknown. */
void *memory_find(const Context *context, uint64_t address, size_t *left);
void *memory_at(const Context *context, uint64_t address, size_t size);
long memory_forget(
    const Context
        *context); /* frees the remaining memory of a context; returns how many allocations */
long memory_live(void);

/* ---- image.c ---- */

#define ARGUMENTS_MAX 256

typedef struct Entry {
    char name[64];
    unsigned arguments_size;
    unsigned max_threads; /* 0 if the image does not tell */
} Entry;

#define ENTRIES_MAX 128

/* Read the kernels of an image (a code object has one). On failure return INVALID_PTX or a similar
 * error and write the reason to `why`. */
int image_read_ptx(const char *text, Entry entries[ENTRIES_MAX], unsigned *count, char *why,
                   size_t why_size);
int image_read_object(const void *image, const char *arch, Entry *out, char *why, size_t why_size);

/* ---- work.c: nodes, and the order in which they run ---- */

typedef struct Function {
    Object object;
    const HostKernel *kernel;
    unsigned arguments_size;
    bool spoilt; /* its image differs from the build's, so its results are made wrong */
} Function;

typedef struct Semaphore {
    Object object;
    _Atomic uint64_t *counter; /* shared with the API that exported it */
    bool timeline;
} Semaphore;

enum WorkKind { WORK_NOTHING, WORK_KERNEL, WORK_COPY, WORK_FILL, WORK_WAIT, WORK_SIGNAL };

typedef struct Rows {
    uint64_t from, to;
    bool from_pageable, to_pageable; /* ordinary memory of the process */
    size_t from_stride, to_stride, row, rows;
} Rows;

typedef struct Work {
    enum WorkKind kind;
    Context *context;
    bool hangs;
    Rows rows;     /* copy; a fill has one row in `to` */
    uint32_t word; /* fill */
    void *staged;  /* copy: freed with the work */
    Function *function;
    unsigned groups[3];
    unsigned char arguments[ARGUMENTS_MAX];
    Semaphore *semaphore;
    uint64_t value;
} Work;

/* Creates a node in flight that depends on the nodes `before`, which may be NULL or done. The
 * caller gets one reference. */
Node *node_create(const Work *work, Node *const *before, unsigned count);
Node *node_retain(Node *node); /* NULL is fine, here and below */
void node_release(Node *node);
bool node_done(const Node *node);     /* true for NULL */
uint64_t node_time(const Node *node); /* when it ended, ns */
void nodes_forget(const Context *context);
void nodes_drop(const Device *device); /* when the device is lost */
bool nodes_hang(void);                 /* true if any node hangs */
bool nodes_wait_for_others(
    const Context *context); /* true if a node waits for a semaphore of another API */
bool nodes_in_flight(const Context *context);
void nodes_go_on(void); /* runs what the schedule allows; call after every change */
void nodes_run_all(void);
bool node_query(Node *node);        /* true if done; counts as a request to run it */
int node_wait(Node *node);          /* releases the lock while waiting for foreign signals */
int schedule_set(const char *text); /* "lazy", "random:7" */

/* ---- stream.c ---- */

int stream_create(unsigned flags, Stream **out);
int stream_destroy(Stream *stream);
Stream *
stream_find(const void *handle); /* in the current context; NULL and 1 are the legacy stream */
int stream_add(Stream *stream, Work *work); /* takes over `staged`, also on failure */
int stream_copy(Stream *stream, const Rows *rows);
int stream_wait_event(Stream *stream, Event *event);
int stream_wait_node(Stream *stream, Node *node); /* node may be NULL */
int stream_synchronize(Stream *stream);
int context_synchronize(Context *context);
int event_create(unsigned flags, Event **out);
int event_destroy(Event *event);
int event_record(Event *event, Stream *stream);
int event_query(Event *event);
int event_synchronize(Event *event);
int event_elapsed(const Event *start, const Event *end, float *milliseconds);
void stream_step(Stream *stream,
                 Node *node); /* makes `node` the last one; takes over the reference */

/* ---- capture.c: captures and graphs ---- */

typedef struct Graph Graph;
typedef struct GraphExec GraphExec;

int capture_begin(Stream *stream, int mode);
int capture_end(Stream *stream, Graph **out);
void capture_abandon(Stream *stream); /* because the stream is destroyed */
int capture_add(Stream *stream, const Work *work);
int capture_record(Stream *stream, Event *event);
int capture_wait(Stream *stream, Event *event); /* stream or event may be in a capture */
bool capture_forbids_unsafe(void); /* in this thread; if true, invalidates the capture */
void tips_free(struct Tips *tips);
int graph_destroy(Graph *graph);
int graph_instantiate(Graph *graph, GraphExec **out);
int graph_exec_destroy(GraphExec *exec);
int graph_launch(GraphExec *exec, Stream *stream);

/* ---- external.c ---- */

typedef struct ExternalMemory ExternalMemory;

int external_memory_import(int type, int fd, uint64_t size, ExternalMemory **out);
int external_memory_map(ExternalMemory *memory, uint64_t offset, uint64_t size, uint64_t *out);
int external_memory_destroy(ExternalMemory *memory);
int semaphore_import(int type, int fd, Semaphore **out);
int semaphore_destroy(Semaphore *semaphore);

#endif
