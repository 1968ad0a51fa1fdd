/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A page about many reports, a row for each title: --report with folders, or with more reports than
 * a page compares curve by curve. For the main thread. Functions that return int return 0, or print
 * what went wrong and return a negative errno. */
#ifndef TOOLS_REPORT_CATALOGUE_H
#define TOOLS_REPORT_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/stored.h"

/* Tells whether a file was changed. */
typedef struct FileState {
    uint64_t size, number; /* in bytes; in the file system */
    int64_t seconds, ns;   /* when it was written last */
} FileState;

/* The row of a report. */
typedef struct Title {
    char *path;   /* path of the report */
    char *key;    /* its path without the folders that all have in common */
    char *name;   /* name of the distorted video */
    char *page;   /* path of the page that was made of it, or of the report itself */
    char *metric; /* the headline */
    char *codec;  /* NULL: unknown */
    char *codes;  /* codes of its warnings, each once, with spaces between them */
    unsigned width, height;
    double bit_rate;              /* bits a second; 0: unknown */
    double seconds;               /* NaN: unknown */
    double score, p5, low;        /* NaN: none */
    double low_time;              /* time of the lowest score, in seconds; NaN: unknown */
    double baseline, baseline_p5; /* scores of the same title in the baseline; NaN: none */
    uint64_t frames;
    bool incomplete;
    FileState state; /* state of the report's file, before it was read */
} Title;

typedef struct Catalogue {
    Title *titles; /* ordered by key */
    size_t count;
    size_t skipped; /* files in folders that are no reports */
    char *first_skipped;
    bool has_baseline;
} Catalogue;

/* Called for each report that is read, by any thread, one at a time. */
typedef int (*ReportVisitor)(void *arg, const StoredReport *report);

/* True if the path is a folder. */
bool catalogue_is_folder(const char *path);

/* Where reports are: files, and all .json files in folders and the folders below. */
typedef struct CatalogueSource {
    const char *const *paths;
    size_t count;
    ReportVisitor visit; /* NULL: none */
    void *arg;
    /* The same reports as read before; NULL: they are read for the first time. Files that were not
     * changed since are not read again. One that is no report now keeps its title: it is being
     * written. No reports at all are no error then. */
    const struct Catalogue *before;
} CatalogueSource;

/* Reads the reports. A file in a folder that is no report is skipped; any other is an error. */
int catalogue_read(Catalogue *catalogue, const CatalogueSource *source);

/* A number that changes when the reports of a source do: when files are added, written or removed.
 * Prints nothing; 0: they cannot be listed. */
uint64_t catalogue_state(const CatalogueSource *source);

void catalogue_clear(Catalogue *catalogue);

/* Compares with a baseline: a folder of reports, or a file of catalogue_save. */
int catalogue_compare(Catalogue *catalogue, const char *path);

/* Writes the scores to a file that a later run can compare with. */
int catalogue_save(const Catalogue *catalogue, const char *path);

/* Without --max_drop, titles that dropped by more points count as worse. */
#define TITLE_DROP 1.0

/* How much lower than the baseline a title is: the larger drop of score and p5; negative: it is
 * better; NaN: there is nothing to compare with. */
double title_drop(const Title *title);

/* Writes the page. drop: titles that dropped by more are marked as worse than the baseline. */
int catalogue_write(const Catalogue *catalogue, double drop, const char *path);

/* The contents of catalogue.css and catalogue.js; the build generates these arrays (embed.py). */
extern const char made_catalogue_style[], made_catalogue_script[];

#endif
