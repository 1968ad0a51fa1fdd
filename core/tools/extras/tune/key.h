/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Keys of results: all that a result depends on. What has the same key need not be done again. */
#ifndef TUNE_KEY_H
#define TUNE_KEY_H

#include "encoder.h"
#include "options.h"

/* The source as it is now, what is computed, the encoder, and then what is done with it. free() it; NULL: no
 * memory. */
char *key_make(const char *path, const TuneOptions *options, const Encoder *encoder,
               const char *what);
/* The same for one setting. */
char *key_of_setting(const char *path, const TuneOptions *options, const Encoder *encoder,
                     double setting);

#endif
