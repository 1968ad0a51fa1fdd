/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Files that name other files. A file is a playlist only if its name says so: a video from a
 * stranger must not make the command read other files. What a playlist names must be regular files
 * that are no playlists themselves: a FIFO would block the libraries, and a playlist that names
 * itself would never end. */
#include "input/libav.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "common/argv.h"
#include "common/message.h"

/* The most bytes of a list of files, and the most files that are opened before the first frame. */
#define LIST_MAX ((size_t)4 << 20)
#define OPENED_MAX 1000

/* libavformat's formats that name other files or run scripts, and the extensions of their files. */
static const struct {
    const char *format, *extensions;
} playlists[] = {
    { "concat", "ffconcat" },
    { "hls", "m3u8,m3u" },
    { "dash", "mpd" },
    { "webm_dash_manifest", "mpd" },
    { "sdp", "sdp" },
    { "rtsp", "" },
    { "imf", "xml" },
    { "vobsub", "idx" },
    { "avisynth", "avs" },
    { "vapoursynth", "vpy" },
    { "vapoursynth_alt", "vpy" },
    { "lavfi", "" },
};
enum { PLAYLISTS = sizeof(playlists) / sizeof(*playlists) };

/* True if the comma-separated list has this word; its case does not matter. */
static bool has_word(const char *list, const char *word, size_t length)
{
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && !strncasecmp(at, word, length))
            return true;
    return false;
}

/* The index of a format in the table; PLAYLISTS: it is none. */
static unsigned find_format(const AVInputFormat *format)
{
    unsigned i = 0;
    while (i < PLAYLISTS &&
           !has_word(format->name, playlists[i].format, strlen(playlists[i].format)))
        i++;
    return i;
}

static const char *extension_of(const char *path)
{
    const char *const slash = path_separator(path), *const dot = strrchr(slash ? slash : path, '.');
    return dot ? dot + 1 : "";
}

/* ---- what a list may name ---- */

/* True for a file that begins like a playlist. */
static bool is_playlist(const char *path)
{
    char start[8] = { 0 };
    FILE *const file = fopen(path, "rb");
    const size_t size = file ? fread(start, 1, sizeof(start), file) : 0;
    if (file)
        fclose(file);
    return size == sizeof(start) && (!memcmp(start, "ffconcat", 8) || !memcmp(start, "#EXTM3U", 7));
}

/* -EPERM, after logging why, if a playlist may not name this file. */
static int check_named(const Video *video, const char *path)
{
    static const char *const protocols[] = { "crypto+", "crypto:", "file:" };
    struct stat info;
    for (size_t i = 0; i < sizeof(protocols) / sizeof(*protocols); i++)
        if (!strncmp(path, protocols[i], strlen(protocols[i])))
            path += strlen(protocols[i]);
    if (!strncmp(path, "data:", 5))
        return 0;
    if (stat(path, &info)) {
        say("%s names %s: %s", video->path, path, strerror(errno));
        return -EPERM;
    }
    if (!S_ISREG(info.st_mode)) {
        say("%s names %s, which is not a regular file", video->path, path);
        return -EPERM;
    }
    return 0;
}

/* Takes a word as lists of files have it, with quotes and backslashes, out of a line. The caller
 * frees it; NULL: no memory. */
static char *take_word(const char *line)
{
    char *const word = malloc(strlen(line) + 1);
    size_t used = 0;
    bool quoted = false;
    line += strspn(line, " \t");
    for (; word && *line && (quoted || !strchr(" \t\r", *line)); line++) {
        if (*line == '\'')
            quoted = !quoted;
        else if (!quoted && *line == '\\' && line[1])
            word[used++] = *++line;
        else
            word[used++] = *line;
    }
    if (word)
        word[used] = '\0';
    return word;
}

/* Checks a file that the list names, relative to the list's folder. */
static int check_item(const Video *video, const char *item)
{
    const char *const slash = path_separator(video->path);
    const int folder = slash && *item != '/' ? (int)(slash - video->path + 1) : 0;
    const size_t size = (size_t)folder + strlen(item) + 1;
    char *const path = malloc(size);
    if (!path)
        return -ENOMEM;
    snprintf(path, size, "%.*s%s", folder, video->path, item);
    int err = check_named(video, path);
    if (!err && is_playlist(path)) {
        say("%s names %s, which is a playlist, too: only videos may be in it", video->path, path);
        err = -EPERM;
    }
    free(path);
    return err;
}

static int check_lines(const Video *video, char *text)
{
    int err = 0;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line && !err;
         line = strtok_r(NULL, "\n", &rest)) {
        line += strspn(line, " \t");
        if (strncmp(line, "file", 4) != 0 || !strchr(" \t", line[4]))
            continue;
        char *const item = take_word(line + 4);
        err = item ? check_item(video, item) : -ENOMEM;
        free(item);
    }
    return err;
}

/* Lists of FFmpeg's concat format are checked beforehand: libavformat opens their files without
 * asking, and an open FIFO waits where no signal ends it. */
static int check_list(const Video *video)
{
    Source *const source = video->source;
    if (!source->seekable || source->size > LIST_MAX) {
        say("%s: a playlist must be a file of at most %zu MiB", video->path, LIST_MAX >> 20);
        return -EINVAL;
    }
    char *const text = malloc((size_t)source->size + 1);
    if (!text)
        return -ENOMEM;
    Span span = { text, (size_t)source->size };
    int err = source_read(source, 0, &span, 1);
    text[source->size] = '\0';
    err = err ? video_read_error(video, err) : check_lines(video, text);
    free(text);
    return err;
}

int libav_playlist_check(const Libav *libav, const AVInputFormat *format)
{
    const Video *const video = libav->video;
    const char *const extension = extension_of(video->path);
    const unsigned i = find_format(format);
    if (i == PLAYLISTS)
        return 0;
    if (!has_word(playlists[i].extensions, extension, strlen(extension))) {
        const int first = (int)strcspn(playlists[i].extensions, ",");
        say("%s is a playlist (%s), so it names other files, but its own name does not show that%s%.*s%s",
            video->path, playlists[i].format, first ? ": rename it to ." : "", first,
            playlists[i].extensions, first ? " if you trust those files" : "");
        return -EPERM;
    }
    return i == 0 && !video->options.local ? check_list(video) : 0;
}

/* ---- while the libraries read ---- */

/* The libraries' own function that opens a file. It is the same for all videos. */
static int (*open_file)(AVFormatContext *, AVIOContext **, const char *, int, AVDictionary **);

static int open_named(AVFormatContext *format, AVIOContext **io, const char *url, int flags,
                      AVDictionary **options)
{
    Libav *const libav = format->opaque;
    if (libav && !libav->refused && !strstr(url, "://"))
        libav->refused = check_named(libav->video, url) != 0;
    if (libav && libav->refused)
        return AVERROR(EPERM);
    if (libav && !libav->found && libav->opened++ >= OPENED_MAX) {
        say("%s names more than %d files before its first frame", libav->video->path, OPENED_MAX);
        libav->refused = true;
        return AVERROR(EPERM);
    }
    return open_file(format, io, url, flags, options);
}

void libav_playlist_guard(Libav *libav)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!open_file)
        open_file = libav->format->io_open;
    pthread_mutex_unlock(&lock);
    libav->format->io_open = open_named;
}

/* Allows the libraries all formats but playlists other than `format`. */
int libav_playlist_allow(const AVInputFormat *format, AVDictionary **options)
{
    void *state = NULL;
    const AVInputFormat *each;
    size_t size = 1;
    while ((each = av_demuxer_iterate(&state)))
        size += strlen(each->name) + 1;
    char *const names = calloc(1, size);
    if (!names)
        return -ENOMEM;
    state = NULL;
    char *at = names;
    while ((each = av_demuxer_iterate(&state)))
        if (each == format || find_format(each) == PLAYLISTS)
            at += sprintf(at, "%s,", each->name);
    const int err = av_dict_set(options, "format_whitelist", names, 0);
    free(names);
    return err < 0 ? -ENOMEM : 0;
}
