/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "mcp_options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    ARG_ALLOW,
    ARG_MAX_BYTES,
    ARG_TIMEOUT,
    ARG_JOBS,
    ARG_TUNE,
    ARG_FFMPEG,
    ARG_VERSION,
    ARG_HELP
};

const Arg mcp_options[] = {
    { .help = "Files and limits" },
    { .id = ARG_ALLOW,
      .name = "allow",
      .value = "FOLDER",
      .help = "clients may read files below this folder; may be\n"
              "repeated; --allow may be omitted",
      .complete = "folder" },
    { .id = ARG_MAX_BYTES,
      .name = "max_bytes",
      .value = "N",
      .help = "largest file to read; K, M, G and T are powers of\n1024 (default: 64G)" },
    { .id = ARG_TIMEOUT,
      .name = "timeout",
      .value = "SECONDS",
      .help = "time limit for each call (default: 3600)" },
    { .id = ARG_JOBS,
      .name = "jobs",
      .value = "N",
      .help = "calls that run at once (default: 2); others wait" },
    { .help = "Other programs, for search_target" },
    { .id = ARG_TUNE,
      .name = "tune",
      .value = "PATH",
      .help = "the vmaf-tune to run (default: the one beside this\nprogram, or in PATH)",
      .complete = "file" },
    { .id = ARG_FFMPEG,
      .name = "ffmpeg",
      .value = "PATH",
      .help = "the ffmpeg to run (default: the one in PATH)",
      .complete = "file" },
    { .help = "About this program" },
    { .id = ARG_VERSION, .letter = 'v', .name = "version", .help = "print the version" },
    { .id = ARG_HELP, .name = "help", .help = "print this text" },
    { 0 },
};

void mcp_options_print_help(FILE *file)
{
    fputs("Usage: vmaf-mcp --allow FOLDER... [OPTION]...\n"
          "Offer VMAF to AI assistants: a Model Context Protocol server on standard input and "
          "output.\n",
          file);
    args_print_help(mcp_options, file);
}

static int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int usage_error(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs("vmaf-mcp: ", stderr);
    vfprintf(stderr, format, list);
    va_end(list);
    fputs("; for help use --help\n", stderr);
    return -EINVAL;
}

static int add_folder(McpConfig *config, const char *folder)
{
    const int err = allow_add(config->allow, folder);
    return err && err != -ENOMEM ? usage_error("folder %s: %s", folder, strerror(-err)) : err;
}

static int parse_count(const char *name, const char *value, unsigned max, unsigned *out)
{
    char *end;
    errno = 0;
    const unsigned long number = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || errno || number < 1 || number > max)
        return usage_error("--%s takes a number from 1 to %u, not '%s'", name, max, value);
    *out = (unsigned)number;
    return 0;
}

static int parse_bytes(const char *value, uint64_t *out)
{
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(value, &end, 10);
    const char *const unit = *end ? strchr(units, *end) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (*value < '0' || *value > '9' || errno || (unit ? end[1] : *end) || !number ||
        number > UINT64_MAX >> shift)
        return usage_error("--max_bytes takes a number such as 500M, not '%s'", value);
    *out = (uint64_t)number << shift;
    return 0;
}

static int apply(McpConfig *config, const Arg *arg, const char *value, enum McpAction *action)
{
    switch (arg ? arg->id : ARG_ALLOW) {
    case ARG_ALLOW:
        return add_folder(config, value);
    case ARG_MAX_BYTES:
        return parse_bytes(value, &config->max_bytes);
    case ARG_TIMEOUT:
        return parse_count(arg->name, value, 30 * 86400, &config->timeout);
    case ARG_JOBS:
        return parse_count(arg->name, value, 64, &config->jobs);
    case ARG_TUNE:
        config->tune = value;
        return 0;
    case ARG_FFMPEG:
        config->ffmpeg = value;
        return 0;
    case ARG_VERSION:
        *action = MCP_VERSION;
        return 0;
    default:
        *action = MCP_HELP;
        return 0;
    }
}

int mcp_options_parse(McpConfig *config, int argc, char **argv, enum McpAction *action)
{
    *config = (McpConfig){ .allow = allow_create(),
                           .max_bytes = (uint64_t)64 << 30,
                           .timeout = 3600,
                           .jobs = 2,
                           .queue = 64 };
    *action = MCP_SERVE;
    if (!config->allow)
        return -ENOMEM;
    ArgScanner scanner;
    const Arg *arg;
    const char *value;
    int found;
    args_start(&scanner, mcp_options, argc, argv);
    while ((found = args_next(&scanner, &arg, &value)) > 0) {
        const int err = apply(config, arg, value, action);
        if (err || *action != MCP_SERVE)
            return err;
    }
    if (found < 0)
        return usage_error("%s", scanner.error);
    if (!allow_folder(config->allow, 0))
        return usage_error("no folder is allowed; give one with --allow");
    return 0;
}
