/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The HTML page about one or several reports: a single file that loads nothing from elsewhere.
 * Write errors stay in the stream. */
#ifndef TOOLS_REPORT_PAGE_H
#define TOOLS_REPORT_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "libvmaf/libvmaf.h"
#include "report/heat.h"
#include "report/pictures.h"
#include "report/stored.h"

/* The most numbers in the data of all curves of a page (some megabytes). Longer curves are
 * reduced. */
#define PAGE_CODES_MAX (1200 * 1000)

/* A map of a frame: where one metric lost quality. */
typedef struct PageMap {
    char metric[160];
    HeatScale scale;
    double score; /* score of the frame */
    Png png;      /* covers the whole picture, in any size */
} PageMap;

/* The maps of a frame. */
typedef struct PageMaps {
    PageMap *map;
    unsigned count;
} PageMaps;
void page_maps_clear(PageMaps *maps);

/* The worst frames of a report, with pictures of both videos. */
typedef struct PageWorst {
    size_t frames[WORST_MAX];
    unsigned count;
    Png pictures[WORST_MAX][SIDES];
    PageMaps maps[WORST_MAX]; /* maps of the same frames */
    char why[512];            /* the reason if pictures are missing */
} PageWorst;

/* Makes the maps of a report's worst frames, with at most `room` bytes of pictures. Logs errors;
 * returns 0 or negative errno. */
typedef struct PageMapper {
    int (*map)(void *arg, const StoredReport *report, PageWorst *worst, size_t room);
    void *arg;
} PageMapper;

/* The shots of a report. */
typedef struct PageShots {
    ShotSpans spans;
    double *scores;             /* scores of the report's main metric, of all frames */
    ShotScore worst[WORST_MAX]; /* lowest mean first */
    PageWorst lowest;           /* the lowest frame of each of these */
} PageShots;

/* Finds the shots of a report, without pictures. The shots must be zero before; free them with
 * page_shots_clear, also after an error. 0 or -ENOMEM. */
int page_shots_make(PageShots *shots, const StoredReport *report);
void page_shots_clear(PageShots *shots);

typedef struct Page {
    StoredReport *const *reports;
    size_t count;
    const PageWorst *worst; /* one for each report */
    const PageShots *shots; /* one for each report */
} Page;

/* Writes the whole page. 0 or -ENOMEM. */
int page_write(FILE *file, const Page *page);

/* The CSS classes that give a video its colour. The first 12 videos have a colour of their own, the
 * next 12 the same with dashed lines, the last ones with dotted lines. */
const char *page_colour(size_t video);

/* ---- page_ranking.c: the tables that compare videos ---- */

/* Writes a table of all videos, best score first. Nothing for a single video. */
void page_put_ranking(FILE *file, const Page *page);

/* Writes a table of all warnings. Nothing if there is none. */
void page_put_warnings(FILE *file, const Page *page);

/* Writes a mark for each kind of warning of a report, and one if the report is incomplete. */
void page_put_marks(FILE *file, const StoredReport *report);

/* ---- page_sections.c: the other sections without charts ---- */

/* Writes the header with the main scores. */
void page_put_head(FILE *file, const Page *page);

/* Writes the worst frames. */
void page_put_worst(FILE *file, const Page *page);

/* Writes the worst shots and a table of all. Nothing if no report has shots. */
void page_put_shots(FILE *file, const Page *page);

/* Write a table of pooled scores; pooled_rows adds a row for each report that has the metric. */
void pooled_begin(FILE *file, bool intervals);
void pooled_rows(FILE *file, const Page *page, const char *metric, bool intervals);
void pooled_end(FILE *file);

/* Writes how the scores were computed. */
void page_put_origin(FILE *file, const Page *page);

/* The contents of page.css and page.js; the build generates these arrays (embed.py). */
extern const char made_style[], made_script[];

/* ---- page files from JSON reports ---- */

/* The most reports that one page shows. */
#define HTML_REPORTS_MAX 32

/* Writes a page about these reports to a file, as save_file does. `mapper` makes maps; NULL: there
 * are none. Without the maps that cannot be made, the page is written all the same. Logs errors;
 * returns 0 or negative errno. */
int html_write(StoredReport *const *reports, size_t count, const char *path,
               const PageMapper *mapper);

/* Makes a report from a context that has all its scores. The caller frees it with stored_destroy.
 * `name` replaces the report's path: the page shows it if the distorted video has no name. It must
 * outlive the report. Logs errors; returns 0 or negative errno. */
int stored_from_context(StoredReport **report, VmafContext *vmaf, const char *name);

#endif
