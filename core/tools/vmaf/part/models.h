/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which models a part is for: a file is known by what is in it. */
#ifndef TOOLS_SHARD_MODELS_H
#define TOOLS_SHARD_MODELS_H

#include <jansson.h>

#include "vmaf/options.h"

/* A list for part files. Built-in models are those of the library's version. Says what is wrong; negative
 * errno. */
int describe_models(json_t **list, const Options *options);

#endif
