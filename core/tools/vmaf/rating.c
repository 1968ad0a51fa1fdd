/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "limits.h"
#include "run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "colours.h"
#include "input/reader.h"
#include "common/interrupt.h"
#include "libvmaf/report.h"
#include "common/message.h"
#include "report/page.h"
#include "vmaf/part/part.h"

/* Finds the encode's size and depth, in the file or the options. Raw and Y4M video has neither,
 * except that a video which this run scales has the size of the encode. */
static void find_encode(ScoredPair *pair, const Options *options, const Video *dist, bool asked)
{
    const VideoFormat *const now = &dist->format;
    const bool scaled =
        asked && (now->width != pair->scored.width || now->height != pair->scored.height);
    if (video_is_decoded(dist) || scaled) {
        pair->width = now->width;
        pair->height = now->height;
        pair->bitdepth = dist->native.bitdepth;
    }
    if (options->enc_width) {
        pair->width = options->enc_width;
        pair->height = options->enc_height;
        pair->told_size = true;
    }
    if (options->enc_bitdepth) {
        pair->bitdepth = options->enc_bitdepth;
        pair->told_bitdepth = true;
    }
}

static void find_rate(ScoredPair *pair, const Options *options, const Video *ref, const Video *dist)
{
    const VideoTraits *const own = &dist->traits;
    const VideoTraits *const known = own->rate_num && own->rate_den ? own : &ref->traits;
    pair->rate_num = options->fps_num ? options->fps_num : known->rate_num;
    pair->rate_den = options->fps_num ? options->fps_den : known->rate_den;
}

/* The command line knows better than the file. It has no word for HLG. */
static bool is_hdr(const Options *options, const Video *video, enum Side side)
{
    const enum VmafColorTransferCharacteristic told = options->color[side].trc;
    return told ? told == VMAF_COLOR_TRC_SMPTE2084 : video->traits.hdr;
}

enum { V1_DEPTH = 10 }; /* bits that the models of v1 were made for */

int rating_choose_models(Rating *rating, const Options *options, const Video *ref, Warnings *of_run)
{
    const Video *const dist = rating->video;
    VideoAlign align = options_align(options, ref);
    const unsigned depth = videos_scored_format(ref, dist, &align).bitdepth;
    align.least_depth = V1_DEPTH;
    rating->pair =
        (ScoredPair){ .scored = videos_scored_format(ref, dist, &align),
                      .hdr = is_hdr(options, ref, SIDE_REF) || is_hdr(options, dist, SIDE_DIST) };
    rating->pair.widened = rating->pair.scored.bitdepth > depth;
    find_encode(&rating->pair, options, dist, align.asked);
    find_rate(&rating->pair, options, ref, dist);
    const ModelUse use = { &rating->pair, options_name_videos(options) ? dist->path : NULL, of_run,
                           &rating->warnings };
    return models_create(&rating->models, options, &use);
}

VideoAlign rating_align(const Rating *rating, const Options *options, const Video *ref)
{
    VideoAlign align = options_align(options, ref);
    VmafPictureConvertTarget target;
    align.by_tags = extractors_take_tags(options);
    align.least_depth = models_see_banding(rating->models) ? V1_DEPTH : 0;
    align.colours_converted = models_convert(rating->models, &target);
    return align;
}

unsigned rating_planes(const Rating *rating)
{
    VmafPictureConvertTarget target;
    return models_convert(rating->models, &target) ? 7 : extractors_planes(rating->vmaf);
}

/* Fills in what the command line does not give. Fails if it gives something and the whole is not
 * known. */
static int find_colours(const Options *options, const Video *video, enum Side side,
                        VmafColor *colour)
{
    char missing[COLOURS_OPTIONS_SIZE];
    unsigned unknown = 0;
    const VmafColor known = colours_of_video(video);
    *colour = options->color[side];
    for (unsigned p = 0; p < COLOUR_PARTS; p++) {
        const enum ColourPart part = (enum ColourPart)p;
        if (options->color_given[side] >> p & 1)
            continue;
        colours_set(colour, part, colours_get(&known, part));
        unknown |= (unsigned)!colours_get(colour, part) << p;
    }
    if (!options->color_given[side] || !unknown)
        return 0;
    say("%s: give all colours of a video or none; its file does not tell those of %s", video->path,
        colours_options(unknown, side, missing));
    return -EINVAL;
}

/* Notes for the report what happens to the video's pictures. */
static void note_colours(const Options *options, Video *video, enum Side side,
                         const VmafColor *colour, const VmafPictureConvertTarget *target)
{
    char from[COLOURS_TEXT_SIZE], to[COLOURS_TEXT_SIZE];
    const bool differs = !colours_are_equal(colour, &target->color) ||
                         (target->pix_fmt && target->pix_fmt != video->format.pix_fmt) ||
                         (target->bpc && target->bpc != video->format.bitdepth);
    const unsigned given = options->color_given[side], all = (1u << COLOUR_PARTS) - 1;
    if (!colours_are_complete(colour)) /* the library refuses it */
        return;
    video_note(
        video, "converted", true, "colours are %s (as %s), %s %s", colours_text(colour, from),
        given == all ? "the options say"
        : given      ? "the options and the file say"
                     : "the file says",
        differs ? "converted to" : "which are the model's:", colours_text(&target->color, to));
}

int rating_tell_colours(Rating *rating, const Options *options, bool first)
{
    VmafColor colour[SIDES];
    VmafPictureConvertTarget target;
    Video *const videos[SIDES] = { rating->ref, rating->video };
    int err = 0;
    for (unsigned side = 0; !err && side < SIDES; side++)
        err = find_colours(options, videos[side], (enum Side)side, &colour[side]);
    if (err)
        return err;
    if (models_convert(rating->models, &target))
        for (unsigned side = first ? SIDE_REF : SIDE_DIST; side < SIDES; side++)
            note_colours(options, videos[side], (enum Side)side, &colour[side], &target);
    return vmaf_set_input_colorimetry(rating->vmaf, &colour[SIDE_REF], &colour[SIDE_DIST]);
}

int rating_create_context(Rating *rating, const Options *options, unsigned threads,
                          const Rating *first)
{
    const VmafConfiguration config = {
        .log_level = VMAF_LOG_LEVEL_INFO,
        .n_threads = rating == first ? threads : 0,
        .n_subsample = options->subsample,
        .cpumask = options->cpumask,
        .gpumask = options->gpumask,
    };
    int err = vmaf_init(&rating->vmaf, config);
    if (!err)
        err = vmaf_share_threads(rating->vmaf, first->vmaf);
    if (err)
        say("problem initializing VMAF context");
    return err;
}

/* Joins the notes about what was done to the video (`done`) or what is odd about it (not `done`)
 * into one line, which the caller frees; NULL: there are none. 0 or -ENOMEM. */
static int join_notes(const Video *video, bool done, char **out)
{
    size_t size = 1, used = 0;
    for (unsigned i = 0; i < video->note_count; i++)
        size += video->notes[i].done == done ? strlen(video->notes[i].text) + 2 : 0;
    char *const line = size > 1 ? malloc(size) : NULL;
    for (unsigned i = 0; line && i < video->note_count; i++)
        if (video->notes[i].done == done)
            used += (size_t)snprintf(line + used, size - used, "%s%s", used ? "; " : "",
                                     video->notes[i].text);
    *out = line;
    return video->notes_lost || (size > 1 && !line) ? -ENOMEM : 0;
}

static int note_video(VmafContext *vmaf, const Video *video, bool is_ref, const VideoSpan *span,
                      const char *pairing)
{
    char *filters, *warnings;
    const int lost = join_notes(video, true, &filters) | join_notes(video, false, &warnings);
    const VmafReportInput input = {
        .size = sizeof(input),
        .path = video->path,
        .kind = video->reader->name,
        .codec = video->traits.codec,
        .w = video->native.width,
        .h = video->native.height,
        .bpc = video->native.bitdepth,
        .pix_fmt = video->native.pix_fmt,
        .skipped = span->skipped,
        .rate_num = video->traits.rate_num,
        .rate_den = video->traits.rate_den,
        .frames = span->frames,
        .filters = filters,
        .warnings = warnings,
        .pairing = pairing,
        .bytes = span->bytes,
        .bit_rate = video->traits.bit_rate,
        .frames_found = span->found,
        .ended = span->ended,
    };
    const int err = lost ? lost : vmaf_report_input(vmaf, is_ref, &input);
    free(filters);
    free(warnings);
    return err;
}

int rating_add_frames(Rating *rating, const PairFrames *frames)
{
    if (rating->frame_count == rating->frame_capacity) {
        const size_t more = rating->frame_capacity ? 2 * rating->frame_capacity : 256;
        PairFrames *const grown = realloc(rating->frames, more * sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        rating->frames = grown;
        rating->frame_capacity = more;
    }
    rating->frames[rating->frame_count++] = *frames;
    return 0;
}

/* A time in ns as seconds; NaN if it is not known. */
static double seconds_of(int64_t time)
{
    return time == VIDEO_NO_TIME ? (double)NAN : (double)time / 1e9;
}

/* True if the option belongs into the report on this video, which lists options as if the video had
 * been scored alone. videos, outputs: how many -d and -o came before; updated. */
static bool concerns(const GivenOption *option, size_t number, size_t *videos, size_t *outputs,
                     const Options *options)
{
    if (!strcmp(option->name, "distorted"))
        return (*videos)++ == number;
    if (!strcmp(option->name, "output"))
        return (*outputs)++ == number || options->outputs.count == 1;
    return true;
}

static int note_options(VmafContext *vmaf, const Options *options, size_t number)
{
    size_t videos = 0, outputs = 0;
    int err = 0;
    for (size_t i = 0; !err && i < options->given_count; i++)
        if (concerns(&options->given[i], number, &videos, &outputs, options))
            err = vmaf_report_option(vmaf, options->given[i].name, options->given[i].value);
    return err;
}

static int note_frames(const Rating *rating)
{
    int err = 0;
    for (size_t i = 0; !err && i < rating->frame_count; i++) {
        const PairFrames *const frames = &rating->frames[i];
        const VmafReportFrame noted = { .size = sizeof(noted),
                                        .time = seconds_of(frames->time),
                                        .ref = frames->number[SIDE_REF],
                                        .dist = frames->number[SIDE_DIST],
                                        .shot = frames->shot };
        err = vmaf_report_frame(rating->vmaf, (unsigned)i, &noted);
    }
    return err;
}

/* Tells the library what only the command knows, for the report. */
static int note_origin(const Rating *rating, const Options *options)
{
    int err = note_video(rating->vmaf, rating->ref, true, &rating->span[SIDE_REF], NULL);
    if (!err)
        err = note_video(rating->vmaf, rating->video, false, &rating->span[SIDE_DIST],
                         rating->pairing);
    if (!err)
        err = warnings_report_notes(rating->ref, SIDE_REF, rating->vmaf);
    if (!err)
        err = warnings_report_notes(rating->video, SIDE_DIST, rating->vmaf);
    if (!err)
        err = warnings_report(&rating->warnings, rating->vmaf);
    if (!err)
        err = warnings_report(rating->of_run, rating->vmaf);
    if (!err)
        err = models_report(rating->models, rating->vmaf);
    if (!err)
        err = note_frames(rating);
    if (!err)
        err = note_options(rating->vmaf, options, rating->number);
    if (!err && (options->backend || options->only_cpu)) /* the user chose a device: report it */
        err = vmaf_report_places(rating->vmaf);
    if (!err)
        err = vmaf_report_details(rating->vmaf);
    if (err)
        say("problem adding the videos to the report");
    return err;
}

static bool is_damaged(const Rating *rating, const Video *video, enum Side side)
{
    for (unsigned i = 0; i < video->note_count; i++)
        if (!video->notes[i].done && !strcmp(video->notes[i].kind, "damaged"))
            return true;
    return warnings_have(&rating->warnings, "damaged", side);
}

/* Notes damage: the decoder's frames are scored, but pictures of the video are missing or
 * repaired. */
static void find_damage(Rating *rating)
{
    const bool ref = is_damaged(rating, rating->ref, SIDE_REF);
    const bool dist = is_damaged(rating, rating->video, SIDE_DIST);
    if (!*rating->incomplete && (ref || dist))
        snprintf(rating->incomplete, sizeof(rating->incomplete),
                 "%s damaged, and what the decoder made of %s was scored",
                 ref && dist ? "both videos are"
                 : ref       ? "the reference is"
                             : "the distorted video is",
                 ref && dist ? "them" : "it");
}

/* Tells the report whether pairs are missing. All formats show that a run was stopped. */
static int note_completeness(Rating *rating)
{
    int err = 0;
    find_damage(rating);
    if (rating->stopped) {
        snprintf(rating->incomplete, sizeof(rating->incomplete), "stopped by %s",
                 interrupt_name(interrupt_signal()));
        err = vmaf_report_partial(rating->vmaf, rating->incomplete);
    }
    const bool complete = !*rating->incomplete;
    return err ? err
               : vmaf_report_complete(rating->vmaf, complete, complete ? NULL : rating->incomplete);
}

/* Shows the scores at a glance; those of several videos are shown together, later. */
static int summarise(Rating *rating, const Options *o, const Models *models)
{
    double *const times = malloc((rating->frame_count + 1) * sizeof(*times));
    if (!times)
        return -ENOMEM;
    for (size_t i = 0; i < rating->frame_count; i++)
        times[i] = seconds_of(rating->frames[i].time);
    const SummaryUse use = { rating->pairs, times, rating->incomplete, rating->video->path,
                             o->distorted.count > 1 ? &rating->row : NULL };
    const int err = models_summarise(models, o, rating->vmaf, &use);
    free(times);
    return err;
}

/* True if the scores are the run's output, and libvmaf's command could not have made this run: it
 * prints scores on standard error, where scripts look for them. */
static bool prints_on_stdout(const Rating *rating, const Options *o)
{
    const bool free_for_it = !rating->output && !(o->html && output_is_stdout(o->html));
    const bool newer = video_is_decoded(rating->ref) || video_is_decoded(rating->video);
    return free_for_it && newer && !scores_wanted();
}

static bool find_in_lines(void *arg, const char *metric, VmafStatistics *figures)
{
    const Rating *const rating = arg;
    return lines_figures(rating->lines, (unsigned)rating->number, metric, figures);
}

/* Finds the scores of the shots. */
static int make_shots(const Rating *rating, const Options *o, ShotSpans *shots)
{
    const unsigned step = o->subsample ? o->subsample : 1;
    unsigned *const firsts = malloc((rating->frame_count + 1) * sizeof(*firsts));
    size_t count = 0;
    if (!firsts)
        return -ENOMEM;
    for (size_t i = 0; i < rating->frame_count; i++)
        if (rating->frames[i].shot)
            firsts[count++] = (unsigned)i;
    const ScoredFrames frames = { NULL, step, (rating->pairs + step - 1) / step,
                                  rating->pairs - 1 };
    const int err = shot_spans_make(shots, firsts, count, &frames);
    for (size_t i = 0; !err && i < shots->count; i++) {
        shots->at[i].begin = seconds_of(rating->frames[shots->at[i].first].time);
        shots->at[i].end = seconds_of(rating->frames[shots->at[i].last].time);
    }
    free(firsts);
    return err;
}

/* Compares the scores with --fail_under. */
static int judge(Rating *rating, const Options *o, const ShotSpans *shots, const ScoreOwner *owner)
{
    const FigureSource running = { find_in_lines, rating };
    const FigureSource *const figures = lines_are_bounded(o) ? &running : NULL;
    int err = 0;
    if (rating->stopped)
        return 0;
    if (!o->no_prediction)
        err = models_judge(rating->models, o, rating->vmaf, rating->pairs, figures, shots, owner,
                           &rating->below);
    if (!err)
        err = limits_judge(o, rating->vmaf, rating->pairs, figures, shots, owner, &rating->below);
    if (!err)
        rating->unjudged = score_limit_misses_frames(o, owner, rating->incomplete);
    return err;
}

/* Computes the scores, prints them and compares them with --fail_under. */
static int report_scores(Rating *rating, const Options *o)
{
    const Models *const models = rating->models;
    const bool several = options_name_videos(o);
    const ScoreOwner owner = { several ? rating->video->path : "", several ? ": " : "",
                               prints_on_stdout(rating, o) };
    const bool print = !rating->lines && (!rating->output || o->to_stdout || scores_wanted() ||
                                          (message_on_terminal() && !o->quiet && !rating->stopped));
    int err = 0;
    if (!o->no_prediction && !lines_are_bounded(o))
        err = models_score(models, o, rating->vmaf, rating->pairs, print ? &owner : NULL);
    if (!err && print)
        err = extractors_score(o, rating->vmaf, rating->pairs, &owner);
    if (!err && print && !o->no_prediction && !o->quiet && !o->progress && message_on_terminal())
        err = summarise(rating, o, models);
    ShotSpans shots = { .at = NULL };
    if (!err)
        err = make_shots(rating, o, &shots);
    if (!err && print && !o->no_prediction && !o->quiet)
        err = models_say_shots(models, o, rating->vmaf, rating->pairs, &shots, owner.path);
    if (!err)
        err = judge(rating, o, &shots, &owner);
    shot_spans_clear(&shots);
    return err;
}

/* Waits until the context has scored everything. */
static int flush(const Rating *rating)
{
    const int err = vmaf_read_pictures(rating->vmaf, NULL, NULL, 0);
    if (err)
        say("problem flushing context");
    return err;
}

/* Fails if the part is incomplete, so that no part file is written. */
static int end_part(const Rating *rating, const Options *options)
{
    if (rating->stopped)
        return -EINTR;
    if (rating->cut && !options->allow_partial) {
        say("cannot make a part of a video that is cut off: score what is left of it in a single run");
        return -EINVAL;
    }
    return rating->part->count ? flush(rating) : 0;
}

int rating_end(const Rating *rating, const Options *options)
{
    if (rating->part)
        return end_part(rating, options);
    if (!rating->pairs) /* the first frame was cut off, or a signal came */
        return -EINVAL;
    if (rating->stopped && !rating->output && !options->html && !rating->lines)
        return -EINTR;
    const int err = flush(rating);
    return err || !rating->lines ? err : lines_finish(rating->lines, (unsigned)rating->number);
}

static void tell_bars(Rating *rating, const OffsetHint *hint)
{
    static const char text[] =
        "has black bars where %s has a picture: the scores compare different parts of it; "
        "--crop W:H:X:Y scores one rectangle of both, --crop_ref and --crop_dist one of each";
    enum Side side;
    if (!hint_bars(hint, &side))
        return;
    const Video *const barred = side == SIDE_REF ? rating->ref : rating->video;
    char line[512];
    snprintf(line, sizeof(line), text, side == SIDE_REF ? "the distorted video" : "the reference");
    say("Warning: %s: %s", barred->path, line);
    warnings_add(&rating->warnings, "bars_differ", side, line);
}

void rating_tell_offset(Rating *rating, OffsetHint *hint, const SyncVideo *dist)
{
    char option[64];
    hint_end(hint);
    if (!hint->offset) {
        tell_bars(rating, hint);
        return;
    }
    sync_offset_option(dist, rating->ref, hint->offset, option, sizeof(option));
    char text[512];
    snprintf(text, sizeof(text),
             "looks misaligned: its pictures match the reference's %.1f times better %d frame%s %s "
             "than they were compared; use --sync auto, or %s",
             hint->times, abs(hint->offset), abs(hint->offset) == 1 ? "" : "s",
             hint->offset > 0 ? "later" : "earlier", option);
    say("Warning: %s %s", rating->video->path, text);
    warnings_add(&rating->warnings, "offset_suspected", SIDE_DIST, text);
}

int rating_finish(Rating *rating, const Options *options)
{
    if (rating->part)
        return part_write(rating, options);
    int err = note_completeness(rating);
    if (!err)
        err = note_origin(rating, options);
    if (!err)
        err = report_scores(rating, options);
    if (!err && rating->output)
        err = output_write(rating->vmaf, options, rating->output);
    if (!err && (options->html || options->heatmap_folder))
        err = stored_from_context(&rating->report, rating->vmaf, rating->video->path);
    if (!err && rating->cut &&
        !options->allow_partial) { /* repeat the failure as the last message */
        say("problem with %s: only the %u frame%s before the cut %s scored", rating->video->path,
            rating->pairs, rating->pairs == 1 ? "" : "s", rating->pairs == 1 ? "is" : "are");
        return -EINVAL;
    }
    return err;
}

void rating_destroy(Rating *rating)
{
    models_destroy(rating->models);
    if (rating->vmaf)
        vmaf_close(rating->vmaf);
    free(rating->output);
    free(rating->frames);
    stored_destroy(rating->report);
    warnings_clear(&rating->warnings);
    part_run_destroy(rating->part);
    *rating = (Rating){ 0 };
}
