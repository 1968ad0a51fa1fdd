/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "hint.h"
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/convert.h"
#include "input/prefetch.h"
#include "input/shots.h"
#include "common/interrupt.h"
#include "common/message.h"
#include "ending.h"
#include "vmaf/part/part.h"

/* Finds the shots of a rating. */
typedef struct ShotWatch {
    ShotLooker looker;
    ShotFinder finder;
} ShotWatch;

typedef struct Feed {
    VideoGroup *group;
    PartRun *part;   /* the part to measure; NULL: all pairs */
    unsigned videos; /* the reference and the distorted ones */
    Prefetch *prefetch;
    Pairing *pairing;
    Prefetched *hand;       /* the current frame of each video */
    bool *over;             /* for each rating: it gets no more pairs */
    Ending *endings;        /* for each rating */
    uint64_t *rest;         /* frames of each video counted after its last pair */
    uint64_t passed[SIDES]; /* frames passed so far of those that the part does not read */
    OffsetHint *hints;      /* for each rating; NULL: they are not looked for */
    ShotWatch *shots;       /* for each rating; NULL: they are not asked for */
    ShotFrame ref;          /* for shots: the reference's frame that was looked at last */
    uint64_t ref_number;    /* its number, plus 1; 0: none was */
    bool told_devices;      /* the user knows where extractors run */
    Meter meter;
} Feed;

/* ---- frames ---- */

/* The pairing goes through all frames of a video, including those that a part does not read. */
static bool is_unread(const Feed *feed, unsigned video)
{
    const PartRun *const part = feed->part;
    return part && feed->passed[video] < part->start[video];
}

static enum FrameStatus look(void *arg, unsigned video, int64_t *time)
{
    const Feed *const feed = arg;
    if (is_unread(feed, video)) {
        *time = video_time_of(feed->group->videos[video],
                              feed->group->schedule.videos[video].skip + feed->passed[video]);
        return FRAME_WHOLE;
    }
    return prefetch_look(feed->prefetch, video, time);
}

static void release(VmafPicture *pic)
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

/* Paired by number, no frame is used twice: release the pictures, which the next frames need. */
static void release_pairs(const Feed *feed)
{
    if (feed->group->schedule.by != PAIR_BY_NUMBER)
        return;
    for (unsigned i = 0; i < feed->videos; i++)
        prefetched_release(&feed->hand[i]);
}

/* The number of a video's current frame in its file. */
static uint64_t number_in_hand(const Feed *feed, unsigned video)
{
    return feed->group->schedule.videos[video].skip + pairing_taken(feed->pairing, video) - 1;
}

/* ---- shots ---- */

static void begin_shot(const Feed *feed, unsigned rating, uint64_t pair)
{
    Rating *const r = feed->group->ratings[rating];
    if (pair < r->frame_count)
        r->frames[pair].shot = true;
    if (r->lines)
        lines_cut(r->lines, (unsigned)r->number, (unsigned)pair);
}

/* Looks at the reference's frame of the pair that is scored next. */
static int look_for_cut(Feed *feed, unsigned rating)
{
    const Rating *const r = feed->group->ratings[rating];
    const uint64_t number = number_in_hand(feed, 0) + 1;
    ShotWatch *const watch = &feed->shots[rating];
    ShotChange change;
    uint64_t first;
    if (feed->ref_number != number)
        shot_frame_of_picture(&feed->ref, &feed->hand[0].pic);
    feed->ref_number = number;
    shot_look(&watch->looker, &feed->ref, &change);
    if (feed->part)
        return r->pairs >= feed->part->first ? part_run_note_change(feed->part, &change) : 0;
    if (!r->pairs)
        begin_shot(feed, rating, 0);
    if (shot_finder_add(&watch->finder, &change, &first))
        begin_shot(feed, rating, first);
    if (r->lines)
        lines_looked(r->lines, (unsigned)r->number, r->pairs);
    return 0;
}

/* After a rating's last pair. */
static void end_shots(Feed *feed, unsigned rating)
{
    uint64_t first;
    if (feed->shots && !feed->part && shot_finder_end(&feed->shots[rating].finder, &first))
        begin_shot(feed, rating, first);
}

/* ---- ends ---- */

static void say_cut(Feed *feed, unsigned rating, const Video *video, unsigned side)
{
    const VideoGroup *const group = feed->group;
    Warnings *const warnings = &group->ratings[rating]->warnings;
    if (*video->cut)
        warnings_say(warnings, "cut", side, "\"%s\" is cut off%s.", video->path, video->cut);
    else
        warnings_say(warnings, "cut", side, "\"%s\" is cut off within frame %" PRIu64 ".",
                     video->path, feed->endings[rating].side[side].taken);
    group->ratings[rating]->cut = true;
}

/* Prints why a rating's pairs have ended. 0, or -EIO after an error. */
static int say_end(Feed *feed, unsigned rating)
{
    const VideoGroup *const group = feed->group;
    const PairingProgress *const part = pairing_progress(feed->pairing, rating + 1);
    const Video *const ref = group->videos[0], *const dist = group->videos[rating + 1];
    Warnings *const warnings = &group->ratings[rating]->warnings;
    if (part->ref == FRAME_ERROR || part->dist == FRAME_ERROR)
        return -EIO;
    if (part->ref == FRAME_CUT)
        say_cut(feed, rating, ref, SIDE_REF);
    if (part->dist == FRAME_CUT)
        say_cut(feed, rating, dist, SIDE_DIST);
    if (group->ratings[rating]->cut)
        return 0;
    if (part->ref == FRAME_NONE && part->dist != FRAME_NONE)
        warnings_say(warnings, "ended_early", SIDE_REF, "\"%s\" ended before \"%s\".", ref->path,
                     dist->path);
    else if (part->dist == FRAME_NONE && part->ref != FRAME_NONE)
        warnings_say(warnings, "ended_early", SIDE_DIST, "\"%s\" ended before \"%s\".", dist->path,
                     ref->path);
    return 0;
}

static double frame_seconds(const Video *video)
{
    const VideoTraits *const traits = &video->traits;
    return traits->rate_num ? (double)traits->rate_den / traits->rate_num : 0.0;
}

/* Notes how the rating's pairs have ended. */
static void note_ending(Feed *feed, unsigned rating)
{
    const VideoGroup *const group = feed->group;
    const SyncSchedule *const schedule = &group->schedule;
    const PairingProgress *const part = pairing_progress(feed->pairing, rating + 1);
    Ending *const ending = &feed->endings[rating];
    const enum FrameStatus statuses[SIDES] = { part->ref, part->dist };
    *ending = (Ending){ .pairs = part->pairs,
                        .enough = part->enough,
                        .resampled = schedule->by == PAIR_AT_RATE,
                        .by_number = schedule->by == PAIR_BY_NUMBER };
    for (enum Side side = SIDE_REF; side < SIDES; side++) {
        const unsigned number = side == SIDE_REF ? 0 : rating + 1;
        const Video *const video = group->videos[number];
        const uint64_t skip = schedule->videos[number].skip;
        const bool cut = statuses[side] == FRAME_CUT;
        ending->side[side] = (SideEnd){
            .status = statuses[side],
            .cut = cut && *video->cut ? video->cut : NULL,
            .duration = frame_seconds(video),
            .before = skip + part->first[side],
            .taken = skip + pairing_taken(feed->pairing, number),
            .stated = group->ratings[rating]->span[side].frames,
        };
        ending->side[side].found = ending->side[side].taken;
    }
    ending->noted = true;
}

/* True if frames before the first pair are left out because someone asked for that. */
static bool is_shifted(const SyncSchedule *schedule, unsigned video)
{
    const SyncVideo *const dist = &schedule->videos[video];
    return dist->found || dist->frames || dist->pairing.offset || dist->skip ||
           schedule->videos[0].skip;
}

/* True if the two videos' first frames were paired with each other although their times differ by
 * more than half a frame. */
static bool begins_apart(const Feed *feed, unsigned rating)
{
    if (is_shifted(&feed->group->schedule, rating + 1))
        return false;
    const PairingProgress *const part = pairing_progress(feed->pairing, rating + 1);
    const VideoTraits *const traits = &feed->group->videos[rating + 1]->traits;
    return llabs(part->begins[1] - part->begins[0]) >
           frame_duration(traits->rate_num, traits->rate_den) / 2;
}

/* Describes the pairing for the report, and prints what pairing by time had to do. */
static void note_pairing(const Feed *feed, unsigned rating)
{
    const VideoGroup *const group = feed->group;
    const PairingProgress *const part = pairing_progress(feed->pairing, rating + 1);
    Rating *const r = group->ratings[rating];
    sync_describe(&group->schedule, rating + 1, part, r->pairing, sizeof(r->pairing));
    if (part->repeated || part->left_out)
        warnings_say(&r->warnings, "repeated_frames", SIDE_DIST,
                     "%s: paired by time, %" PRIu64 " frame%s compared more than once and %" PRIu64
                     " left out",
                     r->video->path, part->repeated, part->repeated == 1 ? " was" : "s were",
                     part->left_out);
    if (begins_apart(feed, rating))
        warnings_say(&r->warnings, "begins_apart", SIDE_DIST,
                     "%s begins at %.3f s, the reference at %.3f s: their first frames were paired "
                     "with each other",
                     r->video->path, (double)part->begins[1] / 1e9, (double)part->begins[0] / 1e9);
    if (feed->hints)
        rating_tell_offset(r, &feed->hints[rating], &group->schedule.videos[rating + 1]);
}

/* Notes how many frames were found in a video when it became certain whether pairs are missing.
 * More may have been passed, because other ratings needed them. */
static void count_rest(Feed *feed, unsigned rating, enum Side side)
{
    Ending *const ending = &feed->endings[rating];
    SideEnd *const own = &ending->side[side];
    VideoSpan *const span = &feed->group->ratings[rating]->span[side];
    const unsigned number = side == SIDE_REF ? 0 : rating + 1;
    const uint64_t wanted = ending_wanted(ending, side);
    uint64_t *const passed = &feed->rest[number];
    const uint64_t seen =
        feed->group->schedule.videos[number].skip + pairing_taken(feed->pairing, number);
    if (seen + *passed < wanted)
        *passed += prefetch_count(feed->prefetch, number, wanted - seen - *passed);
    own->found = seen + *passed < wanted ? seen + *passed : wanted;
    span->found = own->found;
    span->ended = own->found < wanted || (own->status != FRAME_WHOLE && !ending->enough);
}

/* After all pairs: decides whether a rating is complete. */
static void settle(Feed *feed, unsigned rating)
{
    Rating *const r = feed->group->ratings[rating];
    if (r->err || !feed->endings[rating].noted)
        return;
    count_rest(feed, rating, SIDE_REF);
    ending_is_complete(&feed->endings[rating], r->incomplete, sizeof(r->incomplete));
}

/* Notes how many frames came before the first pair. */
static void count_skipped(const Feed *feed, unsigned rating)
{
    const SyncSchedule *const schedule = &feed->group->schedule;
    const PairingProgress *const part = pairing_progress(feed->pairing, rating + 1);
    VideoSpan *const span = feed->group->ratings[rating]->span;
    span[SIDE_REF].skipped = schedule->videos[0].skip + part->first[SIDE_REF];
    span[SIDE_DIST].skipped = schedule->videos[rating + 1].skip + part->first[SIDE_DIST];
}

static void end_rating(Feed *feed, unsigned rating, int err)
{
    Rating *const r = feed->group->ratings[rating];
    count_skipped(feed, rating);
    end_shots(feed, rating);
    feed->over[rating] = true;
    prefetch_drop(feed->prefetch, rating + 1);
    prefetched_release(&feed->hand[rating + 1]);
    r->err = err;
    if (err)
        pairing_drop(feed->pairing, rating + 1);
    else
        note_pairing(feed, rating);
}

static void end_all(Feed *feed)
{
    for (unsigned i = 0; i < feed->group->count; i++) {
        if (feed->over[i])
            continue;
        feed->group->ratings[i]->stopped = true;
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
        release(&ref);
        release(&dist);
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

/* When the reference's current frame is shown. Frames without times are counted, at the reference's
 * rate; where it has none, as raw video, frames that are paired by number have the distorted
 * video's. */
static int64_t time_in_hand(const Feed *feed, unsigned rating)
{
    const VideoGroup *const group = feed->group;
    const VideoTraits *traits = &group->videos[0]->traits;
    if (feed->hand[0].time != VIDEO_NO_TIME)
        return feed->hand[0].time;
    const int64_t time = pairing_time(feed->pairing, 0);
    if (time != VIDEO_NO_TIME)
        return time;
    if (!traits->rate_num && group->schedule.by == PAIR_BY_NUMBER)
        traits = &group->videos[rating + 1]->traits;
    return traits->rate_num && traits->rate_den
               ? frame_time(number_in_hand(feed, 0), traits->rate_num, traits->rate_den)
               : VIDEO_NO_TIME;
}

static int note_frames(const Feed *feed, unsigned rating)
{
    Rating *const r = feed->group->ratings[rating];
    const PairFrames frames = { time_in_hand(feed, rating),
                                { number_in_hand(feed, 0), number_in_hand(feed, rating + 1) },
                                false };
    int err = r->lines ? lines_add(r->lines, (unsigned)r->number, r->pairs, &frames) : 0;
    if (err || lines_are_bounded(feed->group->share->options))
        return err;
    err = rating_add_frames(r, &frames);
    if (err)
        say("problem noting the frames of a pair: %s", strerror(-err));
    return err;
}

/* Forgets the scores of pairs whose lines were written, but for a few that features may still add
 * to. */
static void forget_written(const Feed *feed, const Rating *r)
{
    enum { MARGIN = 16 };
    if (!r->lines || !lines_are_bounded(feed->group->share->options))
        return;
    const unsigned written = lines_written(r->lines, (unsigned)r->number);
    if (written > MARGIN)
        vmaf_forget_scores(r->vmaf, written - MARGIN);
}

static int score_pair(Feed *feed, unsigned rating)
{
    const VideoGroup *const group = feed->group;
    Rating *const r = group->ratings[rating];
    Prefetched *const ref = &feed->hand[0], *const dist = &feed->hand[rating + 1];
    const int unnoted =
        !feed->part || r->pairs >= feed->part->first ? note_frames(feed, rating) : 0;
    if (unnoted)
        return unnoted;
    if (feed->shots && look_for_cut(feed, rating))
        return -ENOMEM;
    if (feed->hints)
        hint_look(&feed->hints[rating], r->pairs, &ref->pic, &dist->pic);
    const int err = group->kept ? read_kept(r->vmaf, ref->kept, dist->kept, r->pairs)
                                : read_pictures(r->vmaf, &ref->pic, &dist->pic, r->pairs);
    if (err) {
        say("problem reading pictures");
        return err;
    }
    r->pairs++;
    forget_written(feed, r);
    if (!feed->told_devices)
        gpu_say_devices(group->share->gpu, r->vmaf, group->share->options->quiet,
                        &group->share->warnings);
    feed->told_devices = true;
    return 0;
}

/* True if the pictures of pairs can be looked at: they are in memory, with their luma. */
static bool may_hint(const Feed *feed)
{
    return !feed->group->kept && (rating_planes(feed->group->ratings[0]) & 1);
}

/* The frames of a part are always pictures in memory, never kept on a device. */
static int note_pair(const Feed *feed, unsigned rating)
{
    return part_run_note_pair(feed->part, feed->group->ratings[rating]->pairs, &feed->hand[0],
                              &feed->hand[rating + 1]);
}

/* Called for the first pair after the part's last: it is noted but not scored, so that merging can
 * check that the neighbouring part saw the same frames. */
static void leave_part(Feed *feed, unsigned rating)
{
    Rating *const r = feed->group->ratings[rating];
    r->err = note_pair(feed, rating);
    end_rating(feed, rating, r->err);
    pairing_drop(feed->pairing, rating + 1);
}

/* True if the pair lies outside the part and only needs counting. Otherwise sets *err to what went
 * wrong, or 0. */
static bool pass_pair(Feed *feed, unsigned rating, int *err)
{
    PartRun *const part = feed->part;
    Rating *const r = feed->group->ratings[rating];
    *err = 0;
    if (!part)
        return false;
    if (r->pairs < part->first - part->lead) {
        r->pairs++;
        return true;
    }
    if (r->pairs >= part->end) {
        leave_part(feed, rating);
        return true;
    }
    *err = note_pair(feed, rating);
    const bool own = r->pairs >= part->first;
    if (!*err && own && may_hint(feed) && hint_wants(r->pairs))
        *err =
            part_run_note_thumbs(part, r->pairs, &feed->hand[0].pic, &feed->hand[rating + 1].pic);
    part->count += own;
    return false;
}

/* Scores the pair that the pairing step has brought, if any, for each rating. */
static void serve(Feed *feed)
{
    bool any = false;
    for (unsigned i = 0; i < feed->group->count; i++) {
        const PairingProgress *const part = pairing_progress(feed->pairing, i + 1);
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
            if (feed->part)
                feed->part->ended = true;
            note_ending(feed, i);
            const int failed = say_end(feed, i);
            if (!failed)
                count_rest(feed, i, SIDE_DIST);
            end_rating(feed, i, failed);
        }
    }
    release_pairs(feed);
    if (any)
        meter_step(&feed->meter);
}

/* Ends all ratings if nobody takes the lines of --lines any more. */
static bool end_unread(Feed *feed)
{
    Lines *const lines = feed->group->share->lines;
    const int err = lines ? lines_error(lines) : 0;
    for (unsigned i = 0; err && i < feed->group->count; i++)
        if (!feed->over[i])
            end_rating(feed, i, err);
    return err;
}

static void score_pairs(Feed *feed)
{
    for (bool more = true; more;) {
        more = pairing_step(feed->pairing);
        if (interrupt_signal()) {
            end_all(feed);
            return;
        }
        if (end_unread(feed))
            return;
        serve(feed);
    }
}

/* ---- the whole ---- */

/* The number of pairs to score, for the progress display; 0: unknown. A part that has no end of its
 * own lasts to the end of the videos. */
static uint64_t pairs_to_score(const Feed *feed)
{
    const VideoGroup *const group = feed->group;
    const PartRun *const part = feed->part;
    const uint64_t all = group->expected_pairs ? group->expected_pairs : group->schedule.limit;
    if (!part)
        return all;
    const uint64_t end = part->end != UINT64_MAX ? part->end : all,
                   begin = part->first - part->lead;
    return end > begin ? end - begin : 0;
}

static bool mean_so_far(void *arg, double *mean)
{
    const VideoGroup *const group = arg;
    return models_mean_so_far(group->ratings[0]->models, group->share->options,
                              group->ratings[0]->vmaf, mean);
}

static void start_meter(Feed *feed)
{
    const VideoGroup *const group = feed->group;
    const bool shown = !group->share->options->quiet && message_on_terminal();
    const MeterConfig metering = {
        .score = group->share->lines ? NULL : mean_so_far, /* its scores are soon forgotten */
        .arg = (void *)group,
        .kind = group->share->options->progress ? METER_LINES
                : shown                         ? METER_TERMINAL
                                                : METER_NONE,
        .total = pairs_to_score(feed),
    };
    meter_start(&feed->meter, &metering);
}

/* How many frames of a video will be read; 0: unknown. Pairing by time does not tell in advance
 * which frames it needs. */
static uint64_t frames_wanted(const Feed *feed, unsigned video)
{
    const VideoGroup *const group = feed->group;
    const PartRun *const part = feed->part;
    uint64_t skipped = 0;
    if (part && group->schedule.by == PAIR_BY_NUMBER && part->end != UINT64_MAX)
        return part->end + 1 - (part->first - part->lead);
    if (part)
        return 0;
    if (group->schedule.by != PAIR_BY_NUMBER || !group->schedule.limit)
        return 0;
    for (unsigned i = 1; !video && i <= group->count; i++)
        if (group->schedule.videos[i].pairing.skipped > skipped)
            skipped = group->schedule.videos[i].pairing.skipped;
    return group->schedule.limit + skipped;
}

/* Threads that read each video. A thread copies a few gigabytes a second out of the page cache, a
 * GPU takes some fifty: use as many as help, but leave a quarter of the CPUs to the threads that
 * feed the GPU, because a reader that loses its CPU holds up all frames after its own. */
static unsigned reading_threads(const VideoGroup *group)
{
    const unsigned least = 3, most = 8;
    const unsigned each = cpus_allowed() * 3 / 4 / (group->count + 1);
    if (!group->share->gpu)
        return 1;
    return each < least ? least : each > most ? most : each;
}

/* Threads that copy, widen or scale the frames of each decoded video. Scaling takes as long as
 * scoring on some CPUs; a copy keeps the thread that waits for the decoder from feeding a GPU. */
static unsigned converting_threads(const VideoGroup *group)
{
    const unsigned most = 8, share = cpus_allowed() / 4 / (group->count + 1);
    bool scaled = false;
    for (unsigned i = 0; i <= group->count; i++)
        scaled |= group->videos[i]->convert && convert_scales(group->videos[i]->convert);
    const unsigned least = group->share->gpu ? 2 : 1, wanted = scaled ? share : least;
    return wanted < least ? least : wanted > most ? most : wanted;
}

static int start_prefetch(Feed *feed, const PrefetchVideo *videos)
{
    const VideoGroup *const group = feed->group;
    const PrefetchConfig prefetch = {
        .vmaf = group->ratings[0]->vmaf,
        .kept = group->kept,
        .videos = videos,
        .count = feed->videos,
        .by_number = group->schedule.by == PAIR_BY_NUMBER,
        /* No need to read chroma that no extractor looks at. */
        .planes = rating_planes(group->ratings[0]),
        .ahead = group->ahead,
        .threads = reading_threads(group),
        .converting = converting_threads(group),
    };
    return prefetch_create(&feed->prefetch, &prefetch);
}

static int start_pairing(Feed *feed, const PairingVideo *videos)
{
    const SyncSchedule *const schedule = &feed->group->schedule;
    const PairingConfig pairing = {
        .by = schedule->by,
        .count = feed->videos,
        .videos = videos,
        .rate_num = schedule->rate_num,
        .rate_den = schedule->rate_den,
        .limit = schedule->limit,
        .duration = schedule->duration,
        .look = look,
        .take = take,
        .arg = feed,
    };
    return pairing_create(&feed->pairing, &pairing);
}

static int start(Feed *feed)
{
    const VideoGroup *const group = feed->group;
    PrefetchVideo *const prefetched = calloc(feed->videos, sizeof(*prefetched));
    PairingVideo *const paired = calloc(feed->videos, sizeof(*paired));
    feed->hand = calloc(feed->videos, sizeof(*feed->hand));
    feed->over = calloc(group->count, sizeof(*feed->over));
    feed->endings = calloc(group->count, sizeof(*feed->endings));
    feed->rest = calloc(feed->videos, sizeof(*feed->rest));
    if (may_hint(feed) && !feed->part)
        feed->hints = calloc(group->count, sizeof(*feed->hints));
    if (group->share->options->shots)
        feed->shots = calloc(group->count, sizeof(*feed->shots));
    int err = prefetched && paired && feed->hand && feed->over && feed->endings && feed->rest &&
                      !feed->shots == !group->share->options->shots
                  ? 0
                  : -ENOMEM;
    for (unsigned i = 0; !err && i < feed->videos; i++) {
        prefetched[i] = (PrefetchVideo){ group->videos[i], frames_wanted(feed, i) };
        paired[i] = group->schedule.videos[i].pairing;
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
    free(feed->hints);
    free(feed->shots);
    free(feed->over);
    free(feed->endings);
    free(feed->rest);
}

static void interrupt_prefetch(void *prefetch)
{
    prefetch_interrupt(prefetch);
}

/* A rating without any pair is an error, unless something else ended it. */
static void find_empty(const VideoGroup *group)
{
    for (unsigned i = 0; i < group->count; i++) {
        Rating *const rating = group->ratings[i];
        if (rating->err || rating->pairs || rating->cut || rating->stopped)
            continue;
        if (group->count > 1)
            say("%s: there are no frames to score", rating->video->path);
        else
            say("there are no frames to score");
        rating->err = -EINVAL;
    }
}

/* An error if the videos end before the first frame of --frames. */
static void check_part(const VideoGroup *group)
{
    const PartChoice *const choice = &group->share->options->part;
    Rating *const rating = group->ratings[0];
    if (choice->kind != PART_FRAMES || rating->err || rating->stopped || rating->cut ||
        rating->part->count)
        return;
    say("--frames %" PRIu64 "-%" PRIu64 ": the videos have no frame %" PRIu64
        " to score; their frames count from 0",
        choice->first, choice->last, choice->first);
    rating->err = -EINVAL;
}

int group_feed(VideoGroup *group)
{
    Feed feed = { .group = group, .part = group->ratings[0]->part, .videos = group->count + 1 };
    const int err = start(&feed);
    if (!err) {
        interrupt_call(interrupt_prefetch, feed.prefetch);
        if (group->share->lines)
            lines_call(group->share->lines, interrupt_prefetch, feed.prefetch);
        start_meter(&feed);
        score_pairs(&feed);
        meter_finish(&feed.meter);
        for (unsigned i = 0; i < group->count; i++)
            settle(&feed, i);
        interrupt_call(NULL, NULL);
        if (group->share->lines)
            lines_call(group->share->lines, NULL, NULL);
        find_empty(group);
        check_part(group);
    }
    finish(&feed);
    return err;
}
