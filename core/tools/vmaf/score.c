/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "command.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "maps.h"
#include "run.h"
#include "input/bars.h"
#include "input/prefetch.h"
#include "common/interrupt.h"
#include "libvmaf/device.h"
#include "common/message.h"
#include "report/page.h"

/* One run of the command: all videos, their ratings and groups. */
typedef struct Run {
    const Options *options;
    unsigned count; /* ratings */
    /* The reference, then one for each rating, then the reference once more for each further
     * group. */
    Video **videos;
    unsigned opened; /* number of videos so far */
    Rating *ratings;
    VideoGroup *groups;
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

/* Decoder threads per video. 0 lets the reader choose; its default assumes two videos. */
static unsigned decoder_threads(const Run *run)
{
    enum { MOST = 8 };
    const unsigned share = cpus_allowed() / (run->count + 1);
    return run->count < 2 ? 0 : share < 1 ? 1 : share > MOST ? MOST : share;
}

/* How many decoders may share the work of a video, and how far they may decode ahead. Devices have
 * up to eight engines for all videos. */
static void set_decoders(VideoOptions *options, const Run *run)
{
    enum { ENGINES = 8, LEAST = 2 };
    const uint64_t most = 2u << 30, quarter = memory_free() / 4;
    const unsigned share = ENGINES / (run->count + 1), given = run->options->decoders;
    options->decoders_auto = !given;
    options->decoders = given ? given : share < LEAST ? LEAST : share;
    options->decoders_room = (size_t)((quarter < most ? quarter : most) / (run->count + 1));
}

/* Adds a video to the run. Does not wait for its data. */
static int create_video(Run *run, const char *path, bool is_ref)
{
    const Options *const o = run->options;
    const VideoFormat raw = { o->width, o->height, o->bitdepth, o->pix_fmt };
    Video **const video = &run->videos[run->opened];
    const int err = video_create(video, path, o->raw ? &raw : NULL);
    run->opened += *video != NULL;
    if (err) {
        say("problem with %s file: %s", is_ref ? "reference" : "distorted", path);
        return err;
    }
    if (o->follow) {
        const int lost = source_follow((*video)->source, path, o->follow);
        if (lost)
            return lost;
    }
    (*video)->options = (VideoOptions){ .hwaccel = o->hwaccel,
                                        .backend = o->backend,
                                        .device = o->device,
                                        .local = o->local_only,
                                        .threads = decoder_threads(run),
                                        .videos = run->count + 1,
                                        .cpus = cpus_allowed(),
                                        .no_grain = o->no_grain,
                                        .deinterlace = o->deinterlace,
                                        .crop = o->crop[is_ref ? SIDE_REF : SIDE_DIST] };
    set_decoders(&(*video)->options, run);
    return 0;
}

/* True if the decoders may share the device that will score. They open it first then: for Vulkan
 * they hand it over (open_decoders_device in group.c), and for CUDA FFmpeg uses the primary context
 * only if it can set that context's flags before anybody retains it. */
static bool decoders_open_it(const Options *o)
{
    const bool any = !strcmp(o->backend, "auto");
    return o->hwaccel && (any || !strcmp(o->backend, "vulkan") || !strcmp(o->backend, "cuda")) &&
           (any || !strcmp(o->hwaccel, o->backend) || !strcmp(o->hwaccel, "auto"));
}

/* Starts the device's driver if the videos take long to open, because they have to be decoded.
 * Their frames come too slowly for what pays off only in long runs on fast files. */
static void open_gpu_ahead(const Run *run)
{
    const Options *const o = run->options;
    const GpuNeeds guess = { .pairs = 1, .pair_bytes = 16 << 20 };
    bool decoded = false;
    for (unsigned i = 0; i < run->opened; i++)
        decoded = decoded || video_may_be_decoded(run->videos[i]);
    if (decoded && o->backend && !decoders_open_it(o))
        gpu_open_ahead(run->share.opening, o, &guess);
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
    open_gpu_ahead(run);
    return videos_do(run->videos, run->count + 1, begin_video, NULL);
}

/* Checks that no report would overwrite another one. */
static int check_distinct(const Run *run)
{
    const char **const paths = calloc(run->count + 1, sizeof(*paths));
    size_t count = 0;
    if (!paths)
        return -ENOMEM;
    for (unsigned i = 0; i < run->count; i++)
        if (run->ratings[i].output)
            paths[count++] = run->ratings[i].output;
    if (run->options->html)
        paths[count++] = run->options->html;
    const int err = outputs_check_distinct(paths, count);
    free(paths);
    return err;
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
    return err ? err : check_distinct(run);
}

/* ---- groups ---- */

static int choose_models(Run *run)
{
    int err = 0;
    for (unsigned i = 0; !err && i < run->count; i++)
        err = rating_choose_models(&run->ratings[i], run->options, run->videos[0],
                                   &run->share.warnings);
    return err;
}

/* The group that reads the reference in the form that this video needs; if none does, the next
 * unused group. */
static VideoGroup *find_group(Run *run, const Rating *rating)
{
    const Video *const video = rating->video;
    const VideoAlign align = rating_align(rating, run->options, run->videos[0]);
    for (unsigned i = 0; i < run->group_count; i++)
        if (videos_align_alike(run->videos[0], run->groups[i].videos[1], video, &align) &&
            sync_alike(run->groups[i].videos[1], video))
            return &run->groups[i];
    return &run->groups[run->group_count];
}

static int start_group(Run *run, VideoGroup *group)
{
    group->share = &run->share;
    group->videos = calloc(run->count + 1, sizeof(*group->videos));
    group->ratings = calloc(run->count, sizeof(*group->ratings));
    run->group_count++;
    return group->videos && group->ratings ? 0 : -ENOMEM;
}

/* Puts each rating into a group. */
static int form_groups(Run *run)
{
    for (unsigned i = 0; i < run->count; i++) {
        Rating *const rating = &run->ratings[i];
        VideoGroup *const group = find_group(run, rating);
        const int err = group->videos ? 0 : start_group(run, group);
        if (err)
            return err;
        group->ratings[group->count++] = rating;
        group->videos[group->count] = rating->video;
    }
    return 0;
}

/* Each group reads the reference separately, from the beginning. */
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
    run->videos[at]->options = run->videos[0]->options;
    run->videos[at]->options.quiet = true;
    return begin_video(run->videos[at], 0, NULL);
}

static int refuse_pipes(const Run *run)
{
    for (unsigned i = 0; i <= run->count && run->group_count > 1; i++) {
        if (run->videos[i]->source->seekable)
            continue;
        say("the distorted videos differ in depth, sampling or kind, so the reference has to be read more "
            "than once, which is impossible with a pipe (%s): score them one at a time",
            run->videos[i]->path);
        return -EINVAL;
    }
    return 0;
}

static int make_groups(Run *run)
{
    int err = form_groups(run);
    if (!err)
        err = refuse_pipes(run);
    for (unsigned i = 0; !err && i < run->group_count; i++)
        err = open_reference(run, i);
    for (unsigned i = 0; !err && i < run->group_count; i++)
        err = group_prepare(&run->groups[i]);
    return err;
}

/* ---- results ---- */

/* Makes the maps of a report's worst frames, for the page. */
static int map_report(void *arg, const StoredReport *report, PageWorst *worst, size_t room)
{
    const Run *const run = arg;
    unsigned i = 0;
    while (run->ratings[i].report != report)
        i++;
    return maps_for_page(&run->ratings[i], run->options, worst, room);
}

/* Writes the HTML page with all finished ratings, even if other videos failed. */
static int write_page(Run *run)
{
    StoredReport **const reports = calloc(run->count, sizeof(*reports));
    size_t count = 0;
    if (!reports)
        return -ENOMEM;
    for (unsigned i = 0; i < run->count; i++)
        if (run->ratings[i].report)
            reports[count++] = run->ratings[i].report;
    const PageMapper mapper = { map_report, run };
    const bool maps = run->options->heatmap_html && !interrupt_signal();
    const int err =
        count ? html_write(reports, count, run->options->html, maps ? &mapper : NULL) : 0;
    free(reports);
    return err;
}

/* The outcome of a run in which nothing failed, by its worst rating. */
static int judge(const Run *run)
{
    int worst = 0;
    for (unsigned i = 0; i < run->count; i++) {
        const Rating *const rating = &run->ratings[i];
        const int own = rating->unjudged ? SCORE_UNJUDGED : rating->below ? SCORE_BELOW : 0;
        worst = own > worst ? own : worst;
    }
    return worst;
}

/* Shows all videos at a glance, if there are several. */
static int show_rows(const Run *run)
{
    SummaryRow *const rows = calloc(run->count, sizeof(*rows));
    if (!rows)
        return -ENOMEM;
    for (unsigned i = 0; i < run->count; i++)
        rows[i] = run->ratings[i].row;
    summary_say_rows(rows, run->count, summary_may_colour());
    free(rows);
    return 0;
}

/* Writes the last line of --lines. */
static int summarise_lines(const Run *run)
{
    LinesEnd *const ends = calloc(run->count, sizeof(*ends));
    if (!ends)
        return -ENOMEM;
    for (unsigned i = 0; i < run->count; i++)
        ends[i] = (LinesEnd){ run->ratings[i].err != 0, run->ratings[i].incomplete,
                              run->ratings[i].vmaf };
    const int err = lines_summarise(run->share.lines, ends);
    free(ends);
    return err;
}

/* A run that was stopped writes no maps. */
static int finish_rating(Rating *rating, const Options *options)
{
    const int err = rating_finish(rating, options);
    return err || !options->heatmap_folder || interrupt_signal() ? err
                                                                 : maps_write(rating, options);
}

static int write_results(Run *run)
{
    int first = 0;
    for (unsigned i = 0; i < run->count; i++) {
        Rating *const rating = &run->ratings[i];
        if (!rating->err)
            rating->err = finish_rating(rating, run->options);
        if (!first)
            first = rating->err;
    }
    const int lost = run->share.lines ? summarise_lines(run) : show_rows(run);
    const int err = run->options->html ? write_page(run) : lost;
    return first ? first : err ? err : lost ? lost : judge(run);
}

/* Thread function: lets all contexts leave the GPU, including those that failed, and closes it. */
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

/* Finishes all ratings; one that failed does not keep the others from their results. Closes the GPU
 * at the same time as the results are written, because its driver takes about as long. */
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

/* Prints which signal stopped the run, and how much of the rating is in a report. */
static void say_stop(const Rating *rating, const Options *options)
{
    const bool several = options_name_videos(options);
    const char *const report = rating->output ? rating->output : options->html;
    const bool written = report && !rating->err && rating->pairs;
    say("stopped by %s: %s%s%u frame%s scored%s%s", interrupt_name(interrupt_signal()),
        several && rating->video ? rating->video->path : "", several ? ": " : "", rating->pairs,
        rating->pairs == 1 ? " was" : "s were",
        written ? ", which are in " : "; there is no report", written ? report : "");
}

/* Scores a group. If that fails as a whole, marks its ratings; other groups keep their results. */
static void score_group(VideoGroup *group)
{
    const int err = group_score(group);
    for (unsigned i = 0; err && i < group->count; i++)
        if (!group->ratings[i]->err)
            group->ratings[i]->err = err;
}

static int score(Run *run)
{
    interrupt_soon(true);
    int err = open_videos(run);
    if (!err)
        err = videos_crop_bars(run->videos, run->count + 1, run->options->crop_bars);
    if (!err)
        err = find_outputs(run);
    if (!err)
        err = maps_check(run->options, run->videos, run->count + 1);
    if (!err)
        err = choose_models(run);
    if (!err)
        err = make_groups(run);
    interrupt_soon(false);
    if (!err && run->options->lines)
        err = lines_create(&run->share.lines, run->options);
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
    for (unsigned i = run->count; run->ratings && i-- > 0;)
        rating_destroy(&run->ratings[i]);
    lines_destroy(run->share.lines);
    gpu_destroy(run->share.gpu);
    gpu_opening_wait(run->share.opening); /* it may still read the options of this run */
    if (!run->share.opening->keeps)
        gpu_opening_end(run->share.opening);
    warnings_clear(&run->share.warnings);
    for (unsigned i = 0; i < run->opened; i++)
        video_close(run->videos[i]);
    for (unsigned i = 0; i < run->group_count; i++)
        group_clear(&run->groups[i]);
    free(run->groups);
    free(run->ratings);
    free(run->videos);
}

int score_videos(const Options *options, GpuOpening *opening)
{
    GpuOpening own = { 0 };
    Run run = { .options = options,
                .count = (unsigned)options->distorted.count,
                .share = { .options = options, .opening = opening ? opening : &own } };
    int err = allocate(&run);
    if (!err)
        err = score(&run);
    interrupt_call(NULL, NULL);
    for (unsigned i = 0; interrupt_signal() && run.ratings && i < run.count; i++)
        say_stop(&run.ratings[i], options);
    close_run(&run);
    return err;
}
