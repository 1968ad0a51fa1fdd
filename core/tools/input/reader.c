/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/reader.h"

#include <stdbool.h>
#include <string.h>

static const VideoReader *const readers[] = {
    &raw_reader,
    &y4m_reader,
};

const VideoReader *reader_probe(const uint8_t *start, size_t size)
{
    for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++)
        if (readers[i]->probe && readers[i]->probe(start, size))
            return readers[i];
    return NULL;
}

/* ---- files that are not raw video ---- */

/* The bytes that identify each kind of file, at one or two offsets: at least five bytes that
 * adjacent samples of a picture do not have. */
static const struct {
    const char *title;
    unsigned at, size;
    const char *bytes;
    unsigned also_at, also_size;
    const char *also;
} magics[] = {
    { "MP4 or MOV", 0, 2, "\0\0", 4, 4, "ftyp" },
    { "MOV", 0, 1, "\0", 4, 4, "moov" },
    { "MOV", 0, 4, "\0\0\0\x08", 4, 4, "wide" },
    { "MOV", 0, 1, "\0", 4, 4, "mdat" },
    { "Matroska or WebM", 0, 4, "\x1a\x45\xdf\xa3", 0, 0, "" },
    { "AVI", 0, 4, "RIFF", 8, 4, "AVI " },
    { "WebP", 0, 4, "RIFF", 8, 4, "WEBP" },
    { "WAV", 0, 4, "RIFF", 8, 4, "WAVE" },
    { "IVF", 0, 4, "DKIF", 4, 4, "\0\0\x20\0" },
    { "FLV", 0, 4, "FLV\x01", 5, 4, "\0\0\0\x09" },
    { "Ogg", 0, 5, "OggS\0", 0, 0, "" },
    { "ASF or WMV", 0, 8, "\x30\x26\xb2\x75\x8e\x66\xcf\x11", 0, 0, "" },
    { "MXF", 0, 7, "\x06\x0e\x2b\x34\x02\x05\x01", 0, 0, "" },
    { "NUT", 0, 14, "nut/multimedia", 0, 0, "" },
    { "RealMedia", 0, 8, ".RMF\0\0\0\x12", 0, 0, "" },
    { "MP3", 0, 4, "ID3\x03", 0, 0, "" },
    { "MP3", 0, 4, "ID3\x04", 0, 0, "" },
    { "FLAC", 0, 5, "fLaC\0", 0, 0, "" },
    { "H.264", 0, 5, "\0\0\0\x01\x67", 0, 0, "" },
    { "H.264", 0, 5, "\0\0\0\x01\x09", 6, 5, "\0\0\0\x01\x67" },
    { "HEVC", 0, 8, "\0\0\0\x01\x40\x01\x0c\x01", 0, 0, "" },
    { "PNG", 0, 8, "\x89PNG\r\n\x1a\n", 0, 0, "" },
    { "JPEG", 0, 4, "\xff\xd8\xff\xe0", 6, 5, "JFIF\0" },
    { "JPEG", 0, 4, "\xff\xd8\xff\xe1", 6, 5, "Exif\0" },
    { "JPEG 2000", 0, 12, "\0\0\0\x0cjP  \r\n\x87\n", 0, 0, "" },
    { "JPEG XL", 0, 12, "\0\0\0\x0cJXL \r\n\x87\n", 0, 0, "" },
    { "GIF", 0, 6, "GIF87a", 0, 0, "" },
    { "GIF", 0, 6, "GIF89a", 0, 0, "" },
    { "TIFF", 0, 8, "II*\0\x08\0\0\0", 0, 0, "" },
    { "TIFF", 0, 8, "MM\0*\0\0\0\x08", 0, 0, "" },
    { "BMP", 0, 2, "BM", 6, 8, "\0\0\0\0\x36\0\0\0" },
    { "DPX", 0, 4, "SDPX", 8, 1, "V" },
    { "DPX", 0, 4, "XPDS", 8, 1, "V" },
    { "OpenEXR", 0, 5, "\x76\x2f\x31\x01\x02", 0, 0, "" },
    { "Zip", 0, 4, "PK\x03\x04", 0, 0, "" },
};

/* True if packets that begin with 0x47 follow each other at a distance of `step` bytes. A grey
 * area may consist of that byte, so each header must be valid and they must not all be equal. */
static bool is_transport_stream(const uint8_t *start, size_t size, size_t at, size_t step)
{
    enum { PACKETS_MIN = 5 };
    unsigned packets = 0;
    bool alike = true;
    for (size_t i = at; i + 4 <= size; i += step, packets++) {
        const uint8_t *const packet = start + i;
        const bool damaged = packet[1] & 0x80, scrambled = packet[3] & 0xc0;
        const bool empty = !(packet[3] & 0x30);
        if (packet[0] != 0x47 || damaged || scrambled || empty)
            return false;
        alike = alike && !memcmp(packet, start + at, 4);
    }
    return packets >= PACKETS_MIN && !alike;
}

/* Recognises a pack header by the marker bits inside its clock. */
static bool is_program_stream(const uint8_t *start, size_t size)
{
    if (size < 14 || memcmp(start, "\0\0\x01\xba", 4) != 0)
        return false;
    const bool mpeg2 = (start[4] & 0xc4) == 0x44 && (start[6] & 4) && (start[8] & 4);
    const bool mpeg1 = (start[4] & 0xf1) == 0x21 && (start[6] & 1) && (start[8] & 1);
    return mpeg1 || mpeg2;
}

static bool has_bytes(const uint8_t *start, size_t size, unsigned at, const char *bytes,
                      unsigned count)
{
    return at + count <= size && !memcmp(start + at, bytes, count);
}

const char *magic_of(const uint8_t *start, size_t size)
{
    for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++)
        if (has_bytes(start, size, magics[i].at, magics[i].bytes, magics[i].size) &&
            has_bytes(start, size, magics[i].also_at, magics[i].also, magics[i].also_size))
            return magics[i].title;
    if (is_transport_stream(start, size, 0, 188) || is_transport_stream(start, size, 4, 192))
        return "MPEG-TS";
    return is_program_stream(start, size) ? "MPEG-PS" : NULL;
}
