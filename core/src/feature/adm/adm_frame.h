/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* One frame through the four levels of ADM: pictures in, sums out. */
#ifndef FEATURE_ADM_ADM_FRAME_H
#define FEATURE_ADM_ADM_FRAME_H

#include "feature/adm/adm.h"

/* Working memory of one frame at a time: line buffers and low-pass planes. */
typedef struct AdmFrame AdmFrame;
int adm_frame_create(AdmFrame **frame, const AdmSetup *setup);
void adm_frame_destroy(AdmFrame *frame);

/* Bands of rows are shared with `team`. */
void adm_frame_measure(AdmFrame *frame, const AdmSetup *setup, const AdmOptions *options,
                       const VmafPicture *ref, const VmafPicture *dist, AdmResult *result,
                       Team *team);

#endif
