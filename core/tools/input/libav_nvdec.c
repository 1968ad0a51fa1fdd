/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How many decoding engines an NVIDIA card has, from NVIDIA's decoder library, which FFmpeg's
 * libraries use, too, but do not ask for it. */
#include "input/libav.h"

#ifdef _WIN32

unsigned libav_nvdec_engines(const AVBufferRef *device, enum AVCodecID codec, unsigned depth)
{
    (void)device;
    (void)codec;
    (void)depth;
    return 1;
}

#else

#include <dlfcn.h>

/* CUVIDDECODECAPS of NVIDIA's documentation. */
typedef struct Capabilities {
    int codec, chroma;
    unsigned depth_above_8, reserved[3];
    uint8_t supported, engines;
    uint16_t formats;
    unsigned max_width, max_height, max_macroblocks;
    uint16_t min_width, min_height;
    unsigned reserved_too[11];
} Capabilities;

/* NVIDIA's number of a codec; -1: none. */
static int number_of(enum AVCodecID codec)
{
    switch (codec) {
    case AV_CODEC_ID_MPEG1VIDEO:
        return 0;
    case AV_CODEC_ID_MPEG2VIDEO:
        return 1;
    case AV_CODEC_ID_MPEG4:
        return 2;
    case AV_CODEC_ID_VC1:
        return 3;
    case AV_CODEC_ID_H264:
        return 4;
    case AV_CODEC_ID_MJPEG:
        return 5;
    case AV_CODEC_ID_HEVC:
        return 8;
    case AV_CODEC_ID_VP8:
        return 9;
    case AV_CODEC_ID_VP9:
        return 10;
    case AV_CODEC_ID_AV1:
        return 11;
    default:
        return -1;
    }
}

/* Asks for the number of engines, in the device's context. 0: unknown. */
static unsigned ask(void *cuda, void *decoders, void *context, Capabilities *asked)
{
    int (*const push)(void *) = (int (*)(void *))dlsym(cuda, "cuCtxPushCurrent_v2");
    int (*const pop)(void **) = (int (*)(void **))dlsym(cuda, "cuCtxPopCurrent_v2");
    int (*const get)(Capabilities *) =
        (int (*)(Capabilities *))dlsym(decoders, "cuvidGetDecoderCaps");
    void *popped;
    if (!push || !pop || !get || push(context))
        return 0;
    const bool good = !get(asked) && asked->supported;
    pop(&popped);
    return good ? asked->engines : 0;
}

unsigned libav_nvdec_engines(const AVBufferRef *device, enum AVCodecID codec, unsigned depth)
{
    enum { CHROMA_420 = 1 };
    Capabilities asked = { .codec = number_of(codec),
                           .chroma = CHROMA_420,
                           .depth_above_8 = depth > 8 ? depth - 8 : 0 };
    void *const cuda = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    void *const decoders = dlopen("libnvcuvid.so.1", RTLD_LAZY | RTLD_LOCAL);
    /* The first field of AVCUDADeviceContext, in all versions. */
    void *const context = *(void *const *)((AVHWDeviceContext *)device->data)->hwctx;
    const unsigned engines =
        cuda && decoders && asked.codec >= 0 ? ask(cuda, decoders, context, &asked) : 0;
    if (decoders)
        dlclose(decoders);
    if (cuda)
        dlclose(cuda);
    return engines ? engines : 1;
}

#endif
