/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A driver for tests: what libcuda.so.1 exports, and (with EMULATED_HIP) what libamdhip64.so does, on
 * the CPU. Written from the public documentation of both; images are parsed and then the host backend's
 * kernel of the same name runs.
 *
 * It is as unkind as the documentation allows. Streams run late, early or in shuffled order, pieces of
 * their work in turn; memory begins as noise; addresses are never used twice, and device memory cannot
 * be read by the host; handles, contexts and captures are checked at every call. All that a caller did
 * wrong is a complaint: a line on stderr, a count, and the documented result. Control: control.h.
 *
 * Everything runs in the thread that calls, under one lock, which api.c takes. */
#ifndef EMULATOR_H
#define EMULATOR_H

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

/* ---- call.c: what every call begins and ends with ---- */

enum CallNeeds {
    NEEDS_NOTHING,
    NEEDS_INIT,
    NEEDS_CONTEXT,
    RELEASES = 4 | NEEDS_CONTEXT, /* done also when it reports that something failed before */
    RELEASES_DEVICE = 4 | NEEDS_INIT,
    UNSAFE = 8,      /* in a capture, unless that is relaxed */
    SURVIVES = 32,   /* works on a lost device */
    MAY_REFUSE = 16, /* whether it can is what is asked: no complaint */
};

void call_lock(void); /* for callers inside; call_enter does it */
void call_unlock(void);
int call_enter(const char *function, unsigned needs);
bool call_runs(unsigned needs, int entered); /* whether the call does its work after that */
int call_leave(const char *function, unsigned needs, int entered, int result);
bool call_hangs(void); /* the work that this call enqueues never ends: a fault asked for it */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void hang_for_ever(const char *what); /* a caller would: says so and aborts */

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
    unsigned flags; /* of that context, which its users agree on */
    int lost;       /* what every call returns from then on; 0 while all is well */
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
    bool blocking; /* in step with the legacy stream */
    Node *last;
    Capture *capture;
    struct Tips *tips; /* in a capture: what the next node comes after */
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
    struct Tips *captured; /* in a capture, which may be over */
} Event;

int devices_init(void);
void devices_reset(void);
Device *device_at(int number); /* NULL: no such device */
unsigned device_count(void);
int device_retain(Device *device, Context **out);
int device_release(Device *device);
int context_create(Device *device, Context **out);
int context_destroy(Context *context);
Context *context_current(void); /* NULL: none */
int context_push(Context *context);
int context_pop(Context **out);

void *object_create(enum ObjectKind kind, size_t size);      /* in the current context */
void *object_find(enum ObjectKind kind, const void *handle); /* NULL: is none, or not any more */
void object_forget(Object *object);                          /* the rest is its owner's */
long objects_live(void);
/* The first one of a kind, and the next after one: for searches. */
Object *object_next(enum ObjectKind kind, const Object *after);

/* ---- memory.c ---- */

int memory_alloc(size_t size, uint64_t *out);
int memory_free(uint64_t address);
int memory_alloc_host(size_t size, void **out);
int memory_free_host(void *block);
int memory_register(void *block, size_t size); /* plain memory becomes pinned, for every context */
int memory_unregister(void *block);
int memory_wrap(void *data, size_t size, uint64_t *out); /* freed as any; `data` is unmapped */
/* Where the bytes lie that a context calls by that address, and how many of them; NULL: nowhere. */
void *memory_find(const Context *context, uint64_t address, size_t *left);
void *memory_at(const Context *context, uint64_t address, size_t size);
long memory_forget(const Context *context); /* frees what is left of a context's; how much */
long memory_live(void);

/* ---- image.c ---- */

#define ARGUMENTS_MAX 256

typedef struct Entry {
    char name[64];
    unsigned arguments_size;
    unsigned max_threads; /* 0: does not say */
} Entry;

#define ENTRIES_MAX 128

/* Reads the kernels that an image holds, of which a bundle has one. INVALID_PTX and the like, with a line in
 * `why`. */
int image_read_ptx(const char *text, Entry entries[ENTRIES_MAX], unsigned *count, char *why,
                   size_t why_size);
int image_read_bundle(const void *image, const char *arch, Entry *out, char *why, size_t why_size);

/* ---- work.c: nodes, and when they run ---- */

typedef struct Function {
    Object object;
    const HostKernel *kernel;
    unsigned arguments_size;
    bool spoilt; /* its image is not the build's: what it computes is not either */
} Function;

typedef struct Semaphore {
    Object object;
    _Atomic uint64_t *counter; /* shared with whoever exported it */
    bool timeline;
} Semaphore;

enum WorkKind { WORK_NOTHING, WORK_KERNEL, WORK_COPY, WORK_FILL, WORK_WAIT, WORK_SIGNAL };

typedef struct Rows {
    uint64_t from, to;
    bool from_pageable, to_pageable; /* plain addresses of the process */
    size_t from_stride, to_stride, row, rows;
} Rows;

typedef struct Work {
    enum WorkKind kind;
    Context *context;
    bool hangs;
    Rows rows;     /* copy; `to` of a fill, of one row */
    uint32_t word; /* fill */
    void *staged;  /* copy: freed with it */
    Function *function;
    unsigned groups[3];
    unsigned char arguments[ARGUMENTS_MAX];
    Semaphore *semaphore;
    uint64_t value;
} Work;

/* A node in flight, after others that may be NULL or done; with one reference for the caller. */
Node *node_create(const Work *work, Node *const *before, unsigned count);
Node *node_retain(Node *node); /* NULL is fine, here and below */
void node_release(Node *node);
bool node_done(const Node *node);     /* NULL: is */
uint64_t node_time(const Node *node); /* ns, of its end */
void nodes_forget(const Context *context);
void nodes_drop(const Device *device);              /* it is lost */
bool nodes_hang(void);                              /* does any? */
bool nodes_wait_for_others(const Context *context); /* for a semaphore that has not come so far */
bool nodes_in_flight(const Context *context);
void nodes_go_on(void); /* as the schedule says, after every change */
void nodes_run_all(void);
bool node_query(Node *node);        /* is it done? The caller wants it to be */
int node_wait(Node *node);          /* gives the lock away while others have to signal */
int schedule_set(const char *text); /* "lazy", "random:7" */

/* ---- stream.c ---- */

int stream_create(unsigned flags, Stream **out);
int stream_destroy(Stream *stream);
Stream *stream_find(const void *handle); /* of the current context; NULL and 1: the legacy stream */
int stream_add(Stream *stream, Work *work); /* takes `staged`, also when it fails */
int stream_copy(Stream *stream, const Rows *rows);
int stream_wait_event(Stream *stream, Event *event);
int stream_wait_node(Stream *stream, Node *node); /* which may be NULL */
int stream_synchronize(Stream *stream);
int context_synchronize(Context *context);
int event_create(unsigned flags, Event **out);
int event_destroy(Event *event);
int event_record(Event *event, Stream *stream);
int event_query(Event *event);
int event_synchronize(Event *event);
int event_elapsed(const Event *start, const Event *end, float *milliseconds);
void stream_step(Stream *stream, Node *node); /* `node` is its last one now; takes the reference */

/* ---- capture.c: captures and graphs ---- */

typedef struct Graph Graph;
typedef struct GraphExec GraphExec;

int capture_begin(Stream *stream, int mode);
int capture_end(Stream *stream, Graph **out);
void capture_abandon(Stream *stream); /* which is destroyed */
int capture_add(Stream *stream, const Work *work);
int capture_record(Stream *stream, Event *event);
int capture_wait(Stream *stream, Event *event); /* either may be in a capture */
bool capture_forbids_unsafe(void);              /* in this thread; spoils the capture if so */
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
