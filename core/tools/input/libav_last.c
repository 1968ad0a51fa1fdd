/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Finds out whether the last picture of a video is whole, where neither its container nor its
 * decoder says so: FFmpeg's decoder of HEVC reads on behind the end of a cut picture, and that of
 * H.264 may do so for two bytes. A whole picture depends on nothing but its packets. So the last
 * one is decoded several times, each time with other bytes behind the packet and in the memory that
 * pictures are decoded to: if the results differ, some of it is missing. */
#include "input/libav.h"

#include <errno.h>
#include <string.h>

/* The byte behind the packet and in the memory, in each try. The code is arithmetic: whatever may
 * have followed is between the first two. */
static const int fills[] = { 0x00, 0xFF, 0x35, 0xCA };
enum { TRIES = sizeof(fills) / sizeof(*fills) };
/* The number of bytes behind the packet. */
#define TAIL 256

/* True if the units of packets are divided by start codes, and not by their sizes: then nothing
 * says how long the last one is. */
static bool has_start_codes(const AVCodecParameters *parameters)
{
    return parameters->extradata_size < 1 || parameters->extradata[0] != 1;
}

/* True for DV without a container: its reader fills up a cut frame with bytes of the one before. */
static bool is_bare_dv(const Libav *libav)
{
    return !strcmp(libav->format->iformat->name, "dv");
}

/* True for JPEG without a container: its decoder takes a picture without an end for a whole one. */
static bool is_bare_jpeg(const Libav *libav)
{
    return libav->stream->codecpar->codec_id == AV_CODEC_ID_MJPEG && libav->video->traits.timeless;
}

void libav_last_open(Libav *libav)
{
    const AVCodecParameters *const par = libav->stream->codecpar;
    const bool coded = par->codec_id == AV_CODEC_ID_HEVC || par->codec_id == AV_CODEC_ID_H264;
    libav->last.kept = (coded && has_start_codes(par)) || is_bare_dv(libav) || is_bare_jpeg(libav);
}

static bool keep(AVPacket **kept, const AVPacket *packet)
{
    av_packet_free(kept);
    *kept = av_packet_clone(packet);
    return *kept != NULL;
}

int libav_last_keep(Libav *libav)
{
    LastPackets *const last = &libav->last;
    const AVPacket *const packet = libav->packet;
    if (!last->kept)
        return 0;
    const bool good = (last->first || keep(&last->first, packet)) &&
                      (!(packet->flags & AV_PKT_FLAG_KEY) || keep(&last->key, packet)) &&
                      keep(&last->latest, packet);
    return good ? 0 : -ENOMEM;
}

void libav_last_close(Libav *libav)
{
    av_packet_free(&libav->last.first);
    av_packet_free(&libav->last.key);
    av_packet_free(&libav->last.latest);
}

/* ---- pictures with an end of their own ---- */

/* True if the packet has a marker that ends a JPEG picture behind the last one that begins a scan.
 * Samples never look like a marker. */
static bool has_jpeg_end(const AVPacket *packet)
{
    enum { MARK = 0xFF, SCAN = 0xDA, END = 0xD9 };
    for (int i = packet->size - 2; i >= 0; i--)
        if (packet->data[i] == MARK && (packet->data[i + 1] == END || packet->data[i + 1] == SCAN))
            return packet->data[i + 1] == END;
    return false;
}

/* ---- decoding the last picture ---- */

static int get_filled(AVCodecContext *codec, AVFrame *frame, int flags, int fill)
{
    const int err = avcodec_default_get_buffer2(codec, frame, flags);
    for (unsigned i = 0; err >= 0 && i < AV_NUM_DATA_POINTERS && frame->buf[i]; i++)
        memset(frame->buf[i]->data, fill, (size_t)frame->buf[i]->size);
    return err;
}

static int get_even(AVCodecContext *codec, AVFrame *frame, int flags)
{
    return get_filled(codec, frame, flags, fills[0]);
}

static int get_odd(AVCodecContext *codec, AVFrame *frame, int flags)
{
    return get_filled(codec, frame, flags, fills[1]);
}

/* Opens a decoder that logs nothing: its complaints are not about the video. */
static int open_decoder(const Libav *libav, unsigned try, AVCodecContext **out)
{
    const AVCodec *const decoder = avcodec_find_decoder(libav->stream->codecpar->codec_id);
    AVCodecContext *const codec = *out = avcodec_alloc_context3(decoder);
    if (!codec)
        return AVERROR(ENOMEM);
    const int err = avcodec_parameters_to_context(codec, libav->stream->codecpar);
    codec->thread_count = 1;
    codec->flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT;
    /* The decoder of H.264 finds missing slices by itself, but shows what memory held where it puts
     * pictures in the place of missing ones. */
    codec->get_buffer2 = try % 2 && codec->codec_id == AV_CODEC_ID_HEVC ? get_odd : get_even;
    return err < 0 ? err : avcodec_open2(codec, decoder, NULL);
}

/* Sends a packet with bytes behind it, so that its picture gets this time. */
static int send(AVCodecContext *codec, const AVPacket *packet, int tail, int fill, int64_t time)
{
    AVPacket *own = av_packet_alloc();
    int err = own ? av_new_packet(own, packet->size + tail) : AVERROR(ENOMEM);
    if (err >= 0) {
        memcpy(own->data, packet->data, (size_t)packet->size);
        memset(own->data + packet->size, fill, (size_t)tail);
        own->pts = time;
        err = avcodec_send_packet(codec, own);
    }
    av_packet_free(&own);
    return err;
}

/* Takes the pictures that are ready, and keeps the one with this time. */
static int take(AVCodecContext *codec, AVFrame *frame, AVFrame *kept, int64_t time)
{
    int err;
    while ((err = avcodec_receive_frame(codec, frame)) >= 0)
        if (frame->pts == time) {
            av_frame_unref(kept);
            av_frame_move_ref(kept, frame);
        }
    return err;
}

/* Decodes the last picture into `picture`, which stays empty if it cannot be decoded. The first
 * packet and the last key frame come before it, because of the parameters in them. Pictures that
 * others refer to are missing: how the data are read does not depend on them, and the decoder puts
 * the same in their place each time. Returns 0 or -ENOMEM. */
static int decode_last(const Libav *libav, unsigned try, AVFrame *picture)
{
    const LastPackets *const last = &libav->last;
    const AVPacket *const packets[] = { last->first, last->key, last->latest };
    enum { COUNT = sizeof(packets) / sizeof(*packets) };
    AVCodecContext *codec = NULL;
    AVFrame *frame = av_frame_alloc();
    int err = frame ? open_decoder(libav, try, &codec) : AVERROR(ENOMEM);
    for (int i = 0; codec && err != AVERROR(ENOMEM) && i < COUNT; i++) {
        const bool latest = i == COUNT - 1;
        if (!packets[i] || (!latest && packets[i]->data == last->latest->data))
            continue;
        err = send(codec, packets[i], latest ? TAIL : 0, fills[try], i);
        if (err != AVERROR(ENOMEM))
            err = take(codec, frame, picture, COUNT - 1);
    }
    if (codec && err != AVERROR(ENOMEM)) {
        avcodec_send_packet(codec, NULL);
        err = take(codec, frame, picture, COUNT - 1);
    }
    av_frame_free(&frame);
    avcodec_free_context(&codec);
    return err == AVERROR(ENOMEM) ? -ENOMEM : 0;
}

/* ---- comparing ---- */

static bool is_plane_equal(const AVFrame *a, const AVFrame *b, int plane, size_t row, int rows)
{
    for (int y = 0; y < rows; y++)
        if (memcmp(a->data[plane] + (ptrdiff_t)y * a->linesize[plane],
                   b->data[plane] + (ptrdiff_t)y * b->linesize[plane], row) != 0)
            return false;
    return true;
}

/* Compares pictures with a plane for each component, as this decoder makes them. */
static bool are_equal(const AVFrame *a, const AVFrame *b)
{
    const AVPixFmtDescriptor *const pixel = av_pix_fmt_desc_get(a->format);
    if (!pixel || a->format != b->format || a->width != b->width || a->height != b->height)
        return false;
    const int bytes = (pixel->comp[0].depth + 7) / 8;
    for (int i = 0; i < pixel->nb_components; i++) {
        const int across = i ? pixel->log2_chroma_w : 0, down = i ? pixel->log2_chroma_h : 0;
        const int width = -(-a->width >> across), height = -(-a->height >> down);
        if (!is_plane_equal(a, b, i, (size_t)(width * bytes), height))
            return false;
    }
    return true;
}

/* Sets *differ if the last picture is not the same in all tries. 0 or -ENOMEM. */
static int try_all(const Libav *libav, bool *differ)
{
    AVFrame *first = av_frame_alloc(), *other = av_frame_alloc();
    int err = first && other ? decode_last(libav, 0, first) : -ENOMEM;
    for (unsigned try = 1; !err && !*differ && try < TRIES; try++) {
        err = decode_last(libav, try, other);
        *differ = !err && (first->data[0] && other->data[0] ? !are_equal(first, other)
                                                            : first->data[0] != other->data[0]);
        av_frame_unref(other);
    }
    av_frame_free(&first);
    av_frame_free(&other);
    return err;
}

enum FrameStatus libav_last_status(const Libav *reader)
{
    const Libav *const libav = reader->sections ? sections_reader(reader->sections) : reader;
    const AVPacket *const latest = libav->last.latest;
    bool cut = false;
    if (!latest)
        return FRAME_NONE;
    if (is_bare_dv(libav)) {
        cut = latest->pos >= 0 && latest->pos + latest->size > libav->format->pb->pos;
    } else if (is_bare_jpeg(libav)) {
        cut = !has_jpeg_end(latest);
    } else if (try_all(libav, &cut)) {
        video_read_error(reader->video, -ENOMEM);
        return FRAME_ERROR;
    }
    return cut ? FRAME_CUT : FRAME_NONE;
}
