/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "input/reader.h"
#include "common/message.h"
#include "models.h"
#include "shard.h"

/* ---- how many pairs there will be ---- */

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t frames_behind(const Video *video, uint64_t skipped)
{
    const uint64_t left = video_frames_left(video);
    return left > skipped ? left - skipped : 0;
}

static double rate_of(const Video *video)
{
    const VideoTraits *const traits = &video->traits;
    return traits->rate_num && traits->rate_den ? (double)traits->rate_num / traits->rate_den : 0.0;
}

/* An estimate where files only give their duration; all parts come to the same. 0: nobody knows. */
static uint64_t expected_pairs(const SyncPlan *plan, Video *const *videos)
{
    const double ref_rate = rate_of(videos[0]), dist_rate = rate_of(videos[1]);
    const uint64_t ref =
        frames_behind(videos[0], plan->videos[0].skip + plan->videos[1].pairing.skipped);
    uint64_t dist = frames_behind(videos[1], plan->videos[1].skip);
    if (!video_frames_left(videos[0]) || !video_frames_left(videos[1]))
        return 0;
    if (plan->by != PAIR_BY_NUMBER && ref_rate > 0.0 && dist_rate > 0.0)
        dist = (uint64_t)((double)dist * ref_rate / dist_rate + 0.5);
    double pairs = (double)lesser(ref, dist);
    double rate = ref_rate;
    if (plan->by == PAIR_AT_RATE) {
        rate = (double)plan->rate_num / plan->rate_den;
        pairs = ref_rate > 0.0 ? pairs * rate / ref_rate : 0.0;
    }
    if (plan->duration && rate > 0.0 && pairs > (double)plan->duration * rate / 1e9)
        pairs = (double)plan->duration * rate / 1e9 + 1.0;
    const uint64_t count = (uint64_t)pairs;
    return plan->limit ? lesser(count, plan->limit) : count;
}

/* ---- which of them ---- */

static int refuse_pipes(Video *const *videos)
{
    for (unsigned i = 0; i < SIDES; i++) {
        if (videos[i]->source->seekable)
            continue;
        say("%s is a pipe: parts are of files, which each of them can search for its own frames",
            videos[i]->path);
        return -EINVAL;
    }
    return 0;
}

/* The last part takes what there is, should there be more than expected. */
static int choose_pairs(Shard *shard, const Options *options, const SyncPlan *plan,
                        Video *const *videos)
{
    const PartChoice *const choice = &options->part;
    if (choice->kind == PART_FRAMES) {
        shard->first = choice->first;
        shard->end = choice->last + 1;
        return 0;
    }
    const uint64_t pairs = expected_pairs(plan, videos);
    if (!pairs) {
        say("%s does not tell how many frames it has, so that it cannot be divided: give each part its "
            "own with --frames A-B",
            video_frames_left(videos[0]) ? videos[1]->path : videos[0]->path);
        return -EINVAL;
    }
    const bool last = choice->index + 1 == choice->count;
    shard->first = pairs * choice->index / choice->count;
    shard->end = last ? UINT64_MAX : pairs * (choice->index + 1) / choice->count;
    return 0;
}

/* ---- where they begin ---- */

/* The pairing, run without a look at the videos up to the first pair that is read. */
typedef struct Rehearsal {
    const SyncPlan *plan;
    Video *const *videos;
    uint64_t taken[SIDES];
} Rehearsal;

static enum FrameStatus look(void *arg, unsigned video, int64_t *time)
{
    const Rehearsal *const r = arg;
    *time = video_time_of(r->videos[video], r->plan->videos[video].skip + r->taken[video]);
    return FRAME_WHOLE;
}

static void take(void *arg, unsigned video)
{
    ((Rehearsal *)arg)->taken[video]++;
}

static bool same_rate(unsigned num, unsigned den, const Video *video)
{
    const VideoTraits *const traits = &video->traits;
    return (uint64_t)num * traits->rate_den == (uint64_t)traits->rate_num * den;
}

/* Do frames lie so that each has its partner at the same time, and no other is near? Times as they will be are
 * good enough then; else the least bit of them may decide. */
static bool are_in_step(const SyncPlan *plan, Video *const *videos)
{
    const VideoTraits *const ref = &videos[0]->traits;
    return same_rate(ref->rate_num, ref->rate_den, videos[1]) &&
           (plan->by != PAIR_AT_RATE || same_rate(plan->rate_num, plan->rate_den, videos[0])) &&
           !plan->videos[1].pairing.offset;
}

/* Where times decide and cannot be foretold, all frames have to be seen. */
static bool must_be_seen(const Video *video, const SyncPlan *plan, bool foreseeable)
{
    const bool timed = video->reader->time && !video->traits.timeless;
    return plan->by != PAIR_BY_NUMBER && timed &&
           (!foreseeable || video_time_of(video, 0) == VIDEO_NO_TIME);
}

static int find_start(Shard *shard, const SyncPlan *plan, Video *const *videos, bool from_start)
{
    Rehearsal rehearsal = { .plan = plan, .videos = videos };
    const PairingVideo paired[SIDES] = { plan->videos[0].pairing, plan->videos[1].pairing };
    const PairingConfig config = {
        .by = plan->by,
        .count = SIDES,
        .videos = paired,
        .rate_num = plan->rate_num,
        .rate_den = plan->rate_den,
        .limit = plan->limit,
        .duration = plan->duration,
        .look = look,
        .take = take,
        .arg = &rehearsal,
    };
    Pairing *pairing;
    const int err = pairing_create(&pairing, &config);
    if (err)
        return err;
    while (pairing_step(pairing)) {
        const PairingPart *const part = pairing_part(pairing, 1);
        if (part->state == PAIR_OVER ||
            (part->state == PAIR_READY && part->pairs > shard->first - shard->lead))
            break;
    }
    /* At an end that comes before, the frames that lead to it are read. */
    const bool foreseeable = !from_start && are_in_step(plan, videos);
    for (unsigned i = 0; i < SIDES; i++) {
        shard->seen[i] = must_be_seen(videos[i], plan, foreseeable);
        if (rehearsal.taken[i] && !shard->seen[i])
            shard->start[i] = rehearsal.taken[i] - 1;
    }
    pairing_destroy(pairing);
    return 0;
}

/* ---- the files ---- */

/* Enough to tell two files of the same size apart, and little to read. */
static int digest_ends(Shard *shard, const Video *video, enum Side side)
{
    enum { PIECE = 1 << 16 };
    Source *const source = video->source;
    Digest digest;
    digest_start(&digest);
    int err = 0;
    if (source->fd >= 0 && source->seekable) {
        uint8_t *const piece = malloc(PIECE);
        const size_t size = (size_t)lesser(PIECE, source->size);
        if (!piece)
            return -ENOMEM;
        shard->size[side] = source->size;
        for (unsigned i = 0; !err && size && i < 2; i++) {
            Span span = { piece, size };
            err = source_read(source, i ? source->size - size : 0, &span, 1);
            digest_add(&digest, piece, size);
        }
        free(piece);
    }
    digest_end(&digest, shard->ends[side]);
    return err ? video_read_error(video, err) : 0;
}

/* ---- the whole ---- */

int shard_plan(Shard *shard, const Options *options, const SyncPlan *plan, Video *const *videos,
               unsigned pairs_back)
{
    clock_gettime(CLOCK_MONOTONIC, &shard->started);
    int err = refuse_pipes(videos);
    if (!err)
        err = choose_pairs(shard, options, plan, videos);
    if (err)
        return err;
    /* One at least: where parts meet, both have seen the same frame. */
    shard->lead = lesser(shard->first, pairs_back ? pairs_back : 1);
    err = find_start(shard, plan, videos, options->part.from_start);
    if (!err)
        err = describe_models(&shard->models, options);
    for (unsigned i = 0; !err && i < SIDES; i++) {
        digest_start(&shard->content[i]);
        err = digest_ends(shard, videos[i], (enum Side)i);
    }
    return err;
}

void shard_destroy(Shard *shard)
{
    if (shard) {
        json_decref(shard->models);
        free(shard->pairs);
    }
    free(shard);
}

bool shard_is_empty(const Shard *shard)
{
    return shard->first >= shard->end;
}

int shard_position(const Shard *shard, Video *video, enum Side side, uint64_t skip, bool from_start)
{
    video->options.even = !from_start && !shard->seen[side];
    const enum FrameStatus status = video_go_to(video, skip + shard->start[side], from_start);
    if (status == FRAME_CUT)
        say("\"%s\" is cut off before frame %" PRIu64 ".", video->path, skip + shard->start[side]);
    return status == FRAME_CUT || status == FRAME_ERROR ? -EINVAL : 0;
}

/* ---- on the way ---- */

static void digest_frame(Digest *digest, const VmafPicture *pic, unsigned planes)
{
    for (unsigned p = 0; p < 3; p++) {
        if (!(planes & 1u << p) || !pic->data[p])
            continue;
        const size_t row = (size_t)pic->w[p] * (pic->bpc > 8 ? 2 : 1);
        const uint8_t *at = pic->data[p];
        for (unsigned y = 0; y < pic->h[p]; y++, at += pic->stride[p])
            digest_add(digest, at, row);
    }
}

int shard_note_pair(Shard *shard, uint64_t pair, const Prefetched *ref, const Prefetched *dist)
{
    const Prefetched *const frames[SIDES] = { ref, dist };
    if (shard->pair_count == shard->pair_capacity) {
        const size_t more = shard->pair_capacity ? 2 * shard->pair_capacity : 64;
        PairDigest *const grown = realloc(shard->pairs, more * sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        shard->pairs = grown;
        shard->pair_capacity = more;
    }
    PairDigest *const noted = &shard->pairs[shard->pair_count++];
    for (unsigned i = 0; i < SIDES; i++) {
        Digest digest;
        digest_start(&digest);
        digest_frame(&digest, &frames[i]->pic, shard->planes);
        digest_end(&digest, noted->text[i]);
        noted->place[i] = frames[i]->place;
        if (pair >= shard->first && pair < shard->end)
            digest_add(&shard->content[i], noted->text[i], DIGEST_TEXT - 1);
    }
    return 0;
}
