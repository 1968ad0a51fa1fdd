/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A fake libnvcuvid for tests: NVIDIA's JPEG decoder on the fake CUDA driver, written from its
 * public documentation and used by FFmpeg's libavcodec. libavcodec's software decoder does the
 * work; the picture is then copied to device memory as NV12, on the requested stream.
 *
 * It has exactly the number of surfaces it was created with. Decoding into a surface that is still
 * mapped is a complaint on stderr, which ends the process if EMULATED_STRICT is set. With
 * EMULATED_SESSIONS it says how many decoders decoded something, once the last one is destroyed. */
#include <libavcodec/avcodec.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_driver.h"

#define EXPORTED __attribute__((visibility("default")))

/* Functions of the fake driver, which this library is linked to. */
int cuMemAlloc_v2(uint64_t *address, size_t size);
int cuMemFree_v2(uint64_t address);
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t size, void *stream);
int cuStreamSynchronize(void *stream);

enum { JPEG = 5, CHROMA_420 = 1, SURFACES_MAX = 64, PITCH_ALIGNMENT = 256 };

typedef struct Capabilities {
    int codec, chroma;
    unsigned depth_above_8, reserved[3];
    uint8_t supported, decoders;
    uint16_t formats;
    unsigned max_width, max_height, max_macroblocks;
    uint16_t min_width, min_height;
} Capabilities;

typedef struct CreateInfo {
    unsigned long width, height, surfaces;
    int codec, chroma;
    unsigned long flags, depth_above_8, intra_only, max_width, max_height, reserved;
    int16_t shown[4];
    int format, deinterlace;
    unsigned long target_width, target_height, mapped;
} CreateInfo;

typedef struct PictureInfo {
    int width_in_blocks, height_in_blocks, index, field, bottom, second;
    unsigned size;
    const uint8_t *data;
} PictureInfo;

typedef struct OutputInfo {
    int progressive, second_field, top_first, unpaired;
    unsigned reserved[2];
    unsigned long long raw_input;
    unsigned raw_input_pitch, raw_input_format;
    unsigned long long raw_output;
    unsigned raw_output_pitch, reserved_one;
    void *stream;
} OutputInfo;

typedef struct Decoder {
    CreateInfo info;
    pthread_mutex_t lock; /* any thread may unmap frames */
    AVCodecContext *codec;
    AVFrame *surfaces[SURFACES_MAX];
    bool used; /* the decoder has decoded something */
    struct {
        uint64_t address; /* 0: free */
        int surface;
        void *stream; /* on which it is filled */
    } mapped[SURFACES_MAX];
} Decoder;

static atomic_uint decoders, used; /* number of decoders; number of those that decoded something */

static void misused(const char *what)
{
    fprintf(stderr, "emulated NVDEC: %s\n", what);
    if (getenv("EMULATED_STRICT"))
        abort();
}

EXPORTED int cuvidGetDecoderCaps(Capabilities *asked)
{
    asked->supported = asked->codec == JPEG && asked->chroma == CHROMA_420 && !asked->depth_above_8;
    asked->decoders = 1;
    asked->formats = 1; /* NV12 */
    asked->max_width = asked->max_height = 16384;
    asked->max_macroblocks = 1 << 20;
    asked->min_width = asked->min_height = 16;
    return OK;
}

EXPORTED int cuvidCreateDecoder(Decoder **out, const CreateInfo *info)
{
    Decoder *decoder = calloc(1, sizeof(*decoder));
    if (!decoder || info->codec != JPEG || info->surfaces > SURFACES_MAX ||
        info->mapped > SURFACES_MAX) {
        free(decoder);
        return NOT_SUPPORTED;
    }
    decoder->info = *info;
    pthread_mutex_init(&decoder->lock, NULL);
    decoder->codec = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_MJPEG));
    decoder->codec->thread_count = 1;
    if (avcodec_open2(decoder->codec, NULL, NULL) < 0)
        abort();
    atomic_fetch_add(&decoders, 1);
    *out = decoder;
    return OK;
}

EXPORTED int cuvidDestroyDecoder(Decoder *decoder)
{
    for (unsigned i = 0; i < SURFACES_MAX; i++) {
        if (decoder->mapped[i].address)
            misused("destroyed while a frame is mapped");
        av_frame_free(&decoder->surfaces[i]);
    }
    avcodec_free_context(&decoder->codec);
    pthread_mutex_destroy(&decoder->lock);
    if (decoder->used)
        atomic_fetch_add(&used, 1);
    free(decoder);
    if (atomic_fetch_sub(&decoders, 1) == 1 && getenv("EMULATED_SESSIONS"))
        fprintf(stderr, "emulated NVDEC: %u decoders were used\n", atomic_load(&used));
    return OK;
}

static int decode(Decoder *decoder, const PictureInfo *info, AVFrame *frame)
{
    AVPacket *packet = av_packet_alloc();
    int err = av_new_packet(packet, (int)info->size);
    if (!err) {
        memcpy(packet->data, info->data, info->size);
        err = avcodec_send_packet(decoder->codec, packet);
    }
    if (!err)
        err = avcodec_receive_frame(decoder->codec, frame);
    av_packet_free(&packet);
    return err ? INVALID_VALUE : OK;
}

EXPORTED int cuvidDecodePicture(Decoder *decoder, const PictureInfo *info)
{
    if (info->index < 0 || (unsigned long)info->index >= decoder->info.surfaces)
        return INVALID_VALUE;
    pthread_mutex_lock(&decoder->lock);
    for (unsigned i = 0; i < SURFACES_MAX; i++)
        if (decoder->mapped[i].address && decoder->mapped[i].surface == info->index)
            misused("a picture is decoded into a surface that is mapped");
    AVFrame **surface = &decoder->surfaces[info->index];
    av_frame_free(surface);
    *surface = av_frame_alloc();
    const int result = decode(decoder, info, *surface);
    decoder->used = true;
    pthread_mutex_unlock(&decoder->lock);
    return result;
}

/* Luma, then interleaved Cb and Cr, with the given pitch and noise between the rows. */
static void lay_out(const Decoder *decoder, const AVFrame *frame, uint8_t *to, size_t pitch)
{
    const int w = (frame->width + 1) / 2, h = (frame->height + 1) / 2;
    uint8_t *chroma = to + pitch * decoder->info.target_height;
    for (int y = 0; y < frame->height; y++)
        memcpy(to + y * pitch, frame->data[0] + y * frame->linesize[0], (size_t)frame->width);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            for (int c = 0; c < 2; c++)
                chroma[y * pitch + 2 * x + c] = frame->data[1 + c][y * frame->linesize[1 + c] + x];
}

static int upload(const Decoder *decoder, const AVFrame *frame, size_t pitch, void *stream,
                  uint64_t *address)
{
    const size_t rows = decoder->info.target_height + (decoder->info.target_height + 1) / 2;
    uint8_t *staging = malloc(pitch * rows);
    int result = staging ? cuMemAlloc_v2(address, pitch * rows) : OUT_OF_MEMORY;
    if (!result) {
        memset(staging, 0xa7, pitch * rows);
        lay_out(decoder, frame, staging, pitch);
        result = cuMemcpyHtoDAsync_v2(*address, staging, pitch * rows, stream);
        if (result)
            cuMemFree_v2(*address);
    }
    free(staging); /* the copy of pageable memory is already complete */
    return result;
}

EXPORTED int cuvidMapVideoFrame64(Decoder *decoder, int index, uint64_t *address, unsigned *pitch,
                                  const OutputInfo *info)
{
    if (index < 0 || (unsigned long)index >= decoder->info.surfaces || !decoder->surfaces[index])
        return INVALID_VALUE;
    *pitch = (unsigned)(decoder->info.target_width + PITCH_ALIGNMENT) / PITCH_ALIGNMENT *
             PITCH_ALIGNMENT;
    pthread_mutex_lock(&decoder->lock);
    unsigned i = 0;
    while (i < decoder->info.mapped && decoder->mapped[i].address)
        i++;
    int result = INVALID_VALUE;
    if (i == decoder->info.mapped)
        misused("more frames are mapped than there are surfaces for");
    else
        result = upload(decoder, decoder->surfaces[index], *pitch, info->stream, address);
    if (!result) {
        decoder->mapped[i].address = *address;
        decoder->mapped[i].surface = index;
        decoder->mapped[i].stream = info->stream;
    }
    pthread_mutex_unlock(&decoder->lock);
    return result;
}

EXPORTED int cuvidUnmapVideoFrame64(Decoder *decoder, uint64_t address)
{
    int result = INVALID_VALUE;
    pthread_mutex_lock(&decoder->lock);
    for (unsigned i = 0; result && i < SURFACES_MAX; i++) {
        if (decoder->mapped[i].address != address)
            continue;
        decoder->mapped[i].address = 0;
        cuStreamSynchronize(decoder->mapped[i].stream);
        result = cuMemFree_v2(address);
    }
    pthread_mutex_unlock(&decoder->lock);
    return result;
}

#define UNSUPPORTED(name)                                                                          \
    EXPORTED int name(void)                                                                        \
    {                                                                                              \
        misused(#name " is not implemented");                                                      \
        return NOT_SUPPORTED;                                                                      \
    }
UNSUPPORTED(cuvidGetDecodeStatus)
UNSUPPORTED(cuvidReconfigureDecoder)
UNSUPPORTED(cuvidCtxLockCreate)
UNSUPPORTED(cuvidCtxLockDestroy)
UNSUPPORTED(cuvidCtxLock)
UNSUPPORTED(cuvidCtxUnlock)
UNSUPPORTED(cuvidCreateVideoSource)
UNSUPPORTED(cuvidCreateVideoSourceW)
UNSUPPORTED(cuvidDestroyVideoSource)
UNSUPPORTED(cuvidSetVideoSourceState)
UNSUPPORTED(cuvidGetVideoSourceState)
UNSUPPORTED(cuvidGetSourceVideoFormat)
UNSUPPORTED(cuvidGetSourceAudioFormat)
UNSUPPORTED(cuvidCreateVideoParser)
UNSUPPORTED(cuvidParseVideoData)
UNSUPPORTED(cuvidDestroyVideoParser)
