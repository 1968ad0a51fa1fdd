/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A driver library too old to have most functions. */
#define EXPORTED __attribute__((visibility("default")))

EXPORTED int cuInit(unsigned flags);
EXPORTED int hipInit(unsigned flags);

int cuInit(unsigned flags)
{
    return 0;
}

int hipInit(unsigned flags)
{
    return 0;
}
