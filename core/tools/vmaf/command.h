/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The vmaf command as a function, for programs that are the command and more. */
#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H

#include "common/args.h"

/* Does what the words say and gives the exit code. Once in a process, by its first thread, before others
 * are started: it watches for signals. After a device that would not come back it ends the process
 * itself. */
int vmaf_command(int argc, char **argv);

#endif
