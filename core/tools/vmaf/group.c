/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maps.h"
#include "sync.h"
#include "input/prefetch.h"
#include "libvmaf/device.h"
#include "libvmaf/part.h"
#include "common/message.h"

int group_prepare(VideoGroup *group)
{
    const VideoAlign align =
        rating_align(group->ratings[0], group->share->options, group->videos[0]);
    int err = videos_align(group->videos, group->count + 1, &align);
    if (!err)
        err =
            sync_schedule(&group->schedule, group->share->options, group->videos, group->count + 1);
    if (!err && group->share->options->sync == SYNC_AUTO)
        err = sync_find_offsets(&group->schedule, group->videos);
    if (!err)
        group->expected_pairs = sync_expected_pairs(&group->schedule, group->videos);
    return err;
}

/* ---- contexts ---- */

static unsigned largest_depth(const VideoGroup *group)
{
    unsigned depth = 0;
    for (unsigned i = 0; i <= group->count; i++)
        if (group->videos[i]->format.bitdepth > depth)
            depth = group->videos[i]->format.bitdepth;
    return depth;
}

static size_t frame_bytes(const VideoFormat *format)
{
    const size_t luma = (size_t)format->width * format->height;
    const size_t samples = format->pix_fmt == VMAF_PIX_FMT_YUV444P   ? 3 * luma
                           : format->pix_fmt == VMAF_PIX_FMT_YUV422P ? 2 * luma
                                                                     : luma + luma / 2;
    return samples * (format->bitdepth > 8 ? 2 : 1);
}

/* The size of a picture's luma plane, rounded up a little. */
static size_t luma_bytes(const VideoGroup *group)
{
    const VideoFormat *const format = &group->videos[0]->format;
    const size_t row = ((size_t)format->width * (largest_depth(group) > 8 ? 2 : 1) + 127) / 64 * 64;
    return row * format->height;
}

/* How many pairs are on their way to a GPU. */
typedef struct GpuPairs {
    unsigned ahead;   /* frames to read ahead of each video */
    unsigned in_work; /* pairs in work on each device */
} GpuPairs;

/* A GPU wants many pairs, which several threads read at once. But their pictures lie in pinned
 * memory, which is slow to allocate, so there are fewer of large pictures. Of small pictures, more
 * pairs are in work than read ahead: two batches, and those that are uploaded while the scores of
 * the first batch are collected. */
static GpuPairs gpu_pairs(const VideoGroup *group)
{
    const size_t room = 96u << 20; /* bytes for half of the pairs */
    const unsigned least = 6, most = 16;
    const size_t pair = 2 * luma_bytes(group);
    const unsigned half = room / pair < least  ? least
                          : room / pair > most ? most
                                               : (unsigned)(room / pair);
    const unsigned more = half / 8 * 2;
    return (GpuPairs){ half - more, half + more };
}

/* Pairs in work in a context, besides the one being submitted. */
static unsigned pairs_in_work(const VideoGroup *group)
{
    return group->share->gpu ? gpu_pairs(group).in_work * gpu_devices(group->share->gpu)
                             : vmaf_pairs_in_flight(group->ratings[0]->vmaf) - 1;
}

/* Frames to read ahead of each video for the CPU. Threads that wait for each other once a frame
 * lose much of the time of a small one, and many threads take frames faster than a reader wakes up.
 * In a part that is paired by time, the end shows late, and frames read beyond it are wasted, so
 * read only one ahead. */
static unsigned cpu_frames_ahead(const VideoGroup *group)
{
    const unsigned most =
        group->share->options->part.kind && group->schedule.by != PAIR_BY_NUMBER ? 1 : 4;
    const size_t room = 2u << 20; /* bytes of each video */
    const size_t by_size = room / luma_bytes(group);
    const size_t by_threads = pairs_in_work(group) / 5; /* one frame for five pairs in work */
    const size_t wanted = by_size > by_threads ? by_size : by_threads;
    return wanted < 1 ? 1 : wanted > most ? most : (unsigned)wanted;
}

/* The number of pictures in the pool. Pictures are most of the memory where features keep little of
 * their own. With chroma, the pool is as small as possible, which costs features without threads a
 * few percent of their speed. */
static unsigned pool_size(const VideoGroup *group, bool luma_only)
{
    unsigned reach;
    const bool looks_back = vmaf_part_reach(group->ratings[0]->vmaf, &reach) || reach;
    const bool least = !luma_only && !looks_back && group->schedule.by == PAIR_BY_NUMBER;
    return (least ? prefetch_pool_least : prefetch_pool_size)(group->count + 1, group->ahead,
                                                              pairs_in_work(group));
}

/* Creates the one pool that all videos are read into: all ratings use the reference's pictures.
 * Chroma that no extractor looks at gets no memory. */
static int create_pool(VideoGroup *group)
{
    const VideoFormat *const format = &group->videos[0]->format;
    const bool luma_only = rating_planes(group->ratings[0]) == 1;
    VmafPictureConfiguration pool = {
        .pic_params = { .w = format->width,
                        .h = format->height,
                        .bpc = largest_depth(group),
                        .pix_fmt = luma_only ? VMAF_PIX_FMT_YUV400P : format->pix_fmt },
    };
    group->ahead = group->share->gpu ? gpu_pairs(group).ahead : cpu_frames_ahead(group);
    pool.pic_cnt = pool_size(group, luma_only);
    const int err = vmaf_preallocate_pictures(group->ratings[0]->vmaf, pool);
    if (err)
        say("not enough memory for %u pictures of %ux%u", pool.pic_cnt, pool.pic_params.w,
            pool.pic_params.h);
    return err;
}

/* True, with the reason in `why`, if frames cannot stay on the device that scores although some are
 * decoded there. */
static bool must_fetch(const VideoGroup *group, char *why, size_t size)
{
    const char *const backend = gpu_backend(group->share->gpu);
    VmafPictureConvertTarget target;
    const KeptScorer scorer = { group->ratings[0]->vmaf, gpu_adopted(group->share->gpu) };
    if (group->share->options->part.kind) {
        snprintf(why, size, "a part records digests of its frames, which the CPU computes");
        return true;
    }
    if (group->share->options->shots) {
        snprintf(why, size, "the CPU looks for cuts in them");
        return true;
    }
    if (models_convert(group->ratings[0]->models, &target)) {
        snprintf(why, size, "the CPU converts their colours for the model");
        return true;
    }
    if (gpu_devices(group->share->gpu) > 1) {
        snprintf(why, size, "scores are computed on several devices");
        return true;
    }
    for (unsigned i = 0; i <= group->count; i++) {
        const Video *const video = group->videos[i];
        const char *const by = video_kept_by(video);
        char reason[200];
        if (!by || strcmp(by, backend) != 0)
            snprintf(why, size, "%s is decoded %s%s, scores are computed with %s", video->path,
                     by ? "with " : "on the CPU", by ? by : "", backend);
        else if (video_can_keep(video, &scorer, reason, sizeof(reason)))
            snprintf(why, size, "%s: %s", video->path, reason);
        else
            continue;
        return true;
    }
    return false;
}

/* The number of videos that are decoded on a device. */
static unsigned decoded_on_devices(const VideoGroup *group)
{
    unsigned count = 0;
    for (unsigned i = 0; i <= group->count; i++)
        count += video_kept_by(group->videos[i]) != NULL;
    return count;
}

/* Decides whether decoded frames stay on the GPU (all videos or none), and notes it for the
 * report. */
static bool keep_frames(VideoGroup *group)
{
    char why[512];
    if (!group->share->gpu || !decoded_on_devices(group))
        return false;
    group->kept = !must_fetch(group, why, sizeof(why));
    for (unsigned i = 0; i <= group->count; i++) {
        if (!video_kept_by(group->videos[i]))
            continue;
        if (group->kept)
            video_note(group->videos[i], "kept", true,
                       "frames stay on the device that scores them");
        else
            video_note(group->videos[i], "fetched", true, "frames are fetched from the device: %s",
                       why);
        if (group->kept)
            video_start_keeping(group->videos[i]);
    }
    if (group->kept)
        group->ahead = KEPT_AHEAD;
    return group->kept;
}

static int prepare_rating(VideoGroup *group, unsigned i)
{
    Rating *const rating = group->ratings[i];
    rating->ref = group->videos[0];
    rating->of_run = &group->share->warnings;
    rating->span[SIDE_REF].frames = video_frames_left(rating->ref);
    rating->span[SIDE_DIST].frames = video_frames_left(rating->video);
    rating->span[SIDE_REF].bytes = rating->ref->source->size;
    rating->span[SIDE_DIST].bytes = rating->video->source->size;
    const Options *const o = group->share->options;
    VmafPictureConvertTarget target;
    const ExtractorFacts facts = {
        .rate = extractors_rate(o, &rating->ref->traits, &rating->video->traits),
        .videos = { rating->ref, rating->video },
        .colours_converted = models_convert(rating->models, &target),
    };
    int err = rating_tell_colours(rating, o, i == 0);
    if (!err)
        err = models_use(rating->models, rating->vmaf);
    if (!err)
        err = extractors_use(o, &facts, &rating->warnings, rating->vmaf);
    if (!err)
        err = maps_check_features(o, rating->vmaf);
    rating->lines = group->share->lines;
    return err || !rating->lines
               ? err
               : lines_watch(rating->lines, (unsigned)rating->number, rating->vmaf, rating->models);
}

/* Chooses the pairs of the part and tells the context to record measurements, from which the merge
 * computes scores. */
static int prepare_part(VideoGroup *group, unsigned threads)
{
    Rating *const rating = group->ratings[0];
    unsigned reach;
    rating->part = calloc(1, sizeof(*rating->part));
    int err = rating->part ? vmaf_part_reach(rating->vmaf, &reach) : -ENOMEM;
    if (err)
        return err;
    rating->part->threads = threads;
    rating->part->planes = rating_planes(rating);
    err =
        part_run_split(rating->part, group->share->options, &group->schedule, group->videos, reach);
    return err ? err : vmaf_part_record(rating->vmaf, (unsigned)rating->part->first);
}

/* Opens the Vulkan device that the decoder made: its frames can be read there, but not on another
 * device object of the same GPU. False: nothing was opened. */
static bool open_decoders_device(const VideoGroup *group, const Rating *rating)
{
    GroupShare *const share = group->share;
    const Options *const o = share->options;
    const char *const by = video_kept_by(group->videos[0]);
    VmafVulkanState *state;
    if (!by || strcmp(by, "vulkan") != 0 || !o->backend || strcmp(o->backend, by) != 0 ||
        decoded_on_devices(group) != group->count + 1)
        return false;
    return !video_share(group->videos[0], KEPT_PAIRS, !o->by_extractor, &state) &&
           !gpu_adopt(&share->gpu, o, rating->vmaf, state);
}

/* Estimates the bytes of the picture pool before the features are known: luma only, and no more
 * pictures than the videos have. */
static size_t expected_pool(const VideoGroup *group)
{
    const unsigned videos = group->count + 1;
    const GpuPairs pairs = gpu_pairs(group);
    const size_t page = 4096, picture = (luma_bytes(group) + page - 1) / page * page;
    const uint64_t frames = video_frames_left(group->videos[0]);
    const unsigned pictures = prefetch_pool_size(videos, pairs.ahead, pairs.in_work);
    return picture * (frames && frames * videos < pictures ? (size_t)frames * videos : pictures);
}

/* Estimates how many pairs all groups of the run will score together. */
static uint64_t pairs_of_run(const VideoGroup *group)
{
    const Options *const o = group->share->options;
    const uint64_t limit = group->schedule.limit;
    return sync_pairs_of_run(&o->part, group->expected_pairs ? group->expected_pairs : limit,
                             (unsigned)o->distorted.count);
}

/* The first context of a run opens the device for all. Later groups use the same rings, even if
 * their samples are smaller. */
static int use_gpu(const VideoGroup *group, const Rating *rating)
{
    GroupShare *const share = group->share;
    const bool begun = share->begun;
    share->begun = true;
    if (begun)
        return gpu_share(share->gpu, rating->vmaf);
    if (open_decoders_device(group, rating))
        return 0;
    GpuNeeds needs = { .in_flight = KEPT_PAIRS,
                       .pairs = pairs_of_run(group),
                       .pair_bytes = 2 * frame_bytes(&group->videos[0]->format) };
    if (decoded_on_devices(group) != group->count + 1) {
        needs.in_flight = gpu_pairs(group).in_work;
        needs.upload_bytes = expected_pool(group);
    }
    const int err = gpu_create(&share->gpu, share->opening, share->options, rating->vmaf, &needs);
    if (!err && share->options->backend && !share->gpu)
        warnings_add(&share->warnings, "no_gpu", SIDES, "no usable GPU: the CPU was used");
    return err;
}

static int create_contexts(VideoGroup *group)
{
    const Options *const o = group->share->options;
    const size_t bytes = (group->count + 1) * frame_bytes(&group->videos[0]->format);
    const unsigned threads = o->threads_given ? o->threads : threads_by_default(bytes);
    int err = 0;
    for (unsigned i = 0; !err && i < group->count; i++) {
        err = rating_create_context(group->ratings[i], o, threads, group->ratings[0]);
        if (!err)
            err = use_gpu(group, group->ratings[i]);
    }
    for (unsigned i = 0; !err && i < group->count; i++)
        err = prepare_rating(group, i);
    if (!err && !keep_frames(group))
        err = create_pool(group);
    if (!err && o->part.kind)
        err = prepare_part(group, threads);
    return err;
}

/* ---- reading ---- */

static int skip_in_video(Video *video, unsigned number, void *arg)
{
    const uint64_t frames = ((const SyncSchedule *)arg)->videos[number].skip;
    const enum FrameStatus status = video_skip(video, (unsigned)frames);
    if (status == FRAME_WHOLE)
        return 0;
    if (status != FRAME_ERROR)
        say("the %s video has fewer than the %u frames to skip: %s",
            number ? "distorted" : "reference", (unsigned)frames, video->path);
    return -EINVAL;
}

static int find_part(Video *video, unsigned number, void *arg)
{
    const VideoGroup *const group = arg;
    return part_run_position(group->ratings[0]->part, video, number ? SIDE_DIST : SIDE_REF,
                             group->schedule.videos[number].skip,
                             group->share->options->part.from_start);
}

int group_score(VideoGroup *group)
{
    int err = create_contexts(group);
    const PartRun *const part = group->ratings[0]->part;
    if (!err && part && part_run_is_empty(part))
        return 0;
    if (!err && part)
        err = videos_do(group->videos, group->count + 1, find_part, group);
    else if (!err)
        err = videos_do(group->videos, group->count + 1, skip_in_video, &group->schedule);
    return err ? err : group_feed(group);
}

void group_clear(VideoGroup *group)
{
    sync_destroy(&group->schedule);
    free(group->videos);
    free(group->ratings);
    *group = (VideoGroup){ 0 };
}
