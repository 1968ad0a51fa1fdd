/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* score and compare. */
#include <errno.h>
#include <stdio.h>

#include "rpc.h"
#include "scoring.h"
#include "tool.h"

#define WORST_PROPERTY                                                                             \
    "\"worst\": {\"type\": \"integer\", \"minimum\": 0, \"maximum\": 100, \"description\": "       \
    "\"How many of the worst frames to list (default 5).\"}"

static json_t *run_score(Call *call)
{
    const json_t *const arguments = call->arguments;
    Scoring scoring = {
        .reference = tool_string(arguments, "reference", ""),
        .distorted = tool_string(arguments, "distorted", ""),
        .worst = (unsigned)tool_integer(arguments, "worst", 5),
    };
    char why[2048];
    const int err = scoring_run(call, &scoring, why, sizeof(why));
    json_t *const result = err == -ECANCELED ? NULL
                           : err             ? tool_failure("%s", why)
                                             : tool_result(json_incref(scoring.result));
    scoring_free(&scoring);
    return result;
}

const Tool score_tool = {
    .name = "score",
    .title = "Score a video",
    .description =
        "Compare a distorted (encoded) video with its reference and score its quality with VMAF, and with other "
        "metrics on request. Gives figures over all frames (mean, harmonic mean, percentiles) and the worst "
        "frames. Both are files on the server's machine.",
    .input = "{\"type\": \"object\", \"required\": [\"reference\", \"distorted\"], "
             "\"additionalProperties\": false, \"properties\": {"
             "\"reference\": {\"type\": \"string\", \"minLength\": 1, \"maxLength\": 4096, "
             "\"description\": \"Path of the original video.\"}, "
             "\"distorted\": {\"type\": \"string\", \"minLength\": 1, \"maxLength\": 4096, "
             "\"description\": \"Path of the encoded video.\"}, " WORST_PROPERTY
             ", " SCORING_PROPERTIES "}}",
    .output = SCORING_RESULT,
    .run = run_score,
};

/* Best first; those without a score come last, as they came. */
static size_t rank(const json_t *results, const json_t *result)
{
    const json_t *const score = json_object_get(result, "score");
    size_t at = 0;
    while (at < json_array_size(results)) {
        const json_t *const other = json_object_get(json_array_get(results, at), "score");
        if (score && (!other || json_number_value(score) > json_number_value(other)))
            break;
        at++;
    }
    return at;
}

static json_t *run_compare(Call *call)
{
    const json_t *const videos = json_object_get(call->arguments, "distorted");
    json_t *const results = json_array();
    const json_t *video;
    size_t i;
    unsigned scored = 0;
    json_array_foreach(videos, i, video)
    {
        Scoring scoring = {
            .reference = tool_string(call->arguments, "reference", ""),
            .distorted = json_string_value(video),
            .worst = (unsigned)tool_integer(call->arguments, "worst", 5),
            .index = (unsigned)i,
            .count = (unsigned)json_array_size(videos),
        };
        char why[2048];
        const int err = scoring_run(call, &scoring, why, sizeof(why));
        if (err == -ECANCELED) {
            json_decref(results);
            return NULL;
        }
        json_t *const result =
            err ? json_pack("{s:s, s:o}", "distorted", scoring.distorted, "error", rpc_text(why))
                : json_incref(scoring.result);
        json_array_insert_new(results, rank(results, result), result);
        scored += !err;
        scoring_free(&scoring);
    }
    if (scored)
        return tool_result(json_pack("{s:s, s:o}", "reference",
                                     tool_string(call->arguments, "reference", ""), "results",
                                     results));
    json_t *const failure =
        tool_failure("none of the videos could be scored: %s",
                     json_string_value(json_object_get(json_array_get(results, 0), "error")));
    json_decref(results);
    return failure;
}

const Tool compare_tool = {
    .name = "compare",
    .title = "Compare several encodes",
    .description =
        "Score several distorted (encoded) videos against one reference, and list them best first. A "
        "video that cannot be scored has an error in its place; the others are scored all the same.",
    .input = "{\"type\": \"object\", \"required\": [\"reference\", \"distorted\"], "
             "\"additionalProperties\": false, \"properties\": {"
             "\"reference\": {\"type\": \"string\", \"minLength\": 1, \"maxLength\": 4096, "
             "\"description\": \"Path of the original video.\"}, "
             "\"distorted\": {\"type\": \"array\", \"minItems\": 1, \"maxItems\": 32, \"items\": "
             "{\"type\": \"string\", \"minLength\": 1, \"maxLength\": 4096}, "
             "\"description\": \"Paths of the encoded videos.\"}, " WORST_PROPERTY
             ", " SCORING_PROPERTIES "}}",
    .output =
        "{\"type\": \"object\", \"required\": [\"reference\", \"results\"], \"properties\": {"
        "\"reference\": {\"type\": \"string\"}, \"results\": {\"type\": \"array\", \"items\": "
        "{\"type\": \"object\", \"required\": [\"distorted\"], \"properties\": {"
        "\"distorted\": {\"type\": \"string\"}, \"score\": {\"type\": \"number\"}, "
        "\"error\": {\"type\": \"string\"}}}}}}",
    .run = run_compare,
};
