/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "models.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/message.h"
#include "digest.h"

static int digest_file(const char *path, char text[DIGEST_TEXT])
{
    FILE *const file = fopen(path, "rb");
    char piece[1 << 14];
    Digest digest;
    size_t size;
    int err = file ? 0 : -errno;
    digest_start(&digest);
    while (!err && (size = fread(piece, 1, sizeof(piece), file)))
        digest_add(&digest, piece, size);
    if (!err && ferror(file))
        err = -EIO;
    if (file)
        fclose(file);
    if (err)
        say("could not read the model %s: %s", path, strerror(-err));
    digest_end(&digest, text);
    return err;
}

int describe_models(json_t **list, const Options *options)
{
    json_t *const models = json_array();
    int err = models ? 0 : -ENOMEM;
    for (size_t i = 0; !err && i < options->model_count; i++) {
        const ModelSpec *const spec = &options->models[i];
        char digest[DIGEST_TEXT];
        if (!spec->version)
            err = digest_file(spec->path, digest);
        if (!err)
            json_array_append_new(models,
                                  json_pack("{ss ss ss}", "name", model_spec_name(spec), "source",
                                            spec->version ? spec->version : spec->path, "digest",
                                            spec->version ? "built-in" : digest));
    }
    if (err)
        json_decref(models);
    else
        *list = models;
    return err;
}
