/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Parts of a page that hold no drawings. */
#ifndef TOOLS_REPORT_PAGE_PARTS_H
#define TOOLS_REPORT_PAGE_PARTS_H

#include "report/page.h"

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

#endif
