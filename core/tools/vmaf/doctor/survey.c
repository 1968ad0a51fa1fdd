/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "doctor.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/message.h"
#include "libvmaf/device.h"
#include "libvmaf/inspect.h"
#include "libvmaf/libvmaf.h"
#include "vmaf/run.h"

/* Depths of samples. */
static const unsigned depths[] = { 8, 10, 12, 16 };
enum { DEPTHS = sizeof(depths) / sizeof(*depths) };

enum { SPEED_WIDTH = 1920, SPEED_HEIGHT = 1080, SPEED_FRAMES = 1000 };
enum { WARM_FRAMES = 4 }; /* before the clock starts */
#define SPEED_SECONDS 3.0 /* length of the measurement */

/* ---- one feature at one depth, on the device and on the CPU ---- */

/* One of the two measurements. */
typedef struct Measured {
    VmafContext *vmaf;
    VmafDevice *device; /* NULL: the CPU */
} Measured;

static int measure(Measured *side, const DoctorCase *exam, const TrialDevice *device)
{
    int err = vmaf_init(&side->vmaf, (VmafConfiguration){ .log_level = VMAF_LOG_LEVEL_ERROR });
    if (!err && device)
        err = trial_open(&side->device, side->vmaf, device);
    if (!err)
        err = vmaf_use_feature(side->vmaf, exam->name, NULL);
    return err ? err : trial_feed(side->vmaf, &exam->clip);
}

static void side_close(Measured *side)
{
    if (side->vmaf)
        vmaf_close(side->vmaf);
    vmaf_device_close(&side->device);
}

static void set_number(json_t *object, const char *key, double value)
{
    char text[32];
    snprintf(text, sizeof(text), "%.17g", value);
    json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_string(text));
}

/* A metric's scores on both sides. */
typedef struct Figures {
    unsigned scores; /* how many were compared */
    int frame;       /* the first frame that differs, else the last one; -1: none has a score */
    double device, cpu;
    bool differ;
} Figures;

static Figures compare_metric(const DoctorCase *exam, const Measured *device, const Measured *cpu,
                              const char *name)
{
    Figures found = { .frame = -1 };
    for (unsigned frame = 0; frame < exam->clip.frames && !found.differ; frame++) {
        double there = 0, here = 0;
        const bool none = vmaf_feature_score_at_index(device->vmaf, name, &there, frame) != 0;
        const bool nothing = vmaf_feature_score_at_index(cpu->vmaf, name, &here, frame) != 0;
        if (none && nothing)
            continue;
        found = (Figures){ .scores = found.scores + 1,
                           .frame = (int)frame,
                           .device = none ? (double)NAN : there,
                           .cpu = nothing ? (double)NAN : here,
                           .differ = none != nothing || memcmp(&there, &here, sizeof(here)) };
    }
    return found;
}

/* Compares all metrics, and notes a figure of each. Returns how many scores were compared; -1: one
 * differs, and `problem` says which. */
static int compare_all(json_t *entry, const DoctorCase *exam, const Measured *device,
                       const Measured *cpu, char *problem, size_t size)
{
    VmafMetricInfo metric = { .size = sizeof(metric) };
    json_t *const figures = json_object();
    int scores = 0;
    for (unsigned i = 0; !vmaf_feature_metric(cpu->vmaf, 0, i, &metric); i++) {
        const Figures found = compare_metric(exam, device, cpu, metric.name);
        if (found.frame < 0)
            continue;
        json_t *const figure = json_pack("{s:i}", "frame", found.frame);
        set_number(figure, "device", found.device);
        set_number(figure, "cpu", found.cpu);
        json_object_set_new(figures, metric.name, figure);
        if (found.differ && scores >= 0) {
            snprintf(problem, size, "%s of frame %d is %.17g, on the CPU it is %.17g", metric.name,
                     found.frame, found.device, found.cpu);
            scores = -1;
        }
        if (scores >= 0)
            scores += (int)found.scores;
    }
    json_object_set_new(entry, "figures", figures);
    return scores;
}

/* Judges what was measured on the device. A frame that the CPU measured again says nothing about
 * it. */
static void judge(json_t *entry, const DoctorCase *exam, const Measured *device,
                  const Measured *cpu)
{
    VmafFeatureInfo info = { .size = sizeof(info) };
    char problem[256] = "";
    const int scores = compare_all(entry, exam, device, cpu, problem, sizeof(problem));
    vmaf_feature_info(device->vmaf, 0, &info);
    json_object_update_new(entry,
                           json_pack("{s:i, s:i, s:I, s:f}", "scores", scores, "passes",
                                     (int)info.passes, "frames_on_cpu",
                                     (json_int_t)info.frames_on_cpu, "device_us", info.device_us));
    if (scores == 0)
        snprintf(problem, sizeof(problem), "it made no score");
    else if (strcmp(info.backend, exam->device->backend) || info.frames != exam->clip.frames)
        snprintf(problem, sizeof(problem), "it ran on the %s", info.backend);
    else if (scores > 0 && info.frames_on_cpu >= info.frames)
        snprintf(problem, sizeof(problem), "all its frames were measured again on the CPU");
    set_text(entry, "verdict", *problem ? "failed" : "equal");
    if (*problem)
        set_text(entry, "problem", problem);
}

json_t *job_examine(const DoctorCase *exam)
{
    json_t *entry = json_object();
    Measured cpu = { 0 }, device = { 0 };
    unsetenv("VMAF_BACKEND"); /* the survey chooses the device */
    if (measure(&cpu, exam, NULL)) {
        set_text(entry, "verdict", "not measured");
        set_text(entry, "problem", "the CPU does not measure it at this depth either");
    } else if (!measure(&device, exam, exam->device)) {
        judge(entry, exam, &device, &cpu);
    } else {
        json_decref(entry); /* the log says why */
        entry = NULL;
    }
    side_close(&device);
    side_close(&cpu);
    return entry;
}

static json_t *examine_apart(const TrialDevice *device, const char *extractor, unsigned bits,
                             bool *hangs)
{
    const DoctorCase exam = { .device = device,
                              .name = extractor,
                              .clip = { .width = 352, .height = 288, .bits = bits, .frames = 3 } };
    char why[512];
    json_t *const entry = json_pack("{s:s, s:i}", "extractor", extractor, "bits", (int)bits);
    if (*hangs) {
        set_text(entry, "verdict", "not tried");
        set_text(entry, "problem", "the device hung before");
        return entry;
    }
    json_t *const found = doctor_apart(job_examine, &exam, TRIAL_SECONDS, why, sizeof(why), hangs);
    if (!found) {
        set_text(entry, "verdict", "failed");
        set_text(entry, "problem", why);
    }
    json_object_update(entry, found);
    json_decref(found);
    return entry;
}

/* ---- speed ---- */

typedef struct Race {
    TrialClip clip;
    VmafPicture model[2]; /* its only frame */
} Race;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void copy_picture(VmafPicture *to, const VmafPicture *from)
{
    for (unsigned p = 0; p < 3; p++)
        for (unsigned y = 0; y < to->h[p]; y++)
            memcpy((char *)to->data[p] + (ptrdiff_t)y * to->stride[p],
                   (const char *)from->data[p] + (ptrdiff_t)y * from->stride[p], to->w[p]);
}

static int read_pair(const Race *race, VmafContext *vmaf, unsigned index)
{
    VmafPicture pair[2] = { 0 };
    int err = 0;
    for (unsigned i = 0; !err && i < 2; i++) {
        err = vmaf_fetch_preallocated_picture(vmaf, &pair[i]);
        if (!err)
            copy_picture(&pair[i], &race->model[i]);
    }
    err = err ? err : vmaf_read_pictures(vmaf, &pair[0], &pair[1], index);
    for (unsigned i = 0; err && i < 2; i++)
        if (pair[i].data[0])
            vmaf_picture_unref(&pair[i]);
    return err;
}

/* Reads pairs until the time is over. Returns frames per second, or a negative errno. */
static double run(const Race *race, VmafContext *vmaf)
{
    double began = 0;
    unsigned frames = 0;
    int err = 0;
    for (; !err && frames < SPEED_FRAMES; frames++) {
        if (frames == WARM_FRAMES)
            began = seconds_now();
        if (frames > WARM_FRAMES && seconds_now() - began > SPEED_SECONDS)
            break;
        err = read_pair(race, vmaf, frames);
    }
    err = err ? err : vmaf_read_pictures(vmaf, NULL, NULL, 0);
    return err ? err : (frames - WARM_FRAMES) / (seconds_now() - began);
}

static int make_pool(const Race *race, VmafContext *vmaf)
{
    const VmafPictureConfiguration pool = {
        .pic_params = { race->clip.width, race->clip.height, 8, VMAF_PIX_FMT_YUV420P },
        .pic_cnt = 2 * vmaf_pairs_in_flight(vmaf) + 4,
    };
    return vmaf_preallocate_pictures(vmaf, pool);
}

static int make_model_pictures(Race *race)
{
    int err = 0;
    for (unsigned i = 0; !err && i < 2; i++) {
        err = vmaf_picture_alloc(&race->model[i], VMAF_PIX_FMT_YUV420P, 8, race->clip.width,
                                 race->clip.height);
        if (!err)
            trial_fill(&race->model[i], &race->clip, 0, i == 1);
    }
    return err;
}

/* The default model's features, with worker threads on all processors. */
json_t *job_take_time(const DoctorCase *on)
{
    Race race = { .clip = on->clip };
    const VmafConfiguration config = { .log_level = VMAF_LOG_LEVEL_ERROR,
                                       .n_threads = cpus_allowed() };
    VmafModelConfig names = { .name = "vmaf" };
    VmafModel *model = NULL;
    Measured side = { 0 };
    unsetenv("VMAF_BACKEND");
    int err = vmaf_init(&side.vmaf, config);
    if (!err && on->device)
        err = trial_open(&side.device, side.vmaf, on->device);
    if (!err)
        err = vmaf_model_load(&model, &names, "vmaf_v0.6.1");
    if (!err)
        err = vmaf_use_features_from_model(side.vmaf, model);
    if (!err)
        err = make_pool(&race, side.vmaf);
    if (!err)
        err = make_model_pictures(&race);
    const double fps = err ? err : run(&race, side.vmaf);
    for (unsigned i = 0; i < 2; i++)
        if (race.model[i].data[0])
            vmaf_picture_unref(&race.model[i]);
    side_close(&side);
    vmaf_model_destroy(model);
    return fps > 0 ? json_real(fps) : NULL;
}

static json_t *race(const TrialDevice *device)
{
    const struct {
        const char *key;
        const TrialDevice *device;
    } sides[] = { { "device_fps", device }, { "cpu_fps", NULL } };
    json_t *const found = json_pack("{s:i, s:i, s:i, s:s}", "width", SPEED_WIDTH, "height",
                                    SPEED_HEIGHT, "bits", 8, "model", "vmaf_v0.6.1");
    for (unsigned i = 0; i < 2; i++) {
        const DoctorCase on = { .device = sides[i].device,
                                .clip = { SPEED_WIDTH, SPEED_HEIGHT, 8, 1 } };
        char why[512];
        json_t *const fps = doctor_apart(job_take_time, &on, TRIAL_SECONDS, why, sizeof(why), NULL);
        if (fps)
            json_object_set_new(found, sides[i].key, fps);
        else
            set_text(found, "problem", why);
    }
    return found;
}

/* ---- all of it ---- */

static void count(json_t *survey, const json_t *entry)
{
    const char *const verdict = text_of(entry, "verdict");
    const char *const key = !strcmp(verdict, "not measured") ? "not_measured"
                            : !strcmp(verdict, "not tried")  ? "not_tried"
                                                             : verdict;
    const json_int_t before = json_integer_value(json_object_get(survey, key));
    json_object_set_new(survey, key, json_integer(before + 1));
}

json_t *survey_device(const TrialDevice *device, const char *name, bool quiet)
{
    VmafExtractorInfo info = { .size = sizeof(info) };
    json_t *const list = json_array();
    json_t *const survey = json_pack("{s:o, s:i, s:i, s:i, s:i}", "features", list, "equal", 0,
                                     "failed", 0, "not_measured", 0, "not_tried", 0);
    bool hangs = false;
    for (unsigned i = 0; !vmaf_extractor_info(i, &info); i++) {
        if (!info.has_gpu_code)
            continue;
        if (!quiet)
            say("%s (%s): %s at 8 to 16 bits", name, device->backend, info.name);
        for (unsigned d = 0; d < DEPTHS; d++) {
            json_t *const entry = examine_apart(device, info.name, depths[d], &hangs);
            count(survey, entry);
            json_array_append_new(list, entry);
        }
    }
    if (!quiet && !hangs)
        say("%s (%s): speed", name, device->backend);
    if (!hangs)
        json_object_set_new(survey, "speed", race(device));
    return survey;
}

bool survey_failed(const json_t *survey, char *text, size_t size)
{
    size_t i;
    json_t *entry;
    json_array_foreach(json_object_get(survey, "features"), i, entry)
    {
        if (strcmp(text_of(entry, "verdict"), "failed") != 0)
            continue;
        const int more = (int)json_integer_value(json_object_get(survey, "failed")) - 1;
        const int used = snprintf(text, size, "%s at %d bits: %s", text_of(entry, "extractor"),
                                  (int)json_integer_value(json_object_get(entry, "bits")),
                                  text_of(entry, "problem"));
        if (more && used > 0 && (size_t)used < size)
            snprintf(text + used, size - (size_t)used, "; and %d more", more);
        return true;
    }
    const char *const slow = text_of(json_object_get(survey, "speed"), "problem");
    if (*slow)
        snprintf(text, size, "its speed cannot be measured: %s", slow);
    else if (!json_integer_value(json_object_get(survey, "equal")))
        snprintf(text, size, "nothing could be compared");
    else
        return false;
    return true;
}
