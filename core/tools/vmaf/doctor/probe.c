/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libvmaf/device.h"
#include "vmaf/gpu.h"

/* Seconds until a driver counts as hanging when it lists its devices. */
enum { LIST_SECONDS = 30 };

/* ---- the jobs ---- */

/* The path of the SYCL plugin, if this process has loaded it; the caller frees it. */
static char *find_plugin(void)
{
    const char *const named = getenv("VMAF_SYCL_PLUGIN");
    const char *const slash = named ? strrchr(named, '/') : NULL;
    const char *const file = named && *named ? slash ? slash + 1 : named : "libvmaf-sycl.so";
    char line[4096], *path = NULL;
    FILE *const maps = fopen("/proc/self/maps", "r");
    while (maps && !path && fgets(line, sizeof(line), maps)) {
        char *const start = strchr(line, '/');
        const char *const last = start ? strrchr(start, '/') + 1 : NULL;
        if (last && !strncmp(last, file, strlen(file))) {
            start[strcspn(start, "\n")] = '\0';
            path = strdup(start);
        }
    }
    if (maps)
        fclose(maps);
    return path;
}

static json_t *list_devices(const char *backend)
{
    json_t *const list = json_array();
    VmafDeviceInfo info = { .size = sizeof(info) };
    char why[512];
    for (unsigned i = 0; !vmaf_device_info(backend, i, &info); i++) {
        char uuid[40];
        gpu_uuid_text(uuid, info.uuid);
        json_array_append_new(list,
                              json_pack("{s:i, s:s, s:s, s:s, s:s+++, s:I, s:s, s:s, s:s}", "index",
                                        (int)i, "name", info.name, "type", gpu_type_name(info.type),
                                        "driver", info.driver, "api", info.api, " ", info.version,
                                        "", "memory_mib", (json_int_t)(info.memory >> 20), "uuid",
                                        uuid, "pci", info.pci, "lacks", info.missing));
    }
    const int err = vmaf_backend_missing(backend, 0, why, sizeof(why));
    char *const plugin = !strcmp(backend, "sycl") ? find_plugin() : NULL;
    json_t *const found = json_pack("{s:o, s:s, s:s}", "devices", list, "missing", err ? why : "",
                                    "plugin", plugin ? plugin : "");
    free(plugin);
    return found;
}

json_t *job_list_devices(const DoctorCase *on)
{
    return list_devices(on->name);
}

json_t *job_try_device(const DoctorCase *on)
{
    unsetenv("VMAF_BACKEND"); /* the trial chooses the device */
    return trial_score(on->device);
}

json_t *job_list_driver(const DoctorCase *on)
{
    setenv("VK_DRIVER_FILES", on->name, 1);
    setenv("VK_ICD_FILENAMES", on->name, 1);
    return list_devices("vulkan");
}

/* ---- in this process ---- */

json_t *probe_cpu(json_t **cpu)
{
    char why[512];
    const DoctorCase on = { .device = NULL };
    *cpu = doctor_apart(job_try_device, &on, TRIAL_SECONDS, why, sizeof(why), NULL);
    json_t *const found = json_pack("{s:s, s:s, s:b, s:b, s:[]}", "name", "cpu", "title", "CPU",
                                    "built", 1, "works", *cpu != NULL, "devices");
    if (!*cpu) {
        set_text(found, "missing", why);
        set_text(found, "remedy", "report this");
    }
    return found;
}

/* Surveys a device, also one that failed the trial: its report is the most useful. It works only if
 * nothing fails there. */
static void survey(json_t *device, const TrialDevice *chosen, const Demand *demand)
{
    char text[512];
    json_t *const found = survey_device(chosen, text_of(device, "name"), demand->quiet);
    if (is_true(device, "works") && survey_failed(found, text, sizeof(text))) {
        json_object_set_new(device, "works", json_false());
        set_text(device, "problem", text);
    }
    json_object_set_new(device, "survey", found);
}

/* Scores the trial on a device, and notes in it whether it works. */
static void try_one(json_t *device, const char *backend, const json_t *cpu, const Demand *demand)
{
    TrialDevice chosen = { .backend = backend,
                           .index = (unsigned)json_integer_value(json_object_get(device, "index")),
                           .software = !strcmp(text_of(device, "type"), "software") };
    const DoctorCase on = { .device = &chosen };
    char why[512];
    bool hangs;
    json_t *const scores =
        doctor_apart(job_try_device, &on, TRIAL_SECONDS, why, sizeof(why), &hangs);
    char *const wrong = scores && cpu ? trial_compare(scores, cpu) : NULL;
    json_object_set_new(device, "works", json_boolean(scores && cpu && !wrong));
    if (!scores || wrong)
        set_text(device, "problem", wrong ? wrong : why);
    if (scores)
        json_object_set(device, "extractors", json_object_get(scores, "on_device"));
    if (demand->survey && !hangs)
        survey(device, &chosen, demand);
    free(wrong);
    json_decref(scores);
}

/* Notes in the device which driver file provides it. */
static void find_driver_file(json_t *device, const json_t *drivers)
{
    size_t i, j;
    json_t *driver, *other;
    json_array_foreach(drivers, i, driver)
    {
        json_array_foreach(json_object_get(driver, "devices"), j, other)
        {
            if (!strcmp(json_string_value(other), text_of(device, "uuid"))) {
                json_object_set(device, "driver_file", json_object_get(driver, "file"));
                return;
            }
        }
    }
}

static void note_missing(json_t *found, const char *backend, const char *missing,
                         const json_t *machine)
{
    char remedy[512];
    remedy_find(remedy, sizeof(remedy), backend, missing, machine);
    set_text(found, "missing", missing);
    set_text(found, "remedy", remedy);
}

static bool has_hardware(const json_t *devices)
{
    size_t i;
    json_t *device;
    json_array_foreach(devices, i, device)
    {
        if (is_hardware(device))
            return true;
    }
    return false;
}

/* Notes that there are devices, but none that counts. */
static void note_none(json_t *found, const Demand *demand, const char *missing,
                      const json_t *machine)
{
    char wanted[256], text[300];
    demand_text(demand, wanted, sizeof(wanted));
    note_missing(found, text_of(found, "name"), missing, machine);
    if (!*wanted)
        return;
    snprintf(text, sizeof(text), "no device meets the demand: %s", wanted);
    set_text(found, "missing", text);
    if (has_hardware(json_object_get(found, "devices")))
        set_text(found, "remedy", "ask for one of the devices above");
}

/* Tries the devices that count. Returns how many these are, and in *broken how many of them do not
 * work. */
static unsigned try_devices(json_t *devices, const char *backend, const json_t *machine,
                            const json_t *cpu, const Demand *demand, unsigned *broken)
{
    unsigned count = 0;
    size_t i;
    json_t *device;
    *broken = 0;
    json_array_foreach(devices, i, device)
    {
        char why[300];
        if (!strcmp(backend, "vulkan"))
            find_driver_file(device, json_object_get(machine, "vulkan_drivers"));
        if (!demand_accepts(demand, device, why, sizeof(why))) {
            set_text(device, "not_tried", why);
            continue;
        }
        count++;
        if (*text_of(device, "lacks")) {
            set_text(device, "problem", "it lacks what the kernels need");
            json_object_set_new(device, "works", json_false());
        } else {
            try_one(device, backend, cpu, demand);
        }
        *broken += !is_true(device, "works");
    }
    return count;
}

json_t *probe_backend(const char *backend, const json_t *machine, const json_t *cpu,
                      const Demand *demand)
{
    char why[512], note[512];
    json_t *const found =
        json_pack("{s:s, s:s, s:b}", "name", backend, "title", vmaf_backend_title(backend), "built",
                  vmaf_backend_built(backend) > 0);
    const DoctorCase on = { .name = backend };
    json_t *const listed =
        doctor_apart(job_list_devices, &on, LIST_SECONDS, why, sizeof(why), NULL);
    json_t *const devices = listed ? json_object_get(listed, "devices") : json_array();
    unsigned broken;
    const unsigned count = try_devices(devices, backend, machine, cpu, demand, &broken);
    json_object_set_new(found, "works", json_boolean(count && !broken));
    json_object_set(found, "devices", devices);
    if (!strcmp(backend, "sycl"))
        set_text(found, "plugin", listed ? text_of(listed, "plugin") : "");
    if (!listed)
        note_missing(found, backend, why, machine);
    else if (!count && json_array_size(devices))
        note_none(found, demand, text_of(listed, "missing"), machine);
    else if ((!count || broken == count) && *text_of(listed, "missing"))
        note_missing(found, backend, text_of(listed, "missing"), machine);
    remedy_note(note, sizeof(note), backend, machine);
    if (*note && !*text_of(found, "remedy"))
        set_text(found, "note", note);
    if (listed)
        json_decref(listed);
    else
        json_decref(devices);
    return found;
}

void probe_vulkan_drivers(json_t *drivers)
{
    size_t i, j;
    json_t *driver, *device;
    json_array_foreach(drivers, i, driver)
    {
        char why[512];
        if (*text_of(driver, "problem"))
            continue;
        const DoctorCase on = { .name = text_of(driver, "file") };
        json_t *const listed =
            doctor_apart(job_list_driver, &on, LIST_SECONDS, why, sizeof(why), NULL);
        json_t *const uuids = json_array();
        json_array_foreach(json_object_get(listed, "devices"), j, device)
        {
            json_array_append(uuids, json_object_get(device, "uuid"));
        }
        json_object_set_new(driver, "devices", uuids);
        if (!listed)
            set_text(driver, "problem", why);
        json_decref(listed);
    }
}
