/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "key.h"

#include <jansson.h>
#include <sys/stat.h>

#include "range.h"
#include "results.h"

char *key_make(const char *path, const TuneOptions *options, const Encoder *encoder,
               const char *what)
{
    struct stat info;
    char pool[POOL_NAME_SIZE];
    json_t *const key = json_array();
    if (stat(path, &info))
        info = (struct stat){ .st_size = 0 };
    pool_print(&options->pool, pool);
    json_array_append_new(key, json_text(path));
    json_array_append_new(key, json_integer((json_int_t)info.st_size));
    json_array_append_new(key, json_integer((json_int_t)info.st_mtim.tv_sec));
    json_array_append_new(key, json_integer((json_int_t)info.st_mtim.tv_nsec));
    json_array_append_new(key, json_text(options->metric));
    json_array_append_new(key, json_string(pool));
    for (size_t i = 0; i < options->score_words.count; i++)
        json_array_append_new(key, json_text(options->score_words.words[i]));
    json_array_append_new(key, json_text(encoder->label));
    for (size_t i = 0; i < encoder->command.words.count; i++)
        json_array_append_new(key, json_text(encoder->command.words.words[i]));
    json_array_append_new(key, json_string(what));
    char *const text = json_dumps(key, JSON_COMPACT);
    json_decref(key);
    return text;
}

char *key_of_setting(const char *path, const TuneOptions *options, const Encoder *encoder,
                     double setting)
{
    char text[32];
    range_print(setting, text, sizeof(text));
    return key_make(path, options, encoder, text);
}
