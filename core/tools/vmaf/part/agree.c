/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "part.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_memory.h"
#include "common/message.h"

/* ---- the same run ---- */

static const char *text_of(const json_t *value, char *room, size_t size)
{
    char *const dumped = json_whole_text(value, JSON_ENCODE_ANY | JSON_COMPACT);
    snprintf(room, size, "%s", dumped ? dumped : "nothing");
    free(dumped);
    return room;
}

static int refuse_input(const PartFile *a, const PartFile *b, const char *side, const json_t *first,
                        json_t *second)
{
    const char *name = "inputs";
    json_t *value;
    char mine[256], other[256];
    json_object_foreach (second, name, value)
        if (!json_equal(value, json_object_get(first, name)))
            break;
    say("%s and %s are parts of different inputs: %s of the %s video is %s and %s", a->path,
        b->path, name, side, text_of(json_object_get(first, name), mine, sizeof(mine)),
        text_of(json_object_get(second, name), other, sizeof(other)));
    return -EINVAL;
}

static int compare_inputs(const PartFile *a, const PartFile *b)
{
    static const char *const sides[] = { "reference", "distorted" };
    for (unsigned i = 0; i < 2; i++) {
        json_t *const first = json_object_get(json_object_get(a->head, "inputs"), sides[i]);
        json_t *const second = json_object_get(json_object_get(b->head, "inputs"), sides[i]);
        if (!json_equal(first, second))
            return refuse_input(a, b, sides[i], first, second);
    }
    return 0;
}

static int compare_lists(const PartFile *a, const PartFile *b, const char *name, const char *what)
{
    const json_t *const first = json_object_get(a->head, name);
    const json_t *const second = json_object_get(b->head, name);
    const size_t size = json_array_size(first) > json_array_size(second) ? json_array_size(first)
                                                                         : json_array_size(second);
    char mine[256], other[256];
    for (size_t i = 0; i < size; i++) {
        const json_t *const x = json_array_get(first, i), *const y = json_array_get(second, i);
        if (x && y && json_equal(x, y))
            continue;
        say("%s and %s were made with different %s: %s and %s", a->path, b->path, what,
            text_of(x, mine, sizeof(mine)), text_of(y, other, sizeof(other)));
        return -EINVAL;
    }
    return 0;
}

static int compare_values(const PartFile *a, const PartFile *b, const char *name, const char *what)
{
    const json_t *const first = json_object_get(a->head, name);
    const json_t *const second = json_object_get(b->head, name);
    char mine[256], other[256];
    if (json_equal(first, second))
        return 0;
    say("%s and %s were made %s: %s and %s", a->path, b->path, what,
        text_of(first, mine, sizeof(mine)), text_of(second, other, sizeof(other)));
    return -EINVAL;
}

static int compare(const PartFile *a, const PartFile *b)
{
    int err = compare_values(a, b, "version", "by different versions of vmaf");
    if (!err)
        err = compare_inputs(a, b);
    if (!err)
        err = compare_lists(a, b, "settings", "options");
    if (!err)
        err = compare_lists(a, b, "models", "models");
    if (!err)
        err = compare_values(a, b, "chosen_by", "with models for different pictures");
    if (!err)
        err = compare_lists(a, b, "extractors", "features");
    return err ? err : compare_values(a, b, "scored", "of different pictures");
}

/* ---- each pair once ---- */

static json_int_t shard_number(const PartFile *part, const char *name)
{
    return json_integer_value(json_object_get(json_object_get(part->head, "shard"), name));
}

/* Checks that each part of --shard is there once. Parts of --frames have no count, which reads as
 * 0. */
static int check_shards(const PartFile *parts, size_t count)
{
    const json_int_t shards = shard_number(&parts[0], "count");
    for (size_t i = 1; i < count; i++) {
        const json_int_t own = shard_number(&parts[i], "count");
        if (own == shards)
            continue;
        say("%s is one of %lld parts, %s is one of %lld (0: made with --frames): they do not fit together",
            parts[0].path, (long long)shards, parts[i].path, (long long)own);
        return -EINVAL;
    }
    for (json_int_t index = 0; index < shards; index++) {
        const PartFile *found = NULL;
        for (size_t i = 0; i < count; i++) {
            if (shard_number(&parts[i], "index") != index)
                continue;
            if (found) {
                say("%s and %s are both part %lld/%lld: leave out one of them", found->path,
                    parts[i].path, (long long)index, (long long)shards);
                return -EINVAL;
            }
            found = &parts[i];
        }
        if (!found) {
            say("part %lld/%lld is missing", (long long)index, (long long)shards);
            return -EINVAL;
        }
    }
    return 0;
}

static int by_first(const void *a, const void *b)
{
    const PartFile *const x = a, *const y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->count > y->count) - (x->count < y->count);
}

static int refuse_overlap(const PartFile *a, const PartFile *b)
{
    if (a->first == b->first && a->count == b->count)
        say("%s and %s are both frames %" PRIu64 "-%" PRIu64 ": leave out one of them", a->path,
            b->path, a->first, a->first + a->count - 1);
    else
        say("%s (frames %" PRIu64 "-%" PRIu64 ") and %s (frames %" PRIu64 "-%" PRIu64 ") overlap",
            a->path, a->first, a->first + a->count - 1, b->path, b->first, b->first + b->count - 1);
    return -EINVAL;
}

static int check_coverage(const PartFile *parts, size_t count)
{
    const PartFile *before = NULL;
    for (size_t i = 0; i < count; i++) {
        const PartFile *const part = &parts[i];
        const uint64_t due = before ? before->first + before->count : 0;
        if (!part->count)
            continue;
        if (before && part->first < due)
            return refuse_overlap(before, part);
        if (before && before->ended) {
            say("%s says that the videos end with frame %" PRIu64 ", but %s follows", before->path,
                due - 1, part->path);
            return -EINVAL;
        }
        if (part->first > due) {
            say("frames %" PRIu64 "-%" PRIu64 " are missing before %s", due, part->first - 1,
                part->path);
            return -EINVAL;
        }
        before = part;
    }
    if (!before) {
        say("%s: the parts contain no frames", parts[0].path);
        return -EINVAL;
    }
    if (!before->ended) {
        say("the frames after %" PRIu64 " are missing: %s is not the last part",
            before->first + before->count - 1, before->path);
        return -EINVAL;
    }
    return 0;
}

/* ---- the same frames where they meet ---- */

static const json_t *find_edge(const PartFile *part, json_int_t pair)
{
    const json_t *const edges = json_object_get(part->head, "edges");
    for (size_t i = 0; i < json_array_size(edges); i++) {
        const json_t *const edge = json_array_get(edges, i);
        if (json_integer_value(json_array_get(edge, 0)) == pair)
            return edge;
    }
    return NULL;
}

/* True if the two parts read the frame from different positions in the file. A position may be
 * unknown. */
static bool lies_elsewhere(const json_t *edge, const json_t *other, size_t member)
{
    const json_t *const a = json_array_get(edge, member), *const b = json_array_get(other, member);
    return json_is_integer(a) && json_is_integer(b) && !json_equal(a, b);
}

static int refuse_edge(const PartFile *a, const PartFile *b, json_int_t pair, bool is_ref,
                       const char *what)
{
    say("%s and %s saw %s for frame %lld of the %s video: run all parts again, and if that does not "
        "help, with --from_start",
        a->path, b->path, what, (long long)pair, is_ref ? "reference" : "distorted");
    return -EINVAL;
}

static int compare_edges(const PartFile *a, const PartFile *b)
{
    const json_t *const edges = json_object_get(b->head, "edges");
    for (size_t i = 0; i < json_array_size(edges); i++) {
        const json_t *const edge = json_array_get(edges, i);
        const json_int_t pair = json_integer_value(json_array_get(edge, 0));
        const json_t *const other = find_edge(a, pair);
        for (size_t side = 0; other && side < 2; side++) {
            if (!json_equal(json_array_get(edge, 1 + side), json_array_get(other, 1 + side)))
                return refuse_edge(a, b, pair, !side, "different pictures");
            if (lies_elsewhere(edge, other, 3 + side))
                return refuse_edge(a, b, pair, !side, "different file positions");
        }
    }
    return 0;
}

int parts_agree(PartFile *parts, size_t count)
{
    int err = 0;
    for (size_t i = 1; !err && i < count; i++)
        err = compare(&parts[0], &parts[i]);
    qsort(parts, count, sizeof(*parts), by_first);
    if (!err)
        err = check_shards(parts, count);
    if (!err)
        err = check_coverage(parts, count);
    const PartFile *before = NULL;
    for (size_t i = 0; !err && i < count; i++) {
        if (!parts[i].count)
            continue;
        if (before)
            err = compare_edges(before, &parts[i]);
        before = &parts[i];
    }
    return err;
}
