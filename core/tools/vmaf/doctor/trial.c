/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "doctor.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libvmaf/device.h"
#include "libvmaf/inspect.h"
#include "libvmaf/libvmaf.h"

/* The pair that every device scores. */
static const TrialClip clip = { .width = 208, .height = 120, .bits = 8, .frames = 3 };

static uint32_t scramble(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* One sample: moving waves, with noise in the distorted video. Samples of more than 8 bits have
 * noise in their low bits, too. */
static unsigned sample(const TrialClip *from, unsigned plane, unsigned frame, unsigned x,
                       unsigned y, bool distorted)
{
    const unsigned wave = (x * 3 + frame * 5 + y * (plane + 2)) % 180, more = from->bits - 8;
    const unsigned base = 40 + (wave < 90 ? wave : 180 - wave) + (x / 16 + y / 16) % 2 * 40;
    const uint32_t noise =
        scramble(x + from->width * (y + from->height * (frame + from->frames * plane)));
    const unsigned top = base + noise % 8 + (distorted ? noise / 8 % 13 : 0);
    return top << more | (noise >> 16 & ((1u << more) - 1));
}

void trial_fill(VmafPicture *pic, const TrialClip *from, unsigned frame, bool distorted)
{
    for (unsigned p = 0; p < 3; p++) {
        for (unsigned y = 0; y < pic->h[p]; y++) {
            uint8_t *const row = (uint8_t *)pic->data[p] + (ptrdiff_t)y * pic->stride[p];
            for (unsigned x = 0; x < pic->w[p]; x++) {
                const unsigned value = sample(from, p, frame, x, y, distorted);
                if (from->bits > 8)
                    ((uint16_t *)row)[x] = (uint16_t)value;
                else
                    row[x] = (uint8_t)value;
            }
        }
    }
}

static int make(VmafPicture *pic, const TrialClip *from, unsigned frame, bool distorted)
{
    const int err =
        vmaf_picture_alloc(pic, VMAF_PIX_FMT_YUV420P, from->bits, from->width, from->height);
    if (!err)
        trial_fill(pic, from, frame, distorted);
    return err;
}

int trial_feed(VmafContext *vmaf, const TrialClip *from)
{
    int err = 0;
    for (unsigned frame = 0; !err && frame < from->frames; frame++) {
        VmafPicture ref, dist;
        err = make(&ref, from, frame, false);
        if (err)
            break;
        err = make(&dist, from, frame, true);
        if (err) {
            vmaf_picture_unref(&ref);
            break;
        }
        err = vmaf_read_pictures(vmaf, &ref, &dist, frame);
        if (err) {
            vmaf_picture_unref(&ref);
            vmaf_picture_unref(&dist);
        }
    }
    return err ? err : vmaf_read_pictures(vmaf, NULL, NULL, 0);
}

/* Registers the default model's features, and one that reads chroma. */
static int use_features(VmafContext *vmaf, VmafModel **model)
{
    VmafModelConfig config = { .name = "vmaf" };
    int err = vmaf_model_load(model, &config, "vmaf_v0.6.1");
    if (!err)
        err = vmaf_use_features_from_model(vmaf, *model);
    return err ? err : vmaf_use_feature(vmaf, "psnr", NULL);
}

static int note_scores(json_t *scores, VmafContext *vmaf, VmafModel *model)
{
    static const char *const names[] = {
        "VMAF_integer_feature_adm2_score",
        "VMAF_integer_feature_motion2_score",
        "VMAF_integer_feature_vif_scale0_score",
        "VMAF_integer_feature_vif_scale1_score",
        "VMAF_integer_feature_vif_scale2_score",
        "VMAF_integer_feature_vif_scale3_score",
        "psnr_y",
        "psnr_cb",
        "psnr_cr",
    };
    int err = 0;
    for (unsigned frame = 0; !err && frame < clip.frames; frame++) {
        char key[64];
        double score;
        for (size_t i = 0; !err && i < sizeof(names) / sizeof(*names); i++) {
            err = vmaf_feature_score_at_index(vmaf, names[i], &score, frame);
            snprintf(key, sizeof(key), "%s %u", names[i], frame);
            if (!err)
                err = json_object_set_new(scores, key, json_real(score));
        }
        if (!err)
            err = vmaf_score_at_index(vmaf, model, &score, frame);
        snprintf(key, sizeof(key), "vmaf %u", frame);
        if (!err)
            err = json_object_set_new(scores, key, json_real(score));
    }
    return err;
}

static int note_extractors(json_t *scores, const VmafContext *vmaf, const char *backend)
{
    VmafFeatureInfo info = { .size = sizeof(info) };
    json_t *const list = json_array(), *const again = json_array();
    for (unsigned i = 0; !vmaf_feature_info(vmaf, i, &info); i++) {
        if (backend && !strcmp(info.backend, backend))
            json_array_append_new(list, json_string(info.extractor));
        if (info.frames_on_cpu)
            json_array_append_new(again, json_string(info.extractor));
    }
    const int err = json_object_set_new(scores, "on_device", list);
    return json_object_set_new(scores, "again_on_cpu", again) || err;
}

int trial_open(VmafDevice **device, VmafContext *vmaf, const TrialDevice *chosen)
{
    char number[16];
    snprintf(number, sizeof(number), "%u", chosen->index);
    const VmafDeviceOptions options = {
        .size = sizeof(options),
        .backend = chosen->backend,
        .device = number,
        .allow_software = chosen->software,
        .required = 1,
    };
    const int err = vmaf_device_open(device, &options);
    return err ? err : vmaf_use_device(vmaf, *device);
}

json_t *trial_score(const TrialDevice *chosen)
{
    json_t *const scores = json_object();
    VmafContext *vmaf = NULL;
    VmafModel *model = NULL;
    VmafDevice *device = NULL;
    int err = vmaf_init(&vmaf, (VmafConfiguration){ .log_level = VMAF_LOG_LEVEL_ERROR });
    if (!err && chosen)
        err = trial_open(&device, vmaf, chosen);
    if (!err)
        err = use_features(vmaf, &model);
    if (!err)
        err = trial_feed(vmaf, &clip);
    if (!err)
        err = note_scores(scores, vmaf, model);
    if (!err)
        err = note_extractors(scores, vmaf, chosen ? chosen->backend : NULL);
    if (vmaf)
        vmaf_close(vmaf);
    vmaf_device_close(&device);
    vmaf_model_destroy(model);
    if (!err)
        return scores;
    json_decref(scores);
    return NULL;
}

static char *text(const char *format, const char *key, double a, double b)
{
    char line[256];
    snprintf(line, sizeof(line), format, key, a, b);
    return strdup(line);
}

char *trial_compare(const json_t *device, const json_t *cpu)
{
    const char *key;
    json_t *value;
    if (!json_array_size(json_object_get(device, "on_device")))
        return strdup("no extractor ran on it");
    /* The trial leaves no last bit open, so frames are measured again only where kernels fail. */
    const char *const again =
        json_string_value(json_array_get(json_object_get(device, "again_on_cpu"), 0));
    if (again)
        return text("the CPU measured frames of %s again: its scores say nothing of the device",
                    again, 0, 0);
    json_object_foreach ((json_t *)cpu, key, value) {
        if (!json_is_real(value))
            continue;
        const json_t *const other = json_object_get(device, key);
        if (!json_is_real(other) || json_real_value(other) != json_real_value(value))
            return text("wrong score: %s is %.17g, on the CPU it is %.17g", key,
                        json_is_real(other) ? json_real_value(other) : 0.0, json_real_value(value));
    }
    return NULL;
}
