/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The folders whose files may be read. A file is opened here, once, and what is handed on is the open
 * file: nobody can put another in its place between the check and the reading. */
#ifndef MCP_ALLOW_H
#define MCP_ALLOW_H

#include <stddef.h>
#include <stdint.h>

typedef struct Allow Allow;

Allow *allow_create(void); /* NULL: no memory */
void allow_destroy(Allow *allow);

/* 0 or a negative errno: there is no such folder, or it may not be read. */
int allow_add(Allow *allow, const char *folder);

/* The folders as they were resolved, by number; NULL past the last. */
const char *allow_folder(const Allow *allow, size_t index);

/* A descriptor, closed in programs that are run, of a regular file within one of the folders, wherever
 * links and dots in `path` lead. A relative path is one within the first folder that has it. Negative
 * errno, with a word in `why`, for everything else; what lies outside is not told apart from what is
 * not there. */
int allow_open(const Allow *allow, const char *path, uint64_t max_bytes, char *why, size_t size);

/* Features have options that make them write files. A client may set neither those, nor have a model set them. */

/* Is this text for --feature without such an option? 0; -EINVAL or -ENOMEM with a word in `why`. */
int harmless_feature(const char *spec, char *why, size_t size);

/* Is the model in this open file? Files that are no model are: they will be refused as such. */
int harmless_model(int fd, const char *path, char *why, size_t size);

#endif
