/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which of FFmpeg's libraries this program reads videos with. Any thread may ask. */
#ifndef TOOLS_INPUT_LIBRARIES_H
#define TOOLS_INPUT_LIBRARIES_H

#include <stdbool.h>

enum { VIDEO_LIBRARIES = 4 };

/* The texts are constants, or FFmpeg's. */
typedef struct VideoLibraries {
    bool built;                        /* false: this build does not use them */
    const char *name[VIDEO_LIBRARIES]; /* "libavformat" and so on */
    unsigned version[VIDEO_LIBRARIES]; /* as the libraries pack it: major, minor, micro */
    const char *release;               /* FFmpeg's release, such as "5.1.6"; NULL: unknown */
    const char *missing, *remedy;      /* why they cannot be used; NULL: they can */
} VideoLibraries;

/* Opens the libraries, unless another caller has. */
void video_libraries(VideoLibraries *out);

#endif
