/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Y4M files, as the command reads them. */
#include "fuzz.h"
#include "input/video.h"

/* Frames that are larger than the input are not read, only located. */
static int small(const VideoFormat *format)
{
    return (uint64_t)format->width * format->height < 1 << 18;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Video *video;
    if (video_open(&video, fuzz_file(data, size), NULL))
        return 0;
    const VideoFormat *const format = &video->format;
    VmafPicture pic = { 0 };
    if (small(format) && !vmaf_picture_alloc(&pic, format->pix_fmt, format->bitdepth, format->width,
                                             format->height)) {
        uint64_t offset;
        while (video_find(video, &offset) == FRAME_WHOLE)
            video_read(video, offset, 7, &pic);
        vmaf_picture_unref(&pic);
    } else {
        video_skip(video, 10);
    }
    video_close(video);
    return 0;
}
