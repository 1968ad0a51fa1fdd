/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Y4M files, as the command reads them. */
#include "fuzz.h"
#include "input/video.h"

const char *const fuzz_seeds[] = {
    "YUV4MPEG2 W4 H2 F30:1 Ip A1:1 C420jpeg\nFRAME\n012345670011FRAME\n012345670011",
    "YUV4MPEG2 W3 H3 Ip C422\nFRAME Ip\n012345678001122334455",
    "YUV4MPEG2 W2 H2 Ip Cmono10\nFRAME\n00112233",
    "YUV4MPEG2 H1 W1 C444alpha XYSCSS=444 XCOLORRANGE=FULL\nFRAME\n0123FRAME\n0123",
    "YUV4MPEG2 W4 H2 C420p16\nFRAME\n012345670123456701230123",
    NULL,
};

/* Larger frames than the input itself can hold are only looked for. */
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
