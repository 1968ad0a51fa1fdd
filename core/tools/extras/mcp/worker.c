/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "worker.h"

#include <stdio.h>
#include <string.h>

#include "vmaf/command.h"

static const char *program;

void worker_set_program(const char *argv0)
{
    program = argv0;
}

const char *worker_program(void)
{
#ifdef __linux__
    return "/proc/self/exe"; /* also when another was installed in its place since */
#else
    return program;
#endif
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
    fprintf(stderr, "%s is what vmaf-mcp says to itself\n", WORKER_WORD);
    return 1;
}
