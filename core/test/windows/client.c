/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A program that uses the library as others do: it prints one score, with all its digits. */
#include <stdint.h>
#include <stdio.h>

#include <libvmaf/libvmaf.h>

static int fill(VmafPicture *pic, unsigned seed)
{
    if (vmaf_picture_alloc(pic, VMAF_PIX_FMT_YUV420P, 8, 64, 64))
        return 1;
    for (unsigned p = 0; p < 3; p++)
        for (unsigned y = 0; y < pic->h[p]; y++)
            for (unsigned x = 0; x < pic->w[p]; x++)
                ((uint8_t *)pic->data[p])[y * (size_t)pic->stride[p] + x] =
                    (uint8_t)(x * 3 + y * seed + (x * y) % 7);
    return 0;
}

int main(void)
{
    VmafConfiguration config = { .log_level = VMAF_LOG_LEVEL_ERROR };
    VmafModelConfig model_config = { .name = "vmaf" };
    VmafContext *vmaf;
    VmafModel *model;
    VmafPicture ref, dist;
    double score;
    if (vmaf_init(&vmaf, config) || vmaf_model_load(&model, &model_config, "vmaf_v0.6.1") ||
        vmaf_use_features_from_model(vmaf, model))
        return 1;
    for (unsigned i = 0; i < 3; i++)
        if (fill(&ref, i + 2) || fill(&dist, i + 3) || vmaf_read_pictures(vmaf, &ref, &dist, i))
            return 2;
    if (vmaf_read_pictures(vmaf, NULL, NULL, 0) ||
        vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &score, 0, 2))
        return 3;
    printf("%s %.17g\n", vmaf_version(), score);
    vmaf_model_destroy(model);
    return vmaf_close(vmaf);
}
