/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "score.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cpus.h"
#include "feed.h"
#include "input/prefetch.h"
#include "input/together.h"
#include "interrupt.h"
#include "libvmaf/device.h"
#include "message.h"
#include "output.h"
#include "report/html.h"
#include "sync_auto.h"

typedef struct Run {
    const Options *options;
    unsigned count;  /* ratings */
    unsigned opened; /* videos */
    Video **videos;  /* the reference, then one for each rating */
    Rating *ratings;
    SyncPlan plan;
    Gpu *gpu;
    Models *models;
    unsigned ahead; /* frames read ahead of each video */
} Run;

static const char *side_name(unsigned video)
{
    return video ? "distorted" : "reference";
}

/* ---- opening ---- */

static int begin_video(Video *video, unsigned number, void *unused)
{
    const int err = video_begin(video);
    if (err && err != -ECANCELED)
        say("problem with %s file: %s", side_name(number), video->path);
    return err;
}

static void cancel_videos(void *arg)
{
    const Run *const run = arg;
    for (unsigned i = 0; i < run->opened; i++)
        source_cancel(run->videos[i]->source);
}

static int open_videos(Run *run)
{
    const Options *const o = run->options;
    const VideoFormat raw = { o->width, o->height, o->bitdepth, o->pix_fmt };
    for (unsigned i = 0; i <= run->count; i++) {
        const char *const path = i ? o->distorted.at[i - 1] : o->reference;
        const int err = video_create(&run->videos[i], path, o->raw ? &raw : NULL);
        run->opened += run->videos[i] != NULL;
        if (err) {
            say("problem with %s file: %s", side_name(i), path);
            return err;
        }
        run->videos[i]->options = (VideoOptions){ .hwaccel = o->hwaccel, .local = o->local_only };
        if (i)
            run->ratings[i - 1].video = run->videos[i];
    }
    interrupt_call(cancel_videos, run);
    const VideoAlign align = options_align(o);
    const int err = videos_do(run->videos, run->count + 1, begin_video, NULL);
    return err ? err : videos_align(run->videos, run->count + 1, &align);
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

/* ---- contexts ---- */

/* Frames to read ahead of each video. A GPU wants several; but its pictures lie in pinned memory,
 * which takes long to come by, so large ones are few. */
static unsigned frames_ahead(const Run *run, const VmafPictureConfiguration *pool)
{
    const size_t large = 8u << 20;
    const size_t samples = (size_t)pool->pic_params.w * pool->pic_params.h;
    if (!run->gpu)
        return 1;
    return samples * (pool->pic_params.bpc > 8 ? 2 : 1) < large ? 8 : 4;
}

/* Pairs in a context beside the one in hand. With a GPU no more than are read ahead. */
static unsigned pairs_in_work(const Run *run)
{
    return run->gpu ? run->ahead : vmaf_pairs_in_flight(run->ratings[0].vmaf) - 1;
}

static unsigned largest_depth(const Run *run)
{
    unsigned depth = 0;
    for (unsigned i = 0; i <= run->count; i++)
        if (run->videos[i]->format.bitdepth > depth)
            depth = run->videos[i]->format.bitdepth;
    return depth;
}

/* All videos are read into the pictures of one pool, since the reference's are everybody's. */
static int create_pool(Run *run)
{
    const VideoFormat *const format = &run->videos[0]->format;
    VmafPictureConfiguration pool = {
        .pic_params = { .w = format->width,
                        .h = format->height,
                        .bpc = largest_depth(run),
                        .pix_fmt = format->pix_fmt },
    };
    run->ahead = frames_ahead(run, &pool);
    pool.pic_cnt = prefetch_pool_size(run->count + 1, run->ahead, pairs_in_work(run));
    const int err = vmaf_preallocate_pictures(run->ratings[0].vmaf, pool);
    if (err)
        say("no memory for %u pictures of %ux%u", pool.pic_cnt, pool.pic_params.w,
            pool.pic_params.h);
    return err;
}

static int prepare_rating(Run *run, unsigned i)
{
    Rating *const rating = &run->ratings[i];
    const SyncVideo *const dist = &run->plan.videos[i + 1];
    rating->span[SIDE_REF].skipped = run->plan.videos[0].skip + dist->pairing.skipped;
    rating->span[SIDE_REF].frames = video_frames_left(run->videos[0]);
    rating->span[SIDE_DIST].skipped = dist->skip;
    rating->span[SIDE_DIST].frames = video_frames_left(rating->video);
    int err = rating_note_origin(rating, run->options, run->videos[0], i);
    if (!err)
        err = models_use(run->models, rating->vmaf);
    return err ? err : extractors_use(run->options, rating->vmaf);
}

static size_t frame_bytes(const VideoFormat *format)
{
    const size_t luma = (size_t)format->width * format->height;
    const size_t samples = format->pix_fmt == VMAF_PIX_FMT_YUV444P   ? 3 * luma
                           : format->pix_fmt == VMAF_PIX_FMT_YUV422P ? 2 * luma
                                                                     : luma + luma / 2;
    return samples * (format->bitdepth > 8 ? 2 : 1);
}

static int create_contexts(Run *run)
{
    const Options *const o = run->options;
    const size_t bytes = (run->count + 1) * frame_bytes(&run->videos[0]->format);
    const unsigned threads = o->threads_given ? o->threads : threads_by_default(bytes);
    int err = 0;
    for (unsigned i = 0; !err && i < run->count; i++)
        err = rating_create_context(&run->ratings[i], o, threads, &run->gpu, run->ratings);
    if (!err)
        err = create_pool(run);
    if (!err)
        err = models_create(&run->models, run->options);
    for (unsigned i = 0; !err && i < run->count; i++)
        err = prepare_rating(run, i);
    return err;
}

/* ---- reading ---- */

static int skip_in_video(Video *video, unsigned number, void *arg)
{
    const uint64_t frames = ((const SyncPlan *)arg)->videos[number].skip;
    const enum FrameStatus status = video_skip(video, (unsigned)frames);
    if (status == FRAME_WHOLE)
        return 0;
    if (status != FRAME_ERROR)
        say("the %s video has fewer than the %u frames to skip: %s", side_name(number),
            (unsigned)frames, video->path);
    return -EINVAL;
}

static int read_and_score(Run *run)
{
    const FeedConfig config = {
        .options = run->options,
        .plan = &run->plan,
        .videos = run->videos,
        .ratings = run->ratings,
        .count = run->count,
        .gpu = run->gpu,
        .models = run->models,
        .ahead = run->ahead,
    };
    return feed_ratings(&config);
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

/* One that failed keeps no other from its results. */
static int finish(Run *run)
{
    int first = 0;
    for (unsigned i = 0; i < run->count; i++) {
        Rating *const rating = &run->ratings[i];
        if (!rating->err)
            rating->err = rating_finish(rating, run->options, run->models);
        if (!first)
            first = rating->err;
    }
    const int err = run->options->html ? write_page(run) : 0;
    return first ? first : err ? err : is_below(run) ? SCORE_BELOW : 0;
}

static void say_stop(const Rating *rating, bool several)
{
    const bool written = rating->output && !rating->err && rating->pairs;
    say("stopped by %s: %s%s%u frame%s scored%s%s", interrupt_name(interrupt_signal()),
        several && rating->video ? rating->video->path : "", several ? ": " : "", rating->pairs,
        rating->pairs == 1 ? " was" : "s were",
        written ? ", which are in " : "; there is no report", written ? rating->output : "");
}

static int score(Run *run)
{
    int err = open_videos(run);
    if (!err)
        err = find_outputs(run);
    if (!err)
        err = sync_plan(&run->plan, run->options, run->videos, run->count + 1);
    if (!err && run->options->sync == SYNC_AUTO)
        err = sync_find_offsets(&run->plan, run->videos);
    if (!err)
        err = create_contexts(run);
    if (!err)
        err = videos_do(run->videos, run->count + 1, skip_in_video, &run->plan);
    if (!err)
        err = read_and_score(run);
    return err ? err : finish(run);
}

static void close_run(Run *run)
{
    models_destroy(run->models);
    for (unsigned i = run->count; run->ratings && i-- > 0;)
        rating_destroy(&run->ratings[i]);
    gpu_destroy(run->gpu);
    for (unsigned i = 0; i < run->opened; i++)
        video_close(run->videos[i]);
    sync_destroy(&run->plan);
    free(run->ratings);
    free(run->videos);
}

int score_videos(const Options *options)
{
    Run run = { .options = options, .count = (unsigned)options->distorted.count };
    run.videos = calloc(run.count + 1, sizeof(*run.videos));
    run.ratings = calloc(run.count, sizeof(*run.ratings));
    int err = run.videos && run.ratings ? 0 : -ENOMEM;
    interrupt_watch();
    if (!err)
        err = score(&run);
    interrupt_call(NULL, NULL);
    for (unsigned i = 0; interrupt_signal() && run.ratings && i < run.count; i++)
        say_stop(&run.ratings[i], run.count > 1);
    close_run(&run);
    return err;
}
