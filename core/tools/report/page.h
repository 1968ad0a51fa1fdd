/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The HTML page of one or several reports: one file, no network, no library. */
#ifndef TOOLS_REPORT_PAGE_H
#define TOOLS_REPORT_PAGE_H

#include <stdio.h>

#include "report/pictures.h"
#include "report/stored.h"
#include "report/worst.h"

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

#endif
