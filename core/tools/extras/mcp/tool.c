/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/child.h"
#include "common/json_memory.h"
#include "rpc.h"
#include "vmaf/command.h"

const Tool *const tools[] = { &score_tool,
                              &compare_tool,
                              &worst_frames_tool,
                              &list_backends_tool,
                              &describe_model_tool,
                              &search_target_tool,
                              NULL };

const Tool *tool_find(const char *name)
{
    for (const Tool *const *tool = tools; *tool; tool++)
        if (!strcmp((*tool)->name, name))
            return *tool;
    return NULL;
}

json_t *tool_result(json_t *structured)
{
    char *const text = json_whole_text(structured, JSON_COMPACT | JSON_REAL_PRECISION(12));
    json_t *const result = text ? json_pack("{s:[{s:s, s:s}], s:o}", "content", "type", "text",
                                            "text", text, "structuredContent", structured)
                                : NULL;
    if (!text)
        json_decref(structured);
    free(text);
    return result;
}

json_t *tool_failure(const char *format, ...)
{
    char text[4096];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    return json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text", "text", rpc_text(text),
                     "isError", 1);
}

const char *tool_string(const json_t *arguments, const char *name, const char *otherwise)
{
    const json_t *const value = json_object_get(arguments, name);
    return value ? json_string_value(value) : otherwise;
}

long long tool_integer(const json_t *arguments, const char *name, long long otherwise)
{
    const json_t *const value = json_object_get(arguments, name);
    return value ? (long long)json_number_value(value) : otherwise;
}

static const char *program;

void worker_set_program(const char *argv0)
{
    program = argv0;
}

const char *worker_program(void)
{
#ifdef __linux__
    return "/proc/self/exe"; /* works even if the file was replaced by an update meanwhile */
#elif defined(_WIN32)
    static _Thread_local char path[4096];
    char *const own = own_program_path(program);
    snprintf(path, sizeof(path), "%s", own ? own : program);
    free(own);
    return path;
#else
    return program;
#endif
}

int worker_answer(json_t *result)
{
    char *const text = json_whole_text(result, JSON_COMPACT);
    const bool lost = text && (puts(text) < 0 || fflush(stdout));
    if (lost)
        fputs("cannot write to standard output\n", stderr);
    else if (!text)
        fputs("out of memory\n", stderr);
    json_decref(result);
    free(text);
    return text && !lost ? 0 : 1;
}

int worker_main(int argc, char **argv)
{
    const char *const kind = argc > 2 ? argv[2] : "";
    if (!strcmp(kind, WORKER_VMAF))
        return vmaf_command(argc - 2, argv + 2);
    if (!strcmp(kind, WORKER_BACKEND))
        return worker_backend(argc - 3, argv + 3);
    if (!strcmp(kind, WORKER_MODEL))
        return worker_model(argc - 3, argv + 3);
    if (!strcmp(kind, WORKER_FRAMES))
        return worker_frames(argc - 3, argv + 3);
    fprintf(stderr, "%s is for internal use by vmaf-mcp\n", WORKER_WORD);
    return 1;
}
