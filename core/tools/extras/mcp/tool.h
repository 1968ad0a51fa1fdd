/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The tools that the server offers. */
#ifndef MCP_TOOL_H
#define MCP_TOOL_H

#include <jansson.h>
#include <stdbool.h>

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

/* What this program does when it runs itself again: one job, its result on standard output, messages on
 * standard error. */

/* The first word of a worker's command line; the second says what it is to do. */
#define WORKER_WORD "--worker"
#define WORKER_VMAF "vmaf"       /* the vmaf command, with the words that follow */
#define WORKER_BACKEND "backend" /* NAME: what this backend has, as JSON */
#define WORKER_MODEL "model"     /* SPEC: a model as --model names it, as JSON */
#define WORKER_FRAMES                                                                              \
    "frames" /* COUNT, then as `vmaf`: the report after pictures of the worst frames */

int worker_main(int argc, char **argv);

/* Each takes the words after its name and gives the exit code. */
int worker_backend(int argc, char **argv);
int worker_model(int argc, char **argv);
int worker_frames(int argc, char **argv);

/* This program's own file, to run it again. */
void worker_set_program(const char *argv0);
const char *worker_program(void);

/* Values checked against a JSON Schema: as much of it as the tools' own schemas use. */

/* False: `why` names the place and what is wrong there. Knows type, enum, required, properties,
 * additionalProperties: false, items, minItems, maxItems, minLength, maxLength, minimum and maximum. */
bool schema_allows(const json_t *schema, const json_t *value, char *why, size_t size);

#endif
