/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The tools that the server offers, the worker processes they use, and the check of their
 * arguments. */
#ifndef MCP_TOOL_H
#define MCP_TOOL_H

#include <jansson.h>
#include <stdbool.h>

typedef struct Call Call;

typedef struct Tool {
    const char *name, *title, *description;
    const char *input, *output; /* JSON Schemas of the arguments and of the structured result */
    /* Run the tool. The arguments already match the schema. Returns a result for tools/call, made
     * by the functions below. NULL: the call was stopped, or no memory. */
    json_t *(*run)(Call *call);
} Tool;

/* All tools in listing order, ended by NULL. */
extern const Tool *const tools[];
const Tool *tool_find(const char *name); /* NULL: unknown */

extern const Tool score_tool, compare_tool; /* tool_score.c */
extern const Tool worst_frames_tool;        /* tool_frames.c */
extern const Tool list_backends_tool;       /* tool_backends.c */
extern const Tool describe_model_tool;      /* tool_model.c */
extern const Tool search_target_tool;       /* tool_search.c */

/* Make a result from structured data, which it takes over. Adds the data as text, for clients that
 * read only text. */
json_t *tool_result(json_t *structured);

/* Make a result that reports an error. The text should help the client to correct the call. */
json_t *tool_failure(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The value of an argument, or `otherwise` if it is missing. */
const char *tool_string(const json_t *arguments, const char *name, const char *otherwise);
long long tool_integer(const json_t *arguments, const char *name, long long otherwise);

/* Workers: this program runs itself with a worker's command line. A worker does one thing, prints
 * the result on standard output and messages on standard error. */

/* The first word of a worker's command line. The second is the kind of worker: */
#define WORKER_WORD "--worker"
#define WORKER_VMAF "vmaf"       /* runs the vmaf command with the words that follow */
#define WORKER_BACKEND "backend" /* NAME: describes the backend as JSON */
#define WORKER_MODEL "model"     /* version NAME or path FILE: describes a model as JSON */
#define WORKER_FRAMES                                                                              \
    "frames" /* COUNT, then as `vmaf`: prints pictures of the worst frames, then the report */

int worker_main(int argc, char **argv);

/* Print a worker's result, which it takes over. Returns the exit code; after a failure it has
 * printed why. */
int worker_answer(json_t *result);

/* Take the words behind the kind and return the exit code. */
int worker_backend(int argc, char **argv);
int worker_model(int argc, char **argv);
int worker_frames(int argc, char **argv);

/* The path of this program, for running it again. */
void worker_set_program(const char *argv0);
const char *worker_program(void);

/* Checking values against a JSON Schema, as far as the schemas of the tools need it. */

/* Check a value. False: `why` says where it breaks the schema, and how. Supports type, enum,
 * required, properties, additionalProperties: false, items, minItems, maxItems, minLength,
 * maxLength, minimum and maximum. */
bool schema_allows(const json_t *schema, const json_t *value, char *why, size_t size);

#endif
