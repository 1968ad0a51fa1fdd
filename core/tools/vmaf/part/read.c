/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/json_memory.h"
#include "common/message.h"
#include "report/scan.h"
#include "part.h"

static int refuse(const PartFile *part, const char *why)
{
    say("%s cannot be merged: %s", part->path, why);
    return -EINVAL;
}

/* ---- the file ---- */

static int read_text(PartFile *part, size_t *size)
{
    FILE *const file = fopen(part->path, "rb");
    size_t capacity = 1 << 16, used = 0, got = 0;
    int err = file ? 0 : -errno;
    struct stat info;
    if (!err && !fstat(fileno(file), &info) && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
        fclose(file);
        return refuse(part, "it is not a regular file, and parts are read more than once");
    }
    part->text = err ? NULL : malloc(capacity + 1);
    while (!err && part->text && (got = fread(part->text + used, 1, capacity - used, file))) {
        used += got;
        if (used < capacity)
            continue;
        capacity *= 2;
        char *const grown = realloc(part->text, capacity + 1);
        if (!grown)
            err = -ENOMEM;
        else
            part->text = grown;
    }
    if (!err && !part->text)
        err = -ENOMEM;
    if (!err && ferror(file))
        err = errno == EISDIR ? -EISDIR : -EIO;
    if (file)
        fclose(file);
    if (err)
        say("could not read the part %s: %s", part->path, strerror(-err));
    else
        part->text[used] = '\0';
    *size = used;
    return err;
}

/* Checks the file's beginning, end and checksum. A file that begins but does not end like a part
 * was cut off; one with a wrong checksum was changed. */
static int check_sum(const PartFile *part, size_t size)
{
    static const char begin[] = "{\n  \"vmaf_part\": ", before[] = ",\n  \"checksum\": \"",
                      behind[] = "\"\n}\n";
    const size_t tail = strlen(before) + DIGEST_TEXT - 1 + strlen(behind);
    if (size < strlen(begin) || memcmp(part->text, begin, strlen(begin)))
        return refuse(part, "it is not a part file (--shard and --frames write them)");
    const char *const end = part->text + size - (size < tail ? size : tail);
    if (size < tail || memcmp(end, before, strlen(before)) ||
        memcmp(part->text + size - strlen(behind), behind, strlen(behind)))
        return refuse(part, "it is cut off: run this part again");
    Digest digest;
    char sum[DIGEST_TEXT];
    digest_start(&digest);
    digest_add(&digest, part->text, size - tail);
    digest_end(&digest, sum);
    return memcmp(end + strlen(before), sum, DIGEST_TEXT - 1)
               ? refuse(part, "it was changed after it was written: run this part again")
               : 0;
}

/* ---- what is in it ---- */

static bool is_named(Slice key, const char *name)
{
    return key.size == strlen(name) + 2 && !memcmp(key.data + 1, name, key.size - 2);
}

static int take_members(PartFile *part, size_t size)
{
    Scan scan = { part->text, part->text + size };
    bool first = true;
    Slice key, value;
    int next;
    part->head = json_object();
    if (!part->head)
        return -ENOMEM;
    if (!scan_take(&scan, '{'))
        return refuse(part, "it is broken");
    while ((next = scan_member(&scan, &first, &key, &value)) > 0) {
        if (is_named(key, "values")) {
            part->values = value.data;
            part->values_end = value.data + value.size;
            continue;
        }
        char name[32];
        snprintf(name, sizeof(name), "%.*s", (int)(key.size - 2), key.data + 1);
        json_error_t error;
        json_t *const member = json_loadb(value.data, value.size, JSON_DECODE_ANY, &error);
        if (json_memory_failed()) {
            json_decref(member);
            return refuse(part, "out of memory");
        }
        if (!member || json_object_set_new(part->head, name, member))
            return refuse(part, "it is broken");
    }
    return next ? refuse(part, "it is broken") : 0;
}

static int check_head(PartFile *part)
{
    json_int_t version = 0, first = -1, count = -1;
    int ended = 0;
    const json_t *read, *places, *edges, *options;
    const int bad = json_unpack(
        part->head, "{sI sI sI sb so so so so so so so so so so so}", "vmaf_part", &version,
        "first", &first, "count", &count, "ended", &ended, "inputs", &read, "scored", &read,
        "models", &read, "extractors", &places, "settings", &read, "options", &options, "read",
        &read, "edges", &edges, "places", &places, "version", &read, "chosen_by", &read);
    if (version && version != PART_VERSION)
        return refuse(part, "it was written by another version of vmaf: run all parts again");
    if (bad || first < 0 || first > UINT32_MAX || count < 0 || count > UINT32_MAX || !part->values)
        return refuse(part, "members are missing");
    part->first = (uint64_t)first;
    part->count = (uint64_t)count;
    part->ended = ended;
    return 0;
}

int part_load(PartFile *part, const char *path, bool keep_values)
{
    size_t size;
    *part = (PartFile){ .path = path };
    int err = read_text(part, &size);
    if (!err)
        err = check_sum(part, size);
    if (!err)
        err = take_members(part, size);
    if (!err)
        err = check_head(part);
    if (!err && !keep_values) {
        free(part->text);
        part->text = NULL;
        part->values = part->values_end = NULL;
    }
    if (err)
        part_unload(part);
    else if (keep_values)
        part->values++; /* after the opening bracket */
    return err;
}

void part_unload(PartFile *part)
{
    json_decref(part->head);
    free(part->text);
    *part = (PartFile){ .path = part->path };
}

/* ---- values ---- */

static bool take(PartFile *part, char c)
{
    while (*part->values == ' ' || *part->values == '\n')
        part->values++;
    if (*part->values != c)
        return false;
    part->values++;
    return true;
}

static bool take_word(PartFile *part, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(part->values, word, length) != 0)
        return false;
    part->values += length;
    return true;
}

static bool take_integer(PartFile *part, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(part->values, &end, 10);
    const bool found = end != part->values && !errno;
    part->values = end;
    return found;
}

static bool take_real(PartFile *part, double *value)
{
    static const struct {
        const char *word;
        double value;
    } others[] = { { "\"nan\"", (double)NAN },
                   { "\"-nan\"", -(double)NAN },
                   { "\"inf\"", (double)INFINITY },
                   { "\"-inf\"", -(double)INFINITY } };
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        if (take_word(part, others[i].word)) {
            *value = others[i].value;
            return true;
        }
    }
    char *end;
    *value = strtod(part->values, &end);
    const bool found = end != part->values;
    part->values = end;
    return found;
}

static bool take_values(PartFile *part, const char *kinds, VmafPartValue *values)
{
    bool good = take(part, '[');
    for (size_t i = 0; good && kinds[i]; i++) {
        if (i)
            good = take(part, ',');
        if (good)
            good = kinds[i] == 'r' ? take_real(part, &values[i].real)
                                   : take_integer(part, &values[i].integer);
    }
    return good && take(part, ']');
}

/* Takes a number that cannot be negative. */
static bool take_number(PartFile *part, uint64_t *value)
{
    int64_t number;
    if (!take_integer(part, &number) || number < 0)
        return false;
    *value = (uint64_t)number;
    return true;
}

static bool take_frames(PartFile *part, PairFrames *frames)
{
    const bool timeless = take_word(part, "null");
    frames->time = VIDEO_NO_TIME;
    return (timeless || take_integer(part, &frames->time)) && take(part, ',') &&
           take_number(part, &frames->number[SIDE_REF]) && take(part, ',') &&
           take_number(part, &frames->number[SIDE_DIST]);
}

int part_next_row(PartFile *part, const char *const *kinds, unsigned features, unsigned pair,
                  const PartRow *row)
{
    int64_t number = -1;
    take(part, ',');
    bool good = take(part, '[') && take_integer(part, &number) && number == (int64_t)pair &&
                take(part, ',') && take_frames(part, row->frames);
    for (unsigned i = 0; good && i < features; i++) {
        good = take(part, ',');
        const bool skipped = good && take_word(part, "null");
        if (good && !skipped)
            good = take_values(part, kinds[i], row->room[i]);
        row->values[i] = skipped ? NULL : row->room[i];
    }
    return good && take(part, ']') ? 0 : refuse(part, "its values are broken");
}
