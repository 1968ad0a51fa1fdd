/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "rpc.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "files.h"
#include "report/pictures.h"
#include "report/text.h"
#include "scoring.h"
#include "tool.h"
#include "vmaf/command.h"

/* worst_frames: pictures of the frames with the lowest scores. */

#define PICTURES 4 /* default */
/* The most bytes of all pictures: fewer than on a page, since all must fit into one message. */
#define ROOM (PICTURES_SIZE_MAX * 2 / 3)

static void add_text(json_t *content, const char *text)
{
    json_array_append_new(content, json_pack("{s:s, s:o}", "type", "text", "text", rpc_text(text)));
}

static void add_image(json_t *content, json_t *data)
{
    json_array_append_new(content, json_pack("{s:s, s:O, s:s}", "type", "image", "data", data,
                                             "mimeType", "image/png"));
}

static json_t *row_of(const json_t *frame)
{
    return json_pack("{s:O, s:O, s:O*}", "frame", json_object_get(frame, "frame"), "score",
                     json_object_get(frame, "score"), "time", json_object_get(frame, "time"));
}

/* Make the result: the summary, then text and pictures for each frame. */
static json_t *show(const Scoring *scoring)
{
    const json_t *const frames = json_object_get(scoring->shown, "pictures");
    const json_t *const problem = json_object_get(scoring->shown, "problem");
    json_t *const summary = json_copy(scoring->result), *const rows = json_array();
    const json_t *frame;
    size_t i;
    json_array_foreach(frames, i, frame) json_array_append_new(rows, row_of(frame));
    json_object_set_new(summary, "worst", rows);
    if (problem)
        json_object_set(summary, "problem", (json_t *)problem);
    json_t *const result = tool_result(summary);
    json_t *const content = json_object_get(result, "content");
    json_array_foreach(frames, i, frame)
    {
        json_t *const reference = json_object_get(frame, "reference");
        json_t *const distorted = json_object_get(frame, "distorted");
        char text[128];
        if (!reference || !distorted)
            continue;
        snprintf(text, sizeof(text),
                 "Frame %.0f, score %.2f: the reference, then the distorted video.",
                 json_number_value(json_object_get(frame, "frame")),
                 json_number_value(json_object_get(frame, "score")));
        add_text(content, text);
        add_image(content, reference);
        add_image(content, distorted);
    }
    return result;
}

static json_t *run_worst_frames(Call *call)
{
    Scoring scoring = {
        .reference = tool_string(call->arguments, "reference", ""),
        .distorted = tool_string(call->arguments, "distorted", ""),
        .pictures = (unsigned)tool_integer(call->arguments, "count", PICTURES),
    };
    char why[2048];
    const int err = scoring_run(call, &scoring, why, sizeof(why));
    json_t *const result = err == -ECANCELED ? NULL
                           : err             ? tool_failure("%s", why)
                                             : show(&scoring);
    scoring_free(&scoring);
    return result;
}

const Tool worst_frames_tool = {
    .name = "worst_frames",
    .title = "Show the worst frames",
    .description =
        "Score a distorted (encoded) video against its reference, as score does, and show the "
        "frames with the "
        "lowest scores as pictures from both videos, to see what went wrong. Shows at most one "
        "frame per second of video.",
    .input = "{\"type\": \"object\", \"required\": [\"reference\", \"distorted\"], "
             "\"additionalProperties\": false, \"properties\": {"
             "\"reference\": {\"type\": \"string\", \"minLength\": 1, \"maxLength\": 4096, "
             "\"description\": \"Path of the original video.\"}, "
             "\"distorted\": {\"type\": \"string\", \"minLength\": 1, \"maxLength\": 4096, "
             "\"description\": \"Path of the encoded video.\"}, "
             "\"count\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 8, \"description\": "
             "\"How many frames (default 4).\"}, " SCORING_PROPERTIES "}}",
    .output = SCORING_RESULT,
    .run = run_worst_frames,
};

/* The worker, `COUNT vmaf WORD...`: scores as the vmaf command does, then prints a line of JSON
 * with pictures of the worst frames,
 * {"pictures": [{"frame", "score", "time", "reference", "distorted"}…], "problem"},
 * and after it the report. Pictures are PNG in base64, and omitted if they cannot be made. */

typedef struct Worst {
    StoredReport *report;
    const StoredMetric *metric;
    size_t frames[WORST_MAX];
    unsigned count;
    Png pictures[WORST_MAX][SIDES];
    char why[512];
} Worst;

static int score(int argc, char **argv, char *path)
{
    char **const words = calloc((size_t)argc + 3, sizeof(*words));
    if (!words)
        return 255;
    for (int i = 0; i < argc; i++)
        words[i] = argv[i];
    words[argc] = (char[]){ "--output" };
    words[argc + 1] = path;
    const int code = vmaf_command(argc + 2, words);
    free(words);
    return code;
}

static int find_worst(Worst *worst, const char *path, unsigned wanted)
{
    int err = stored_load(&worst->report, path);
    if (err)
        return err;
    worst->metric = stored_headline(worst->report);
    worst->count =
        worst->metric ? worst_frames(worst->report, worst->metric, false, worst->frames) : 0;
    if (worst->count > wanted)
        worst->count = wanted;
    return pictures_read(worst->report, worst->frames, worst->count, ROOM, worst->pictures,
                         worst->why, sizeof(worst->why));
}

static void print_picture(const Worst *worst, unsigned index)
{
    static const char *const sides[SIDES] = { "reference", "distorted" };
    const size_t frame = worst->frames[index];
    const double time = stored_time(worst->report, frame);
    printf("%s{\"frame\": %u, \"score\": %.6f", index ? ", " : "", worst->report->numbers[frame],
           worst->metric->values[frame]);
    if (isfinite(time))
        printf(", \"time\": %.6f", time);
    for (unsigned side = 0; side < SIDES; side++) {
        const Png *const png = &worst->pictures[index][side];
        if (!png->data)
            continue;
        printf(", \"%s\": \"", sides[side]);
        put_base64(stdout, png->data, png->size);
        printf("\"");
    }
    printf("}");
}

static void print(const Worst *worst)
{
    json_t *const why = rpc_text(worst->why);
    printf("{\"pictures\": [");
    for (unsigned i = 0; i < worst->count; i++)
        print_picture(worst, i);
    printf("]");
    if (why && *worst->why) {
        printf(", \"problem\": ");
        json_dumpf(why, stdout, JSON_ENCODE_ANY);
    }
    printf("}\n");
    json_decref(why);
}

static int copy_report(const Scratch *scratch)
{
    size_t length;
    char *const text = scratch_read(scratch, SIZE_MAX, &length);
    const bool lost = !text || fwrite(text, 1, length, stdout) != length || fflush(stdout);
    free(text);
    return lost ? -EIO : 0;
}

int worker_frames(int argc, char **argv)
{
    static Worst worst;
    Scratch scratch;
    const unsigned wanted = argc > 1 ? (unsigned)strtoul(argv[0], NULL, 10) : 0;
    const int opened = wanted ? scratch_open(&scratch) : -EINVAL;
    if (opened) {
        say("cannot create a temporary file: %s", strerror(-opened));
        return 1;
    }
    int code = score(argc - 1, argv + 1, scratch.name);
    if (!code) {
        int err = find_worst(&worst, scratch.name, wanted);
        if (!err) {
            print(&worst);
            err = copy_report(&scratch);
        }
        code = err ? 255 : 0;
    }
    for (unsigned i = 0; i < worst.count; i++)
        for (unsigned side = 0; side < SIDES; side++)
            png_clear(&worst.pictures[i][side]);
    stored_destroy(worst.report);
    scratch_close(&scratch);
    return code;
}
