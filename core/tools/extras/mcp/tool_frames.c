/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* worst_frames. */
#include <errno.h>
#include <stdio.h>

#include "rpc.h"
#include "scoring.h"
#include "tool.h"

#define PICTURES 4 /* unless the client says otherwise */

static void add_text(json_t *content, const char *text)
{
    json_array_append_new(content, json_pack("{s:s, s:o}", "type", "text", "text", rpc_text(text)));
}

static void add_image(json_t *content, json_t *data)
{
    json_array_append_new(content, json_pack("{s:s, s:O, s:s}", "type", "image", "data", data,
                                             "mimeType", "image/png"));
}

static json_t *row_of(const json_t *frame, double rate)
{
    json_t *const number = json_object_get(frame, "frame");
    json_t *const row =
        json_pack("{s:O, s:O}", "frame", number, "score", json_object_get(frame, "score"));
    if (row && rate > 0.0)
        json_object_set_new(row, "time", json_real(json_number_value(number) / rate));
    return row;
}

/* Words and pictures for each frame, after what is said of all of them. */
static json_t *show(const Scoring *scoring)
{
    const json_t *const frames = json_object_get(scoring->shown, "pictures");
    const json_t *const problem = json_object_get(scoring->shown, "problem");
    json_t *const summary = json_copy(scoring->result), *const rows = json_array();
    const json_t *frame;
    size_t i;
    json_array_foreach(frames, i, frame) json_array_append_new(rows, row_of(frame, scoring->rate));
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
        "Score a distorted (encoded) video against its reference, as score does, and show the frames with the "
        "lowest scores as pictures: the reference's and the distorted video's, to see what went wrong. "
        "Of each second only the worst frame is shown.",
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
