/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Facts about this machine, from the registry of Windows. */
#include "doctor.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "../../../windows/wide.h"
#include "common/json_memory.h"
#include "vmaf/run.h"

#define DISPLAYS                                                                                   \
    L"SYSTEM\\CurrentControlSet\\Control\\Class\\{4d36e968-e325-11ce-bfc1-08002be10318}"
#define VULKAN L"SOFTWARE\\Khronos\\Vulkan\\Drivers"
#define PROCESSOR L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0"
#define SYSTEM L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion"

/* Reads a text, or the first of several; empty if there is none. */
static void read_text(HKEY key, const wchar_t *folder, const wchar_t *name, char *text, size_t size)
{
    wchar_t wide[512];
    DWORD room = sizeof(wide);
    *text = '\0';
    if (RegGetValueW(key, folder, name, RRF_RT_REG_SZ | RRF_RT_REG_MULTI_SZ, NULL, wide, &room))
        return;
    char *const found = wide_to_text(wide);
    snprintf(text, size, "%s", found ? found : "");
    free(found);
}

/* Calls `call` for each graphics card's key, whose names are numbers. */
static void each_display(void (*call)(HKEY card, json_t *list), json_t *list)
{
    HKEY all, card;
    wchar_t name[16];
    if (RegOpenKeyExW(HKEY_LOCAL_MACHINE, DISPLAYS, 0, KEY_READ, &all))
        return;
    for (DWORD i = 0, room = 16; !RegEnumKeyExW(all, i, name, &room, NULL, NULL, NULL, NULL);
         i++, room = 16) {
        if (!iswdigit(name[0]) || RegOpenKeyExW(all, name, 0, KEY_READ, &card))
            continue;
        call(card, list);
        RegCloseKey(card);
    }
    RegCloseKey(all);
}

/* The four digits behind `mark` in a name such as PCI\VEN_10DE&DEV_2684; empty: there are none. */
static void digits_behind(const char *id, const char *mark, char out[5])
{
    const char *const at = strcasestr(id, mark);
    *out = '\0';
    if (!at || strlen(at) < strlen(mark) + 4)
        return;
    for (unsigned i = 0; i < 4; i++)
        out[i] = (char)tolower((unsigned char)at[strlen(mark) + i]);
    out[4] = '\0';
}

static void add_card(HKEY card, json_t *list)
{
    char id[256], driver[256], version[64], title[512], vendor[5];
    read_text(card, NULL, L"MatchingDeviceId", id, sizeof(id));
    read_text(card, NULL, L"DriverDesc", driver, sizeof(driver));
    read_text(card, NULL, L"DriverVersion", version, sizeof(version));
    digits_behind(id, "ven_", vendor);
    if (!*vendor) /* a display without hardware of its own, such as that of a remote session */
        return;
    snprintf(title, sizeof(title), "%s%s%s", driver, *version ? " " : "", version);
    json_t *const found =
        json_pack("{s:s, s:s, s:s}", "pci", "", "vendor", vendor, "maker", machine_maker(vendor));
    set_text(found, "driver", title);
    json_array_append_new(list, found);
}

json_t *machine_cards(void)
{
    json_t *const list = json_array();
    each_display(add_card, list);
    return list;
}

json_t *machine_nodes(void)
{
    return json_array(); /* Windows has none */
}

static void add_vulkan_driver(const char *path, json_t *list)
{
    size_t i;
    json_t *known, *root;
    json_error_t error = { .text = "" };
    const char *library = NULL;
    char problem[200] = "";
    json_array_foreach(list, i, known)
    {
        if (!_stricmp(text_of(known, "file"), path))
            return;
    }
    root = json_read_file(path, 0, &error);
    if (!root)
        snprintf(problem, sizeof(problem), "it cannot be read: %s", error.text);
    else if (json_unpack(root, "{s:{s:s}}", "ICD", "library_path", &library))
        snprintf(problem, sizeof(problem), "it names no library");
    json_t *const found = json_pack("{s:s, s:s}", "library", library ? library : "", "problem", "");
    set_text(found, "file", path);
    set_text(found, "problem", problem);
    json_array_append_new(list, found);
    json_decref(root);
}

/* Newer drivers name their file in the key of their card. */
static void add_display_driver(HKEY card, json_t *list)
{
    char file[1024];
    read_text(card, NULL, L"VulkanDriverName", file, sizeof(file));
    if (*file)
        add_vulkan_driver(file, list);
}

/* Others are values of one key, named by their path; 0 means that the driver is in use. */
static void add_registered(json_t *list)
{
    HKEY key;
    wchar_t name[1024];
    if (RegOpenKeyExW(HKEY_LOCAL_MACHINE, VULKAN, 0, KEY_READ, &key))
        return;
    for (DWORD i = 0;; i++) {
        DWORD room = 1024, off = 1, size = sizeof(off), type = REG_NONE;
        if (RegEnumValueW(key, i, name, &room, NULL, &type, (BYTE *)&off, &size))
            break;
        char *const file = type == REG_DWORD && !off ? wide_to_text(name) : NULL;
        if (file)
            add_vulkan_driver(file, list);
        free(file);
    }
    RegCloseKey(key);
}

json_t *machine_vulkan_drivers(void)
{
    json_t *const list = json_array();
    const char *named = getenv("VK_DRIVER_FILES");
    if (!named)
        named = getenv("VK_ICD_FILENAMES");
    char *const copy = named ? strdup(named) : NULL;
    for (char *file = copy, *end; file && *file; file = end) {
        end = file + strcspn(file, ";");
        if (*end)
            *end++ = '\0';
        add_vulkan_driver(file, list);
    }
    free(copy);
    if (!named) {
        each_display(add_display_driver, list);
        add_registered(list);
    }
    return list;
}

bool machine_is_container(void)
{
    return false;
}

json_t *machine_system(void)
{
    char text[256];
    SYSTEM_INFO info;
    json_t *const found = json_object();
    GetNativeSystemInfo(&info);
    read_text(HKEY_LOCAL_MACHINE, SYSTEM, L"ProductName", text, sizeof(text));
    set_text(found, "system", *text ? text : "Windows");
    read_text(HKEY_LOCAL_MACHINE, SYSTEM, L"CurrentBuildNumber", text, sizeof(text));
    set_text(found, "release", text);
    set_text(found, "machine",
             info.wProcessorArchitecture == PROCESSOR_ARCHITECTURE_AMD64 ? "x86_64" : "other");
    read_text(HKEY_LOCAL_MACHINE, PROCESSOR, L"ProcessorNameString", text, sizeof(text));
    set_text(found, "processor", text);
    json_object_set_new(found, "processors", json_integer(cpus_allowed()));
    return found;
}
