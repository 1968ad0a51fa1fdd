/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "group.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpus.h"
#include "expect.h"
#include "feed.h"
#include "input/prefetch.h"
#include "input/together.h"
#include "libvmaf/device.h"
#include "libvmaf/part.h"
#include "common/message.h"
#include "sync_auto.h"

int group_prepare(Group *group)
{
    const VideoAlign align = options_align(group->share->options);
    int err = videos_align(group->videos, group->count + 1, &align);
    if (!err)
        err = sync_plan(&group->plan, group->share->options, group->videos, group->count + 1);
    if (!err && group->share->options->sync == SYNC_AUTO)
        err = sync_find_offsets(&group->plan, group->videos);
    return err;
}

/* ---- contexts ---- */

static unsigned largest_depth(const Group *group)
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

/* Of a picture, and a little more: rows are rounded up. */
static size_t luma_bytes(const Group *group)
{
    const VideoFormat *const format = &group->videos[0]->format;
    const size_t row = ((size_t)format->width * (largest_depth(group) > 8 ? 2 : 1) + 127) / 64 * 64;
    return row * format->height;
}

/* Pairs on their way to a GPU. */
typedef struct GpuPairs {
    unsigned ahead;   /* frames of each video that are read */
    unsigned in_work; /* on each device */
} GpuPairs;

/* It wants many, which several threads read at once; but its pictures lie in pinned memory, which takes long to come by, so
 * large ones are fewer. Of small ones more are in work than read ahead: two batches, and those that are uploaded while the
 * scores of the first one are collected. */
static GpuPairs gpu_pairs(const Group *group)
{
    const size_t room = 96u << 20; /* for half of them */
    const unsigned least = 6, most = 16;
    const size_t pair = 2 * luma_bytes(group);
    const unsigned half = room / pair < least  ? least
                          : room / pair > most ? most
                                               : (unsigned)(room / pair);
    const unsigned more = half / 8 * 2;
    return (GpuPairs){ half - more, half + more };
}

/* Pairs in a context beside the one in hand. */
static unsigned pairs_in_work(const Group *group)
{
    return group->share->gpu ? gpu_pairs(group).in_work * gpu_devices(group->share->gpu)
                             : vmaf_pairs_in_flight(group->ratings[0]->vmaf) - 1;
}

/* Frames of each video that are read ahead for the CPU. Threads that wait for each other once a frame lose much of the
 * time of a small one; many threads take frames faster than a reader wakes up. By time it shows late where a part ends,
 * and what was read behind that was read in vain. */
static unsigned cpu_frames_ahead(const Group *group)
{
    const unsigned most =
        group->share->options->part.kind && group->plan.by != PAIR_BY_NUMBER ? 1 : 4;
    const size_t room = 2u << 20; /* of each video */
    const size_t by_size = room / luma_bytes(group);
    const size_t by_threads = pairs_in_work(group) / 5; /* one for so many that are scored */
    const size_t wanted = by_size > by_threads ? by_size : by_threads;
    return wanted < 1 ? 1 : wanted > most ? most : (unsigned)wanted;
}

/* Pictures are most of the memory where features keep little of their own. Those with chroma are as few as can be, which
 * costs such features some percent of their speed if they have no threads. */
static unsigned pool_size(const Group *group, bool luma_only)
{
    unsigned reach;
    const bool looks_back = vmaf_part_reach(group->ratings[0]->vmaf, &reach) || reach;
    const bool least = !luma_only && !looks_back && group->plan.by == PAIR_BY_NUMBER;
    return (least ? prefetch_pool_least : prefetch_pool_size)(group->count + 1, group->ahead,
                                                              pairs_in_work(group));
}

/* All videos are read into the pictures of one pool, since the reference's are everybody's. Chroma that nobody looks
 * at has no memory there either. */
static int create_pool(Group *group)
{
    const VideoFormat *const format = &group->videos[0]->format;
    const bool luma_only = extractors_planes(group->ratings[0]->vmaf) == 1;
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
        say("no memory for %u pictures of %ux%u", pool.pic_cnt, pool.pic_params.w,
            pool.pic_params.h);
    return err;
}

/* Why frames of the group cannot stay on the device that scores, though some are decoded there; false: they can. */
static bool must_fetch(const Group *group, char *why, size_t size)
{
    const char *const backend = gpu_backend(group->share->gpu);
    const KeptScorer scorer = { group->ratings[0]->vmaf, gpu_adopted(group->share->gpu) };
    if (group->share->options->part.kind) {
        snprintf(why, size, "parts are known again by the samples of their frames");
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

/* How many videos are decoded on some device. */
static unsigned on_devices(const Group *group)
{
    unsigned count = 0;
    for (unsigned i = 0; i <= group->count; i++)
        count += video_kept_by(group->videos[i]) != NULL;
    return count;
}

/* Decides whether frames stay where they are decoded, which is all videos' or none's; says so. */
static bool keep_frames(Group *group)
{
    char why[512];
    if (!group->share->gpu || !on_devices(group))
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

static int prepare_rating(Group *group, unsigned i)
{
    Rating *const rating = group->ratings[i];
    rating->ref = group->videos[0];
    rating->span[SIDE_REF].frames = video_frames_left(rating->ref);
    rating->span[SIDE_DIST].frames = video_frames_left(rating->video);
    const int err = models_use(group->share->models, rating->vmaf);
    return err ? err : extractors_use(group->share->options, rating->vmaf);
}

/* The pairs of a part, and the context told of them: it measures, and leaves scores to the merge. */
static int prepare_part(Group *group, unsigned threads)
{
    Rating *const rating = group->ratings[0];
    unsigned reach;
    rating->shard = calloc(1, sizeof(*rating->shard));
    int err = rating->shard ? vmaf_part_reach(rating->vmaf, &reach) : -ENOMEM;
    if (err)
        return err;
    rating->shard->threads = threads;
    rating->shard->planes = extractors_planes(rating->vmaf);
    err = shard_plan(rating->shard, group->share->options, &group->plan, group->videos, reach);
    return err ? err : vmaf_part_record(rating->vmaf, (unsigned)rating->shard->first);
}

/* Frames that Vulkan decodes can be read on the device that the decoder made, not on another of the same GPU. False:
 * nothing was opened. */
static bool open_decoders_device(const Group *group, const Rating *rating)
{
    GroupShare *const share = group->share;
    const Options *const o = share->options;
    const char *const by = video_kept_by(group->videos[0]);
    VmafVulkanState *state;
    if (!by || strcmp(by, "vulkan") != 0 || !o->backend || strcmp(o->backend, by) != 0 ||
        on_devices(group) != group->count + 1)
        return false;
    return !video_share(group->videos[0], KEPT_PAIRS, !o->by_extractor, &state) &&
           !gpu_adopt(&share->gpu, o, rating->vmaf, state);
}

/* What the pool will take, as far as that is known before the features are: luma, and no more than the videos have. */
static size_t expected_pool(const Group *group)
{
    const unsigned videos = group->count + 1;
    const GpuPairs pairs = gpu_pairs(group);
    const size_t page = 4096, picture = (luma_bytes(group) + page - 1) / page * page;
    const uint64_t frames = video_frames_left(group->videos[0]);
    const unsigned pictures = prefetch_pool_size(videos, pairs.ahead, pairs.in_work);
    return picture * (frames && frames * videos < pictures ? (size_t)frames * videos : pictures);
}

/* That all groups of the run will score. */
static uint64_t expected_pairs(const Group *group)
{
    const Options *const o = group->share->options;
    return expect_pairs(&o->part, video_frames_left(group->videos[0]), group->plan.limit,
                        (unsigned)o->distorted.count);
}

/* The first context of a run opens the device for all; groups whose samples are smaller make do with its ring. */
static int place_on_gpu(const Group *group, const Rating *rating)
{
    GroupShare *const share = group->share;
    const bool begun = share->begun;
    share->begun = true;
    if (begun)
        return gpu_share(share->gpu, rating->vmaf);
    if (open_decoders_device(group, rating))
        return 0;
    GpuNeeds needs = { .in_flight = KEPT_PAIRS,
                       .pairs = expected_pairs(group),
                       .pair_bytes = 2 * frame_bytes(&group->videos[0]->format) };
    if (on_devices(group) != group->count + 1) {
        needs.in_flight = gpu_pairs(group).in_work;
        needs.upload_bytes = expected_pool(group);
    }
    return gpu_create(&share->gpu, share->options, rating->vmaf, &needs);
}

static int create_contexts(Group *group)
{
    const Options *const o = group->share->options;
    const size_t bytes = (group->count + 1) * frame_bytes(&group->videos[0]->format);
    const unsigned threads = o->threads_given ? o->threads : threads_by_default(bytes);
    int err = 0;
    for (unsigned i = 0; !err && i < group->count; i++) {
        err = rating_create_context(group->ratings[i], o, threads, group->ratings[0]);
        if (!err)
            err = place_on_gpu(group, group->ratings[i]);
    }
    if (!err && !group->share->models)
        err = models_create(&group->share->models, o);
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
    const uint64_t frames = ((const SyncPlan *)arg)->videos[number].skip;
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
    const Group *const group = arg;
    return shard_position(group->ratings[0]->shard, video, number ? SIDE_DIST : SIDE_REF,
                          group->plan.videos[number].skip, group->share->options->part.from_start);
}

static int read_and_score(Group *group)
{
    const FeedConfig config = {
        .options = group->share->options,
        .plan = &group->plan,
        .videos = group->videos,
        .ratings = group->ratings,
        .count = group->count,
        .gpu = group->share->gpu,
        .models = group->share->models,
        .kept = group->kept,
        .ahead = group->ahead,
        .shard = group->ratings[0]->shard,
    };
    return feed_ratings(&config);
}

int group_score(Group *group)
{
    int err = create_contexts(group);
    const Shard *const shard = group->ratings[0]->shard;
    if (!err && shard && shard_is_empty(shard))
        return 0;
    if (!err && shard)
        err = videos_do(group->videos, group->count + 1, find_part, group);
    else if (!err)
        err = videos_do(group->videos, group->count + 1, skip_in_video, &group->plan);
    return err ? err : read_and_score(group);
}

void group_clear(Group *group)
{
    sync_destroy(&group->plan);
    free(group->videos);
    free(group->ratings);
    *group = (Group){ 0 };
}
