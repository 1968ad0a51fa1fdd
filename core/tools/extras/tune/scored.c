/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "scored.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names of the metrics of a frame, for the message. */
static void list_metrics(const json_t *frame, char *text, size_t size)
{
    const char *name;
    json_t *value;
    size_t used = 0;
    *text = 0;
    json_object_foreach (json_object_get(frame, "metrics"), name, value) {
        const int n = snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
        used += n > 0 ? (size_t)n : 0;
        if (used >= size)
            return;
    }
}

static int take_frames(Scored *scored, const json_t *frames, const char *metric, char *error,
                       size_t error_size)
{
    const size_t count = json_array_size(frames);
    scored->scores = malloc((count ? count : 1) * sizeof(*scored->scores));
    if (!scored->scores)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const json_t *const frame = json_array_get(frames, i);
        const json_t *const score = json_object_get(json_object_get(frame, "metrics"), metric);
        if (json_is_number(score)) /* with --subsample not every frame has one */
            scored->scores[scored->count++] = json_number_value(score);
    }
    if (scored->count)
        return 0;
    char names[512];
    list_metrics(json_array_get(frames, 0), names, sizeof(names));
    snprintf(error, error_size, "no frame has a score \"%s\"; there are: %s", metric, names);
    return -EINVAL;
}

int scored_read(Scored *scored, const char *path, const char *metric, char *error,
                size_t error_size)
{
    json_error_t problem;
    json_t *const report = json_load_file(path, 0, &problem);
    *scored = (Scored){ 0 };
    if (!report) {
        snprintf(error, error_size, "the report of the scores cannot be read: %s", problem.text);
        return -EINVAL;
    }
    const int err =
        take_frames(scored, json_object_get(report, "frames"), metric, error, error_size);
    scored->fps = json_number_value(json_object_get(report, "fps"));
    json_decref(report);
    if (err) {
        free(scored->scores);
        *scored = (Scored){ 0 };
    }
    return err;
}
