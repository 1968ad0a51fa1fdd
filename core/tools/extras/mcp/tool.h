/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The tools that the server offers. */
#ifndef MCP_TOOL_H
#define MCP_TOOL_H

#include <jansson.h>

typedef struct Call Call;

typedef struct Tool {
    const char *name, *title, *description;
    const char *input, *output; /* JSON Schemas of arguments and structured result, as text */
    /* A result as tools/call has it, made by the functions below; NULL: the call was stopped, or there is
     * no memory. The arguments fit the schema. */
    json_t *(*run)(Call *call);
} Tool;

/* In the order in which they are listed; the last one has no name. */
extern const Tool *const tools[];
const Tool *tool_find(const char *name); /* NULL: none */

extern const Tool score_tool, compare_tool; /* tool_score.c */
extern const Tool worst_frames_tool;        /* tool_frames.c */
extern const Tool list_backends_tool;       /* tool_backends.c */
extern const Tool describe_model_tool;      /* tool_model.c */
extern const Tool search_target_tool;       /* tool_search.c */

/* Takes the structured result over, and puts it into the text, too, for those who know only that. */
json_t *tool_result(json_t *structured);

/* What went wrong, in words that help to do it better. */
json_t *tool_failure(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* An argument, or what it is when it was not given. */
const char *tool_string(const json_t *arguments, const char *name, const char *otherwise);
long long tool_integer(const json_t *arguments, const char *name, long long otherwise);

#endif
