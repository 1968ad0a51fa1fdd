/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_memory.h"
#include "common/memfile.h"
#include "common/message.h"
#include "part.h"
#include "report/save.h"
#include "vmaf/option/option.h"
#include "vmaf/run.h"

/* ---- what all parts of a run have in common ---- */

static json_t *text(const char *value)
{
    return value ? json_string(value) : json_null();
}

/* Appends a value. If that fails, the list becomes NULL, and with it all that is made of it. */
static void append(json_t **list, json_t *value)
{
    if (json_array_append_new(*list, value)) {
        json_decref(*list);
        *list = NULL;
    }
}

static json_t *describe_input(const Video *video, const PartRun *part, enum Side side,
                              const VideoSpan *span)
{
    const VideoFormat *const format = &video->native;
    return json_pack("{so so so sI sI sI ss sI sI sI sI sI ss}", "path", text(video->path), "kind",
                     text(video->reader->name), "codec", text(video->traits.codec), "width",
                     (json_int_t)format->width, "height", (json_int_t)format->height, "bitdepth",
                     (json_int_t)format->bitdepth, "pixel_format",
                     video_format_name(format->pix_fmt), "rate_num",
                     (json_int_t)video->traits.rate_num, "rate_den",
                     (json_int_t)video->traits.rate_den, "bit_rate",
                     (json_int_t)video->traits.bit_rate, "frames", (json_int_t)span->frames,
                     "bytes", (json_int_t)part->size[side], "ends", part->ends[side]);
}

static json_t *describe_inputs(const Rating *rating)
{
    return json_pack(
        "{so so}", "reference",
        describe_input(rating->ref, rating->part, SIDE_REF, &rating->span[SIDE_REF]), "distorted",
        describe_input(rating->video, rating->part, SIDE_DIST, &rating->span[SIDE_DIST]));
}

static unsigned scored_depth(const Rating *rating)
{
    const unsigned ref = rating->ref->format.bitdepth, dist = rating->video->format.bitdepth;
    return ref > dist ? ref : dist;
}

static json_t *describe_scored(const Rating *rating)
{
    const VideoFormat *const format = &rating->ref->format;
    return json_pack("{sI sI sI ss}", "width", (json_int_t)format->width, "height",
                     (json_int_t)format->height, "bitdepth", (json_int_t)scored_depth(rating),
                     "pixel_format", video_format_name(format->pix_fmt));
}

/* Writes the facts by which models were chosen. */
static json_t *describe_pair(const ScoredPair *pair)
{
    const VideoFormat *const scored = &pair->scored;
    return json_pack("{sI sI sI ss sI sI sI sb sb sb sI sI}", "width", (json_int_t)scored->width,
                     "height", (json_int_t)scored->height, "bitdepth", (json_int_t)scored->bitdepth,
                     "pixel_format", video_format_name(scored->pix_fmt), "enc_width",
                     (json_int_t)pair->width, "enc_height", (json_int_t)pair->height,
                     "enc_bitdepth", (json_int_t)pair->bitdepth, "told_size", pair->told_size,
                     "told_bitdepth", pair->told_bitdepth, "widened", pair->widened, "rate_num",
                     (json_int_t)pair->rate_num, "rate_den", (json_int_t)pair->rate_den);
}

/* True if the option influences scores or what reports say about them. Other options choose
 * where to compute and what to print meanwhile. */
static bool is_setting(const char *name)
{
    if (option_is_in(output_options, name))
        return strcmp(name, "output") != 0 && strcmp(name, "quiet") != 0 &&
               strcmp(name, "progress") != 0;
    return option_is_in(video_options, name) || option_is_in(align_options, name) ||
           option_is_in(colour_options, name) || option_is_in(sync_options, name) ||
           option_is_in(compute_options, name);
}

static json_t *describe_options(const Options *options, bool settings_only)
{
    json_t *list = json_array();
    for (size_t i = 0; i < options->given_count; i++) {
        const GivenOption *const given = &options->given[i];
        if (option_is_in(part_options, given->name) || (settings_only && !is_setting(given->name)))
            continue;
        append(&list, json_pack("[s o]", given->name, text(given->value)));
    }
    return list;
}

static json_t *describe_extractors(VmafContext *vmaf)
{
    json_t *list = json_array();
    VmafFeatureInfo info = { .size = sizeof(info) };
    const char *kinds;
    for (unsigned i = 0; !vmaf_feature_info(vmaf, i, &info) && !vmaf_part_kinds(vmaf, i, &kinds);
         i++)
        append(&list, json_pack("{ss ss}", "name", info.extractor, "kinds", kinds));
    return list;
}

/* ---- what differs between parts ---- */

static json_t *describe_notes(const Video *video)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < video->note_count; i++)
        append(&list, json_pack("{ss sb so}", "kind", video->notes[i].kind, "done",
                                video->notes[i].done, "text", text(video->notes[i].text)));
    return list;
}

static json_t *describe_read(const Rating *rating, const Video *video, enum Side side)
{
    char digest[DIGEST_TEXT];
    digest_end(&rating->part->content[side], digest);
    return json_pack("{sI sI sb ss so}", "skipped", (json_int_t)rating->span[side].skipped, "found",
                     (json_int_t)rating->span[side].found, "ended", rating->span[side].ended,
                     "digest", digest, "notes", describe_notes(video));
}

/* The member `input` of a warning, as in JSON reports; NULL: it is about the run. */
static json_t *describe_warnings(const Rating *rating)
{
    static const char *const inputs[SIDES + 1] = { "reference", "distorted" };
    const Warnings *const lists[] = { &rating->warnings, rating->of_run };
    json_t *list = json_array();
    for (unsigned i = 0; i < sizeof(lists) / sizeof(*lists); i++)
        for (size_t w = 0; w < lists[i]->count; w++) {
            const Warning *const warning = &lists[i]->at[w];
            append(&list, json_pack("{ss so so}", "code", warning->code, "input",
                                    text(inputs[warning->side]), "text", text(warning->text)));
        }
    return list;
}

static json_t *describe_position(uint64_t position)
{
    return position == VIDEO_NO_POSITION ? json_null() : json_integer((json_int_t)position);
}

/* The digests of the frames around both ends of the part. Where two parts meet, both have seen
 * the frames that one looks back at, its first and last frame, and the one after it. */
static json_t *describe_edges(const PartRun *part)
{
    enum { KEPT = 3 };
    json_t *list = json_array();
    for (size_t i = 0; i < part->pair_count; i++) {
        if (i > part->lead && i + KEPT < part->pair_count)
            continue;
        const PairDigest *const pair = &part->pairs[i];
        append(&list, json_pack("[I s s o o]", (json_int_t)(part->first - part->lead + i),
                                pair->text[SIDE_REF], pair->text[SIDE_DIST],
                                describe_position(pair->position[SIDE_REF]),
                                describe_position(pair->position[SIDE_DIST])));
    }
    return list;
}

static json_t *describe_thumbs(const PartRun *part)
{
    json_t *list = json_array();
    for (size_t i = 0; i < part->thumbs_count; i++) {
        const PairThumbs *const pair = &part->thumbs[i];
        char ref[THUMB_TEXT], dist[THUMB_TEXT];
        thumb_print(&pair->at[SIDE_REF], ref);
        thumb_print(&pair->at[SIDE_DIST], dist);
        append(&list, json_pack("[I s s]", (json_int_t)pair->pair, ref, dist));
    }
    return list;
}

static json_t *describe_changes(const PartRun *part)
{
    json_t *list = json_array();
    for (size_t i = 0; i < part->change_count; i++) {
        const ShotChange *const change = &part->changes[i];
        append(&list, json_pack("[f f f f]", (double)change->cells[0], (double)change->cells[1],
                                (double)change->bins[0], (double)change->bins[1]));
    }
    return list;
}

static json_t *describe_devices(VmafContext *vmaf)
{
    json_t *list = json_array();
    VmafFeatureInfo info = { .size = sizeof(info) };
    for (unsigned i = 0; !vmaf_feature_info(vmaf, i, &info); i++)
        append(&list,
               json_pack("{so so so so sI so so sI sI sI sI sf}", "backend", text(info.backend),
                         "device", text(info.device), "instruction_set", text(info.instruction_set),
                         "device_type", text(info.device_type), "device_index",
                         (json_int_t)info.device_index, "device_uuid", text(info.device_uuid),
                         "device_pci", text(info.device_pci), "passes", (json_int_t)info.passes,
                         "frames", (json_int_t)info.frames, "launches", (json_int_t)info.launches,
                         "frames_on_cpu", (json_int_t)info.frames_on_cpu, "device_us",
                         info.device_us));
    return list;
}

static double seconds_since(const struct timespec *then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + (double)(now.tv_nsec - then->tv_nsec) * 1e-9;
}

static json_t *describe_shard(const PartChoice *part)
{
    return part->kind == PART_SHARD ? json_pack("{sI sI}", "index", (json_int_t)part->index,
                                                "count", (json_int_t)part->count)
                                    : json_null();
}

/* Everything but the values. NULL: no memory, or a text that is not UTF-8. */
static json_t *describe(const Rating *rating, const Options *options)
{
    const PartRun *const part = rating->part;
    return json_pack(
        "{sI ss so sI sI sb so so so so so so so s{so so so so so sI sI} so so so so sb sI sf}",
        "vmaf_part", (json_int_t)PART_VERSION, "version", vmaf_version(), "shard",
        describe_shard(&options->part), "first", (json_int_t)part->first, "count",
        (json_int_t)part->count, "ended", part->ended, "inputs", describe_inputs(rating), "scored",
        describe_scored(rating), "chosen_by", describe_pair(&rating->pair), "models",
        json_incref(part->models), "extractors", describe_extractors(rating->vmaf), "settings",
        describe_options(options, true), "options", describe_options(options, false), "read",
        "reference", describe_read(rating, rating->ref, SIDE_REF), "distorted",
        describe_read(rating, rating->video, SIDE_DIST), "pairing",
        *rating->pairing ? text(rating->pairing) : json_null(), "incomplete",
        *rating->incomplete ? text(rating->incomplete) : json_null(), "warnings",
        describe_warnings(rating), "offset_frames", (json_int_t)part->offset_frames, "offset_ns",
        (json_int_t)part->offset_ns, "edges", describe_edges(part), "thumbs", describe_thumbs(part),
        "changes", describe_changes(part), "places", describe_devices(rating->vmaf), "list_places",
        options->backend || options->only_cpu, "threads", (json_int_t)part->threads, "seconds",
        seconds_since(&part->started));
}

/* ---- values ---- */

/* Writes a number so that reading gives the same bits, and in a form that JSON takes as real. */
static void put_real(FILE *file, double value)
{
    char digits[40];
    if (isnan(value) || isinf(value)) {
        fprintf(file, "\"%s%s\"", signbit(value) ? "-" : "", isnan(value) ? "nan" : "inf");
        return;
    }
    snprintf(digits, sizeof(digits), "%.17g", value);
    fprintf(file, "%s%s", digits, strpbrk(digits, ".e") ? "" : ".0");
}

static void put_values(FILE *file, const char *kinds, const VmafPartValue *values)
{
    fputc('[', file);
    for (size_t i = 0; kinds[i]; i++) {
        if (i)
            fputc(',', file);
        if (kinds[i] == 'r')
            put_real(file, values[i].real);
        else
            fprintf(file, "%" PRId64, values[i].integer);
    }
    fputc(']', file);
}

static int put_row(FILE *file, VmafContext *vmaf, unsigned pair, const PairFrames *frames,
                   VmafPartValue *values)
{
    const char *kinds;
    fprintf(file, "    [%u,", pair);
    if (frames->time == VIDEO_NO_TIME)
        fputs("null", file);
    else
        fprintf(file, "%" PRId64, frames->time);
    fprintf(file, ",%" PRIu64 ",%" PRIu64, frames->number[SIDE_REF], frames->number[SIDE_DIST]);
    for (unsigned i = 0; !vmaf_part_kinds(vmaf, i, &kinds); i++) {
        const int err = vmaf_part_values(vmaf, i, pair, values);
        fputc(',', file);
        if (!err)
            put_values(file, kinds, values);
        else if (err == -ENOENT)
            fputs("null", file);
        else
            return err;
    }
    fputc(']', file);
    return 0;
}

static int put_rows(FILE *file, const Rating *rating)
{
    const PartRun *const part = rating->part;
    const char *kinds;
    size_t most = 1;
    for (unsigned i = 0; !vmaf_part_kinds(rating->vmaf, i, &kinds); i++)
        most = strlen(kinds) > most ? strlen(kinds) : most;
    VmafPartValue *const values = malloc(most * sizeof(*values));
    int err = values ? 0 : -ENOMEM;
    fputs(",\n  \"values\": [", file);
    for (uint64_t i = 0; !err && i < part->count; i++) {
        fputs(i ? ",\n" : "\n", file);
        err = put_row(file, rating->vmaf, (unsigned)(part->first + i), &rating->frames[i], values);
    }
    fputs("\n  ]", file);
    free(values);
    return err;
}

/* ---- the file ---- */

/* Writes the part, with a line for each member. */
static int put_part(FILE *file, const Rating *rating, json_t *head)
{
    const char *name;
    json_t *member;
    bool first = true;
    json_object_foreach (head, name, member) {
        char *const value = json_whole_text(member, JSON_ENCODE_ANY);
        if (!value)
            return -ENOMEM;
        fprintf(file, "%s\n  \"%s\": %s", first ? "{" : ",", name, value);
        free(value);
        first = false;
    }
    return put_rows(file, rating);
}

/* Adds the checksum of the text and the end of the file. */
static int close_text(MemFile *mem)
{
    static const char end[] = ",\n  \"checksum\": \"%s\"\n}\n";
    const size_t room = mem->size + sizeof(end) + DIGEST_TEXT;
    char sum[DIGEST_TEXT];
    Digest digest;
    char *const text = realloc(mem->text, room);
    if (!text)
        return -ENOMEM;
    mem->text = text;
    digest_start(&digest);
    digest_add(&digest, text, mem->size);
    digest_end(&digest, sum);
    mem->size += (size_t)snprintf(text + mem->size, room - mem->size, end, sum);
    return 0;
}

/* Has the library make the kinds of all features, so that asking for them cannot fail later. */
static int prepare_kinds(VmafContext *vmaf)
{
    const char *kinds;
    unsigned i = 0;
    int err;
    while (!(err = vmaf_part_kinds(vmaf, i, &kinds)))
        i++;
    return err == -ENOENT ? 0 : err;
}

int part_write(const Rating *rating, const Options *options)
{
    MemFile mem = { 0 };
    int err = prepare_kinds(rating->vmaf);
    json_t *const head = err ? NULL : describe(rating, options);
    if (json_memory_failed() || rating->ref->notes_lost || rating->video->notes_lost)
        err = -ENOMEM;
    if (!err && !head) {
        say("%s: cannot write the part: a path or an option is not UTF-8; rename the file",
            rating->output);
        err = -EINVAL;
    }
    if (!err)
        err = memfile_open(&mem);
    if (!err)
        err = put_part(mem.file, rating, head);
    if (!err)
        err = memfile_end(&mem);
    if (!err)
        err = close_text(&mem);
    if (!err)
        err = save_file(rating->output, mem.text, mem.size);
    memfile_close(&mem);
    json_decref(head);
    return err;
}

static int digest_file(const char *path, char text[DIGEST_TEXT])
{
    FILE *const file = fopen(path, "rb");
    char piece[1 << 14];
    Digest digest;
    size_t size;
    int err = file ? 0 : -errno;
    digest_start(&digest);
    while (!err && (size = fread(piece, 1, sizeof(piece), file)))
        digest_add(&digest, piece, size);
    if (!err && ferror(file))
        err = -EIO;
    if (file)
        fclose(file);
    if (err)
        say("could not read the model %s: %s", path, strerror(-err));
    digest_end(&digest, text);
    return err;
}

int describe_models(json_t **list, const Options *options)
{
    json_t *models = json_array();
    int err = 0;
    for (size_t i = 0; !err && i < options->model_count; i++) {
        const ModelSpec *const spec = &options->models[i];
        char digest[DIGEST_TEXT];
        if (!spec->version)
            err = digest_file(spec->path, digest);
        if (!err)
            append(&models, json_pack("{ss ss ss}", "name", model_spec_name(spec), "source",
                                      spec->version ? spec->version : spec->path, "digest",
                                      spec->version ? "built-in" : digest));
    }
    if (!err && !models) {
        err = json_memory_failed() ? -ENOMEM : -EINVAL;
        if (err == -EINVAL)
            say("a model's name or path is not UTF-8, so it cannot be named in a part: rename it");
    }
    if (err)
        json_decref(models);
    else
        *list = models;
    return err;
}
