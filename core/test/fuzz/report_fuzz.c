/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* JSON reports and the HTML pages made from them. The videos named in them are not opened; other
 * targets cover videos. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"
#include "common/message.h"
#include "report/stored.h"
#include "report/page.h"

static void write_page(StoredReport *report)
{
    PageWorst worst = { 0 };
    PageShots shots = { .scores = NULL };
    char *text = NULL;
    size_t length = 0;
    FILE *const file = open_memstream(&text, &length);
    worst.count = worst_frames(report, stored_headline(report), true, worst.frames);
    if (file && !page_shots_make(&shots, report) &&
        !page_write(file, &(Page){ &report, 1, &worst, &shots }))
        fflush(file);
    if (file)
        fclose(file);
    page_shots_clear(&shots);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    StoredReport *const report = calloc(1, sizeof(*report));
    char *const text = fuzz_text(data, size);
    if (!report)
        abort();
    message_hush(true);
    report->path = "fuzz.json";
    if (!stored_parse(report, text, size))
        write_page(report);
    stored_destroy(report);
    free(text);
    return 0;
}
