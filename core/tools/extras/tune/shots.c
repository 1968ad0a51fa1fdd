/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-tune shots: a setting for each shot of a source, such that the whole reaches a score with
 * the fewest bits. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "allocate.h"
#include "common/json_memory.h"
#include "common/message.h"
#include "common/temp.h"
#include "encoder.h"
#include "join.h"
#include "libvmaf/libvmaf.h"
#include "lines.h"
#include "options.h"
#include "encoded.h"
#include "results.h"
#include "samples.h"
#include "seek.h"
#include "shot_list.h"

#define ROUNDS 4 /* rounds of choosing settings and trying them */

typedef struct Plan {
    Workshop *shop;
    const TuneOptions *options;
    Encoder *encoder;
    const Target *target;
    Original source;
    ShotList shots;
    ShotCurve *curves;  /* one for each shot */
    char ***files;      /* the encodes of each shot, in the order of its tries */
    double *settings;   /* that are chosen, of each shot */
    char **parts;       /* their encodes; borrowed from `files` */
    double *own_scores; /* for each shot: its pooled score at that setting */
    double bits, score; /* bits and score of all shots with them */
    Allocation one;     /* one setting for all, for comparison; 0 bits: none reaches the target */
    double *one_settings;
    TempFolder *temp; /* beside the output */
    char *made;       /* the joined file */
    Job job;          /* that measured it */
    size_t encodes;
    Lines *lines;
    bool talks;
} Plan;

/* ---- trying settings ---- */

static int changed(void *arg, Job *job)
{
    Job *const jobs = arg;
    size_t count = 0;
    while (jobs[count].source)
        count++;
    status_draw(jobs, count);
    return 0;
}

static bool is_better(const Encoder *encoder, double a, double b)
{
    return encoder->high_is_better ? a > b : a < b;
}

static const ShotTry *find_try(const ShotCurve *curve, double setting, size_t *at)
{
    for (*at = 0; *at < curve->count; ++*at)
        if (curve->tries[*at].setting == setting)
            return &curve->tries[*at];
    return NULL;
}

/* Put a finished job among the tries of its shot. */
static int take_try(Plan *plan, size_t shot, Job *job)
{
    ShotCurve *const curve = &plan->curves[shot];
    Series *const series = &job->series[0];
    if (series->planes != 1 || series->count != curve->frames) {
        say("shots need one score for each frame; leave out --subsample, and choose a metric of one "
            "plane (xpsnr_y)");
        return -EINVAL;
    }
    ShotTry *const tries = realloc(curve->tries, (curve->count + 1) * sizeof(*tries));
    if (tries)
        curve->tries = tries;
    char **const files =
        tries ? realloc(plan->files[shot], (curve->count + 1) * sizeof(*files)) : NULL;
    if (files)
        plan->files[shot] = files;
    if (!files)
        return -ENOMEM;
    size_t at = curve->count++;
    for (; at && is_better(plan->encoder, job->setting, tries[at - 1].setting); at--) {
        tries[at] = tries[at - 1];
        files[at] = files[at - 1];
    }
    tries[at] = (ShotTry){ job->setting, (double)job->media.bytes * 8.0, series->scores };
    files[at] = job->output;
    series->scores = NULL;
    job->output = NULL;
    return 0;
}

static void tell_try(const Plan *plan, size_t shot, const Job *job)
{
    json_t *const object = plan->lines ? result_json(job) : NULL;
    if (object)
        json_object_set_new(object, "shot", json_integer((json_int_t)shot));
    lines_event(plan->lines, "try", object);
}

/* Encode and score a shot, cut from the source, with some settings. */
static int try_piece(Plan *plan, size_t shot, Original *piece, const double *settings, size_t count)
{
    Job *const jobs = calloc(count + 1, sizeof(*jobs)); /* the last one ends the list */
    int err = jobs ? 0 : -ENOMEM;
    for (size_t i = 0; !err && i < count; i++) {
        jobs[i] = (Job){ .source = piece,
                         .encoder = plan->encoder,
                         .setting = settings[i],
                         .part = true,
                         .output = temp_file(plan->shop->temp, "mkv") };
        err = jobs[i].output ? 0 : -ENOMEM;
    }
    if (!err)
        err = jobs_run(plan->shop, jobs, count, changed, jobs);
    status_hide();
    for (size_t i = 0; jobs && i < count; i++) {
        char *const file = jobs[i].output;
        if (!err && jobs[i].state != JOB_DONE)
            err = -EIO; /* the job printed why */
        if (!err)
            tell_try(plan, shot, &jobs[i]);
        if (!err)
            err = take_try(plan, shot, &jobs[i]);
        if (jobs[i].output) {
            unlink(file);
            free(file);
        }
        jobs[i].output = NULL;
        job_free(&jobs[i]);
    }
    plan->encodes += err ? 0 : count;
    free(jobs);
    return err;
}

/* Try the settings that a shot does not have yet. Only one shot at a time is on the disk without
 * loss. */
static int try_shot(Plan *plan, size_t shot, const double *settings, size_t count)
{
    const Shot *const s = &plan->shots.at[shot];
    double fresh[RANGE_MAX];
    size_t fresh_count = 0, at;
    for (size_t i = 0; i < count; i++)
        if (!find_try(&plan->curves[shot], settings[i], &at))
            fresh[fresh_count++] = settings[i];
    if (!fresh_count)
        return 0;
    char heading[64];
    Original piece = { .path = NULL };
    char *const file = temp_file(plan->shop->temp, "mkv");
    const double frame = s->seconds / (double)s->frames;
    snprintf(heading, sizeof(heading), "shot %zu of %zu", shot + 1, plan->shots.count);
    status_start(plan->shop->quiet, heading);
    int err = file ? piece_cut(&plan->source, plan->shop, s->time - frame / 2, 0.0, s->frames, file)
                   : -ENOMEM;
    if (!err)
        err = original_open(&piece, file, plan->shop);
    if (!err && piece.media.frames != s->frames) {
        say("cannot cut shot %zu from %s: it has %" PRIu64 " frames instead of %" PRIu64, shot + 1,
            plan->source.path, piece.media.frames, s->frames);
        err = -EIO;
    }
    if (!err)
        err = try_piece(plan, shot, &piece, fresh, fresh_count);
    original_close(&piece);
    if (file)
        unlink(file);
    free(file);
    return err;
}

/* ---- choosing settings ---- */

static double fine_step(const Encoder *e)
{
    return e->grain > 0.0 ? e->grain : e->kind && !e->option ? 0.25 : 1.0;
}

/* The settings that all shots are tried with first: those of --crf, or five around the place where
 * encodes usually have the score. */
static size_t first_settings(const Plan *plan, double settings[RANGE_MAX])
{
    const Encoder *const e = plan->encoder;
    if (e->setting_count) {
        memcpy(settings, e->settings, e->setting_count * sizeof(*settings));
        return e->setting_count;
    }
    const double share = seek_usual_place(seek_scale(plan->target->metric), plan->target->score);
    const double step = fine_step(e);
    size_t count = 0;
    for (int i = -2; i <= 2; i++) {
        const double place = fmin(fmax(share + i * 0.1, 0.0), 1.0);
        const double exact = e->high_is_better ? e->high - place * (e->high - e->low)
                                               : e->low + place * (e->high - e->low);
        const double setting = fmin(fmax(round(exact / step) * step, e->low), e->high);
        if (!count || settings[count - 1] != setting)
            settings[count++] = setting;
    }
    return count;
}

static int try_all(Plan *plan, const double *settings, size_t count)
{
    int err = 0;
    for (size_t s = 0; !err && s < plan->shots.count; s++)
        err = try_shot(plan, s, settings, count);
    return err;
}

static int divide(Plan *plan, double target, double step, Allocation *allocation)
{
    return allocate(plan->curves, plan->shots.count, &plan->target->pooling, target, step,
                    allocation);
}

/* No setting that was tried reaches the target: try the best ones of the encoder. */
static int reach_further(Plan *plan)
{
    const Encoder *const e = plan->encoder;
    const ShotCurve *const curve = plan->curves;
    const double best = e->high_is_better ? e->high : e->low, now = curve->tries[0].setting;
    const double step = fine_step(e);
    const double middle = round((best + now) / 2 / step) * step;
    const double settings[] = { best, middle };
    if (now == best || e->setting_count)
        return -ERANGE;
    return try_all(plan, settings, middle == now || middle == best ? 1 : 2);
}

/* Choose the settings for a target. New ones are tried, and then replace the estimates. */
static int settle(Plan *plan, double target)
{
    const size_t count = plan->shots.count;
    Allocation next = { .settings = calloc(count, sizeof(double)) };
    Allocation real = { .settings = plan->settings };
    int err = next.settings ? 0 : -ENOMEM;
    for (unsigned round = 0; !err && round < ROUNDS; round++) {
        const size_t before = plan->encodes;
        err = divide(plan, target, fine_step(plan->encoder), &next);
        if (err == -ERANGE) {
            err = reach_further(plan);
            continue;
        }
        for (size_t s = 0; !err && s < count; s++)
            err = try_shot(plan, s, &next.settings[s], 1);
        if (plan->encodes == before)
            break;
    }
    if (!err)
        err = divide(plan, target, 0.0, &real);
    plan->bits = real.bits;
    plan->score = real.score;
    for (size_t s = 0; !err && s < count; s++) {
        size_t at;
        const ShotTry *const try = find_try(&plan->curves[s], plan->settings[s], &at);
        plan->parts[s] = plan->files[s][at];
        plan->own_scores[s] =
            pooling_scores(&plan->target->pooling, try->scores, plan->curves[s].frames);
    }
    free(next.settings);
    return err;
}

/* ---- the whole ---- */

static double mean_setting(const Plan *plan)
{
    double sum = 0.0;
    for (size_t s = 0; s < plan->shots.count; s++)
        sum += plan->settings[s] * (double)plan->shots.at[s].frames;
    return sum / (double)plan->shots.frames;
}

static bool takes_zones(const Encoder *e)
{
    return e->codec && !e->option && (!strcmp(e->codec, "libx264") || !strcmp(e->codec, "libx265"));
}

/* Settings as bit rates of zones, relative to one setting: six more need half of the bits. free()
 * the text; NULL: no memory. */
static char *make_zones(const Plan *plan, double base)
{
    char *text = strdup("");
    for (size_t s = 0; text && s < plan->shots.count; s++) {
        const Shot *const shot = &plan->shots.at[s];
        char *const longer =
            text_print("%s%s%" PRIu64 ",%" PRIu64 ",b=%.4f", text, s ? "/" : "", shot->first,
                       shot->first + shot->frames - 1, exp2((base - plan->settings[s]) / 6.0));
        free(text);
        text = longer;
    }
    return text;
}

/* Join the parts, or encode the whole with zones, and score it. */
static int make_whole(Plan *plan)
{
    const char *const extension = encoded_extension(plan->options->output);
    const double base = mean_setting(plan);
    char *const zones = plan->options->zones ? make_zones(plan, base) : NULL;
    char *const made = temp_file(plan->temp, extension);
    int err = made && (zones || !plan->options->zones) ? 0 : -ENOMEM;
    if (!err && !zones)
        err = join_parts(plan->shop, &plan->source, &plan->shots, plan->parts, made);
    if (plan->made)
        unlink(plan->made);
    free(plan->made);
    job_free(&plan->job);
    plan->made = made;
    if (!err) {
        Job jobs[2] = { { .source = &plan->source,
                          .encoder = plan->encoder,
                          .setting = base,
                          .whole = true,
                          .made = !zones,
                          .zones = zones,
                          .output = made } };
        status_start(plan->shop->quiet, plan->options->output);
        err = jobs_run(plan->shop, jobs, 1, changed, jobs);
        status_finish(jobs, 1);
        plan->job = jobs[0];
        plan->job.zones = NULL;
        if (!err && plan->job.state != JOB_DONE)
            err = -EIO;
    }
    free(zones);
    return err;
}

#define WHOLE_MAX 4 /* joined files, in case the shots mislead */

/* Frames at cuts score a little differently in the whole, where a frame comes before them. If the
 * whole misses the target for that, aim higher. */
static int reach_as_a_whole(Plan *plan)
{
    double aim = plan->target->score;
    int err = 0;
    for (unsigned i = 0; !err && i < WHOLE_MAX; i++) {
        err = settle(plan, aim);
        if (!err && plan->options->output)
            err = make_whole(plan);
        if (err || !plan->options->output || plan->job.score >= plan->target->score)
            return err;
        lines_event(plan->lines, "whole", plan->lines ? result_json(&plan->job) : NULL);
        aim += (plan->target->score - plan->job.score) * 1.25 + 0.01;
    }
    return err ? err : -ERANGE;
}

static int compare_with_one(Plan *plan)
{
    plan->one.settings = plan->one_settings;
    const int err = allocate_one(plan->curves, plan->shots.count, &plan->target->pooling,
                                 plan->target->score, fine_step(plan->encoder), &plan->one);
    if (err == -ERANGE)
        plan->one.bits = 0.0;
    return err == -ERANGE ? 0 : err;
}

/* ---- results ---- */

static double kbits(const Plan *plan, double bits)
{
    return bits / plan->source.media.seconds / 1000.0;
}

static json_t *shots_json(const Plan *plan)
{
    json_t *const list = json_array();
    for (size_t s = 0; s < plan->shots.count; s++) {
        const Shot *const shot = &plan->shots.at[s];
        size_t at;
        const ShotTry *const try = find_try(&plan->curves[s], plan->settings[s], &at);
        json_array_append_new(
            list, json_pack("{s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:I}", "first",
                            (json_int_t)shot->first, "frames", (json_int_t)shot->frames, "from",
                            shot->time - plan->shots.at[0].time, "seconds", shot->seconds,
                            "setting", plan->settings[s], "score", plan->own_scores[s], "bitrate",
                            try->bits / shot->seconds / 1000.0, "tries",
                            (json_int_t)plan->curves[s].count));
    }
    return list;
}

static json_t *plan_json(const Plan *plan)
{
    json_t *const root = json_object();
    json_object_set_new(root, "vmaf_tune", json_string("shots"));
    json_object_set_new(root, "schema", json_integer(TUNE_SCHEMA));
    json_object_set_new(root, "version", json_string(vmaf_version()));
    json_object_set_new(root, "source", json_text(plan->source.path));
    json_object_set_new(root, "encoder", json_text(plan->encoder->label));
    json_object_set_new(root, "option", json_string(encoder_setting_name(plan->encoder)));
    json_object_set_new(root, "metric", json_text(plan->target->metric));
    json_object_set_new(root, "pool", json_string(plan->target->pooling.name));
    json_object_set_new(root, "target", json_real(plan->target->score));
    json_object_set_new(root, "shots", shots_json(plan));
    json_object_set_new(root, "score", json_real(plan->score));
    json_object_set_new(root, "bitrate", json_real(kbits(plan, plan->bits)));
    json_object_set_new(root, "encodes", json_integer((json_int_t)plan->encodes));
    json_object_set_new(root, "one_setting",
                        plan->one.bits > 0.0
                            ? json_pack("{s:f, s:f, s:f}", "setting", plan->one.settings[0],
                                        "bitrate", kbits(plan, plan->one.bits), "score",
                                        plan->one.score)
                            : json_null());
    if (plan->made) {
        json_t *const made = result_json(&plan->job);
        json_object_set_new(made, "path", json_text(plan->options->output));
        json_object_set_new(root, "output", made);
    }
    json_object_set_new(root, "devices", devices_json(plan->shop));
    return root;
}

static int write_json(const Plan *plan)
{
    Draft draft;
    int err = draft_open(&draft, plan->options->json);
    if (err)
        return err;
    json_t *const root = plan_json(plan);
    char *const text = json_whole_text(root, JSON_INDENT(2));
    if (text)
        fprintf(draft.file, "%s\n", text);
    else
        draft.err = -ENOMEM;
    json_decref(root);
    free(text);
    return draft_close(&draft);
}

static void print_shots(const Plan *plan)
{
    char name[128], setting[32];
    printf("%6s %10s %8s %8s %9s %12s %10s\n", "shot", "from", "frames", "seconds",
           encoder_setting_name(plan->encoder), "kbit/s", plan->target->metric);
    for (size_t s = 0; s < plan->shots.count; s++) {
        const Shot *const shot = &plan->shots.at[s];
        size_t at;
        const ShotTry *const try = find_try(&plan->curves[s], plan->settings[s], &at);
        range_print(plan->settings[s], setting, sizeof(setting));
        printf("%6zu %10.3f %8" PRIu64 " %8.3f %9s %12.2f %10.4f\n", s + 1,
               shot->time - plan->shots.at[0].time, shot->frames, shot->seconds, setting,
               try->bits / shot->seconds / 1000.0, plan->own_scores[s]);
    }
    target_print(plan->target, name, sizeof(name));
    if (plan->made)
        printf("%s: %.4f at %.2f kbit/s; %zu encodes of shots\n", name, plan->job.score,
               plan->job.bitrate, plan->encodes);
    else
        printf("%s: about %.4f at %.2f kbit/s; %zu encodes of shots\n", name, plan->score,
               kbits(plan, plan->bits), plan->encodes);
    if (plan->one.bits > 0.0) {
        range_print(plan->one.settings[0], setting, sizeof(setting));
        printf("one %s for all shots, %s, would need about %.2f kbit/s\n",
               encoder_setting_name(plan->encoder), setting, kbits(plan, plan->one.bits));
    }
}

static int say_unreached(const Plan *plan)
{
    char name[128];
    target_print(plan->target, name, sizeof(name));
    if (plan->made)
        say("%s cannot be reached with %s: the joined shots have %.4f", name, plan->encoder->label,
            plan->job.score);
    else
        say("%s cannot be reached with the settings of %s", name, plan->encoder->label);
    return -ERANGE;
}

/* ---- the command ---- */

static int prepare(Plan *plan)
{
    const TuneOptions *const options = plan->options;
    int err = encoded_check(options);
    if (!err && options->output)
        err = encoded_check_sound(plan->shop, options);
    if (!err && options->json)
        err = draft_check(options->json);
    if (!err && options->lines)
        err = lines_open(&plan->lines, options->lines);
    if (!err && options->output) {
        char *const folder = path_folder(options->output);
        err = folder ? temp_create(&plan->temp, folder) : -ENOMEM;
        free(folder);
    }
    if (!err)
        err = original_open(&plan->source, options->subject, plan->shop);
    if (!err)
        err = shot_list_find(&plan->shots, &plan->source, plan->shop, options->least_frames);
    if (!err && plan->shots.frames != plan->source.media.frames) {
        err = original_count(&plan->source, plan->shop);
        if (!err && plan->shots.frames != plan->source.media.frames) {
            say("the shots of %s have %" PRIu64 " frames, but ffmpeg decodes %" PRIu64,
                plan->source.path, plan->shots.frames, plan->source.media.frames);
            err = -EIO;
        }
    }
    return err;
}

static int make_room(Plan *plan)
{
    const size_t count = plan->shots.count;
    plan->curves = calloc(count, sizeof(*plan->curves));
    plan->files = calloc(count, sizeof(*plan->files));
    plan->settings = calloc(count, sizeof(*plan->settings));
    plan->one_settings = calloc(count, sizeof(*plan->one_settings));
    plan->own_scores = calloc(count, sizeof(*plan->own_scores));
    plan->parts = calloc(count, sizeof(*plan->parts));
    if (!plan->curves || !plan->files || !plan->settings || !plan->one_settings ||
        !plan->own_scores || !plan->parts)
        return -ENOMEM;
    for (size_t s = 0; s < count; s++)
        plan->curves[s].frames = plan->shots.at[s].frames;
    return 0;
}

static void plan_end(Plan *plan)
{
    for (size_t s = 0; plan->curves && s < plan->shots.count; s++) {
        for (size_t i = 0; i < plan->curves[s].count; i++) {
            free(plan->curves[s].tries[i].scores);
            unlink(plan->files[s][i]);
            free(plan->files[s][i]);
        }
        free(plan->curves[s].tries);
        free(plan->files[s]);
    }
    free(plan->curves);
    free(plan->files);
    free(plan->settings);
    free(plan->one_settings);
    free(plan->own_scores);
    free(plan->parts);
    free(plan->made);
    plan->job.output = NULL;
    job_free(&plan->job);
    shot_list_free(&plan->shots);
    original_close(&plan->source);
    temp_destroy(plan->temp);
}

static int tell(Plan *plan)
{
    int err = 0;
    if (plan->options->json)
        err = write_json(plan);
    lines_event(plan->lines, "end", plan->lines ? plan_json(plan) : NULL);
    if (plan->talks)
        print_shots(plan);
    fflush(stdout);
    if (!err && plan->made && rename(plan->made, plan->options->output)) {
        err = -errno;
        say("cannot write %s: %s", plan->options->output, strerror(-err));
    }
    return err;
}

int tune_shots(Workshop *shop, const TuneOptions *options)
{
    Plan plan = { .shop = shop,
                  .options = options,
                  .encoder = &options->encoders[0],
                  .target = &options->targets.at[0],
                  .talks = (!options->json || strcmp(options->json, "-")) &&
                           (!options->lines || strcmp(options->lines, "-")) };
    double settings[RANGE_MAX];
    if (options->zones && !takes_zones(plan.encoder)) {
        say("%s takes no zones, only libx264 and libx265 do; leave out --zones, so that the shots are "
            "encoded one by one",
            plan.encoder->label);
        return -EINVAL;
    }
    int err = prepare(&plan);
    if (!err)
        err = make_room(&plan);
    if (!err)
        err = try_all(&plan, settings, first_settings(&plan, settings));
    if (!err)
        err = reach_as_a_whole(&plan);
    if (err == -ERANGE)
        say_unreached(&plan);
    if (!err)
        err = compare_with_one(&plan);
    if (!err)
        err = tell(&plan);
    devices_tell(shop->devices, shop->device_count, &shop->last_resort, &shop->recalled);
    const int lost = lines_close(plan.lines);
    plan_end(&plan);
    return err ? err : lost;
}
