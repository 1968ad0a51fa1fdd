/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Part files with a valid checksum and arbitrary content. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "common/message.h"
#include "vmaf/part/part.h"

enum { FEATURES_MAX = 16, VALUES_MAX = 64 };

static void read_rows(PartFile *part)
{
    const json_t *const list = json_object_get(part->head, "extractors");
    const char *kinds[FEATURES_MAX];
    VmafPartValue room[FEATURES_MAX][VALUES_MAX], *rooms[FEATURES_MAX];
    const VmafPartValue *values[FEATURES_MAX];
    unsigned features = 0;
    for (; features < json_array_size(list) && features < FEATURES_MAX; features++) {
        const char *const own =
            json_string_value(json_object_get(json_array_get(list, features), "kinds"));
        kinds[features] = own && strlen(own) <= VALUES_MAX ? own : "";
        rooms[features] = room[features];
    }
    PairFrames frames;
    const PartRow row = { &frames, rooms, values };
    for (uint64_t i = 0; i < part->count; i++)
        if (part_next_row(part, kinds, features, (unsigned)(part->first + i), &row))
            break;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char before[] = ",\n  \"checksum\": \"", behind[] = "\"\n}\n";
    char sum[DIGEST_TEXT];
    Digest digest;
    const size_t tail = strlen(before) + DIGEST_TEXT - 1 + strlen(behind);
    uint8_t *const file = malloc(size + tail + 1);
    if (!file)
        abort();
    digest_start(&digest);
    digest_add(&digest, data, size);
    digest_end(&digest, sum);
    if (size)
        memcpy(file, data, size);
    strcpy((char *)file + size, before);
    strcat((char *)file + size, sum);
    strcat((char *)file + size, behind);
    const char *const path = fuzz_file(file, size + tail);
    free(file);
    message_hush(true);
    PartFile parts[2];
    for (unsigned i = 0; i < 2; i++) {
        if (part_load(&parts[i], path, true)) {
            if (i)
                part_unload(&parts[0]);
            return 0;
        }
    }
    parts_agree(parts, 2);
    parts_agree(parts, 1);
    read_rows(&parts[0]);
    part_unload(&parts[0]);
    part_unload(&parts[1]);
    return 0;
}
