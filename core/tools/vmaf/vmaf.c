/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The vmaf command. */
#include "command.h"

int main(int argc, char **argv)
{
    return vmaf_command(argc, argv);
}
