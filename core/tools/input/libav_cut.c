/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/libav_cut.h"

#include <stdlib.h>
#include <string.h>

/* A piece of a packet: a NAL unit, an OBU, or what follows a start code. */
typedef struct Piece {
    const uint8_t *data;
    size_t size;
} Piece;

/* Facts that the pieces of one packet give. */
typedef struct Finding {
    bool entry;    /* its first picture needs no other one */
    bool pictured; /* a picture was seen */
    uint8_t *headers;
    size_t headers_size;
} Finding;

/* ---- pieces ---- */

/* The next start code (00 00 01) from `at` on; `end` if there is none. */
static const uint8_t *find_code(const uint8_t *at, const uint8_t *end)
{
    while (end - at >= 3) {
        const uint8_t *const one = memchr(at + 2, 1, (size_t)(end - at) - 2);
        if (!one)
            return end;
        if (!one[-1] && !one[-2])
            return one - 2;
        at = one - 1;
    }
    return end;
}

static bool next_coded(Piece *rest, Piece *piece)
{
    const uint8_t *const end = rest->data + rest->size;
    const uint8_t *const code = find_code(rest->data, end);
    if (end - code < 4)
        return false;
    const uint8_t *const next = find_code(code + 3, end);
    *piece = (Piece){ code + 3, (size_t)(next - code) - 3 };
    while (piece->size && !piece->data[piece->size - 1]) /* zeros before the next start code */
        piece->size--;
    *rest = (Piece){ next, (size_t)(end - next) };
    return true;
}

static bool next_sized(unsigned length_size, Piece *rest, Piece *piece)
{
    size_t size = 0;
    if (rest->size < length_size)
        return false;
    for (unsigned i = 0; i < length_size; i++)
        size = size << 8 | rest->data[i];
    if (size > rest->size - length_size)
        return false;
    *piece = (Piece){ rest->data + length_size, size };
    *rest = (Piece){ piece->data + size, rest->size - length_size - size };
    return true;
}

static bool next_piece(const Cutter *cutter, Piece *rest, Piece *piece)
{
    return cutter->length_size ? next_sized(cutter->length_size, rest, piece)
                               : next_coded(rest, piece);
}

/* Adds a parameter set to those of the packet. */
static bool add_header(Finding *finding, Piece piece)
{
    const size_t at = finding->headers_size;
    uint8_t *const grown = realloc(finding->headers, at + 4 + piece.size);
    if (!grown)
        return false;
    finding->headers = grown;
    for (unsigned i = 0; i < 4; i++)
        grown[at + i] = (uint8_t)(piece.size >> 8 * i);
    if (piece.size)
        memcpy(grown + at + 4, piece.data, piece.size);
    finding->headers_size = at + 4 + piece.size;
    return true;
}

static void see_picture(Finding *finding, bool entry)
{
    if (!finding->pictured)
        finding->entry = entry;
    finding->pictured = true;
}

/* ---- H.264 and HEVC ---- */

/* True if old versions of x264 made the video. Decoders correct the faults of those once they have
 * read the version, which is in the first packet only. */
static bool is_of_old_x264(Piece sei)
{
    static const char mark[] = "x264 - core ";
    enum { FIRST_WITHOUT_FAULTS = 151, MARK = sizeof(mark) - 1 };
    for (size_t i = 0; i + MARK + 1 < sei.size; i++) {
        if (memcmp(sei.data + i, mark, MARK) != 0)
            continue;
        unsigned build = 0;
        for (i += MARK; i < sei.size && sei.data[i] >= '0' && sei.data[i] <= '9'; i++)
            build = build > 9999 ? build : build * 10 + sei.data[i] - '0';
        return build < FIRST_WITHOUT_FAULTS;
    }
    return false;
}

/* False: nothing may be cut from here on. */
static bool look_at_h264(Finding *finding, Piece unit)
{
    enum { SLICE = 1, IDR = 5, SEI = 6, SEQUENCE = 7, PICTURE = 8, EXTENSION = 13 };
    const unsigned type = unit.size ? unit.data[0] & 31 : 0;
    if (type >= SLICE && type <= IDR)
        see_picture(finding, type == IDR);
    if (type == SEI)
        return !is_of_old_x264(unit);
    if (type == SEQUENCE || type == PICTURE || type == EXTENSION)
        return add_header(finding, unit);
    return true;
}

/* Decoding may begin at other kinds of pictures, too, but only after these is no earlier picture
 * shown. */
static bool look_at_hevc(Finding *finding, Piece unit)
{
    enum { LAST_PICTURE = 31, IDR = 19, IDR_ALONE = 20, FIRST_SET = 32, LAST_SET = 34 };
    enum { DROPS_EARLIER_PICTURES = 0x40 };
    if (unit.size < 3)
        return true;
    const unsigned type = unit.data[0] >> 1 & 63;
    if (type <= LAST_PICTURE)
        see_picture(finding,
                    (type == IDR || type == IDR_ALONE) && !(unit.data[2] & DROPS_EARLIER_PICTURES));
    return type < FIRST_SET || type > LAST_SET || add_header(finding, unit);
}

/* ---- MPEG-2 ---- */

static bool look_at_mpeg2(Finding *finding, Piece piece)
{
    enum { PICTURE = 0x00, SEQUENCE = 0xB3, EXTENSION = 0xB5, GROUP = 0xB8 };
    enum { CLOSED = 0x40, BROKEN = 0x20, INTRA = 1, OF_SEQUENCE = 1 };
    const uint8_t *const data = piece.data;
    if (!piece.size)
        return true;
    if (data[0] == SEQUENCE ||
        (data[0] == EXTENSION && piece.size > 1 && data[1] >> 4 == OF_SEQUENCE))
        return add_header(finding, piece);
    if (data[0] == GROUP && piece.size >= 5)
        finding->entry = finding->headers_size && (data[4] & (CLOSED | BROKEN)) == CLOSED;
    if (data[0] == PICTURE)
        see_picture(finding, finding->entry && piece.size >= 3 && (data[2] >> 3 & 7) == INTRA);
    return true;
}

/* ---- VP9 ---- */

/* The first frame of the packet: marker (2 bits), profile (2, and a zero if it is 3), whether an
 * earlier frame is shown (1), and whether it is no key frame (1). */
static void look_at_vp9(Finding *finding, Piece packet)
{
    if (!packet.size)
        return;
    const unsigned bits = packet.data[0];
    const bool long_profile = (bits & 0x30) == 0x30;
    const unsigned shown_and_kind = (long_profile ? bits >> 1 : bits >> 2) & 3;
    see_picture(finding, bits >> 6 == 2 && !shown_and_kind);
}

/* ---- AV1 ---- */

/* Reads a number of up to eight groups of seven bits. */
static bool take_leb128(Piece *rest, size_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < 8 && rest->size; i++) {
        const uint8_t byte = *rest->data++;
        rest->size--;
        *value |= (size_t)(byte & 127) << 7 * i;
        if (byte < 128)
            return true;
    }
    return false;
}

static bool next_obu(Piece *rest, unsigned *type, Piece *obu)
{
    enum { EXTENDED = 4, SIZED = 2 };
    if (!rest->size)
        return false;
    const uint8_t head = *rest->data;
    const size_t skipped = head & EXTENDED ? 2 : 1;
    if (rest->size < skipped)
        return false;
    *type = head >> 3 & 15;
    *rest = (Piece){ rest->data + skipped, rest->size - skipped };
    size_t size = rest->size;
    if (head & SIZED && (!take_leb128(rest, &size) || size > rest->size))
        return false;
    *obu = (Piece){ rest->data, size };
    *rest = (Piece){ rest->data + size, rest->size - size };
    return true;
}

/* A frame begins with: whether an earlier one is shown (1 bit), its kind (2; 0: a key frame),
 * whether it is shown (1). */
static bool look_at_av1(Finding *finding, Piece rest)
{
    enum { SEQUENCE = 1, FRAME_HEADER = 3, FRAME = 6 };
    Piece obu;
    unsigned type;
    while (next_obu(&rest, &type, &obu)) {
        if (type == SEQUENCE && !add_header(finding, obu))
            return false;
        if ((type == FRAME || type == FRAME_HEADER) && obu.size)
            see_picture(finding, finding->headers_size && obu.data[0] >> 4 == 1);
    }
    return true;
}

/* ---- JPEG ---- */

/* Adds the numbers of tables, and not the tables, which change from picture to picture. A table of
 * quantisation is its number and 64 bytes or words. A table of codes is its number, 16 bytes that
 * count the codes of each length, and a byte for each code. */
static bool add_tables(Finding *finding, bool of_codes, Piece rest)
{
    while (rest.size) {
        size_t size = 1 + (*rest.data >> 4 ? 128 : 64);
        if (of_codes) {
            size = 17;
            for (unsigned i = 1; i < 17 && i < rest.size; i++)
                size += rest.data[i];
        }
        if (rest.size < size || !add_header(finding, (Piece){ rest.data, 1 }))
            return false;
        rest = (Piece){ rest.data + size, rest.size - size };
    }
    return true;
}

/* Adds all that decoders keep from one picture to the next, up to the first scan: if each picture
 * sets all of it anew, and to the same, each can be decoded alone. False: it is no such picture, or
 * it is one of two fields. */
static bool look_at_jpeg(Finding *finding, Piece packet)
{
    enum { BEGIN = 0xD8, CODES = 0xC4, QUANTISATION = 0xDB, SCAN = 0xDA, APPLICATION = 0xE0 };
    static const uint8_t avi[] = { 'A', 'V', 'I', '1' };
    if (packet.size < 4 || packet.data[0] != 0xFF || packet.data[1] != BEGIN)
        return false;
    Piece rest = { packet.data + 2, packet.size - 2 };
    while (rest.size >= 4 && rest.data[0] == 0xFF) {
        const uint8_t kind = rest.data[1];
        const size_t size = (size_t)rest.data[2] << 8 | rest.data[3];
        const Piece segment = { rest.data + 4, size - 2 };
        if (kind == SCAN) {
            see_picture(finding, true);
            return true;
        }
        if (kind == 0xFF) { /* a fill byte */
            rest = (Piece){ rest.data + 1, rest.size - 1 };
            continue;
        }
        if (size < 2 || size > rest.size - 2)
            return false;
        if (kind == APPLICATION && segment.size > sizeof(avi) &&
            !memcmp(segment.data, avi, sizeof(avi)) && segment.data[sizeof(avi)])
            return false;
        const bool tables = kind == CODES || kind == QUANTISATION;
        if (!add_header(finding, (Piece){ &kind, 1 }) ||
            !(tables ? add_tables(finding, kind == CODES, segment) : add_header(finding, segment)))
            return false;
        rest = (Piece){ segment.data + segment.size, rest.size - 2 - size };
    }
    return false;
}

/* ---- the cutter ---- */

static bool look(const Cutter *cutter, const AVPacket *packet, Finding *finding)
{
    Piece piece, rest = { packet->data, (size_t)packet->size };
    bool good = true;
    if (cutter->codec == AV_CODEC_ID_AV1)
        return look_at_av1(finding, rest);
    if (cutter->codec == AV_CODEC_ID_MJPEG)
        return look_at_jpeg(finding, rest);
    if (cutter->codec == AV_CODEC_ID_VP9)
        look_at_vp9(finding, rest);
    else
        while (good && next_piece(cutter, &rest, &piece))
            good = (cutter->codec == AV_CODEC_ID_H264   ? look_at_h264
                    : cutter->codec == AV_CODEC_ID_HEVC ? look_at_hevc
                                                        : look_at_mpeg2)(finding, piece);
    return good;
}

/* True if a decoder that begins with this packet knows all parameter sets that one that began with
 * the file knows. Sets the headers that later sections have to repeat. */
static bool keeps_headers(Cutter *cutter, Finding *finding)
{
    if (!cutter->packets) {
        cutter->headers = finding->headers;
        cutter->headers_size = finding->headers_size;
        finding->headers = NULL;
        return true;
    }
    if (!finding->headers_size) {
        finding->entry = finding->entry && !cutter->headers_size;
        return true;
    }
    return finding->headers_size == cutter->headers_size &&
           !memcmp(finding->headers, cutter->headers, cutter->headers_size);
}

/* Side data that changes how later packets decode, and encryption. */
static bool has_strange_data(const AVPacket *packet)
{
    for (int i = 0; i < packet->side_data_elems; i++) {
        const enum AVPacketSideDataType type = packet->side_data[i].type;
        if (type == AV_PKT_DATA_NEW_EXTRADATA || type == AV_PKT_DATA_PARAM_CHANGE ||
            type == AV_PKT_DATA_ENCRYPTION_INFO || type == AV_PKT_DATA_PALETTE)
            return true;
    }
    return false;
}

bool cutter_look(Cutter *cutter, const AVPacket *packet)
{
    Finding finding = { 0 };
    if (cutter->off)
        return false;
    cutter->off = has_strange_data(packet) || packet->flags & AV_PKT_FLAG_CORRUPT ||
                  !look(cutter, packet, &finding) || !keeps_headers(cutter, &finding);
    cutter->packets++;
    free(finding.headers);
    return !cutter->off && finding.entry;
}

bool cutter_counts_frames(const Cutter *cutter)
{
    return cutter->codec != AV_CODEC_ID_VP9 && cutter->codec != AV_CODEC_ID_AV1;
}

/* The size of the lengths in the packets of a file with a configuration record (avcC, hvcC). */
static unsigned length_size_of(const AVCodecParameters *parameters)
{
    const bool hevc = parameters->codec_id == AV_CODEC_ID_HEVC;
    const size_t at = hevc ? 21 : 4;
    if ((size_t)parameters->extradata_size <= at || parameters->extradata[0] != 1)
        return 0;
    return (parameters->extradata[at] & 3u) + 1;
}

bool cutter_open(Cutter *cutter, const AVCodecParameters *parameters)
{
    *cutter = (Cutter){ .codec = parameters->codec_id };
    switch (parameters->codec_id) {
    case AV_CODEC_ID_H264:
    case AV_CODEC_ID_HEVC:
        cutter->length_size = length_size_of(parameters);
        return true;
    case AV_CODEC_ID_MJPEG:
    case AV_CODEC_ID_MPEG2VIDEO:
    case AV_CODEC_ID_VP9:
    case AV_CODEC_ID_AV1:
        return true;
    default:
        return false;
    }
}

void cutter_close(Cutter *cutter)
{
    free(cutter->headers);
    cutter->headers = NULL;
}
