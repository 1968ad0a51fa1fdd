/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#endif

#include "run.h"

unsigned cpus_of_quota(const char *text)
{
    unsigned long long quota, period;
    if (sscanf(text, "%llu %llu", &quota, &period) != 2 || !quota || !period)
        return 0;
    const unsigned long long cpus = quota / period + (quota % period != 0);
    return cpus < 1u << 20 ? (unsigned)cpus : 0;
}

#ifdef __linux__

/* Reads the first line of a file. */
static bool read_line(const char *path, char *line, int size)
{
    FILE *const file = fopen(path, "r");
    const bool read = file && fgets(line, size, file);
    if (file)
        fclose(file);
    return read;
}

/* Writes the path of this process in the tree of control groups, without the last slash. */
static bool own_group(char *path, size_t size)
{
    char line[1024];
    bool found = false;
    FILE *const file = fopen("/proc/self/cgroup", "r");
    while (file && !found && fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        found = !strncmp(line, "0::/", 4);
    }
    if (file)
        fclose(file);
    if (found)
        snprintf(path, size, "%s", strcmp(line + 3, "/") ? line + 3 : "");
    return found;
}

/* Calls `take` with the content of a file in the group of this process and in all groups around it:
 * the narrowest limit counts. */
static void for_each_group(const char *file, void (*take)(const char *line, void *arg), void *arg)
{
    char group[1024], path[2048], line[128];
    if (!own_group(group, sizeof(group)))
        return;
    for (;;) {
        snprintf(path, sizeof(path), "/sys/fs/cgroup%s/%s", group, file);
        if (read_line(path, line, sizeof(line)))
            take(line, arg);
        char *const last = strrchr(group, '/');
        if (!last)
            return;
        *last = '\0';
    }
}

static void take_quota(const char *line, void *arg)
{
    unsigned *const cpus = arg;
    const unsigned limit = cpus_of_quota(line);
    if (limit && limit < *cpus)
        *cpus = limit;
}

static void take_memory(const char *line, void *arg)
{
    uint64_t *const bytes = arg;
    unsigned long long limit;
    if (sscanf(line, "%llu", &limit) == 1 && limit < *bytes)
        *bytes = limit;
}

static unsigned online_cpus(void)
{
    cpu_set_t set;
    if (!sched_getaffinity(0, sizeof(set), &set))
        return (unsigned)CPU_COUNT(&set);
    const long online =
        sysconf(_SC_NPROCESSORS_ONLN); /* the machine has more CPUs than the set can hold */
    return online > 0 ? (unsigned)online : 1;
}

unsigned cpus_allowed(void)
{
    unsigned cpus = online_cpus();
    for_each_group("cpu.max", take_quota, &cpus);
    return cpus ? cpus : 1;
}

uint64_t memory_free(void)
{
    uint64_t bytes = UINT64_MAX;
    char line[256];
    unsigned long long kilobytes;
    FILE *const file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "MemAvailable: %llu", &kilobytes) == 1)
            bytes = (uint64_t)kilobytes << 10;
    if (file)
        fclose(file);
    for_each_group("memory.max", take_memory, &bytes);
    return bytes;
}

#else

unsigned cpus_allowed(void)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    return cpus > 0 ? (unsigned)cpus : 1;
}

uint64_t memory_free(void)
{
    return UINT64_MAX;
}

#endif

unsigned threads_by_default(size_t pair_bytes)
{
    enum { THREADS_MAX = 1024 };
    const unsigned cpus = cpus_allowed();
    const uint64_t pairs = memory_free() / 4 / (pair_bytes ? pair_bytes : 1);
    uint64_t threads = cpus < THREADS_MAX ? cpus : THREADS_MAX;
    if (threads > pairs)
        threads = pairs;
    return threads > 1 ? (unsigned)threads : 0;
}
