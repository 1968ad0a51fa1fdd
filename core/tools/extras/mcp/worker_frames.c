/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* `COUNT vmaf WORD...`: scores as the vmaf command does, then prints a line of JSON with pictures of the worst
 * frames, {"pictures": [{"frame", "score", "reference", "distorted"}…], "problem"}, and after it the
 * report. Pictures are PNG in base64, and left out where they cannot be had. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vmaf/command.h"
#include "common/message.h"
#include "report/pictures.h"
#include "report/text.h"
#include "report/worst.h"
#include "rpc.h"
#include "scratch.h"
#include "worker.h"

typedef struct Worst {
    StoredReport *report;
    const StoredMetric *metric;
    size_t frames[WORST_MAX];
    unsigned count;
    Png pictures[WORST_MAX][SIDES];
    char why[512];
} Worst;

static int score(int argc, char **argv, char *path)
{
    char **const words = calloc((size_t)argc + 3, sizeof(*words));
    if (!words)
        return 255;
    for (int i = 0; i < argc; i++)
        words[i] = argv[i];
    words[argc] = (char[]){ "--output" };
    words[argc + 1] = path;
    const int code = vmaf_command(argc + 2, words);
    free(words);
    return code;
}

static int find_worst(Worst *worst, const char *path, unsigned wanted)
{
    int err = stored_load(&worst->report, path);
    if (err)
        return err;
    worst->metric = stored_headline(worst->report);
    worst->count = worst->metric ? worst_frames(worst->report, worst->metric, worst->frames) : 0;
    if (worst->count > wanted)
        worst->count = wanted;
    /* Half as many again as there are: in base64 they must fit into one message. */
    return pictures_read(worst->report, worst->frames, worst->count, worst->count * 3 / 2 + 1,
                         worst->pictures, worst->why, sizeof(worst->why));
}

static void print_picture(const Worst *worst, unsigned index)
{
    static const char *const sides[SIDES] = { "reference", "distorted" };
    const size_t frame = worst->frames[index];
    printf("%s{\"frame\": %u, \"score\": %.6f", index ? ", " : "", worst->report->numbers[frame],
           worst->metric->values[frame]);
    for (unsigned side = 0; side < SIDES; side++) {
        const Png *const png = &worst->pictures[index][side];
        if (!png->data)
            continue;
        printf(", \"%s\": \"", sides[side]);
        put_base64(stdout, png->data, png->size);
        printf("\"");
    }
    printf("}");
}

static void print(const Worst *worst)
{
    json_t *const why = rpc_text(worst->why);
    printf("{\"pictures\": [");
    for (unsigned i = 0; i < worst->count; i++)
        print_picture(worst, i);
    printf("]");
    if (why && *worst->why) {
        printf(", \"problem\": ");
        json_dumpf(why, stdout, JSON_ENCODE_ANY);
    }
    printf("}\n");
    json_decref(why);
}

static int copy_report(int fd)
{
    char bytes[65536];
    ssize_t count;
    off_t at = 0;
    while ((count = pread(fd, bytes, sizeof(bytes), at)) > 0) {
        fwrite(bytes, 1, (size_t)count, stdout);
        at += count;
    }
    return count < 0 || fflush(stdout) || ferror(stdout) ? -EIO : 0;
}

int worker_frames(int argc, char **argv)
{
    static Worst worst;
    char path[64];
    const unsigned wanted = argc > 1 ? (unsigned)strtoul(argv[0], NULL, 10) : 0;
    const int fd = wanted ? scratch_file() : -EINVAL;
    if (fd < 0) {
        say("no temporary file can be made: %s", strerror(-fd));
        return 1;
    }
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    int code = score(argc - 1, argv + 1, path);
    if (!code) {
        int err = find_worst(&worst, path, wanted);
        if (!err) {
            print(&worst);
            err = copy_report(fd);
        }
        code = err ? 255 : 0;
    }
    for (unsigned i = 0; i < worst.count; i++)
        for (unsigned side = 0; side < SIDES; side++)
            png_clear(&worst.pictures[i][side]);
    stored_destroy(worst.report);
    close(fd);
    return code;
}
