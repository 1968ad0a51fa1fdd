/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "score.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cpus.h"
#include "group.h"
#include "input/together.h"
#include "common/interrupt.h"
#include "libvmaf/device.h"
#include "common/message.h"
#include "output.h"
#include "report/html.h"

typedef struct Run {
    const Options *options;
    unsigned count; /* ratings */
    Video *
        *videos; /* the reference, then one for each rating, then the reference again for groups */
    unsigned opened; /* of them */
    Rating *ratings;
    Group *groups;
    unsigned group_count;
    GroupShare share;
} Run;

/* ---- opening ---- */

static int begin_video(Video *video, unsigned number, void *unused)
{
    const int err = video_begin(video);
    if (err && err != -ECANCELED)
        say("problem with %s file: %s", number ? "distorted" : "reference", video->path);
    return err;
}

static void cancel_videos(void *arg)
{
    const Run *const run = arg;
    for (unsigned i = 0; i < run->opened; i++)
        source_cancel(run->videos[i]->source);
}

/* Of each video, of which several are decoded at once; 0: as its reader likes, which is made for two. */
static unsigned decoder_threads(const Run *run)
{
    enum { MOST = 8 };
    const unsigned share = cpus_allowed() / (run->count + 1);
    return run->count < 2 ? 0 : share < 1 ? 1 : share > MOST ? MOST : share;
}

/* Adds a video to the run; it waits for nobody. */
static int create_video(Run *run, const char *path, bool is_ref)
{
    const Options *const o = run->options;
    const VideoFormat raw = { o->width, o->height, o->bitdepth, o->pix_fmt };
    Video **const video = &run->videos[run->opened];
    const int err = video_create(video, path, o->raw ? &raw : NULL);
    run->opened += *video != NULL;
    if (err)
        say("problem with %s file: %s", is_ref ? "reference" : "distorted", path);
    else
        (*video)->options = (VideoOptions){ .hwaccel = o->hwaccel,
                                            .backend = o->backend,
                                            .device = o->device,
                                            .local = o->local_only,
                                            .threads = decoder_threads(run) };
    return err;
}

static int open_videos(Run *run)
{
    int err = create_video(run, run->options->reference, true);
    for (unsigned i = 0; !err && i < run->count; i++) {
        err = create_video(run, run->options->distorted.at[i], false);
        run->ratings[i] = (Rating){ .number = i, .video = run->videos[i + 1] };
    }
    if (err)
        return err;
    interrupt_call(cancel_videos, run);
    return videos_do(run->videos, run->count + 1, begin_video, NULL);
}

static int find_outputs(Run *run)
{
    int err = 0;
    for (unsigned i = 0; !err && i < run->count; i++) {
        Rating *const rating = &run->ratings[i];
        err = output_path(&rating->output, run->options, i);
        if (!err && rating->output)
            err = output_check(rating->output, run->videos, run->count + 1);
    }
    if (!err && run->options->html)
        err = output_check(run->options->html, run->videos, run->count + 1);
    return err;
}

/* ---- groups ---- */

/* The group that reads the reference as this video needs it; the next free one if there is none. */
static Group *find_group(Run *run, const Video *video)
{
    const VideoAlign align = options_align(run->options);
    for (unsigned i = 0; i < run->group_count; i++)
        if (videos_align_alike(run->videos[0], run->groups[i].videos[1], video, &align) &&
            sync_alike(run->groups[i].videos[1], video))
            return &run->groups[i];
    return &run->groups[run->group_count];
}

static int start_group(Run *run, Group *group)
{
    group->share = &run->share;
    group->videos = calloc(run->count + 1, sizeof(*group->videos));
    group->ratings = calloc(run->count, sizeof(*group->ratings));
    run->group_count++;
    return group->videos && group->ratings ? 0 : -ENOMEM;
}

static int divide(Run *run)
{
    for (unsigned i = 0; i < run->count; i++) {
        Rating *const rating = &run->ratings[i];
        Group *const group = find_group(run, rating->video);
        const int err = group->videos ? 0 : start_group(run, group);
        if (err)
            return err;
        group->ratings[group->count++] = rating;
        group->videos[group->count] = rating->video;
    }
    return 0;
}

/* Each group reads the reference for itself, from the beginning. */
static int open_reference(Run *run, unsigned group)
{
    if (!group) {
        run->groups[group].videos[0] = run->videos[0];
        return 0;
    }
    const unsigned at = run->opened;
    const int err = create_video(run, run->options->reference, true);
    if (err)
        return err;
    run->groups[group].videos[0] = run->videos[at];
    run->videos[at]->options.quiet = true;
    return begin_video(run->videos[at], 0, NULL);
}

static int refuse_pipes(const Run *run)
{
    for (unsigned i = 0; i <= run->count && run->group_count > 1; i++) {
        if (run->videos[i]->source->seekable)
            continue;
        say("the distorted videos differ in depth, sampling or kind, so that the reference is read more "
            "than once, which pipes do not allow (%s): score them one at a time",
            run->videos[i]->path);
        return -EINVAL;
    }
    return 0;
}

static int make_groups(Run *run)
{
    int err = divide(run);
    if (!err)
        err = refuse_pipes(run);
    for (unsigned i = 0; !err && i < run->group_count; i++)
        err = open_reference(run, i);
    for (unsigned i = 0; !err && i < run->group_count; i++)
        err = group_prepare(&run->groups[i]);
    return err;
}

/* ---- results ---- */

/* The page has what there is, also when one of the videos failed. */
static int write_page(const Run *run)
{
    StoredReport **const reports = calloc(run->count, sizeof(*reports));
    size_t count = 0;
    if (!reports)
        return -ENOMEM;
    for (unsigned i = 0; i < run->count; i++)
        if (run->ratings[i].report)
            reports[count++] = run->ratings[i].report;
    const int err = count ? html_write(reports, count, run->options->html) : 0;
    free(reports);
    return err;
}

static bool is_below(const Run *run)
{
    for (unsigned i = 0; i < run->count; i++)
        if (run->ratings[i].below)
            return true;
    return false;
}

static int write_results(Run *run)
{
    int first = 0;
    for (unsigned i = 0; i < run->count; i++) {
        Rating *const rating = &run->ratings[i];
        if (!rating->err)
            rating->err = rating_finish(rating, run->options, run->share.models);
        if (!first)
            first = rating->err;
    }
    const int err = run->options->html ? write_page(run) : 0;
    return first ? first : err ? err : is_below(run) ? SCORE_BELOW : 0;
}

/* A context that failed keeps its device until it is closed. */
static void *leave_gpu(void *arg)
{
    Run *const run = arg;
    for (unsigned i = 0; i < run->count; i++)
        if (run->ratings[i].vmaf)
            vmaf_leave_device(run->ratings[i].vmaf);
    gpu_destroy(run->share.gpu);
    run->share.gpu = NULL;
    return NULL;
}

/* One that failed keeps no other from its results. A GPU is left while they are written: its driver takes as long. */
static int finish(Run *run)
{
    for (unsigned i = 0; i < run->count; i++)
        if (!run->ratings[i].err)
            run->ratings[i].err = rating_end(&run->ratings[i], run->options);
    pthread_t leaving;
    const bool leaves = run->share.gpu && !pthread_create(&leaving, NULL, leave_gpu, run);
    const int err = write_results(run);
    if (leaves)
        pthread_join(leaving, NULL);
    return err;
}

static void say_stop(const Rating *rating, const Options *options)
{
    const bool several = options->distorted.count > 1;
    const char *const report = rating->output ? rating->output : options->html;
    const bool written = report && !rating->err && rating->pairs;
    say("stopped by %s: %s%s%u frame%s scored%s%s", interrupt_name(interrupt_signal()),
        several && rating->video ? rating->video->path : "", several ? ": " : "", rating->pairs,
        rating->pairs == 1 ? " was" : "s were",
        written ? ", which are in " : "; there is no report", written ? report : "");
}

/* The others have their results in any case. */
static void score_group(Group *group)
{
    const int err = group_score(group);
    for (unsigned i = 0; err && i < group->count; i++)
        if (!group->ratings[i]->err)
            group->ratings[i]->err = err;
}

static int score(Run *run)
{
    int err = open_videos(run);
    if (!err)
        err = find_outputs(run);
    if (!err)
        err = make_groups(run);
    if (err)
        return err;
    for (unsigned i = 0; i < run->group_count && !(i && interrupt_signal()); i++)
        score_group(&run->groups[i]);
    return finish(run);
}

static int allocate(Run *run)
{
    run->videos = calloc(2 * run->count + 1, sizeof(*run->videos));
    run->ratings = calloc(run->count, sizeof(*run->ratings));
    run->groups = calloc(run->count + 1, sizeof(*run->groups));
    return run->videos && run->ratings && run->groups ? 0 : -ENOMEM;
}

static void close_run(Run *run)
{
    models_destroy(run->share.models);
    for (unsigned i = run->count; run->ratings && i-- > 0;)
        rating_destroy(&run->ratings[i]);
    gpu_destroy(run->share.gpu);
    for (unsigned i = 0; i < run->opened; i++)
        video_close(run->videos[i]);
    for (unsigned i = 0; i < run->group_count; i++)
        group_clear(&run->groups[i]);
    free(run->groups);
    free(run->ratings);
    free(run->videos);
}

int score_videos(const Options *options)
{
    Run run = { .options = options,
                .count = (unsigned)options->distorted.count,
                .share = { .options = options } };
    int err = allocate(&run);
    interrupt_watch();
    if (!err)
        err = score(&run);
    interrupt_call(NULL, NULL);
    for (unsigned i = 0; interrupt_signal() && run.ratings && i < run.count; i++)
        say_stop(&run.ratings[i], options);
    close_run(&run);
    return err;
}
