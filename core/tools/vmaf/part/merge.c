/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "vmaf/command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "vmaf/scores.h"
#include "input/reader.h"
#include "common/message.h"
#include "part.h"
#include "vmaf/option/option.h"
#include "vmaf/run.h"
#include "report/page.h"

typedef struct Merge {
    const Options *asked; /* the options of the merge itself */
    PartFile *parts;
    size_t count;
    const PartFile *last; /* the last part that has pairs */
    char **words;         /* the command line that a single run would have had */
    int word_count;
    Options options; /* parsed from `words` */
    Rating rating;
    Warnings of_run; /* that this merge found itself */
    VideoReader readers[SIDES];
    Video videos[SIDES]; /* only the fields that a report needs */
} Merge;

/* ---- reading the parts ---- */

static int load_parts(Merge *merge)
{
    const Words *const words = &merge->asked->words;
    merge->parts = calloc(words->count, sizeof(*merge->parts));
    if (!merge->parts)
        return -ENOMEM;
    int err = 0;
    for (; !err && merge->count < words->count; merge->count += !err)
        err = part_load(&merge->parts[merge->count], words->at[merge->count], false);
    if (!err)
        err = parts_agree(merge->parts, merge->count);
    for (size_t i = 0; !err && i < merge->count; i++)
        if (merge->parts[i].count)
            merge->last = &merge->parts[i];
    return err;
}

/* ---- the options of one run ---- */

static int add_word(Merge *merge, const char *name, const char *value)
{
    char **const grown = realloc(merge->words, ((size_t)merge->word_count + 2) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    merge->words = grown;
    const size_t size = strlen(name) + (value ? strlen(value) : 0) + sizeof("--=");
    char *const word = malloc(size);
    if (!word)
        return -ENOMEM;
    if (merge->word_count)
        snprintf(word, size, "--%s%s%s", name, value ? "=" : "", value ? value : "");
    else
        snprintf(word, size, "%s", name);
    grown[merge->word_count++] = word;
    grown[merge->word_count] = NULL;
    return 0;
}

/* True if a run that wrote a part can have had this option. A part file with other options may be a
 * forgery that wants files written: only the merge's own options may do that. */
static bool may_come_from_part(const char *name)
{
    return strcmp(name, "html") != 0 && strcmp(name, "report") != 0 &&
           !option_is_in(part_options, name) && !option_is_in(about_options, name);
}

/* Makes the command line of a single run: the parts' options, with the merge's report path, then
 * the merge's other options. */
static int make_words(Merge *merge)
{
    const json_t *const options = json_object_get(merge->parts[0].head, "options");
    const Options *const asked = merge->asked;
    int err = add_word(merge, "vmaf", NULL);
    for (size_t i = 0; !err && i < json_array_size(options); i++) {
        const json_t *const option = json_array_get(options, i);
        const char *const name = json_string_value(json_array_get(option, 0));
        const char *value = json_string_value(json_array_get(option, 1));
        if (!name || !may_come_from_part(name)) {
            say("%s contains an option that parts cannot have: %s", merge->parts[0].path,
                name ? name : "an option without a name");
            return -EINVAL;
        }
        if (!strcmp(name, "output")) {
            if (!asked->outputs.count)
                continue;
            value = asked->outputs.at[0];
        }
        err = add_word(merge, name, value);
    }
    for (size_t i = 0; !err && i < asked->given_count; i++) {
        const GivenOption *const given = &asked->given[i];
        if (strcmp(given->name, "merge") != 0 && strcmp(given->name, "output") != 0)
            err = add_word(merge, given->name, given->value);
    }
    return err;
}

/* Removes backends from extractors' names (vif_cuda): they only matter where the parts were
 * made. */
static int plain_extractors(Options *options)
{
    VmafExtractorInfo info = { .size = sizeof(info) };
    unsigned index;
    for (size_t i = 0; i < options->feature_count; i++) {
        FeatureSpec *const spec = &options->features[i];
        if (vmaf_extractor_find(spec->extractor, &index) || vmaf_extractor_info(index, &info))
            continue; /* using it will print the error */
        char *const name = strdup(info.name);
        if (!name)
            return -ENOMEM;
        free(spec->extractor);
        spec->extractor = name;
    }
    return 0;
}

static int parse_options(Merge *merge)
{
    enum Action action;
    if (merge->asked->outputs.count > 1) {
        say("--merge writes one report: give -o once");
        return -EINVAL;
    }
    int err = make_words(merge);
    if (!err)
        err = options_parse(&merge->options, merge->word_count, merge->words, &action);
    if (!err && (action != ACTION_SCORE || options_want_heatmaps(&merge->options))) {
        say("%s contains options that cannot make a part", merge->parts[0].path);
        err = -EINVAL;
    }
    if (err)
        return err;
    merge->options.backend = NULL;
    merge->options.only_cpu = json_is_true(json_object_get(merge->parts[0].head, "list_places"));
    return plain_extractors(&merge->options);
}

/* Checks that the models are still those that the parts were made with. */
static int check_models(const Merge *merge)
{
    json_t *now;
    const int err = describe_models(&now, &merge->options);
    if (err)
        return err;
    const bool same = json_equal(now, json_object_get(merge->parts[0].head, "models"));
    json_decref(now);
    if (same)
        return 0;
    say("the model has changed since %s was made: run all parts again", merge->parts[0].path);
    return -EINVAL;
}

/* ---- the videos, for the report ---- */

static unsigned number_of(const json_t *object, const char *name)
{
    return (unsigned)json_integer_value(json_object_get(object, name));
}

static const char *string_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static enum VmafPixelFormat format_of(const json_t *object)
{
    const char *const name = string_of(object, "pixel_format");
    for (int i = VMAF_PIX_FMT_YUV420P; name && i <= VMAF_PIX_FMT_YUV400P; i++)
        if (!strcmp(name, video_format_name((enum VmafPixelFormat)i)))
            return (enum VmafPixelFormat)i;
    return VMAF_PIX_FMT_UNKNOWN;
}

static const char *const sides[SIDES] = { "reference", "distorted" };

static bool has_note(const Video *video, const char *kind, const char *text)
{
    for (unsigned i = 0; i < video->note_count; i++)
        if (!strcmp(video->notes[i].kind, kind) && (!text || !strcmp(video->notes[i].text, text)))
            return true;
    return false;
}

/* Adds the part's notes of kinds that no earlier part has: the first note of a kind says where it
 * begins. */
static int add_notes(Video *video, const PartFile *part, enum Side side)
{
    const json_t *const read = json_object_get(json_object_get(part->head, "read"), sides[side]);
    const json_t *const notes = json_object_get(read, "notes");
    const unsigned before = video->note_count;
    for (size_t i = 0; i < json_array_size(notes); i++) {
        const json_t *const note = json_array_get(notes, i);
        const char *const kind = string_of(note, "kind"), *const text = string_of(note, "text");
        Video known = *video;
        known.note_count = before;
        if (!kind || !text || has_note(&known, kind, NULL))
            continue;
        VideoNote *const grown =
            realloc(video->notes, (video->note_count + 1) * sizeof(*video->notes));
        if (!grown)
            return -ENOMEM;
        video->notes = grown;
        grown[video->note_count++] =
            (VideoNote){ kind, json_is_true(json_object_get(note, "done")), (char *)text };
    }
    return 0;
}

static unsigned side_of(const json_t *warning)
{
    const char *const input = string_of(warning, "input");
    unsigned side = 0;
    while (side < SIDES && (!input || strcmp(input, sides[side]) != 0))
        side++;
    return side;
}

/* True if the warning tells that scores come from another place than a GPU. Parts print that where
 * nobody may look, so the merge prints it, too. */
static bool tells_place(const char *code)
{
    return !strcmp(code, "no_gpu") || !strcmp(code, "all_on_cpu") ||
           !strcmp(code, "software_device");
}

/* Adds the part's warnings, of the run or of its videos, that no later part has: the last part
 * knows of the whole video. Parts that ran on several machines may warn of the run in several
 * ways. */
static void add_warnings(Warnings *warnings, const PartFile *part, bool of_run)
{
    const json_t *const list = json_object_get(json_object_get(part->head, "read"), "warnings");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *const warning = json_array_get(list, i);
        const char *const code = string_of(warning, "code"), *const text =
                                                                 string_of(warning, "text");
        const unsigned side = side_of(warning);
        if (code && text && of_run == (side == SIDES) &&
            (of_run || !warnings_have(warnings, code, side))) {
            if (tells_place(code))
                warnings_say(warnings, code, side, "Warning: %s", text);
            else
                warnings_add(warnings, code, side, text);
        }
    }
}

static int make_video(Merge *merge, enum Side side)
{
    const PartFile *const last = merge->last;
    const json_t *const input = json_object_get(json_object_get(last->head, "inputs"), sides[side]);
    const json_t *const read = json_object_get(json_object_get(last->head, "read"), sides[side]);
    Video *const video = &merge->videos[side];
    merge->readers[side].name = string_of(input, "kind");
    *video = (Video){
        .path = string_of(input, "path"),
        .reader = &merge->readers[side],
        .native = { number_of(input, "width"), number_of(input, "height"),
                    number_of(input, "bitdepth"), format_of(input) },
        .traits = { .codec = string_of(input, "codec"),
                    .rate_num = number_of(input, "rate_num"),
                    .rate_den = number_of(input, "rate_den"),
                    .bit_rate = (uint64_t)json_integer_value(json_object_get(input, "bit_rate")) },
    };
    merge->rating.span[side] = (VideoSpan){
        .skipped = (uint64_t)json_integer_value(json_object_get(read, "skipped")),
        .frames = (uint64_t)json_integer_value(json_object_get(input, "frames")),
        .bytes = (uint64_t)json_integer_value(json_object_get(input, "bytes")),
        .found = (uint64_t)json_integer_value(json_object_get(read, "found")),
        .ended = json_is_true(json_object_get(read, "ended")),
    };
    int err = video->path ? 0 : -EINVAL;
    for (size_t i = 0; !err && i < merge->count; i++)
        if (merge->parts[i].count)
            err = add_notes(video, &merge->parts[i], side);
    return err;
}

/* Looks at the thumbnails of all parts, as a run of the whole video looks at its pairs. */
static int tell_offset(Merge *merge)
{
    const json_t *const read = json_object_get(merge->last->head, "read");
    const SyncVideo dist = {
        .pairing.offset = (int64_t)json_integer_value(json_object_get(read, "offset_ns")),
        .frames = (int64_t)json_integer_value(json_object_get(read, "offset_frames")),
    };
    OffsetHint *const hint = calloc(1, sizeof(*hint));
    int err = hint ? 0 : -ENOMEM;
    for (size_t p = 0; !err && p < merge->count; p++) {
        const json_t *const list = json_object_get(merge->parts[p].head, "thumbs");
        for (size_t i = 0; !err && i < json_array_size(list); i++) {
            const json_t *const pair = json_array_get(list, i);
            const json_int_t number = json_integer_value(json_array_get(pair, 0));
            Thumb thumbs[SIDES];
            for (size_t side = 0; !err && side < SIDES; side++)
                if (!thumb_parse(&thumbs[side], json_string_value(json_array_get(pair, 1 + side))))
                    err = -EINVAL;
            if (!err && number >= 0 && hint_wants((uint64_t)number))
                hint_look_thumbs(hint, (unsigned)number, &thumbs[SIDE_REF], &thumbs[SIDE_DIST]);
        }
        if (err)
            say("%s cannot be merged: its thumbnails are broken", merge->parts[p].path);
    }
    if (!err)
        rating_tell_offset(&merge->rating, hint, &dist);
    free(hint);
    return err;
}

/* In the order of a single run: those of the videos before those of the run. */
static int collect_warnings(Merge *merge)
{
    int err = 0;
    for (unsigned of_run = 0; of_run < 2; of_run++) {
        for (size_t i = merge->count; i-- > 0;)
            if (merge->parts[i].count)
                add_warnings(&merge->rating.warnings, &merge->parts[i], of_run);
        if (!of_run)
            err = tell_offset(merge);
    }
    return err;
}

/* ---- the models ---- */

/* Chooses and sets up the models as the parts did. */
static int create_models(Merge *merge)
{
    const json_t *const by = json_object_get(merge->parts[0].head, "chosen_by");
    Rating *const rating = &merge->rating;
    rating->pair = (ScoredPair){
        .scored = { number_of(by, "width"), number_of(by, "height"), number_of(by, "bitdepth"),
                    format_of(by) },
        .width = number_of(by, "enc_width"),
        .height = number_of(by, "enc_height"),
        .bitdepth = number_of(by, "enc_bitdepth"),
        .told_size = json_is_true(json_object_get(by, "told_size")),
        .told_bitdepth = json_is_true(json_object_get(by, "told_bitdepth")),
        .widened = json_is_true(json_object_get(by, "widened")),
        .rate_num = number_of(by, "rate_num"),
        .rate_den = number_of(by, "rate_den"),
    };
    const ModelUse use = { &rating->pair, NULL, &merge->of_run, &rating->warnings };
    return models_create(&rating->models, &merge->options, &use);
}

/* ---- where the parts were measured ---- */

/* Adds a name to a comma-separated list, unless it is in it or there is no room. */
static void add_name(char *names, size_t size, const char *name)
{
    const size_t used = strlen(names);
    for (const char *at = names; name && (at = strstr(at, name)); at += strlen(name)) {
        const char *const end = at + strlen(name);
        if ((at == names || at[-1] == ' ') && (!*end || *end == ','))
            return;
    }
    if (name && used + strlen(name) + 2 < size)
        snprintf(names + used, size - used, "%s%s", used ? ", " : "", name);
}

/* The devices on which the parts measured a feature. */
typedef struct PartDevices {
    char uuid[4096], pci[4096];
    const char *type; /* NULL: no part yet */
    int index;
    bool on_device; /* a part was measured on a device */
} PartDevices;

/* Adds a part's device. A part that was measured on the CPU counts as software: a report must not
 * promise a GPU if a part of the frames was measured elsewhere. */
static void add_part_device(PartDevices *devices, const json_t *place)
{
    const json_t *const number = json_object_get(place, "device_index");
    const int index = json_is_integer(number) ? (int)json_integer_value(number) : -1;
    const bool on_device = string_of(place, "device");
    const char *const said = string_of(place, "device_type");
    const char *const type = said ? said : on_device ? "other" : "cpu";
    devices->index = !devices->type || devices->index == index ? index : -1;
    if (!devices->type || !strcmp(type, "cpu"))
        devices->type = type;
    else if (strcmp(devices->type, "cpu") != 0 && strcmp(devices->type, type) != 0)
        devices->type = "mixed";
    devices->on_device |= on_device;
    add_name(devices->uuid, sizeof(devices->uuid), string_of(place, "device_uuid"));
    add_name(devices->pci, sizeof(devices->pci), string_of(place, "device_pci"));
}

/* An index means something on one machine only, so it is left out if there are several devices. */
static void tell_devices(VmafFeatureInfo *info, const PartDevices *devices)
{
    info->device_type = devices->on_device ? devices->type : NULL;
    info->device_uuid = *devices->uuid ? devices->uuid : NULL;
    info->device_pci = *devices->pci ? devices->pci : NULL;
    info->device_index = strchr(devices->uuid, ',') ? -1 : devices->index;
}

/* Warns if the CPU measured some parts of a feature that a device measured in the others: whoever
 * asked for the device gave that to the parts, not to this merge. */
static void warn_of_cpu(Merge *merge, const char *device, uint64_t on_cpu, uint64_t on_device)
{
    if (!on_cpu || !on_device || warnings_have(&merge->of_run, "parts_on_cpu", SIDES))
        return;
    warnings_say(&merge->of_run, "parts_on_cpu", SIDES,
                 "Warning: the CPU measured %" PRIu64 " of %" PRIu64
                 " frames, in other parts than those of %s",
                 on_cpu, on_cpu + on_device, device);
}

/* Tells the context where a feature was measured, by all parts together. */
static int report_device(Merge *merge, unsigned feature)
{
    char backend[128] = "", device[512] = "", set[128] = "";
    uint64_t counts[2] = { 0 }; /* frames of parts on the CPU, and on a device */
    PartDevices devices = { .index = -1 };
    VmafFeatureInfo info = { .size = sizeof(info) };
    double device_us = 0.0;
    for (size_t i = 0; i < merge->count; i++) {
        const PartFile *const part = &merge->parts[i];
        const json_t *const entry = json_array_get(json_object_get(part->head, "places"), feature);
        if (!part->count)
            continue;
        const uint64_t frames = (uint64_t)json_integer_value(json_object_get(entry, "frames"));
        add_name(backend, sizeof(backend), string_of(entry, "backend"));
        add_name(device, sizeof(device), string_of(entry, "device"));
        add_name(set, sizeof(set), string_of(entry, "instruction_set"));
        add_part_device(&devices, entry);
        counts[string_of(entry, "device") != NULL] += part->count;
        if (!info.passes)
            info.passes = number_of(entry, "passes");
        info.frames += frames;
        info.launches += (uint64_t)json_integer_value(json_object_get(entry, "launches"));
        info.frames_on_cpu += (uint64_t)json_integer_value(json_object_get(entry, "frames_on_cpu"));
        device_us += (double)frames * json_number_value(json_object_get(entry, "device_us"));
    }
    info.backend = backend;
    info.device = *device ? device : NULL;
    info.instruction_set = *set ? set : NULL;
    tell_devices(&info, &devices);
    warn_of_cpu(merge, device, counts[0], counts[1]);
    info.device_us = info.frames ? device_us / (double)info.frames : 0.0;
    return vmaf_part_place(merge->rating.vmaf, feature, &info);
}

static int report_devices(Merge *merge)
{
    const size_t features = json_array_size(json_object_get(merge->parts[0].head, "extractors"));
    double seconds = 0.0;
    int err = 0;
    for (unsigned i = 0; !err && i < features; i++)
        err = report_device(merge, i);
    for (size_t i = 0; i < merge->count; i++)
        if (merge->parts[i].count)
            seconds += json_number_value(json_object_get(merge->parts[i].head, "seconds"));
    return err ? err
               : vmaf_part_speed(merge->rating.vmaf, number_of(merge->last->head, "threads"),
                                 seconds);
}

/* ---- scores ---- */

/* Checks that the context has the features that the parts were measured with, in the same order. */
static int check_extractors(const Merge *merge)
{
    const json_t *const list = json_object_get(merge->parts[0].head, "extractors");
    VmafContext *const vmaf = merge->rating.vmaf;
    VmafFeatureInfo info = { .size = sizeof(info) };
    const char *kinds;
    unsigned i = 0;
    for (; !vmaf_feature_info(vmaf, i, &info) && !vmaf_part_kinds(vmaf, i, &kinds); i++) {
        const json_t *const extractor = json_array_get(list, i);
        const char *const name = string_of(extractor, "name"), *const own =
                                                                   string_of(extractor, "kinds");
        if (!name || !own || strcmp(name, info.extractor) != 0 || strcmp(own, kinds) != 0)
            break;
    }
    if (i == json_array_size(list) && vmaf_feature_info(vmaf, i, &info))
        return 0;
    say("%s was measured with other features than its models and options use here: run all parts "
        "again",
        merge->parts[0].path);
    return -EINVAL;
}

typedef struct Rows {
    unsigned features;
    const char **kinds;
    PartRow row;
} Rows;

static void clear_rows(Rows *rows)
{
    for (unsigned i = 0; rows->row.room && i < rows->features; i++)
        free(rows->row.room[i]);
    free(rows->row.room);
    free(rows->row.values);
    free(rows->kinds);
}

static int make_rows(Rows *rows, VmafContext *vmaf, size_t features)
{
    rows->features = (unsigned)features;
    rows->kinds = calloc(features + 1, sizeof(*rows->kinds));
    rows->row.room = calloc(features + 1, sizeof(*rows->row.room));
    rows->row.values = calloc(features + 1, sizeof(*rows->row.values));
    int err = rows->kinds && rows->row.room && rows->row.values ? 0 : -ENOMEM;
    for (unsigned i = 0; !err && i < features; i++) {
        err = vmaf_part_kinds(vmaf, i, &rows->kinds[i]);
        if (!err) {
            rows->row.room[i] = calloc(strlen(rows->kinds[i]) + 1, sizeof(**rows->row.room));
            err = rows->row.room[i] ? 0 : -ENOMEM;
        }
    }
    return err;
}

static int replay_part(Merge *merge, const PartFile *known, Rows *rows)
{
    const json_t *const scored = json_object_get(known->head, "scored");
    const VmafPartShape shape = { sizeof(shape), format_of(scored), number_of(scored, "bitdepth"),
                                  number_of(scored, "width"), number_of(scored, "height") };
    PartFile part;
    int err = part_load(&part, known->path, true);
    if (err)
        return err;
    if (!json_equal(part.head, known->head)) {
        say("%s was replaced during the merge: merge again", known->path);
        err = -EINVAL;
    }
    for (uint64_t i = 0; !err && i < part.count; i++) {
        const unsigned pair = (unsigned)(part.first + i);
        err = part_next_row(&part, rows->kinds, rows->features, pair, &rows->row);
        if (err)
            break;
        err = vmaf_part_replay(merge->rating.vmaf, &shape, pair, rows->row.values);
        if (!err)
            err = rating_add_frames(&merge->rating, rows->row.frames);
        if (err)
            say("%s: could not score frame %u: %s", known->path, pair, strerror(-err));
    }
    part_unload(&part);
    return err;
}

static int replay(Merge *merge)
{
    PairFrames frames = { 0 };
    Rows rows = { .row.frames = &frames };
    int err = make_rows(&rows, merge->rating.vmaf,
                        json_array_size(json_object_get(merge->parts[0].head, "extractors")));
    for (size_t i = 0; !err && i < merge->count; i++)
        if (merge->parts[i].count)
            err = replay_part(merge, &merge->parts[i], &rows);
    clear_rows(&rows);
    return err;
}

/* Takes a number that a part has noted of a pair. False: it is not there. */
static bool take_change(const json_t *list, size_t i, float *value)
{
    const json_t *const number = json_array_get(list, i);
    *value = (float)json_number_value(number);
    return json_is_number(number);
}

/* Finds the shots as one run does: by how much each pair differs from those before. */
static int find_shots(Merge *merge)
{
    Rating *const rating = &merge->rating;
    ShotFinder finder = { .count = 0 };
    uint64_t first;
    if (!merge->options.shots || !rating->frame_count)
        return 0;
    rating->frames[0].shot = true;
    for (size_t p = 0; p < merge->count; p++) {
        const json_t *const list = json_object_get(merge->parts[p].head, "changes");
        for (size_t i = 0; i < merge->parts[p].count; i++) {
            const json_t *const noted = json_array_get(list, i);
            ShotChange change;
            bool good = true;
            for (size_t n = 0; n < 2; n++)
                good = good && take_change(noted, n, &change.cells[n]) &&
                       take_change(noted, 2 + n, &change.bins[n]);
            if (!good) {
                say("%s was measured without --shots: run all parts again with it",
                    merge->parts[p].path);
                return -EINVAL;
            }
            if (shot_finder_add(&finder, &change, &first) && first < rating->frame_count)
                rating->frames[first].shot = true;
        }
    }
    if (shot_finder_end(&finder, &first) && first < rating->frame_count)
        rating->frames[first].shot = true;
    return 0;
}

static int prepare(Merge *merge)
{
    Rating *const rating = &merge->rating;
    const json_t *const read = json_object_get(merge->last->head, "read");
    const char *const pairing = string_of(read, "pairing");
    rating->ref = &merge->videos[SIDE_REF];
    rating->video = &merge->videos[SIDE_DIST];
    rating->of_run = &merge->of_run;
    rating->pairs = (unsigned)(merge->last->first + merge->last->count);
    const char *const incomplete = string_of(read, "incomplete");
    snprintf(rating->pairing, sizeof(rating->pairing), "%s", pairing ? pairing : "");
    snprintf(rating->incomplete, sizeof(rating->incomplete), "%s", incomplete ? incomplete : "");
    int err = 0;
    for (unsigned i = 0; !err && i < SIDES; i++)
        err = make_video(merge, (enum Side)i);
    /* Samples are not looked at any more. */
    const ExtractorFacts facts = { .rate = extractors_rate(&merge->options, &rating->ref->traits,
                                                           &rating->video->traits) };
    if (!err)
        err = rating_create_context(rating, &merge->options, 0, rating);
    if (!err)
        err = create_models(merge);
    if (!err)
        err = models_use(rating->models, rating->vmaf);
    if (!err)
        err = extractors_use(&merge->options, &facts, &rating->warnings, rating->vmaf);
    if (!err)
        err = check_extractors(merge);
    if (!err)
        err = collect_warnings(merge);
    return err ? err : report_devices(merge);
}

/* True if both paths lead to the same file. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat one, other;
    return !strcmp(a, b) || (!stat(a, &one) && !stat(b, &other) && one.st_ino &&
                             one.st_ino == other.st_ino && one.st_dev == other.st_dev);
}

/* Checks that the report overwrites neither a part nor a video. */
static int check_path(const Merge *merge, const char *path)
{
    const json_t *const inputs = json_object_get(merge->parts[0].head, "inputs");
    for (size_t i = 0; i < merge->count; i++) {
        if (!is_same_file(path, merge->parts[i].path))
            continue;
        say("%s is one of the parts: the report would overwrite it", path);
        return -EINVAL;
    }
    for (unsigned i = 0; i < SIDES; i++) {
        const char *const video = string_of(json_object_get(inputs, sides[i]), "path");
        if (!video || !is_same_file(path, video))
            continue;
        say("%s is the %s video: the report would overwrite it", path, sides[i]);
        return -EINVAL;
    }
    return output_check(path, NULL, 0);
}

static int check_outputs(Merge *merge)
{
    int err = output_path(&merge->rating.output, &merge->options, 0);
    if (!err && merge->rating.output)
        err = check_path(merge, merge->rating.output);
    if (!err && merge->options.html)
        err = check_path(merge, merge->options.html);
    return err;
}

static int merge_all(Merge *merge)
{
    int err = load_parts(merge);
    if (!err)
        err = parse_options(merge);
    if (!err)
        err = check_outputs(merge);
    if (!err)
        err = check_models(merge);
    if (!err)
        err = prepare(merge);
    if (!err)
        err = replay(merge);
    if (!err)
        err = find_shots(merge);
    if (!err)
        err = rating_end(&merge->rating, &merge->options);
    if (!err)
        err = rating_finish(&merge->rating, &merge->options);
    if (!err && merge->rating.report)
        err = html_write(&merge->rating.report, 1, merge->options.html, NULL);
    return err                      ? err
           : merge->rating.unjudged ? SCORE_UNJUDGED
           : merge->rating.below    ? SCORE_BELOW
                                    : 0;
}

int merge_parts(const Options *options)
{
    Merge merge = { .asked = options };
    const int err = merge_all(&merge);
    rating_destroy(&merge.rating);
    warnings_clear(&merge.of_run);
    for (unsigned i = 0; i < SIDES; i++)
        free(merge.videos[i].notes);
    options_destroy(&merge.options);
    for (int i = 0; i < merge.word_count; i++)
        free(merge.words[i]);
    free(merge.words);
    for (size_t i = 0; i < merge.count; i++)
        part_unload(&merge.parts[i]);
    free(merge.parts);
    return err;
}
