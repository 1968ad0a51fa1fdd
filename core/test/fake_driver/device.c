/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_driver.h"

#define DEVICES_MAX 8
#define STACK_MAX 16
#define DEFAULT_DEVICES                                                                            \
    "Emulated One|00112233445566778899aabbccddeeff|0000:65:00.0;"                                  \
    "Emulated Two|0123456789abcdeffedcba9876543210|0000:b3:00.0"

static Device devices[DEVICES_MAX];
static unsigned count;
static Object *objects;
static long leaked; /* objects left in destroyed contexts */
static long pushed; /* contexts on the stacks of all threads */
static __thread Context *stack[STACK_MAX];
static __thread unsigned depth;

/* ---- devices ---- */

static void parse_uuid(const char *text, uint8_t uuid[16])
{
    for (unsigned i = 0; i < 16; i++) {
        unsigned byte = 0;
        sscanf(text + 2 * i, "%2x", &byte);
        uuid[i] = (uint8_t)byte;
    }
}

static const char *environment(const char *name, const char *otherwise)
{
    const char *text = getenv(name);
    return text ? text : otherwise;
}

int devices_init(void)
{
    if (count)
        return OK;
    const char *text = environment("EMULATED_DEVICES", DEFAULT_DEVICES);
    for (; *text && count < DEVICES_MAX; text += strcspn(text, ";"), text += *text == ';') {
        Device *device = &devices[count];
        char uuid[33];
        if (sscanf(text, "%63[^|]|%32[^|]|%15[^;]", device->name, uuid, device->pci) != 3) {
            fprintf(stderr, "fake driver: invalid EMULATED_DEVICES '%s'\n", text);
            exit(2);
        }
        parse_uuid(uuid, device->uuid);
        snprintf(device->arch, sizeof(device->arch), "%s", environment("EMULATED_ARCH", "gfx1030"));
        device->total = strtoull(environment("EMULATED_MEMORY", "8589934592"), NULL, 10);
        count++;
    }
    return count ? OK : NO_DEVICE;
}

Device *device_at(int number)
{
    return number >= 0 && (unsigned)number < count ? &devices[number] : NULL;
}

unsigned device_count(void)
{
    return count;
}

void devices_reset(void)
{
    for (unsigned i = 0; i < count; i++) {
        if (devices[i].primary)
            nodes_forget(devices[i].primary);
        if (devices[i].primary)
            context_destroy(devices[i].primary);
        devices[i].primary = NULL;
        devices[i].retains = 0;
        devices[i].lost = OK;
    }
    for (Object *o; (o = object_next(CONTEXT, NULL));)
        context_destroy((Context *)o);
    leaked = pushed = 0;
    depth = 0;
}

/* ---- objects ---- */

void *object_create(enum ObjectKind kind, size_t size)
{
    Object *object = calloc(1, size);
    if (!object)
        abort();
    *object = (Object){ objects, kind, context_current() };
    return objects = object;
}

void *object_find(enum ObjectKind kind, const void *handle)
{
    for (Object *o = objects; o; o = o->next)
        if (o == handle)
            return o->kind == kind ? o : NULL;
    return NULL;
}

void object_forget(Object *object)
{
    Object **link = &objects;
    while (*link != object)
        link = &(*link)->next;
    *link = object->next;
}

Object *object_next(enum ObjectKind kind, const Object *after)
{
    Object *o = after ? after->next : objects;
    while (o && o->kind != kind)
        o = o->next;
    return o;
}

/* True if the caller has to destroy the object. */
static bool is_owned(const Object *object)
{
    return object->kind != FUNCTION;
}

long objects_live(void)
{
    long live = leaked + pushed;
    for (const Object *o = objects; o; o = o->next)
        live += is_owned(o);
    return live;
}

/* ---- contexts ---- */

int context_create(Device *device, Context **out)
{
    Context *context = object_create(CONTEXT, sizeof(*context));
    context->device = device;
    context->object.context = context;
    context->legacy.object = (Object){ .kind = STREAM, .context = context };
    context->legacy.blocking = true;
    *out = context;
    return OK;
}

static void destroy_object(Object *object)
{
    switch (object->kind) {
    case STREAM:
        stream_destroy((Stream *)object);
        break;
    case EVENT:
        event_destroy((Event *)object);
        break;
    case GRAPH:
        graph_destroy((Graph *)object);
        break;
    case GRAPH_EXEC:
        graph_exec_destroy((GraphExec *)object);
        break;
    case EXTERNAL_MEMORY:
        external_memory_destroy((ExternalMemory *)object);
        break;
    case SEMAPHORE:
        semaphore_destroy((Semaphore *)object);
        break;
    default:
        object_forget(object);
        free(object);
    }
}

/* Destroys the context with all objects in it. Objects that the caller did not destroy count as
 * leaks. */
int context_destroy(Context *context)
{
    if (nodes_in_flight(context))
        complain("context destroyed while work is in flight");
    nodes_forget(context);
    for (Object *o = objects, *next; o; o = next) {
        next = o->next;
        if (o->context == context && o != &context->object) {
            leaked += is_owned(o);
            destroy_object(o);
        }
    }
    leaked += memory_forget(context);
    node_release(context->legacy.last);
    object_forget(&context->object);
    free(context);
    return OK;
}

int device_retain(Device *device, Context **out)
{
    if (!device->primary)
        context_create(device, &device->primary);
    device->retains++;
    *out = device->primary;
    return OK;
}

int device_release(Device *device)
{
    if (!device->retains)
        return INVALID_CONTEXT;
    if (--device->retains)
        return OK;
    if (nodes_hang())
        hang_for_ever("releasing the context");
    Context *context = device->primary;
    device->primary = NULL;
    return context_destroy(context);
}

/* HIP's threads always have a device, at first device 0. */
static Context *implicit(void)
{
#ifdef EMULATED_HIP
    return count ? devices[0].primary : NULL;
#else
    return NULL;
#endif
}

Context *context_current(void)
{
    return !depth ? implicit() : object_find(CONTEXT, stack[depth - 1]);
}

int context_push(Context *context)
{
    if (depth == STACK_MAX)
        return INVALID_VALUE;
    stack[depth++] = context;
    pushed++;
    return OK;
}

int context_pop(Context **out)
{
    if (!depth)
        return INVALID_CONTEXT;
    if (out)
        *out = stack[depth - 1];
    depth--;
    pushed--;
    return OK;
}
