/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "input/reader.h"
#include "common/message.h"
#include "part.h"
#include "vmaf/hint.h"

/* ---- which pairs ---- */

static int refuse_pipes(Video *const *videos)
{
    for (unsigned i = 0; i < SIDES; i++) {
        if (videos[i]->source->seekable)
            continue;
        say("%s is a pipe: parts need files, in which they can look for their frames",
            videos[i]->path);
        return -EINVAL;
    }
    return 0;
}

/* Chooses the pairs of this part. The last part takes all pairs to the end, even if there are more
 * than expected. */
static int choose_pairs(PartRun *part, const Options *options, const SyncSchedule *schedule,
                        Video *const *videos)
{
    const PartChoice *const choice = &options->part;
    if (choice->kind == PART_FRAMES) {
        part->first = choice->first;
        part->end = choice->last + 1;
        return 0;
    }
    const bool known = video_frames_left(videos[0]) && video_frames_left(videos[1]);
    const uint64_t pairs = known ? sync_expected_pairs(schedule, videos) : 0;
    if (!pairs) {
        say("%s does not tell how many frames it has, so it cannot be split: give each part its own frames "
            "with --frames A-B",
            video_frames_left(videos[0]) ? videos[1]->path : videos[0]->path);
        return -EINVAL;
    }
    const bool last = choice->index + 1 == choice->count;
    part->first = pairs * choice->index / choice->count;
    part->end = last ? UINT64_MAX : pairs * (choice->index + 1) / choice->count;
    return 0;
}

/* ---- where the part begins ---- */

/* The pairing, run without reading the videos up to the first pair of the part. */
typedef struct Rehearsal {
    const SyncSchedule *schedule;
    Video *const *videos;
    uint64_t taken[SIDES];
} Rehearsal;

static enum FrameStatus look(void *arg, unsigned video, int64_t *time)
{
    const Rehearsal *const r = arg;
    *time = video_time_of(r->videos[video], r->schedule->videos[video].skip + r->taken[video]);
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

/* True if each frame has its partner at the same time and no other frame is near. Then computed
 * times are good enough; otherwise the smallest difference from the real times may decide. */
static bool are_in_step(const SyncSchedule *schedule, Video *const *videos)
{
    const VideoTraits *const ref = &videos[0]->traits;
    return same_rate(ref->rate_num, ref->rate_den, videos[1]) &&
           (schedule->by != PAIR_AT_RATE ||
            same_rate(schedule->rate_num, schedule->rate_den, videos[0])) &&
           !schedule->videos[1].pairing.offset;
}

/* True if times decide about pairs and cannot be computed: then all frames have to be read. */
static bool must_be_seen(const Video *video, const SyncSchedule *schedule, bool computable)
{
    const bool timed = video->reader->time && !video->traits.timeless;
    return schedule->by != PAIR_BY_NUMBER && timed &&
           (!computable || video_time_of(video, 0) == VIDEO_NO_TIME);
}

static int find_start(PartRun *part, const SyncSchedule *schedule, Video *const *videos,
                      bool from_start)
{
    Rehearsal rehearsal = { .schedule = schedule, .videos = videos };
    const PairingVideo paired[SIDES] = { schedule->videos[0].pairing, schedule->videos[1].pairing };
    const PairingConfig config = {
        .by = schedule->by,
        .count = SIDES,
        .videos = paired,
        .rate_num = schedule->rate_num,
        .rate_den = schedule->rate_den,
        .limit = schedule->limit,
        .duration = schedule->duration,
        .look = look,
        .take = take,
        .arg = &rehearsal,
    };
    Pairing *pairing;
    const int err = pairing_create(&pairing, &config);
    if (err)
        return err;
    while (pairing_step(pairing)) {
        const PairingProgress *const step = pairing_progress(pairing, 1);
        if (step->state == PAIR_OVER ||
            (step->state == PAIR_READY && step->pairs > part->first - part->lead))
            break;
    }
    /* If the videos end before the part, the frames that lead to the end are read. */
    const bool computable = !from_start && are_in_step(schedule, videos);
    for (unsigned i = 0; i < SIDES; i++) {
        part->seen[i] = must_be_seen(videos[i], schedule, computable);
        if (rehearsal.taken[i] && !part->seen[i])
            part->start[i] = rehearsal.taken[i] - 1;
    }
    pairing_destroy(pairing);
    return 0;
}

/* ---- the files ---- */

/* Digests the beginning and the end of a file: little to read, and enough to tell two files of one
 * size apart. */
static int digest_ends(PartRun *part, const Video *video, enum Side side)
{
    enum { PIECE = 1 << 16 };
    Source *const source = video->source;
    Digest digest;
    digest_start(&digest);
    int err = 0;
    if (source->fd >= 0 && source->seekable) {
        uint8_t *const piece = malloc(PIECE);
        const size_t size = source->size < PIECE ? (size_t)source->size : PIECE;
        if (!piece)
            return -ENOMEM;
        part->size[side] = source->size;
        for (unsigned i = 0; !err && size && i < 2; i++) {
            Span span = { piece, size };
            err = source_read(source, i ? source->size - size : 0, &span, 1);
            digest_add(&digest, piece, size);
        }
        free(piece);
    }
    digest_end(&digest, part->ends[side]);
    return err ? video_read_error(video, err) : 0;
}

int part_run_split(PartRun *part, const Options *options, const SyncSchedule *schedule,
                   Video *const *videos, unsigned pairs_back)
{
    clock_gettime(CLOCK_MONOTONIC, &part->started);
    int err = refuse_pipes(videos);
    if (!err)
        err = choose_pairs(part, options, schedule, videos);
    if (err)
        return err;
    /* At least one: where two parts meet, both must have seen the same frame. Frames are compared
     * with the two before to find shots. */
    const uint64_t least = options->shots ? 2 : 1;
    const uint64_t lead = pairs_back > least ? pairs_back : least;
    part->lead = part->first < lead ? part->first : lead;
    part->offset_frames = schedule->videos[1].frames;
    part->offset_ns = schedule->videos[1].pairing.offset;
    err = find_start(part, schedule, videos, options->part.from_start);
    if (!err)
        err = describe_models(&part->models, options);
    for (unsigned i = 0; !err && i < SIDES; i++) {
        digest_start(&part->content[i]);
        err = digest_ends(part, videos[i], (enum Side)i);
    }
    return err;
}

void part_run_destroy(PartRun *part)
{
    if (part) {
        json_decref(part->models);
        free(part->pairs);
        free(part->thumbs);
        free(part->changes);
    }
    free(part);
}

bool part_run_is_empty(const PartRun *part)
{
    return part->first >= part->end;
}

int part_run_position(const PartRun *part, Video *video, enum Side side, uint64_t skip,
                      bool from_start)
{
    video->options.even = !from_start && !part->seen[side];
    const enum FrameStatus status = video_go_to(video, skip + part->start[side], from_start);
    if (status == FRAME_CUT)
        say("\"%s\" is cut off before frame %" PRIu64 ".", video->path, skip + part->start[side]);
    return status == FRAME_CUT || status == FRAME_ERROR ? -EINVAL : 0;
}

/* ---- while reading ---- */

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

int part_run_note_pair(PartRun *part, uint64_t pair, const Prefetched *ref, const Prefetched *dist)
{
    const Prefetched *const frames[SIDES] = { ref, dist };
    if (part->pair_count == part->pair_capacity) {
        const size_t more = part->pair_capacity ? 2 * part->pair_capacity : 64;
        PairDigest *const grown = realloc(part->pairs, more * sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        part->pairs = grown;
        part->pair_capacity = more;
    }
    PairDigest *const noted = &part->pairs[part->pair_count++];
    for (unsigned i = 0; i < SIDES; i++) {
        Digest digest;
        digest_start(&digest);
        digest_frame(&digest, &frames[i]->pic, part->planes);
        digest_end(&digest, noted->text[i]);
        noted->position[i] = frames[i]->position;
        if (pair >= part->first && pair < part->end)
            digest_add(&part->content[i], noted->text[i], DIGEST_TEXT - 1);
    }
    return 0;
}

int part_run_note_thumbs(PartRun *part, uint64_t pair, const VmafPicture *ref,
                         const VmafPicture *dist)
{
    PairThumbs *const grown =
        realloc(part->thumbs, (part->thumbs_count + 1) * sizeof(*part->thumbs));
    if (!grown)
        return -ENOMEM;
    part->thumbs = grown;
    PairThumbs *const noted = &grown[part->thumbs_count++];
    noted->pair = pair;
    hint_thumbs(&noted->at[SIDE_REF], &noted->at[SIDE_DIST], ref, dist);
    return 0;
}

int part_run_note_change(PartRun *part, const ShotChange *change)
{
    if (part->change_count == part->change_capacity) {
        const size_t more = part->change_capacity ? 2 * part->change_capacity : 64;
        ShotChange *const grown = realloc(part->changes, more * sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        part->changes = grown;
        part->change_capacity = more;
    }
    part->changes[part->change_count++] = *change;
    return 0;
}
