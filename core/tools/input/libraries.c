/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/libraries.h"

#include <stddef.h>

#ifdef HAVE_LIBAV

#include "input/libav_api.h"

void video_libraries(VideoLibraries *out)
{
    *out = (VideoLibraries){
        .built = true,
        .name = { "libavformat", "libavcodec", "libavutil", "libswscale" },
        .missing = libav_api_open(),
        .remedy = "install FFmpeg's libraries of the version that this build names",
    };
    if (out->missing)
        return;
    out->version[0] = avformat_version();
    out->version[1] = avcodec_version();
    out->version[2] = avutil_version();
    out->version[3] = swscale_version();
    out->release = av_version_info();
}

#else

void video_libraries(VideoLibraries *out)
{
    *out = (VideoLibraries){
        .missing = "this build reads Y4M and raw video only",
        .remedy = "build it again where FFmpeg's libraries are (Debian: libavformat-dev, "
                  "libavcodec-dev, libavutil-dev, libswscale-dev)",
    };
}

#endif
