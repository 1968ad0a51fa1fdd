/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A folder for what is made on the way. It goes when we do; and should we be killed, the next of us that
 * works in the same place removes it: each folder holds a file that its owner keeps locked, or nothing at all. Drafts
 * (outfile.h) go the same way: their writers keep them locked. */
#ifndef TUNE_TEMP_H
#define TUNE_TEMP_H

typedef struct TempFolder TempFolder;

/* The name of a draft, as mkostemps takes it. */
#define TEMP_DRAFT ".vmaf-tune-XXXXXX.tmp"

/* Removes what killed ones left in a folder. */
void temp_sweep(const char *parent);

/* In `parent`, which is swept. Says what is wrong; negative errno. */
int temp_create(TempFolder **out, const char *parent);
void temp_destroy(TempFolder *temp);

const char *temp_path(const TempFolder *temp);
/* The path of a file in it that does not exist yet: "…/12.mkv". free() it; NULL: no memory. */
char *temp_file(TempFolder *temp, const char *extension);

#endif
