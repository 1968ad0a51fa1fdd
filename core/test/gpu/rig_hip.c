/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "rig_driver.h"

const RigBackend rig_hip = RIG_DRIVER("hip");
