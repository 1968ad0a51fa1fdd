/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "encoded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/argv.h"
#include "common/message.h"

const char *encoded_extension(const char *path)
{
    const char *const slash = path_separator(path), *const dot = strrchr(path, '.');
    return dot && dot[1] && (!slash || dot > slash + 1) && dot != path ? dot + 1 : "mkv";
}

static void hear_tail(void *tail, enum ChildStream stream, const char *bytes, size_t count)
{
    tail_feed(tail, bytes, count);
}

/* Copy a moment of the source's audio to a file. Returns ffmpeg's exit code, or a negative errno.
 */
static int copy_sound(Workshop *shop, const char *path, const char *format, const char *to,
                      Tail *tail)
{
    Argv argv = { 0 };
    ChildEnd end;
    argv_add_all(&argv, (const char *const[]){ shop->ffmpeg, "-nostdin", "-hide_banner", "-v",
                                               "error", "-y", "-i", NULL });
    argv_addf(&argv, "file:%s", path);
    argv_add_all(&argv, (const char *const[]){ "-map", "0:a", "-c", "copy", "-t", "0.1", "-strict",
                                               "experimental", NULL });
    if (format)
        argv_add_all(&argv, (const char *const[]){ "-f", format, NULL });
    argv_add(&argv, to);
    const ChildParams params = { .argv = (const char *const *)argv.words,
                                 .sink = { CHILD_NOWHERE, CHILD_TO_US },
                                 .time_limit = 60,
                                 .heard = hear_tail,
                                 .arg = tail };
    const int err = argv.failed ? -ENOMEM : child_run(shop->children, &params, &end);
    argv_free(&argv);
    return err ? err : end.code;
}

int encoded_has_sound(Workshop *shop, const char *path, bool *sound)
{
    Tail tail = { .next = 0 };
    const int silent = copy_sound(shop, path, "null", "-", &tail);
    *sound = !silent;
    return silent < 0 ? silent : 0;
}

int encoded_check_sound(Workshop *shop, const TuneOptions *options)
{
    Tail tail = { .next = 0 };
    const int silent = copy_sound(shop, options->subject, "null", "-", &tail);
    if (silent) /* the source has no audio, or cannot be read, which is reported elsewhere */
        return silent < 0 ? silent : 0;
    char *const file = temp_file(shop->temp, encoded_extension(options->output));
    char *const to = file ? text_print("file:%s", file) : NULL;
    tail = (Tail){ .next = 0 };
    int err = to ? copy_sound(shop, options->subject, NULL, to, &tail) : -ENOMEM;
    if (err > 0) {
        say("cannot copy the audio of %s to a file like %s; use an .mkv file, which holds any "
            "audio",
            options->subject, options->output);
        tail_say(&tail);
        err = -EINVAL;
    }
    if (file)
        unlink(file);
    free(file);
    free(to);
    return err;
}

int encoded_check(const TuneOptions *options)
{
    struct stat output;
    if (!options->output || stat(options->output, &output))
        return options->output ? draft_check(options->output) : 0;
    if (!options->overwrite) {
        say("%s exists already; use --overwrite to replace it", options->output);
        return -EEXIST;
    }
    return draft_check(options->output);
}
