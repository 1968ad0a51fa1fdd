/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The tools score and compare. */
#include <errno.h>
#include <stdio.h>

#include "rpc.h"
#include "scoring.h"
#include "tool.h"

#define WORST_PROPERTY                                                                             \
    "\"worst\": {\"type\": \"integer\", \"minimum\": 0, \"maximum\": 100, \"description\": "       \
    "\"How many of the worst frames to list (default 5).\"}"

enum { VIDEOS_MAX = 32 }; /* maxItems in the schema of compare */

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
        "Compare a distorted (encoded) video with its reference and score its quality with VMAF, "
        "and with other "
        "metrics on request. Gives figures over all frames (mean, harmonic mean, percentiles) and "
        "the worst "
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

/* True if `one` ranks before `other`: whole videos come before those of which frames are missing,
 * then the best scores. */
static bool is_better(const json_t *one, const json_t *other)
{
    const bool whole = !json_is_false(json_object_get(one, "complete"));
    const bool other_whole = !json_is_false(json_object_get(other, "complete"));
    return whole != other_whole ? whole
                                : json_number_value(json_object_get(one, "score")) >
                                      json_number_value(json_object_get(other, "score"));
}

/* Returns the index at which to insert a result; those without a score come last in their original
 * order. */
static size_t rank(const json_t *results, const json_t *result)
{
    const json_t *const score = json_object_get(result, "score");
    size_t at = 0;
    while (at < json_array_size(results)) {
        const json_t *const other = json_array_get(results, at);
        if (score && (!json_object_get(other, "score") || is_better(result, other)))
            break;
        at++;
    }
    return at;
}

/* Score the videos one after another, so that each gets its own result or error. Returns -ECANCELED
 * or 0. */
static int score_apart(Call *call, Scoring *scorings, unsigned count, json_t *results)
{
    for (unsigned i = 0; i < count; i++) {
        Scoring *const scoring = &scorings[i];
        char why[2048];
        const int err = scoring_run(call, scoring, why, sizeof(why));
        if (err == -ECANCELED)
            return err;
        json_t *const result =
            err ? json_pack("{s:s, s:o}", "distorted", scoring->distorted, "error", rpc_text(why))
                : json_incref(scoring->result);
        json_array_insert_new(results, rank(results, result), result);
    }
    return 0;
}

/* Score all videos in one run, which is faster. If that fails because of one of them, score them
 * one by one. */
static int score_all(Call *call, Scoring *scorings, unsigned count, json_t *results)
{
    char why[2048];
    const int err =
        count > 1 ? scoring_run_together(call, scorings, count, why, sizeof(why)) : -EAGAIN;
    for (unsigned i = 0; !err && i < count; i++)
        json_array_insert(results, rank(results, scorings[i].result), scorings[i].result);
    if (!err || err == -ECANCELED || err == -ETIMEDOUT)
        return err;
    for (unsigned i = 0; i < count; i++)
        scoring_free(&scorings[i]);
    return score_apart(call, scorings, count, results);
}

static json_t *answer_compare(const char *reference, json_t *results, int err)
{
    const json_t *const best = json_array_get(results, 0);
    json_t *answer = NULL;
    if (err == -ETIMEDOUT)
        answer = tool_failure("it exceeded the time limit and was stopped");
    else if (!err && json_object_get(best, "score"))
        answer = tool_result(json_pack("{s:s, s:O}", "reference", reference, "results", results));
    else if (!err)
        answer = tool_failure("none of the videos could be scored: %s",
                              json_string_value(json_object_get(best, "error")));
    json_decref(results);
    return answer;
}

static json_t *run_compare(Call *call)
{
    const json_t *const videos = json_object_get(call->arguments, "distorted");
    const char *const reference = tool_string(call->arguments, "reference", "");
    Scoring scorings[VIDEOS_MAX];
    const json_t *video;
    size_t i;
    unsigned count = 0;
    json_t *const results = json_array();
    json_array_foreach(videos, i, video) scorings[count++] =
        (Scoring){ .reference = reference,
                   .distorted = json_string_value(video),
                   .worst = (unsigned)tool_integer(call->arguments, "worst", 5),
                   .index = (unsigned)i,
                   .count = (unsigned)json_array_size(videos) };
    const int err = score_all(call, scorings, count, results);
    for (i = 0; i < count; i++)
        scoring_free(&scorings[i]);
    return answer_compare(reference, results, err);
}

const Tool compare_tool = {
    .name = "compare",
    .title = "Compare several encodes",
    .description =
        "Score several distorted (encoded) videos against one reference, and list them best "
        "first. A video that cannot be scored gets an error instead of a score; the others "
        "are still scored.",
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
