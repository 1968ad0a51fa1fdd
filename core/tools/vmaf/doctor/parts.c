/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "doctor.h"

#include <stdio.h>
#include <string.h>

#include "input/libraries.h"
#include "libvmaf/device.h"
#include "libvmaf/inspect.h"
#include "libvmaf/libvmaf.h"

/* ---- FFmpeg ---- */

json_t *job_ask_ffmpeg(const DoctorCase *on)
{
    VideoLibraries found;
    video_libraries(&found);
    json_t *const versions = json_object();
    json_t *const out = json_pack("{s:b, s:o}", "built", found.built, "versions", versions);
    for (unsigned i = 0; i < VIDEO_LIBRARIES && found.built && !found.missing; i++) {
        char text[48];
        const unsigned version = found.version[i];
        snprintf(text, sizeof(text), "%u.%u.%u", version >> 16, version >> 8 & 255, version & 255);
        json_object_set_new(versions, found.name[i], json_string(text));
    }
    set_text(out, "release", found.release ? found.release : "");
    if (found.missing) {
        set_text(out, "missing", found.missing);
        set_text(out, "remedy", found.remedy);
    }
    return out;
}

json_t *parts_ffmpeg(void)
{
    char why[512];
    const DoctorCase on = { .name = NULL };
    json_t *const found = doctor_apart(job_ask_ffmpeg, &on, 30, why, sizeof(why), NULL);
    if (found)
        return found;
    json_t *const failed = json_pack("{s:b, s:{}, s:s}", "built", 1, "versions", "release", "");
    set_text(failed, "missing", why);
    set_text(failed, "remedy", "install FFmpeg's libraries again");
    return failed;
}

/* ---- instruction sets ---- */

/* Bits of a mask of instruction sets that are not to be used, from none to all. */
static const unsigned long long masks[] = { 0, 32, 48, 56, 60, 62, ~0ull };
enum { MASKS = sizeof(masks) / sizeof(*masks) };

/* The best instruction set that a context with this mask uses; NULL: a context failed. The text is
 * the library's. */
static const char *set_of(unsigned long long mask)
{
    VmafContext *vmaf;
    VmafFeatureInfo info = { .size = sizeof(info) };
    const char *set = NULL;
    if (vmaf_init(&vmaf, (VmafConfiguration){ .cpumask = mask }))
        return NULL;
    if (!vmaf_use_feature(vmaf, "psnr", NULL) && !vmaf_feature_info(vmaf, 0, &info))
        set = info.instruction_set;
    vmaf_close(vmaf);
    return set;
}

json_t *parts_instruction_sets(void)
{
    json_t *const list = json_array();
    const char *last = "";
    for (unsigned i = 0; i < MASKS; i++) {
        const char *const set = set_of(masks[i]);
        if (set && strcmp(set, last) != 0)
            json_array_append_new(list, json_string(set));
        last = set ? set : last;
    }
    return list;
}

bool parts_mask_of(const char *set, unsigned long long *mask)
{
    for (unsigned i = 0; i < MASKS; i++) {
        const char *const found = set_of(masks[i]);
        if (found && !strcmp(found, set)) {
            *mask = masks[i];
            return true;
        }
    }
    return false;
}

/* ---- SYCL ---- */

json_t *parts_sycl_plugin(const json_t *backend)
{
    json_t *const out = json_pack("{s:s}", "path", text_of(backend, "plugin"));
    if (!*text_of(backend, "plugin")) {
        set_text(out, "missing", text_of(backend, "missing"));
        set_text(out, "remedy", text_of(backend, "remedy"));
    }
    return out;
}
