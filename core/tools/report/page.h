/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The HTML page of one or several reports: one file, no network, no library. */
#ifndef TOOLS_REPORT_PAGE_H
#define TOOLS_REPORT_PAGE_H

#include <stdio.h>

#include "report/pictures.h"
#include "report/stored.h"

/* Numbers in a page's data, all curves together: some megabytes. What is beyond is reduced. */
#define PAGE_CODES_MAX (1200 * 1000)

/* The frames of a report to look at. */
typedef struct PageWorst {
    size_t frames[WORST_MAX];
    unsigned count;
    Png pictures[WORST_MAX][SIDES];
    char why[512]; /* there are no pictures, or not all */
} PageWorst;

typedef struct Page {
    StoredReport *const *reports;
    size_t count;
    const PageWorst *worst; /* one a report */
} Page;

/* Write errors are left in the stream. -ENOMEM. */
int page_write(FILE *file, const Page *page);

/* Parts of a page that hold no drawings. */

/* page_head.c: the scores to read first. */
void page_put_head(FILE *file, const Page *page);

/* page_worst.c: frames to look at. */
void page_put_worst(FILE *file, const Page *page);

/* page_table.c: a table of pooled figures; a row for each report that has the metric. */
void pooled_begin(FILE *file, bool intervals);
void pooled_rows(FILE *file, const Page *page, const char *metric, bool intervals);
void pooled_end(FILE *file);

/* page_origin.c: how it was computed. */
void page_put_origin(FILE *file, const Page *page);

/* The style and the script of pages: page.css and page.js, as the build found them. */

extern const char made_style[], made_script[];

/* The frames to look at. */

#endif
