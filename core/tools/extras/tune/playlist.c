/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "playlist.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "encoder.h"

static int by_time(const void *a, const void *b)
{
    const double p = ((const Packet *)a)->time, q = ((const Packet *)b)->time;
    return (p > q) - (p < q);
}

double packets_peak(const Packets *packets, double seconds)
{
    double most = 0.0, bytes = 0.0;
    size_t from = 0;
    Packet *const sorted = malloc((packets->count + 1) * sizeof(*sorted));
    if (!sorted)
        return -1.0;
    if (!packets->count) {
        free(sorted);
        return 0.0;
    }
    memcpy(sorted, packets->at, packets->count * sizeof(*sorted));
    qsort(sorted, packets->count, sizeof(*sorted), by_time);
    const double span = sorted[packets->count - 1].time - sorted[0].time;
    const double frame = packets->count > 1 ? span / (double)(packets->count - 1) : seconds;
    for (size_t i = 0; i < packets->count; i++) {
        bytes += (double)sorted[i].bytes;
        while (from < i && sorted[i].time - sorted[from].time + frame > seconds + 1e-6)
            bytes -= (double)sorted[from++].bytes;
        most = fmax(most, bytes);
    }
    free(sorted);
    return most * 8.0 / fmin(seconds, span + frame) / 1000.0;
}

void rung_name(const PlannedRung *rung, char *text, size_t size)
{
    snprintf(text, size, "%ux%u-%.0fk.m3u8", rung->job.media.width, rung->job.media.height,
             rung->job.bitrate);
}

double rung_frame_rate(const PlannedRung *rung)
{
    const Media *const source = &rung->job.source->media;
    if (source->frames < 2 || !(source->span > 0.0))
        return 0.0;
    static const double usual[] = { 24000.0 / 1001, 24, 25, 30000.0 / 1001, 30, 48, 50,
                                    60000.0 / 1001, 60 };
    const double rate = (double)(source->frames - 1) / source->span;
    const double near = fmax(5e-4, 1e-3 / source->span); /* Matroska has milliseconds */
    double best = rate;
    for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
        if (fabs(usual[i] - rate) < rate * near &&
            (best == rate || fabs(usual[i] - rate) < fabs(best - rate)))
            best = usual[i];
    return best;
}

void playlist_write(const PlannedRung *rungs, size_t count, bool sound, FILE *file)
{
    const double more = sound ? SOUND_RATE * 1000.0 : 0.0;
    fputs("#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-INDEPENDENT-SEGMENTS\n", file);
    for (size_t i = 0; i < count; i++) {
        const PlannedRung *const rung = &rungs[i];
        char name[64];
        rung_name(rung, name, sizeof(name));
        fprintf(file, "#EXT-X-STREAM-INF:BANDWIDTH=%.0f,AVERAGE-BANDWIDTH=%.0f,RESOLUTION=%ux%u",
                ceil(rung->peak * 1000.0 + more), ceil(rung->job.bitrate * 1000.0 + more),
                rung->job.media.width, rung->job.media.height);
        if (rung_frame_rate(rung) > 0.0)
            fprintf(file, ",FRAME-RATE=%.3f", rung_frame_rate(rung));
        if (*rung->codec.text)
            fprintf(file, ",CODECS=\"%s%s\",VIDEO-RANGE=%s", rung->codec.text,
                    sound ? "," SOUND_CODEC : "", rung->codec.range);
        fprintf(file, "\n%s\n", name);
    }
}

/* The filters that make each rung's pictures from one decode. free() the text. */
static char *split_filters(const PlannedRung *rungs, size_t count)
{
    char *text = text_print("[0:v:0]split=%zu", count);
    for (size_t i = 0; text && i < count; i++) {
        char *const longer = text_print("%s[s%zu]", text, i);
        free(text);
        text = longer;
    }
    for (size_t i = 0; text && i < count; i++) {
        const Encoder *const e = rungs[i].job.encoder;
        const bool uploads = e->kind && e->kind->device;
        char *const longer = text_print("%s;[s%zu]%s%s%s[v%zu]", text, i,
                                        e->filter ? e->filter
                                        : uploads ? ""
                                                  : "null",
                                        e->filter && uploads ? "," : "",
                                        uploads ? "format=nv12|p010,hwupload" : "", i);
        free(text);
        text = longer;
    }
    return text;
}

/* ---- the codec ---- */

/* The beginning of a file that a child writes to its standard output. */
typedef struct Beginning {
    uint8_t bytes[1 << 16];
    size_t size;
} Beginning;

static void take_beginning(void *arg, enum ChildStream stream, const char *bytes, size_t count)
{
    Beginning *const file = arg;
    const size_t room = sizeof(file->bytes) - file->size, taken = count < room ? count : room;
    if (stream != CHILD_OUT)
        return;
    memcpy(file->bytes + file->size, bytes, taken);
    file->size += taken;
}

int rung_find_codec(PlannedRung *rung, const Workshop *shop)
{
    char *filters = split_filters(rung, 1);
    Beginning *const file = calloc(1, sizeof(*file));
    Argv argv = { 0 };
    ChildEnd end;
    argv_add_all(&argv, (const char *const[]){ shop->ffmpeg, "-nostdin", "-v", "quiet", NULL });
    encoder_add_device(rung->job.encoder, &argv);
    argv_add(&argv, "-i");
    argv_addf(&argv, "file:%s", rung->job.source->argument);
    argv_add(&argv, "-filter_complex");
    argv_take(&argv, filters);
    argv_add_all(&argv,
                 (const char *const[]){ "-map", "[v0]", "-fps_mode", "passthrough", "-frames:v",
                                        "2", "-c:v", rung->job.encoder->codec, NULL });
    encoder_add_options(rung->job.encoder, rung->job.setting, &argv);
    argv_add_all(&argv, (const char *const[]){ "-movflags", "empty_moov+delay_moov", "-f", "mp4",
                                               "pipe:1", NULL });
    const ChildParams params = { .argv = (const char *const *)argv.words,
                                 .sink = { CHILD_TO_US, CHILD_NOWHERE },
                                 .time_limit = shop->time_limit,
                                 .heard = take_beginning,
                                 .arg = file };
    int err = argv.failed || !file ? -ENOMEM : child_run(shop->children, &params, &end);
    if (!err)
        codec_of_mp4(file->bytes, file->size, &rung->codec);
    argv_free(&argv);
    free(file);
    return err;
}

char *ladder_command(const Workshop *shop, const Original *source, const PlannedRung *rungs,
                     size_t count, bool sound)
{
    Argv argv = { 0 };
    argv_add(&argv, shop->ffmpeg);
    encoder_add_device(rungs[0].job.encoder, &argv);
    argv_add(&argv, "-i");
    argv_addf(&argv, "file:%s", source->argument);
    argv_add(&argv, "-filter_complex");
    argv_take(&argv, split_filters(rungs, count));
    for (size_t i = 0; i < count; i++) {
        const PlannedRung *const rung = &rungs[i];
        char name[64];
        rung_name(rung, name, sizeof(name));
        argv_add(&argv, "-map");
        argv_addf(&argv, "[v%zu]", i);
        if (sound) {
            argv_add_all(&argv,
                         (const char *const[]){ "-map", "0:a:0", "-c:a", "aac", "-b:a", NULL });
            argv_addf(&argv, "%dk", SOUND_RATE);
        }
        /* Without it, ffmpeg repeats the first frame of a video that starts after 0. */
        argv_add_all(&argv, (const char *const[]){ "-fps_mode", "passthrough", "-c:v",
                                                   rung->job.encoder->codec, NULL });
        encoder_add_options(rung->job.encoder, rung->job.setting, &argv);
        if (rung->codec.retagged)
            argv_add_all(&argv, (const char *const[]){ "-tag:v", "hvc1", NULL });
        argv_add(&argv, "-force_key_frames");
        argv_addf(&argv, "expr:gte(t,n_forced*%d)", SEGMENT_SECONDS);
        argv_add_all(&argv, (const char *const[]){ "-f", "hls", "-hls_time", NULL });
        argv_addf(&argv, "%d", SEGMENT_SECONDS);
        argv_add_all(&argv, (const char *const[]){ "-hls_playlist_type", "vod", "-hls_segment_type",
                                                   "fmp4", "-hls_fmp4_init_filename", NULL });
        argv_addf(&argv, "%.*s-init.mp4", (int)(strlen(name) - strlen(".m3u8")), name);
        argv_add(&argv, "-hls_segment_filename");
        argv_addf(&argv, "%.*s-%%d.m4s", (int)(strlen(name) - strlen(".m3u8")), name);
        argv_add(&argv, name);
    }
    char *const text = argv.failed ? NULL : argv_shell_text(&argv);
    argv_free(&argv);
    return text;
}
