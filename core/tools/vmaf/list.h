/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tables for --list_features and --list_models, made from what the library holds. */
#ifndef TOOLS_LIST_H
#define TOOLS_LIST_H

void list_features(void);
void list_models(void);

#endif
