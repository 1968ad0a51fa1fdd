/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/html.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/message.h"
#include "report/page.h"
#include "report/save.h"

static int find_worst(PageWorst *worst, StoredReport *const *reports, size_t count)
{
    unsigned pairs = 0;
    int err = 0;
    for (size_t i = 0; i < count; i++) {
        worst[i].count = worst_frames(reports[i], stored_headline(reports[i]), worst[i].frames);
        pairs += worst[i].count;
    }
    for (size_t i = 0; !err && i < count; i++)
        err = pictures_read(reports[i], worst[i].frames, worst[i].count, pairs, worst[i].pictures,
                            worst[i].why, sizeof(worst[i].why));
    return err;
}

static void clear_worst(PageWorst *worst, size_t count)
{
    for (size_t i = 0; worst && i < count; i++)
        for (unsigned w = 0; w < worst[i].count; w++)
            for (unsigned side = 0; side < SIDES; side++)
                png_clear(&worst[i].pictures[w][side]);
    free(worst);
}

int html_write(StoredReport *const *reports, size_t count, const char *path)
{
    PageWorst *const worst = calloc(count, sizeof(*worst));
    char *text = NULL;
    size_t size = 0;
    int err = worst ? find_worst(worst, reports, count) : -ENOMEM;
    FILE *const file = err ? NULL : open_memstream(&text, &size);
    if (!err && !file)
        err = -ENOMEM;
    if (!err) {
        const Page page = { reports, count, worst };
        err = page_write(file, &page);
        if (ferror(file))
            err = -ENOMEM;
    }
    if (file && fclose(file))
        err = -ENOMEM;
    if (!err)
        err = save_file(path, text, size);
    free(text);
    clear_worst(worst, count);
    return err;
}

int stored_from_context(StoredReport **out, VmafContext *vmaf, const char *name)
{
    const char *const folder = getenv("TMPDIR");
    char path[4096];
    const int n =
        snprintf(path, sizeof(path), "%s/vmaf-XXXXXX.json", folder && *folder ? folder : "/tmp");
    const int fd = n > 0 && (size_t)n < sizeof(path) ? mkstemps(path, (int)strlen(".json")) : -1;
    if (fd < 0) {
        say("could not create a temporary file for the report: %s: %s", path, strerror(errno));
        return -EIO;
    }
    close(fd);
    int err = vmaf_report_details(vmaf);
    if (!err) /* with all digits, so that the page shows the same scores as the run */
        err = vmaf_write_output_with_format(vmaf, path, VMAF_OUTPUT_FORMAT_JSON, "%.17g");
    if (!err)
        err = stored_load(out, path);
    unlink(path);
    if (!err)
        (*out)->path = name;
    return err;
}
