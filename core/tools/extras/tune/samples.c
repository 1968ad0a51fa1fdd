/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "samples.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/message.h"

static void hear_tail(void *tail, enum ChildStream stream, const char *bytes, size_t count)
{
    tail_feed(tail, bytes, count);
}

/* Lossless, so that the encoder's input and the reference for scoring are the same frames. */
int piece_cut(const Original *source, Workshop *shop, double from, double seconds, uint64_t frames,
              const char *path)
{
    Argv argv = { 0 };
    Tail tail = { .next = 0 };
    ChildEnd end;
    argv_add_all(&argv, (const char *const[]){ shop->ffmpeg, "-nostdin", "-hide_banner", "-v",
                                               "error", "-y", NULL });
    if (frames)
        argv_add_all(&argv, (const char *const[]){ "-seek_timestamp", "1", NULL });
    argv_add(&argv, "-ss");
    argv_addf(&argv, "%.6f", from > 0.0 || frames ? from : 0.0);
    argv_add(&argv, "-i");
    argv_addf(&argv, "file:%s", source->argument);
    if (frames) {
        argv_add(&argv, "-frames:v");
        argv_addf(&argv, "%llu", (unsigned long long)frames);
    } else {
        argv_add(&argv, "-t");
        argv_addf(&argv, "%.6f", seconds);
    }
    argv_add_all(&argv, (const char *const[]){ "-map", "0:v:0", "-c:v", "ffv1", "-level", "3", "-g",
                                               "1", "-slices", "4", "-f", "matroska", NULL });
    argv_addf(&argv, "file:%s", path);
    const ChildParams params = { .argv = (const char *const *)argv.words,
                                 .sink = { CHILD_NOWHERE, CHILD_TO_US },
                                 .time_limit = shop->time_limit,
                                 .heard = hear_tail,
                                 .arg = &tail };
    int err = argv.failed ? -ENOMEM : child_run(shop->children, &params, &end);
    if (!err && end.code) {
        say("cannot cut a piece from %s at %.2f s", source->path, from);
        tail_say(&tail);
        err = -EIO;
    }
    argv_free(&argv);
    return err;
}

/* ---- scenes ---- */

/* Key frames whose pictures differ by this mean or more belong to different scenes. */
#define OTHER_SCENE 12

bool is_other_scene(const KeyFrame *a, const KeyFrame *b)
{
    unsigned sum = 0;
    for (size_t i = 0; i < sizeof(a->luma); i++)
        sum += (unsigned)abs(a->luma[i] - b->luma[i]);
    return sum >= OTHER_SCENE * sizeof(a->luma);
}

typedef struct KeyReader {
    const Packets *packets;
    size_t packet; /* the next one to look at for a key frame */
    KeyFrame current, before;
    size_t used;    /* bytes of the current picture */
    double *starts; /* where scenes begin */
    size_t count, room;
    double seconds; /* length of samples: long scenes have further starts at this distance */
    bool failed;    /* out of memory, or more pictures than key packets */
} KeyReader;

static void add_start(KeyReader *reader, double time)
{
    if (reader->count && time <= reader->starts[reader->count - 1])
        return;
    if (reader->count == reader->room) {
        const size_t room = reader->room * 2 + 64;
        double *const grown = realloc(reader->starts, room * sizeof(*grown));
        if (!grown) {
            reader->failed = true;
            return;
        }
        reader->starts = grown;
        reader->room = room;
    }
    reader->starts[reader->count++] = time;
}

/* Frames leave the decoder in the order of their times, and so do key packets in their file. */
static void end_picture(KeyReader *reader)
{
    const Packets *const packets = reader->packets;
    while (reader->packet < packets->count && !packets->at[reader->packet].key)
        reader->packet++;
    if (reader->packet == packets->count) {
        reader->failed = true;
        return;
    }
    reader->current.time = packets->at[reader->packet++].time - packets->at[0].time;
    if (!reader->count || is_other_scene(&reader->before, &reader->current) ||
        reader->current.time >= reader->starts[reader->count - 1] + reader->seconds)
        add_start(reader, reader->current.time);
    reader->before = reader->current;
    reader->used = 0;
}

static void hear_keys(void *arg, enum ChildStream stream, const char *bytes, size_t count)
{
    KeyReader *const reader = arg;
    while (count && !reader->failed) {
        const size_t left = sizeof(reader->current.luma) - reader->used;
        const size_t taken = count < left ? count : left;
        memcpy(reader->current.luma + reader->used, bytes, taken);
        reader->used += taken;
        bytes += taken;
        count -= taken;
        if (reader->used == sizeof(reader->current.luma))
            end_picture(reader);
    }
}

/* Find where scenes begin. If key frames cannot be read, the list stays empty: any place will do.
 */
static int find_starts(KeyReader *reader, const Original *source, Workshop *shop)
{
    ChildEnd end;
    Argv argv = media_key_command(shop->ffmpeg, source->argument, KEY_WIDTH, KEY_HEIGHT);
    const ChildParams params = { .argv = (const char *const *)argv.words,
                                 .sink = { CHILD_TO_US, CHILD_NOWHERE },
                                 .time_limit = shop->time_limit,
                                 .heard = hear_keys,
                                 .arg = reader };
    const int err = argv.failed ? -ENOMEM : child_run(shop->children, &params, &end);
    argv_free(&argv);
    if (!err && (end.code || reader->failed))
        reader->count = 0;
    return err;
}

/* ---- choosing ---- */

typedef struct Place {
    double from, weight; /* in seconds; the weight is the time until the next place */
    double bytes;
} Place;

static int by_bytes(const void *a, const void *b)
{
    const Place *const p = a, *const q = b;
    return p->bytes != q->bytes ? (p->bytes > q->bytes ? 1 : -1)
                                : (p->from > q->from) - (p->from < q->from);
}

static int by_time(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static double bytes_between(const Packets *packets, double from, double to)
{
    double sum = 0.0;
    for (size_t i = 0; i < packets->count; i++) {
        const double time = packets->at[i].time - packets->at[0].time;
        if (time >= from && time < to)
            sum += (double)packets->at[i].bytes;
    }
    return sum;
}

static bool is_free(const double *from, size_t count, double time, double seconds)
{
    for (size_t i = 0; i < count; i++)
        if (fabs(from[i] - time) < seconds)
            return false;
    return true;
}

/* The place nearest in rank that overlaps no other sample; SIZE_MAX: none. */
static size_t nearest(const Place *places, size_t count, size_t rank, const double *from,
                      size_t chosen, double seconds)
{
    for (size_t d = 0; d < count; d++) {
        if (rank + d < count && is_free(from, chosen, places[rank + d].from, seconds))
            return rank + d;
        if (d <= rank && is_free(from, chosen, places[rank - d].from, seconds))
            return rank - d;
    }
    return SIZE_MAX;
}

/* Rank the places by the bytes that the source spends there. Each sample stands for an equal part
 * of the source's time, from the places with the fewest bytes to those with the most. */
size_t samples_choose(const double *starts, size_t start_count, const Packets *packets,
                      double length, double seconds, size_t count, double *from)
{
    Place *const places = calloc(start_count + 1, sizeof(*places));
    size_t place_count = 0, chosen = 0;
    double whole = 0.0;
    for (size_t i = 0; places && i < start_count; i++) {
        const double next = i + 1 < start_count ? starts[i + 1] : length;
        if (starts[i] + seconds > length)
            continue;
        places[place_count++] = (Place){ starts[i], next - starts[i],
                                         bytes_between(packets, starts[i], starts[i] + seconds) };
        whole += next - starts[i];
    }
    if (places)
        qsort(places, place_count, sizeof(*places), by_bytes);
    for (size_t k = 0; k < count && place_count; k++) {
        double sum = 0.0;
        size_t rank = 0;
        while (rank + 1 < place_count &&
               (sum += places[rank].weight) < whole * ((double)k + 0.5) / (double)count)
            rank++;
        const size_t at = nearest(places, place_count, rank, from, chosen, seconds);
        if (at != SIZE_MAX)
            from[chosen++] = places[at].from;
    }
    free(places);
    qsort(from, chosen, sizeof(*from), by_time);
    return chosen;
}

/* Choose places by scenes; spread them evenly if there are not enough scenes. */
static int choose(Samples *samples, const Original *source, Workshop *shop, size_t count,
                  double seconds)
{
    const double length = source->media.seconds;
    KeyReader *const reader = calloc(1, sizeof(*reader));
    if (!reader)
        return -ENOMEM;
    reader->packets = &source->packets;
    reader->seconds = seconds;
    const int err = source->packets.count ? find_starts(reader, source, shop) : 0;
    const size_t found = samples_choose(reader->starts, reader->count, &source->packets, length,
                                        seconds, count, samples->from);
    if (found < count)
        for (size_t i = 0; i < count; i++)
            samples->from[i] = length * ((double)i + 0.5) / (double)count - seconds / 2;
    free(reader->starts);
    free(reader);
    return err;
}

int samples_cut(Samples *samples, const Original *source, Workshop *shop, unsigned count,
                double seconds)
{
    *samples = (Samples){ .count = 0 };
    if (!count || count * seconds * 1.5 >= source->media.seconds)
        return 0;
    samples->at = calloc(count, sizeof(*samples->at));
    samples->files = calloc(count, sizeof(*samples->files));
    samples->from = calloc(count, sizeof(*samples->from));
    int err = samples->at && samples->files && samples->from
                  ? choose(samples, source, shop, count, seconds)
                  : -ENOMEM;
    for (unsigned i = 0; !err && i < count; i++) {
        char *const file = temp_file(shop->temp, "mkv");
        if (!file)
            return -ENOMEM;
        samples->files[samples->count] = file;
        Original *const sample = &samples->at[samples->count++];
        err = piece_cut(source, shop, samples->from[i], seconds, 0, file);
        if (!err)
            err = original_open(sample, file, shop);
        samples->total += sample->media.seconds;
    }
    return err;
}

void samples_free(Samples *samples)
{
    for (size_t i = 0; i < samples->count; i++) {
        original_close(&samples->at[i]);
        unlink(samples->files[i]);
        free(samples->files[i]);
    }
    free(samples->at);
    free(samples->files);
    free(samples->from);
    *samples = (Samples){ .count = 0 };
}
