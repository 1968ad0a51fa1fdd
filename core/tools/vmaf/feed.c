/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cpus.h"
#include "input/prefetch.h"
#include "common/interrupt.h"
#include "common/message.h"
#include "vmaf/part/shard.h"

typedef struct Feed {
    const FeedConfig *config;
    unsigned videos; /* the reference and the distorted ones */
    Prefetch *prefetch;
    Pairing *pairing;
    Prefetched *hand;       /* the frames in hand */
    bool *over;             /* ratings that get no more */
    uint64_t passed[SIDES]; /* frames before those that a shard reads, by now */
    bool told_places;
    Meter meter;
} Feed;

/* ---- frames ---- */

/* The pairing sees all frames of a video, also those that a shard does not read. */
static bool is_unread(const Feed *feed, unsigned video)
{
    const Shard *const shard = feed->config->shard;
    return shard && feed->passed[video] < shard->start[video];
}

static enum FrameStatus look(void *arg, unsigned video, int64_t *time)
{
    const Feed *const feed = arg;
    if (is_unread(feed, video)) {
        *time = video_time_of(feed->config->videos[video],
                              feed->config->plan->videos[video].skip + feed->passed[video]);
        return FRAME_WHOLE;
    }
    return prefetch_look(feed->prefetch, video, time);
}

static void let_go(VmafPicture *pic)
{
    if (pic->ref)
        vmaf_picture_unref(pic);
}

static void take(void *arg, unsigned video)
{
    Feed *const feed = arg;
    prefetched_release(&feed->hand[video]);
    if (is_unread(feed, video))
        feed->passed[video]++;
    else
        prefetch_take(feed->prefetch, video, &feed->hand[video]);
}

/* By number no frame is wanted twice: its picture is needed for those to come. */
static void let_go_of_pairs(const Feed *feed)
{
    if (feed->config->plan->by != PAIR_BY_NUMBER)
        return;
    for (unsigned i = 0; i < feed->videos; i++)
        prefetched_release(&feed->hand[i]);
}

/* ---- ends ---- */

static void say_cut(Feed *feed, unsigned rating, const Video *video, unsigned side)
{
    const FeedConfig *const config = feed->config;
    Rating *const r = config->ratings[rating];
    const uint64_t skipped = config->plan->videos[side ? rating + 1 : 0].skip;
    say("\"%s\" is cut off within frame %" PRIu64 ".", video->path, r->pairs + skipped);
    r->cut = true;
}

/* Why a rating's pairs have come to an end, and whether that is an error. */
static int tell_end(Feed *feed, unsigned rating)
{
    const FeedConfig *const config = feed->config;
    const PairingPart *const part = pairing_part(feed->pairing, rating + 1);
    const Video *const ref = config->videos[0], *const dist = config->videos[rating + 1];
    if (part->ref == FRAME_ERROR || part->dist == FRAME_ERROR)
        return -EIO;
    if (part->ref == FRAME_CUT)
        say_cut(feed, rating, ref, SIDE_REF);
    if (part->dist == FRAME_CUT)
        say_cut(feed, rating, dist, SIDE_DIST);
    if (config->ratings[rating]->cut)
        return 0;
    if (part->ref == FRAME_NONE && part->dist != FRAME_NONE)
        say("\"%s\" ended before \"%s\".", ref->path, dist->path);
    else if (part->dist == FRAME_NONE && part->ref != FRAME_NONE)
        say("\"%s\" ended before \"%s\".", dist->path, ref->path);
    return 0;
}

/* The two begin more than half a frame apart on their clocks. */
static bool begins_apart(const Feed *feed, unsigned rating)
{
    const PairingPart *const part = pairing_part(feed->pairing, rating + 1);
    const VideoTraits *const traits = &feed->config->videos[rating + 1]->traits;
    return llabs(part->begins[1] - part->begins[0]) >
           frame_duration(traits->rate_num, traits->rate_den) / 2;
}

/* What pairing by time had to do. */
static void tell_pairing(const Feed *feed, unsigned rating)
{
    const FeedConfig *const config = feed->config;
    const PairingPart *const part = pairing_part(feed->pairing, rating + 1);
    sync_describe(config->plan, rating + 1, part, config->ratings[rating]->pairing,
                  sizeof(config->ratings[rating]->pairing));
    if (part->repeated || part->left_out)
        say("%s: by time, %" PRIu64 " frame%s compared more than once, %" PRIu64 " left out",
            config->videos[rating + 1]->path, part->repeated,
            part->repeated == 1 ? " was" : "s were", part->left_out);
    if (begins_apart(feed, rating))
        say("%s begins at %.3f s, the reference at %.3f s: their first frames were taken for the same",
            config->videos[rating + 1]->path, (double)part->begins[1] / 1e9,
            (double)part->begins[0] / 1e9);
}

/* Frames before the first pair. */
static void count_skipped(const Feed *feed, unsigned rating)
{
    const SyncPlan *const plan = feed->config->plan;
    const PairingPart *const part = pairing_part(feed->pairing, rating + 1);
    VideoSpan *const span = feed->config->ratings[rating]->span;
    span[SIDE_REF].skipped = plan->videos[0].skip + part->first[SIDE_REF];
    span[SIDE_DIST].skipped = plan->videos[rating + 1].skip + part->first[SIDE_DIST];
}

static void end_rating(Feed *feed, unsigned rating, int err)
{
    Rating *const r = feed->config->ratings[rating];
    count_skipped(feed, rating);
    feed->over[rating] = true;
    prefetch_drop(feed->prefetch, rating + 1);
    prefetched_release(&feed->hand[rating + 1]);
    r->err = err;
    if (err)
        pairing_drop(feed->pairing, rating + 1);
    else
        tell_pairing(feed, rating);
}

static void end_all(Feed *feed)
{
    for (unsigned i = 0; i < feed->config->count; i++) {
        if (feed->over[i])
            continue;
        feed->config->ratings[i]->stopped = true;
        end_rating(feed, i, 0);
    }
}

/* ---- pairs ---- */

static int read_pictures(VmafContext *vmaf, VmafPicture *a, VmafPicture *b, unsigned index)
{
    VmafPicture ref = { 0 }, dist = { 0 };
    int err = vmaf_picture_ref(&ref, a);
    if (!err)
        err = vmaf_picture_ref(&dist, b);
    if (!err)
        err = vmaf_read_pictures(vmaf, &ref, &dist, index);
    if (err) {
        let_go(&ref);
        let_go(&dist);
    }
    return err;
}

static int read_kept(VmafContext *vmaf, const KeptFrame *a, const KeptFrame *b, unsigned index)
{
    KeptFrame *const ref = kept_copy(a), *const dist = kept_copy(b);
    if (ref && dist)
        return kept_read(vmaf, ref, dist, index);
    kept_release(ref);
    kept_release(dist);
    return -ENOMEM;
}

static int score_pair(Feed *feed, unsigned rating)
{
    const FeedConfig *const config = feed->config;
    Rating *const r = config->ratings[rating];
    Prefetched *const ref = &feed->hand[0], *const dist = &feed->hand[rating + 1];
    const int err = config->kept ? read_kept(r->vmaf, ref->kept, dist->kept, r->pairs)
                                 : read_pictures(r->vmaf, &ref->pic, &dist->pic, r->pairs);
    if (err) {
        say("problem reading pictures");
        return err;
    }
    r->pairs++;
    if (!feed->told_places)
        gpu_tell_places(config->gpu, r->vmaf, config->options->quiet);
    feed->told_places = true;
    return 0;
}

/* Its frames are pictures: those of a part are never kept elsewhere. */
static int note_pair(const Feed *feed, unsigned rating)
{
    return shard_note_pair(feed->config->shard, feed->config->ratings[rating]->pairs,
                           &feed->hand[0], &feed->hand[rating + 1]);
}

/* Pairs behind the last one of a shard: what is one more is only looked at, so that its neighbour can tell
 * whether they saw the same. */
static void leave_shard(Feed *feed, unsigned rating)
{
    Rating *const r = feed->config->ratings[rating];
    r->err = note_pair(feed, rating);
    end_rating(feed, rating, r->err);
    pairing_drop(feed->pairing, rating + 1);
}

/* Does the pair concern a shard no more than by its number? Returns also what went wrong with one that does. */
static bool pass_pair(Feed *feed, unsigned rating, int *err)
{
    Shard *const shard = feed->config->shard;
    Rating *const r = feed->config->ratings[rating];
    *err = 0;
    if (!shard)
        return false;
    if (r->pairs < shard->first - shard->lead) {
        r->pairs++;
        return true;
    }
    if (r->pairs >= shard->end) {
        leave_shard(feed, rating);
        return true;
    }
    *err = note_pair(feed, rating);
    shard->count += r->pairs >= shard->first;
    return false;
}

/* What the step brought for each rating. */
static void serve(Feed *feed)
{
    bool any = false;
    for (unsigned i = 0; i < feed->config->count; i++) {
        const PairingPart *const part = pairing_part(feed->pairing, i + 1);
        if (feed->over[i])
            continue;
        int err;
        if (part->state == PAIR_READY && pass_pair(feed, i, &err))
            continue;
        if (part->state == PAIR_READY) {
            if (!err)
                err = score_pair(feed, i);
            any |= !err;
            if (err)
                end_rating(feed, i, err);
        } else if (part->state == PAIR_OVER) {
            if (feed->config->shard)
                feed->config->shard->ended = true;
            end_rating(feed, i, tell_end(feed, i));
        }
    }
    let_go_of_pairs(feed);
    if (any)
        meter_step(&feed->meter);
}

static void score_pairs(Feed *feed)
{
    for (bool more = true; more;) {
        more = pairing_step(feed->pairing);
        if (interrupt_signal()) {
            end_all(feed);
            return;
        }
        serve(feed);
    }
}

/* ---- the whole ---- */

/* Pairs to come, as far as it can be told; 0: not at all. Ticks are not counted by frames. */
static uint64_t expected_pairs(const FeedConfig *config)
{
    if (config->shard && config->shard->end != UINT64_MAX)
        return config->shard->end - config->shard->first + config->shard->lead;
    uint64_t pairs = config->plan->limit;
    const uint64_t ref = video_frames_left(config->videos[0]);
    uint64_t longest = 0;
    if (config->plan->by == PAIR_AT_RATE)
        return pairs;
    if (config->plan->by == PAIR_BY_TIME)
        return ref && (!pairs || ref < pairs) ? ref : pairs;
    for (unsigned i = 1; i <= config->count; i++) {
        const uint64_t left = video_frames_left(config->videos[i]);
        if (!left)
            longest = UINT64_MAX; /* not known */
        else if (left > longest)
            longest = left;
    }
    if (ref && ref < longest)
        longest = ref;
    return longest != UINT64_MAX && (!pairs || longest < pairs) ? longest : pairs;
}

static bool mean_so_far(void *arg, double *mean)
{
    const FeedConfig *const config = arg;
    return models_mean_so_far(config->models, config->options, config->ratings[0]->vmaf, mean);
}

static void start_meter(Feed *feed, uint64_t expected)
{
    const FeedConfig *const config = feed->config;
    const bool shown = !config->options->quiet && message_on_terminal();
    const MeterConfig metering = {
        .score = mean_so_far,
        .arg = (void *)config,
        .kind = config->options->progress ? METER_LINES
                : shown                   ? METER_TERMINAL
                                          : METER_NONE,
        .total = expected,
    };
    meter_start(&feed->meter, &metering);
}

/* By number there is an end to what is read; by time nobody knows which frames will be wanted. */
static uint64_t frames_wanted(const FeedConfig *config, unsigned video)
{
    const Shard *const shard = config->shard;
    uint64_t skipped = 0;
    if (shard && config->plan->by == PAIR_BY_NUMBER && shard->end != UINT64_MAX)
        return shard->end + 1 - (shard->first - shard->lead);
    if (shard)
        return 0;
    if (config->plan->by != PAIR_BY_NUMBER || !config->plan->limit)
        return 0;
    for (unsigned i = 1; !video && i <= config->count; i++)
        if (config->plan->videos[i].pairing.skipped > skipped)
            skipped = config->plan->videos[i].pairing.skipped;
    return config->plan->limit + skipped;
}

/* A thread copies a few gigabytes a second out of the system's cache, a GPU takes some fifty: as many as help, which
 * leaves a quarter of the CPUs to those that feed it: a reader that loses its CPU holds up all frames behind its
 * own. */
static unsigned reading_threads(const FeedConfig *config)
{
    const unsigned least = 3, most = 8;
    const unsigned each = cpus_allowed() * 3 / 4 / (config->count + 1);
    if (!config->gpu)
        return 1;
    return each < least ? least : each > most ? most : each;
}

static int start_prefetch(Feed *feed, const PrefetchVideo *videos)
{
    const FeedConfig *const config = feed->config;
    const PrefetchConfig prefetch = {
        .vmaf = config->ratings[0]->vmaf,
        .kept = config->kept,
        .videos = videos,
        .count = feed->videos,
        .by_number = config->plan->by == PAIR_BY_NUMBER,
        /* Chroma that nobody looks at need not be read. */
        .planes = extractors_planes(config->ratings[0]->vmaf),
        .ahead = config->ahead,
        .threads = reading_threads(config),
    };
    return prefetch_create(&feed->prefetch, &prefetch);
}

static int start_pairing(Feed *feed, const PairingVideo *videos)
{
    const SyncPlan *const plan = feed->config->plan;
    const PairingConfig pairing = {
        .by = plan->by,
        .count = feed->videos,
        .videos = videos,
        .rate_num = plan->rate_num,
        .rate_den = plan->rate_den,
        .limit = plan->limit,
        .duration = plan->duration,
        .look = look,
        .take = take,
        .arg = feed,
    };
    return pairing_create(&feed->pairing, &pairing);
}

static int start(Feed *feed)
{
    const FeedConfig *const config = feed->config;
    PrefetchVideo *const prefetched = calloc(feed->videos, sizeof(*prefetched));
    PairingVideo *const paired = calloc(feed->videos, sizeof(*paired));
    feed->hand = calloc(feed->videos, sizeof(*feed->hand));
    feed->over = calloc(config->count, sizeof(*feed->over));
    int err = prefetched && paired && feed->hand && feed->over ? 0 : -ENOMEM;
    for (unsigned i = 0; !err && i < feed->videos; i++) {
        prefetched[i] = (PrefetchVideo){ config->videos[i], frames_wanted(config, i) };
        paired[i] = config->plan->videos[i].pairing;
    }
    if (!err)
        err = start_pairing(feed, paired);
    if (!err)
        err = start_prefetch(feed, prefetched);
    free(prefetched);
    free(paired);
    if (err)
        say("problem starting to read: %s", strerror(-err));
    return err;
}

static void finish(Feed *feed)
{
    for (unsigned i = 0; feed->hand && i < feed->videos; i++)
        prefetched_release(&feed->hand[i]);
    prefetch_destroy(feed->prefetch);
    pairing_destroy(feed->pairing);
    free(feed->hand);
    free(feed->over);
}

static void interrupt_prefetch(void *prefetch)
{
    prefetch_interrupt(prefetch);
}

static void find_empty(const FeedConfig *config)
{
    for (unsigned i = 0; i < config->count; i++) {
        Rating *const rating = config->ratings[i];
        if (rating->err || rating->pairs || rating->cut || rating->stopped)
            continue;
        if (config->count > 1)
            say("%s: there are no frames to score", rating->video->path);
        else
            say("there are no frames to score");
        rating->err = -EINVAL;
    }
}

int feed_ratings(const FeedConfig *config)
{
    Feed feed = { .config = config, .videos = config->count + 1 };
    const uint64_t expected =
        expected_pairs(config); /* now: the reading ahead will move on in the videos */
    const int err = start(&feed);
    if (!err) {
        interrupt_call(interrupt_prefetch, feed.prefetch);
        start_meter(&feed, expected);
        score_pairs(&feed);
        meter_finish(&feed.meter);
        interrupt_call(NULL, NULL);
        find_empty(config);
    }
    finish(&feed);
    return err;
}
