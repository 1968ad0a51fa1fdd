/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "vmaf/command.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "common/json_memory.h"
#include "common/message.h"
#include "libvmaf/device.h"
#include "doctor.h"
#include "vmaf/gpu.h"

/* Version of the JSON output; raised when a field changes its meaning. */
enum { LAYOUT = 1 };

static const char *text_of(const json_t *object, const char *key)
{
    const char *const text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static bool holds(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

/* ---- what there is ---- */

static json_t *examine_machine(void)
{
    json_t *const drivers = machine_vulkan_drivers();
    probe_vulkan_drivers(drivers);
    return json_pack("{s:b, s:o, s:o, s:o}", "container", machine_is_container(), "cards",
                     machine_cards(), "nodes", machine_nodes(), "vulkan_drivers", drivers);
}

static bool has_gpu(const json_t *backend)
{
    size_t i;
    json_t *device;
    json_array_foreach(json_object_get(backend, "devices"), i, device)
    {
        if (strcmp(text_of(device, "type"), "software"))
            return true;
    }
    return false;
}

/* True if the backend must work: the list of --backend names it or, without a list, it sees a
 * GPU or is the CPU. */
static bool is_asked(const Options *options, const json_t *backend)
{
    const char *const name = text_of(backend, "name");
    if (options->doctor_backends)
        return backend_listed(options->doctor_backends, name);
    return !strcmp(name, "cpu") || has_gpu(backend);
}

static bool add_backend(json_t *list, json_t *backend, const Options *options)
{
    const bool asked = is_asked(options, backend);
    json_object_set_new(backend, "asked", json_boolean(asked));
    json_array_append_new(list, backend);
    return !asked || holds(backend, "works");
}

static json_t *examine(const Options *options)
{
    json_t *cpu;
    json_t *const machine = examine_machine(), *const list = json_array();
    bool well = add_backend(list, probe_cpu(&cpu), options);
    const char *name;
    for (unsigned i = 0; (name = vmaf_backend_name(i)); i++) {
        /* A backend that was named is also tried on a software device. */
        const bool named =
            options->doctor_backends && backend_listed(options->doctor_backends, name);
        well =
            add_backend(list, probe_backend(name, machine, cpu, named || options->allow_software),
                        options) &&
            well;
    }
    json_decref(cpu);
    return json_pack("{s:i, s:s, s:b, s:o, s:o}", "layout", LAYOUT, "vmaf", vmaf_version(), "well",
                     well, "machine", machine, "backends", list);
}

/* ---- for people ---- */

static void print_machine(const json_t *machine)
{
    size_t i;
    json_t *item;
    printf("Machine%s\n", holds(machine, "container") ? " (a container)" : "");
    json_array_foreach(json_object_get(machine, "cards"), i, item)
    {
        printf("  card  %s  %s, kernel driver: %s\n", text_of(item, "pci"), text_of(item, "maker"),
               *text_of(item, "driver") ? text_of(item, "driver") : "none");
    }
    if (!i)
        printf("  no card on the bus\n");
    json_array_foreach(json_object_get(machine, "nodes"), i, item)
    {
        printf("  node  %s  group %s, %s\n", text_of(item, "path"), text_of(item, "group"),
               holds(item, "usable") ? "can be used" : "may NOT be used");
    }
    if (!i)
        printf("  no device nodes\n");
    json_array_foreach(json_object_get(machine, "vulkan_drivers"), i, item)
    {
        const size_t devices = json_array_size(json_object_get(item, "devices"));
        printf("  Vulkan driver  %s  ", text_of(item, "file"));
        if (*text_of(item, "problem"))
            printf("%s\n", text_of(item, "problem"));
        else
            printf("%zu device%s\n", devices, devices == 1 ? "" : "s");
    }
    if (!i)
        printf("  no Vulkan driver files\n");
}

static void print_device(const json_t *device)
{
    printf("  %d: %s (%s)\n", (int)json_integer_value(json_object_get(device, "index")),
           text_of(device, "name"), text_of(device, "type"));
    printf("     %s; driver: %s", text_of(device, "api"), text_of(device, "driver"));
    if (*text_of(device, "pci"))
        printf("; PCI %s", text_of(device, "pci"));
    if (*text_of(device, "driver_file"))
        printf("; from %s", text_of(device, "driver_file"));
    printf("\n     ");
    if (holds(device, "works"))
        printf("works: every score of the trial equals the CPU's\n");
    else if (*text_of(device, "lacks"))
        printf("cannot be used, it lacks: %s\n", text_of(device, "lacks"));
    else if (json_object_get(device, "works"))
        printf("FAILS: %s\n", text_of(device, "problem"));
    else
        printf("not tried: use --allow_software or --backend to try it\n");
}

static void print_backend(const json_t *backend)
{
    size_t i;
    json_t *device;
    const char *const word = holds(backend, "works")   ? "works"
                             : holds(backend, "asked") ? "DOES NOT WORK"
                                                       : "not here";
    printf("\n%s: %s\n", text_of(backend, "title"), word);
    json_array_foreach(json_object_get(backend, "devices"), i, device)
    {
        print_device(device);
    }
    if (*text_of(backend, "missing"))
        printf("  %s\n  remedy: %s\n", text_of(backend, "missing"), text_of(backend, "remedy"));
}

static void print_findings(const json_t *findings)
{
    size_t i;
    json_t *backend;
    printf("vmaf %s\n", text_of(findings, "vmaf"));
    print_machine(json_object_get(findings, "machine"));
    json_array_foreach(json_object_get(findings, "backends"), i, backend)
    {
        print_backend(backend);
    }
    printf("\n%s\n", holds(findings, "well") ? "Everything that was asked for works."
                                             : "Something that was asked for does not work.");
}

static void print_json(const json_t *findings)
{
    char *const text = json_whole_text(findings, JSON_INDENT(2));
    if (text)
        puts(text);
    free(text);
}

int doctor(const Options *options)
{
    json_t *const findings = examine(options);
    if (!findings || json_memory_failed()) {
        json_decref(findings);
        return -ENOMEM;
    }
    const bool well = holds(findings, "well");
    if (options->format == VMAF_OUTPUT_FORMAT_JSON)
        print_json(findings);
    else
        print_findings(findings);
    const bool whole = !json_memory_failed();
    json_decref(findings);
    const int lost = whole ? finish_stdout() : -ENOMEM;
    return lost ? lost : well ? 0 : -ENODEV;
}
