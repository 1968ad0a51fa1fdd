/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The style and the script of pages: page.css and page.js, as the build found them. */
#ifndef TOOLS_REPORT_MADE_H
#define TOOLS_REPORT_MADE_H

extern const char made_style[], made_script[];

#endif
