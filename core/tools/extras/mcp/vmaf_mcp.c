/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-mcp: offers VMAF to AI assistants, using the Model Context Protocol on standard input and
 * output. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/interrupt.h"
#include "common/json_memory.h"
#include "libvmaf/libvmaf.h"
#include "rpc.h"
#include "mcp_options.h"
#include "server.h"
#include "tool.h"
#include "wire.h"

typedef struct Stop {
    Out *out;
    Wire *in;
} Stop;

static void stop_serving(void *arg)
{
    const Stop *const stop = arg;
    out_stop(stop->out);
    wire_stop(stop->in);
}

/* Pass the client's messages to the server until the client closes or a signal arrives. */
static int hear(Server *server, Wire *in)
{
    Lines lines = { .handle = server_hear, .arg = server, .limit = MESSAGE_MAX };
    int err = 0;
    while (!err) {
        static char bytes[65536];
        const ssize_t count = wire_read(in, bytes, sizeof(bytes));
        if (count > 0)
            err = lines_feed(&lines, bytes, (size_t)count);
        else if (!count) {
            err = interrupt_signal() ? 0 : lines_end(&lines);
            break;
        } else
            err = (int)count;
    }
    lines_free(&lines);
    return err == -ECANCELED ? 0 : err;
}

/* Keep standard output for protocol messages and redirect the descriptor itself to standard error,
 * so that nothing that prints can disturb the protocol. Returns the descriptor for messages. */
static int take_stdout(void)
{
#ifdef _WIN32
    const int fd = dup(STDOUT_FILENO); /* child processes inherit nothing by themselves */
#else
    const int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
#endif
    if (fd >= 0)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    return fd;
}

static int serve(const McpConfig *config)
{
    Stop stop = { .out = NULL };
    Server *server = NULL;
#ifdef SIGPIPE
    signal(SIGPIPE, SIG_IGN);
#endif
    interrupt_watch();
    const int fd = take_stdout();
    int err = fd < 0 ? -errno : 0;
    if (!err) {
        stop.out = out_create(fd);
        stop.in = wire_create(STDIN_FILENO);
        err = stop.out && stop.in ? server_create(&server, config, stop.out) : -ENOMEM;
    }
    if (!err) {
        interrupt_call(stop_serving, &stop);
        err = hear(server, stop.in);
    }
    server_destroy(server);
    interrupt_call(NULL, NULL);
    out_destroy(stop.out);
    wire_destroy(stop.in);
    if (!err && json_memory_failed()) /* answers are missing */
        err = -ENOMEM;
    if (err)
        fprintf(stderr, "vmaf-mcp: %s\n", strerror(-err));
    return err;
}

static int act(const McpConfig *config, enum McpAction action)
{
    switch (action) {
    case MCP_HELP:
        mcp_options_print_help(stdout);
        return fflush(stdout) ? -EIO : 0;
    case MCP_VERSION:
        printf("vmaf-mcp %s\n", vmaf_version());
        return fflush(stdout) ? -EIO : 0;
    case MCP_SERVE:
        return serve(config);
    }
    return -EINVAL;
}

int main(int argc, char **argv)
{
    McpConfig config;
    enum McpAction action;
    worker_set_program(argv[0]);
    json_memory_watch();
    if (argc > 1 && !strcmp(argv[1], WORKER_WORD))
        return worker_main(argc, argv);
    int err = mcp_options_parse(&config, argc, argv, &action);
    if (!err)
        err = act(&config, action);
    else if (err == -ENOMEM)
        fputs("vmaf-mcp: out of memory\n", stderr);
    allow_destroy(config.allow);
    return interrupt_signal() ? 128 + interrupt_signal() : err ? 1 : 0;
}
