/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "doctor.h"

#include <dirent.h>
#include <glob.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/json_memory.h"
#include "vmaf/run.h"

void machine_path(char *out, size_t size, const char *path)
{
    const char *const root = getenv("VMAF_DOCTOR_ROOT");
    snprintf(out, size, "%s%s", root ? root : "", path);
}

/* The path without VMAF_DOCTOR_ROOT. */
static const char *plain(const char *path)
{
    const char *const root = getenv("VMAF_DOCTOR_ROOT");
    return root && !strncmp(path, root, strlen(root)) ? path + strlen(root) : path;
}

/* Reads the first line of a small file; empty if the file does not exist. */
static void read_line(char *line, size_t size, const char *folder, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *const file = fopen(path, "r");
    *line = 0;
    if (!file)
        return;
    if (!fgets(line, (int)size, file))
        *line = 0;
    line[strcspn(line, "\n")] = 0;
    fclose(file);
}

/* Writes the last component of a link's target; empty if it is not a link. */
static void link_name(char *name, size_t size, const char *folder, const char *link)
{
    char path[PATH_MAX + 16], target[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%.12s", folder, link);
    const ssize_t length = readlink(path, target, sizeof(target) - 1);
    *name = 0;
    if (length < 0)
        return;
    target[length] = 0;
    const char *const slash = strrchr(target, '/');
    const char *const last = slash ? slash + 1 : target;
    memcpy(name, last, strnlen(last, size - 1) + 1);
    name[size - 1] = 0;
}

/* Calls `call` for each path that matches the pattern. */
static void each_path(const char *pattern, void (*call)(const char *path, json_t *list),
                      json_t *list)
{
    char path[PATH_MAX];
    glob_t found;
    machine_path(path, sizeof(path), pattern);
    if (!glob(path, 0, NULL, &found))
        for (size_t i = 0; i < found.gl_pathc; i++)
            call(found.gl_pathv[i], list);
    globfree(&found);
}

static void add_card(const char *path, json_t *list)
{
    char class[32], vendor[32], driver[64];
    read_line(class, sizeof(class), path, "class");
    read_line(vendor, sizeof(vendor), path, "vendor");
    /* Accept display controllers, and accelerators that only compute. */
    if (strncmp(class, "0x03", 4) && strncmp(class, "0x12", 4))
        return;
    link_name(driver, sizeof(driver), path, "driver");
    const char *const id = strncmp(vendor, "0x", 2) ? vendor : vendor + 2;
    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:s, s:s}", "pci", strrchr(path, '/') + 1, "vendor",
                                    id, "maker", machine_maker(id), "driver", driver));
}

json_t *machine_cards(void)
{
    json_t *const list = json_array();
    each_path("/sys/bus/pci/devices/*", add_card, list);
    return list;
}

static void add_node(const char *path, json_t *list)
{
    struct stat info;
    char folder[PATH_MAX], pci[64];
    if (stat(path, &info) || S_ISDIR(info.st_mode))
        return;
    const struct group *const group = getgrgid(info.st_gid);
    char number[24];
    snprintf(number, sizeof(number), "%u", (unsigned)info.st_gid);
    snprintf(folder, sizeof(folder), "/sys/class/drm/%s", strrchr(path, '/') + 1);
    char there[PATH_MAX];
    machine_path(there, sizeof(there), folder);
    link_name(pci, sizeof(pci), there, "device");
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:b}", "path", plain(path), "pci", pci,
                                          "group", group ? group->gr_name : number, "usable",
                                          !access(path, R_OK | W_OK)));
}

json_t *machine_nodes(void)
{
    static const char *const patterns[] = { "/dev/dri/card*", "/dev/dri/renderD*", "/dev/kfd",
                                            "/dev/nvidia*", "/dev/dxg" };
    json_t *const list = json_array();
    for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
        each_path(patterns[i], add_node, list);
    return list;
}

static void add_vulkan_driver(const char *path, json_t *list)
{
    json_error_t error;
    json_t *const root = json_read_file(path, 0, &error);
    const char *library = NULL;
    char problem[200] = "";
    if (!root)
        snprintf(problem, sizeof(problem), "it cannot be read: %s", error.text);
    else if (json_unpack(root, "{s:{s:s}}", "ICD", "library_path", &library))
        snprintf(problem, sizeof(problem), "it names no library");
    else if (library[0] == '/' && access(library, R_OK))
        snprintf(problem, sizeof(problem), "its library does not exist");
    json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "file", plain(path), "library",
                                          library ? library : "", "problem", problem));
    json_decref(root);
}

json_t *machine_vulkan_drivers(void)
{
    json_t *const list = json_array();
    const char *named = getenv("VK_DRIVER_FILES");
    if (!named)
        named = getenv("VK_ICD_FILENAMES");
    if (!named) {
        each_path("/etc/vulkan/icd.d/*.json", add_vulkan_driver, list);
        each_path("/usr/local/share/vulkan/icd.d/*.json", add_vulkan_driver, list);
        each_path("/usr/share/vulkan/icd.d/*.json", add_vulkan_driver, list);
        return list;
    }
    char *const copy = strdup(named);
    char *state = NULL;
    for (char *file = copy ? strtok_r(copy, ":", &state) : NULL; file;
         file = strtok_r(NULL, ":", &state))
        add_vulkan_driver(file, list);
    free(copy);
    return list;
}

bool machine_has_library(const char *pattern)
{
    static const char *const folders[] = { "/usr/lib/*-linux-gnu",  "/usr/lib64", "/usr/lib",
                                           "/lib/*-linux-gnu",      "/lib64",     "/usr/local/lib*",
                                           "/usr/local/nvidia/lib*" };
    char path[PATH_MAX], full[PATH_MAX];
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        glob_t found;
        snprintf(path, sizeof(path), "%s/%s", folders[i], pattern);
        machine_path(full, sizeof(full), path);
        const bool there = !glob(full, 0, NULL, &found) && found.gl_pathc;
        globfree(&found);
        if (there)
            return true;
    }
    return false;
}

bool machine_is_container(void)
{
    static const char *const marks[] = { "/.dockerenv", "/run/.containerenv" };
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
        machine_path(path, sizeof(path), marks[i]);
        if (!access(path, F_OK))
            return true;
    }
    static const char *const variables[] = { "container", "KUBERNETES_SERVICE_HOST",
                                             "APPTAINER_CONTAINER", "SINGULARITY_CONTAINER",
                                             "NVIDIA_DRIVER_CAPABILITIES" };
    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
        if (getenv(variables[i]))
            return true;
    return false;
}

/* The processor's name, as Linux tells it on most machines; empty if it is not known. */
static void read_processor(char *name, size_t size)
{
    char line[256];
    FILE *const file = fopen("/proc/cpuinfo", "r");
    *name = '\0';
    while (file && !*name && fgets(line, sizeof(line), file)) {
        const char *const colon = strchr(line, ':');
        if (colon && !strncmp(line, "model name", strlen("model name")))
            snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    }
    if (file)
        fclose(file);
}

json_t *machine_system(void)
{
    struct utsname system;
    char processor[256];
    json_t *const found = json_object();
    read_processor(processor, sizeof(processor));
    if (!uname(&system)) {
        set_text(found, "system", system.sysname);
        set_text(found, "release", system.release);
        set_text(found, "machine", system.machine);
    }
    set_text(found, "processor", processor);
    json_object_set_new(found, "processors", json_integer(cpus_allowed()));
    return found;
}
