/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Where there are no processes of their own to try drivers in. */
#include <errno.h>

#include "doctor.h"
#include "common/message.h"

int doctor(const Options *options)
{
    say("--doctor needs a Unix; --list_devices shows the devices here");
    return -ENOTSUP;
}
