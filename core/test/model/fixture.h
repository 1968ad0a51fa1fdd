/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Helpers of the model tests: features that only have a name and options, a small model file whose
 * parts can be changed, and a way to load text as if it were a file. */
#ifndef TEST_MODEL_FIXTURE_H
#define TEST_MODEL_FIXTURE_H

#include <stdio.h>

#include "model/model.h"
#include "testing.h"

#define ADM2 "VMAF_integer_feature_adm2_score"
#define ADM3 "VMAF_integer_feature_adm3_score"
#define MOTION2 "VMAF_integer_feature_motion2_score"
#define CHROMA "Speed_chroma_feature_speed_chroma_uv_score"

#define SVM_HEADER                                                                                 \
    "svm_type nu_svr\\nkernel_type rbf\\ngamma 0.04\\nnr_class 2\\ntotal_sv 2\\nrho -1.5\\nSV\\n"
#define SVM SVM_HEADER "-4 1:0.5 2:0.25 \\n4 1:0.75 2:1 \\n"

/* The text of a good model with two features (adm2, motion2) in which `key` of the model_dict has
 * the value `json`; NULL takes the key out. key NULL: as it is. The caller frees it. */
char *model_text_with(const char *key, const char *json);

/* They write the text to a temporary file, load it and remove it. */
int load_text(VmafModel **model, VmafModelConfig *cfg, const char *text, size_t size);
int load_collection_text(VmafModel **model, VmafModelCollection **collection, VmafModelConfig *cfg,
                         const char *text, size_t size);
int load_either_text(VmafModel **model, VmafModelCollection **collection, VmafModelConfig *cfg,
                     const char *text, size_t size);

/* Whether scores may be held against the committed figures to the last bit: those were made with
 * glibc's exp, the variant for processors with fused multiply-add. Others may differ by 1e-9. */
void assert_score(double score, double expected);

int quiet(void **state); /* group setup: no log */

#endif
