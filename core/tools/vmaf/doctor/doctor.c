/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "vmaf/command.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "common/json_memory.h"
#include "common/message.h"
#include "common/temp.h"
#include "libvmaf/device.h"
#include "doctor.h"
#include "vmaf/gpu.h"

/* Version of the JSON output; raised when a field changes its meaning. */
enum { LAYOUT = 1 };

const char *text_of(const json_t *object, const char *key)
{
    const char *const text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

bool is_true(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

void set_text(json_t *object, const char *key, const char *text)
{
    /* A name that is not UTF-8 must not lose the other findings. */
    json_t *const value = json_string(text);
    json_object_set_new(object, key, value ? value : json_string("(not UTF-8)"));
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
        if (is_hardware(device))
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
    return !strcmp(name, "cpu") ||
           (has_gpu(backend) && !options->require.count && !options->device);
}

/* Adds a backend to the list. False: it must work, and does not. */
static bool add_backend(json_t *list, json_t *backend, const Options *options)
{
    const bool asked = is_asked(options, backend);
    json_object_set_new(backend, "asked", json_boolean(asked));
    json_array_append_new(list, backend);
    return !asked || is_true(backend, "works");
}

/* Examines a backend. One whose name says that it is software needs no further permission. */
static json_t *examine_backend(const char *name, const Options *options, const json_t *machine,
                               const json_t *cpu)
{
    const bool hidden = !strcmp(name, "host");
    const Demand demand = { .require = &options->require,
                            .device = options->device,
                            .software = options->allow_software || hidden,
                            .survey = options->stored,
                            .quiet = options->quiet };
    return probe_backend(name, machine, cpu, &demand);
}

/* True if a GPU works with one of the backends. */
static bool gpu_works(const json_t *backends)
{
    size_t i, k;
    json_t *backend, *device;
    json_array_foreach(backends, i, backend)
    {
        json_array_foreach(json_object_get(backend, "devices"), k, device)
        {
            if (is_hardware(device) && is_true(device, "works"))
                return true;
        }
    }
    return false;
}

/* The first device node of a GPU that somebody put into this container; NULL: none, or no
 * container. Nodes of screens do not count: every server has one. */
static const char *gpu_in_container(const json_t *machine)
{
    static const char *const nodes[] = { "/dev/dri/renderD", "/dev/kfd", "/dev/nvidiactl",
                                         "/dev/dxg" };
    size_t i;
    json_t *node;
    if (!is_true(machine, "container"))
        return NULL;
    json_array_foreach(json_object_get(machine, "nodes"), i, node)
    {
        const char *const path = text_of(node, "path");
        for (size_t k = 0; k < sizeof(nodes) / sizeof(*nodes); k++)
            if (!strncmp(path, nodes[k], strlen(nodes[k])))
                return path;
    }
    return NULL;
}

/* Examines all backends, and hidden ones that the list names. False: something that was asked for
 * does not work. */
static bool examine_backends(json_t *list, const Options *options, const json_t *machine)
{
    json_t *cpu;
    bool well = add_backend(list, probe_cpu(&cpu), options), any = false;
    const char *name;
    for (unsigned i = 0; (name = vmaf_backend_name(i)); i++) {
        json_t *const found = examine_backend(name, options, machine, cpu);
        any = any || is_true(found, "works");
        well = add_backend(list, found, options) && well;
    }
    if (options->doctor_backends && backend_listed(options->doctor_backends, "host"))
        well = add_backend(list, examine_backend("host", options, machine, cpu), options) && well;
    json_decref(cpu);
    /* Without a list, one backend must have the device that is demanded. */
    const bool demanded = options->require.count || options->device;
    const bool given = gpu_in_container(machine) != NULL;
    return well &&
           (options->doctor_backends || ((!demanded || any) && (!given || gpu_works(list))));
}

/* Adds what is demanded of devices, for those who read the findings later. */
static void note_demand(json_t *findings, const Options *options)
{
    json_t *const words = json_array();
    for (size_t i = 0; i < options->require.count; i++)
        json_array_append_new(words, json_string(options->require.at[i]));
    json_object_set_new(findings, "require", words);
    if (options->device)
        set_text(findings, "device", options->device);
    json_object_set_new(findings, "allow_software", json_boolean(options->allow_software));
}

static const json_t *find_backend(const json_t *backends, const char *name)
{
    size_t i;
    json_t *backend;
    json_array_foreach(backends, i, backend)
    {
        if (!strcmp(text_of(backend, "name"), name))
            return backend;
    }
    return NULL;
}

/* The number of devices that were surveyed. */
static unsigned count_surveys(const json_t *backends)
{
    size_t i, k;
    json_t *backend, *device;
    unsigned count = 0;
    json_array_foreach(backends, i, backend)
    {
        json_array_foreach(json_object_get(backend, "devices"), k, device)
        {
            count += json_object_get(device, "survey") != NULL;
        }
    }
    return count;
}

/* Makes the findings. Those of --report are not well without a device that was measured. */
static json_t *examine(const Options *options)
{
    json_t *const machine = examine_machine(), *const list = json_array();
    const bool works = examine_backends(list, options, machine);
    const bool well = works && (!options->stored || count_surveys(list));
    json_t *const findings =
        json_pack("{s:i, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "layout", LAYOUT, "vmaf",
                  vmaf_version(), "well", well, "system", machine_system(), "machine", machine,
                  "instruction_sets", parts_instruction_sets(), "ffmpeg", parts_ffmpeg(),
                  "sycl_plugin", parts_sycl_plugin(find_backend(list, "sycl")), "backends", list);
    if (findings)
        note_demand(findings, options);
    return findings;
}

/* ---- for people ---- */

static void print_machine(const json_t *machine)
{
    size_t i;
    json_t *item;
    printf("Machine%s\n", is_true(machine, "container") ? " (a container)" : "");
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
               is_true(item, "usable") ? "can be used" : "may NOT be used");
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

static int count_of(const json_t *survey, const char *key)
{
    return (int)json_integer_value(json_object_get(survey, key));
}

static void print_survey(const json_t *survey)
{
    const json_t *const speed = json_object_get(survey, "speed");
    const int equal = count_of(survey, "equal"), failed = count_of(survey, "failed");
    printf("     %d of %d trials of a feature at a depth equal the CPU's", equal, equal + failed);
    if (count_of(survey, "not_measured"))
        printf("; %d more have no score on the CPU either", count_of(survey, "not_measured"));
    if (count_of(survey, "not_tried"))
        printf("; it hung, and %d were not tried", count_of(survey, "not_tried"));
    if (speed && !*text_of(speed, "problem"))
        printf("\n     vmaf_v0.6.1 at 1920x1080: %.1f frames a second, on the CPU %.1f",
               json_real_value(json_object_get(speed, "device_fps")),
               json_real_value(json_object_get(speed, "cpu_fps")));
    printf("\n");
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
    if (is_true(device, "works"))
        printf("works: every score of the trial equals the CPU's\n");
    else if (*text_of(device, "not_tried"))
        printf("not tried: %s\n", text_of(device, "not_tried"));
    else if (*text_of(device, "lacks"))
        printf("cannot be used, it lacks: %s\n", text_of(device, "lacks"));
    else
        printf("FAILS: %s\n", text_of(device, "problem"));
    if (json_object_get(device, "survey"))
        print_survey(json_object_get(device, "survey"));
}

static void print_backend(const json_t *backend)
{
    size_t i;
    json_t *device;
    const char *const word = is_true(backend, "works")   ? "works"
                             : is_true(backend, "asked") ? "DOES NOT WORK"
                                                         : "not here";
    printf("\n%s: %s\n", text_of(backend, "title"), word);
    json_array_foreach(json_object_get(backend, "devices"), i, device)
    {
        print_device(device);
    }
    if (*text_of(backend, "missing"))
        printf("  %s\n  remedy: %s\n", text_of(backend, "missing"), text_of(backend, "remedy"));
    if (*text_of(backend, "note"))
        printf("  note: %s\n", text_of(backend, "note"));
}

static void print_ffmpeg(const json_t *ffmpeg)
{
    const char *name;
    json_t *version;
    if (*text_of(ffmpeg, "missing")) {
        printf("  FFmpeg's libraries  %s\n    remedy: %s\n", text_of(ffmpeg, "missing"),
               text_of(ffmpeg, "remedy"));
        return;
    }
    printf("  FFmpeg's libraries  %s:", text_of(ffmpeg, "release"));
    json_object_foreach (json_object_get(ffmpeg, "versions"), name, version)
        printf(" %s %s", name, json_string_value(version));
    printf("\n");
}

static void print_sets(const json_t *sets)
{
    size_t i;
    json_t *set;
    printf("  instruction sets    ");
    json_array_foreach(sets, i, set)
    {
        printf("%s%s", i == 0 ? "" : i == 1 ? " in use; also: " : ", ", json_string_value(set));
    }
    printf("%s\n", i == 1 ? " in use" : "");
}

static void print_plugin(const json_t *plugin)
{
    if (*text_of(plugin, "path"))
        printf("  SYCL plugin         %s\n", text_of(plugin, "path"));
    else
        printf("  SYCL plugin         %s\n    remedy: %s\n", text_of(plugin, "missing"),
               text_of(plugin, "remedy"));
}

static void print_parts(const json_t *findings)
{
    printf("Parts\n");
    print_sets(json_object_get(findings, "instruction_sets"));
    print_ffmpeg(json_object_get(findings, "ffmpeg"));
    print_plugin(json_object_get(findings, "sycl_plugin"));
}

static void print_findings(const json_t *findings, const Options *options)
{
    size_t i;
    json_t *backend;
    printf("vmaf %s\n", text_of(findings, "vmaf"));
    print_machine(json_object_get(findings, "machine"));
    print_parts(findings);
    json_array_foreach(json_object_get(findings, "backends"), i, backend)
    {
        print_backend(backend);
    }
    const json_t *const machine = json_object_get(findings, "machine");
    if (!options->doctor_backends && gpu_in_container(machine) &&
        !gpu_works(json_object_get(findings, "backends")))
        printf(
            "\nThe container was given %s: a backend must work on a GPU, or those that must work "
            "be named (--backend cpu).\n",
            gpu_in_container(machine));
    printf("\n%s\n", is_true(findings, "well") ? "Everything that was asked for works."
                                               : "Something that was asked for does not work.");
}

static void print_json(const json_t *findings)
{
    char *const text = json_whole_text(findings, JSON_INDENT(2));
    if (text)
        puts(text);
    free(text);
}

/* ---- the report for people who have no such card ---- */

static const char *report_path(const Options *options)
{
    return options->outputs.count ? options->outputs.at[0] : "vmaf-doctor.json";
}

/* Writes the findings into the file of --report. */
static int write_report(const json_t *findings, const char *path)
{
    Draft draft;
    int err = draft_open(&draft, path);
    if (err)
        return err;
    char *const text = json_whole_text(findings, JSON_INDENT(2));
    if (!text)
        draft.err = -ENOMEM;
    else if (fprintf(draft.file, "%s\n", text) < 0)
        draft.err = -EIO;
    free(text);
    err = draft_close(&draft);
    if (err)
        return err;
    if (!count_surveys(json_object_get(findings, "backends")))
        say("no device was measured; --allow_software takes software devices, too");
    if (strcmp(path, "-") != 0)
        say("the report is in %s", path);
    return 0;
}

int doctor(const Options *options)
{
    const char *const path = options->stored ? report_path(options) : NULL;
    int err = path ? draft_check(path) : 0;
    if (err)
        return err;
    json_t *const findings = examine(options);
    if (!findings || json_memory_failed()) {
        json_decref(findings);
        return -ENOMEM;
    }
    const bool well = is_true(findings, "well");
    if (path && !strcmp(path, "-"))
        ; /* the report is all that standard output gets */
    else if (options->format == VMAF_OUTPUT_FORMAT_JSON)
        print_json(findings);
    else
        print_findings(findings, options);
    if (path)
        err = write_report(findings, path);
    const bool whole = !json_memory_failed();
    json_decref(findings);
    const int lost = whole ? finish_stdout() : -ENOMEM;
    return lost ? lost : err ? err : well ? 0 : -ENODEV;
}
