/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Features have options that make them write files. A client may set neither those, nor have a model set them. */
#ifndef MCP_HARMLESS_H
#define MCP_HARMLESS_H

#include <stddef.h>

/* Is this text for --feature without such an option? 0; -EINVAL or -ENOMEM with a word in `why`. */
int harmless_feature(const char *spec, char *why, size_t size);

/* Is the model in this open file? Files that are no model are: they will be refused as such. */
int harmless_model(int fd, const char *path, char *why, size_t size);

#endif
