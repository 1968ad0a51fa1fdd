/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "rig_cuda_hip.h"

const RigBackend rig_cuda = RIG_CUDA_HIP("cuda");
