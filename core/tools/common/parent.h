/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How a program begins that runs itself again as its children. */
#ifndef TOOLS_PARENT_H
#define TOOLS_PARENT_H

/* What is opened later must not take the numbers of streams that whoever started us has closed. */
void parent_keep_streams(void);

/* Where this program is, to be run again; `called` is its argv[0]. To be freed; NULL: no memory, or not found. */
char *parent_find_self(const char *called);

#endif
