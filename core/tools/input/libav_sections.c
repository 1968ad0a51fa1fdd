/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Several decoders for one video. One thread reads the packets and cuts them into sections
 * (libav_cut.h); each of several threads has a decoder and takes the next section that nobody has;
 * the reader takes the frames of the sections in their order. Whatever is unusual ends it all: the
 * Libav's own decoder, which has decoded one frame, then does everything again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "input/libav.h"
#include "input/libav_cut.h"
#include "input/reader.h"

enum {
    SECTION_LEAST = 32, /* packets of a section; more than any decoder delays its frames by */
    SCAN_PACKETS = 600, /* the second section begins within these, or there is none */
    CPU_LEAST = 4,      /* decoders on the CPU for which the memory is worth it */
    DECODERS_MOST = 64,
};
#define PACKETS_ROOM ((size_t)128 << 20) /* bytes of packets that wait for decoders */

/* ---- sections ---- */

/* A decoded frame. */
typedef struct Decoded {
    AVFrame *frame;
    uint64_t position;
    bool grain; /* its decoder knows of film grain */
} Decoded;

typedef struct Section {
    struct Section *next; /* in the file */
    uint64_t number;
    AVPacket **packets;
    size_t packet_count, packet_capacity, packets_sent;
    Decoded *frames;
    size_t frame_count, frame_capacity, frames_taken;
    int64_t begin;     /* the latest time of the section before: its own times are later */
    int64_t last;      /* the latest time of its packets */
    uint64_t expected; /* frames, if each packet is one */
    uint64_t found;    /* frames decoded so far */
    bool complete;     /* all its packets were read */
    bool spoilt;       /* one of its packets is unusual */
    bool done;         /* all its frames were decoded, or it failed */
    bool failed;       /* give up after its frames */
} Section;

typedef struct Worker {
    Sections *owner;
    AVCodecContext *codec;
    AVFrame *frame;
    Section *sending;   /* its packets are being sent; NULL: none */
    Section *receiving; /* its frames are being received; NULL: none */
    Section *latest;    /* the last section that was taken: `receiving`, or the one after it */
    SentPackets sent;
    pthread_t thread;
    bool started;
} Worker;

struct Sections {
    const Libav *reader; /* the one whose frames these are */
    Video *twin;         /* the same file once more */
    Libav *libav;        /* the twin's: its container gives the packets */
    Cutter cutter;
    bool counts;       /* each packet is one frame */
    AVBufferRef *kept; /* frames of a device are copied into this pool; made under the lock */
    unsigned worker_count;
    Worker *workers;
    pthread_t thread; /* reads the packets */
    bool reading;     /* the thread was started */
    int64_t time;     /* time of the latest frame that was taken */
    bool begun;       /* the first frame, which the reader had before, was passed */

    pthread_mutex_t lock;      /* guards what follows, and the sections */
    pthread_cond_t to_send;    /* there may be packets for a decoder */
    pthread_cond_t to_take;    /* there may be a frame to take */
    pthread_cond_t room;       /* there may be room for a frame, or for a packet */
    Section *first, *last;     /* the oldest section that is not taken completely; the latest */
    Section *untaken;          /* the oldest one that no decoder has */
    uint64_t sections;         /* so far */
    size_t frames, frame_room; /* frames that wait to be taken, and the most of these */
    size_t bytes;              /* bytes of packets that wait for decoders */
    bool ended;                /* all packets were read */
    bool stop;
};

static void section_destroy(Section *section)
{
    for (size_t i = section->packets_sent; i < section->packet_count; i++)
        av_packet_free(&section->packets[i]);
    for (size_t i = section->frames_taken; i < section->frame_count; i++)
        av_frame_free(&section->frames[i].frame);
    free(section->packets);
    free(section->frames);
    free(section);
}

/* Makes room for one more item in an array. False: out of memory. */
static bool grow(void **items, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity)
        return true;
    const size_t more = *capacity ? 2 * *capacity : 64;
    void *const grown = realloc(*items, more * size);
    if (!grown)
        return false;
    *items = grown;
    *capacity = more;
    return true;
}

/* ---- packets ---- */

static bool start_section_locked(Sections *sections)
{
    Section *const section = calloc(1, sizeof(*section));
    if (!section)
        return false;
    section->number = sections->sections++;
    section->begin = section->last = INT64_MIN;
    if (sections->last) {
        section->begin = sections->last->last;
        sections->last->complete = true;
        sections->last->next = section;
    } else {
        sections->first = section;
    }
    sections->last = section;
    if (!sections->untaken)
        sections->untaken = section;
    return true;
}

/* Adds a packet to the latest section or to a new one. Takes the packet's data. False: out of
 * memory. */
static bool add_packet_locked(Sections *sections, AVPacket *packet)
{
    const bool entry = cutter_look(&sections->cutter, packet);
    const Section *const before = sections->last;
    const bool first = !before || (entry && before->packet_count >= SECTION_LEAST);
    if (first && !start_section_locked(sections))
        return false;
    Section *const section = sections->last;
    AVPacket *own = av_packet_clone(packet);
    if (!own || !grow((void **)&section->packets, &section->packet_capacity, section->packet_count,
                      sizeof(*section->packets))) {
        av_packet_free(&own);
        return false;
    }
    section->packets[section->packet_count++] = own;
    sections->bytes += (size_t)packet->size;
    section->expected += !(packet->flags & AV_PKT_FLAG_DISCARD);
    if (packet->pts > section->last)
        section->last = packet->pts;
    if (packet->pts == AV_NOPTS_VALUE || packet->pts <= section->begin || !packet->size ||
        packet->flags & AV_PKT_FLAG_CORRUPT)
        section->spoilt = true;
    return true;
}

/* Reads one packet. False at the end. */
static bool read_one(Sections *sections)
{
    Libav *const libav = sections->libav;
    const int err = libav_read_packet(libav);
    pthread_mutex_lock(&sections->lock);
    bool good = !err && add_packet_locked(sections, libav->packet);
    if (!err)
        av_packet_unref(libav->packet);
    if (!good) {
        const bool whole =
            err == AVERROR_EOF && !atomic_load(&libav->cut) && !libav->last_packet_damaged;
        if (sections->last) {
            sections->last->complete = true;
            sections->last->spoilt |= !whole;
        }
        sections->ended = true;
        pthread_cond_broadcast(&sections->to_take);
    }
    pthread_cond_broadcast(&sections->to_send);
    pthread_mutex_unlock(&sections->lock);
    return good;
}

/* The thread that reads the packets. */
static void *read_all(void *arg)
{
    Sections *const sections = arg;
    bool stop;
    do {
        pthread_mutex_lock(&sections->lock);
        while (!sections->stop && sections->bytes >= PACKETS_ROOM)
            pthread_cond_wait(&sections->room, &sections->lock);
        stop = sections->stop;
        pthread_mutex_unlock(&sections->lock);
    } while (!stop && read_one(sections));
    return NULL;
}

/* ---- decoders ---- */

enum Step { STEP_SEND, STEP_DRAIN, STEP_QUIT };

/* True if the worker may take the section while it still waits for frames of another one. Its
 * packets push those frames out of the decoder, so there must be enough of them. */
static bool pushes_locked(const Worker *worker, const Section *section)
{
    return worker->receiving == worker->latest &&
           (section->complete || section->packet_count >= SECTION_LEAST);
}

static void take_section_locked(Worker *worker)
{
    Sections *const sections = worker->owner;
    Section *const section = sections->untaken;
    sections->untaken = section->next;
    worker->sending = worker->latest = section;
    if (!worker->receiving)
        worker->receiving = section;
}

/* Waits for something to do. STEP_SEND sets *packet. */
static enum Step choose(Worker *worker, AVPacket **packet)
{
    Sections *const sections = worker->owner;
    enum Step step = STEP_QUIT;
    pthread_mutex_lock(&sections->lock);
    while (!sections->stop) {
        Section *const section = worker->sending;
        if (section && section->packets_sent < section->packet_count) {
            *packet = section->packets[section->packets_sent++];
            sections->bytes -= (size_t)(*packet)->size;
            pthread_cond_broadcast(&sections->room);
            step = STEP_SEND;
            break;
        }
        if (section && section->complete) {
            worker->sending = NULL;
        } else if (!section && sections->untaken &&
                   (!worker->receiving || pushes_locked(worker, sections->untaken))) {
            take_section_locked(worker);
        } else if (!section && worker->receiving) {
            step = STEP_DRAIN;
            break;
        } else if (!section && sections->ended && !sections->untaken) {
            break;
        } else {
            pthread_cond_wait(&sections->to_send, &sections->lock);
        }
    }
    pthread_mutex_unlock(&sections->lock);
    return step;
}

/* Ends the section whose frames were received; `good`: nothing unusual happened. */
static void finish_section(Worker *worker, bool good)
{
    Sections *const sections = worker->owner;
    Section *const section = worker->receiving;
    pthread_mutex_lock(&sections->lock);
    if (section) {
        section->failed =
            !good || section->spoilt || (sections->counts && section->found != section->expected);
        section->done = true;
        worker->receiving = section != worker->latest ? worker->latest : NULL;
    }
    pthread_cond_broadcast(&sections->to_take);
    pthread_mutex_unlock(&sections->lock);
}

/* Makes the pool that frames like this one are copied into. */
static bool make_pool(Sections *sections, const AVFrame *frame)
{
    const AVHWFramesContext *const from = (AVHWFramesContext *)frame->hw_frames_ctx->data;
    sections->kept = av_hwframe_ctx_alloc(from->device_ref);
    if (!sections->kept)
        return false;
    AVHWFramesContext *const pool = (AVHWFramesContext *)sections->kept->data;
    pool->format = from->format;
    pool->sw_format = from->sw_format;
    pool->width = from->width;
    pool->height = from->height;
    if (av_hwframe_ctx_init(sections->kept) >= 0)
        return true;
    av_buffer_unref(&sections->kept);
    return false;
}

/* Copies a frame within its device: a decoder has too few buffers for frames that wait. */
static bool copy_on_device(Sections *sections, AVFrame *to, const AVFrame *frame)
{
    pthread_mutex_lock(&sections->lock);
    const bool made = sections->kept || make_pool(sections, frame);
    pthread_mutex_unlock(&sections->lock);
    if (!made || av_hwframe_get_buffer(sections->kept, to, 0) < 0)
        return false;
    to->width = frame->width;
    to->height = frame->height;
    return av_hwframe_transfer_data(to, frame, 0) >= 0;
}

/* Moves the received frame into one of its own, in host memory or, if frames are scored on their
 * device, there. NULL: failed. */
static AVFrame *settle(Worker *worker)
{
    Sections *const sections = worker->owner;
    const Libav *const reader = sections->reader;
    AVFrame *const frame = worker->frame;
    AVFrame *own = av_frame_alloc();
    bool good = own != NULL;
    if (good && frame->format == sections->libav->device_format) {
        good = reader->keep ? copy_on_device(sections, own, frame)
                            : av_hwframe_transfer_data(own, frame, 0) >= 0;
        good = good && av_frame_copy_props(own, frame) >= 0;
        av_frame_unref(frame);
    } else if (good) {
        good = sections->libav->device_format == AV_PIX_FMT_NONE;
        av_frame_move_ref(own, frame);
    }
    if (!good)
        av_frame_free(&own);
    return own;
}

/* How many frames may wait while there is still room for one of this section. Later sections get
 * less, because their frames are needed later. There is always room for the first one. */
static size_t room_for_locked(const Sections *sections, const Section *section)
{
    const uint64_t away = section->number - sections->first->number, all = sections->worker_count;
    if (!away)
        return sections->frame_room + all;
    return away >= all ? 0 : (size_t)(sections->frame_room * (all - away) / all);
}

/* Puts a frame into the section that is being received. False: failed or stopped. */
static bool queue(Worker *worker, AVFrame *frame)
{
    Sections *const sections = worker->owner;
    Section *const section = worker->receiving;
    const Decoded decoded = { frame, libav_position(&worker->sent, frame),
                              libav_has_grain(frame, worker->codec) };
    pthread_mutex_lock(&sections->lock);
    while (!sections->stop && sections->frames >= room_for_locked(sections, section))
        pthread_cond_wait(&sections->room, &sections->lock);
    const bool good = !sections->stop && !section->spoilt &&
                      grow((void **)&section->frames, &section->frame_capacity,
                           section->frame_count, sizeof(*section->frames));
    if (good) {
        section->frames[section->frame_count++] = decoded;
        section->found++;
        sections->frames++;
    }
    pthread_cond_signal(&sections->to_take);
    pthread_mutex_unlock(&sections->lock);
    return good;
}

/* Hands on the frame that was received. False: it is unusual. */
static bool deliver(Worker *worker)
{
    const AVFrame *const frame = worker->frame;
    if (frame->pts == AV_NOPTS_VALUE || frame->pts != frame->best_effort_timestamp ||
        frame->flags & AV_FRAME_FLAG_CORRUPT || frame->decode_error_flags ||
        atomic_load(&worker->owner->libav->complained))
        return false;
    if (worker->receiving != worker->latest && frame->pts > worker->receiving->last)
        finish_section(worker, true);
    AVFrame *own = worker->receiving ? settle(worker) : NULL;
    if (!own)
        return false;
    if (queue(worker, own))
        return true;
    av_frame_free(&own);
    return false;
}

/* Receives all frames that the decoder has by now. */
static bool receive(Worker *worker)
{
    int err;
    while (!(err = avcodec_receive_frame(worker->codec, worker->frame)))
        if (!deliver(worker))
            return false;
    return err == AVERROR(EAGAIN) || err == AVERROR_EOF;
}

static bool send(Worker *worker, AVPacket *packet)
{
    libav_note_sent(&worker->sent, packet);
    const int err = avcodec_send_packet(worker->codec, packet);
    av_packet_free(&packet);
    return !err && receive(worker);
}

static bool drain(Worker *worker)
{
    if (avcodec_send_packet(worker->codec, NULL) || !receive(worker))
        return false;
    while (worker->receiving)
        finish_section(worker, true);
    avcodec_flush_buffers(worker->codec);
    return true;
}

/* The thread of a decoder. */
static void *work(void *arg)
{
    Worker *const worker = arg;
    for (;;) {
        AVPacket *packet;
        const enum Step step = choose(worker, &packet);
        if (step == STEP_QUIT)
            return NULL;
        if (step == STEP_SEND ? !send(worker, packet) : !drain(worker)) {
            finish_section(worker, false);
            return NULL;
        }
    }
}

/* ---- the reader's side ---- */

/* Takes the next frame. FRAME_NONE with *failed unset: the end. */
static enum FrameStatus take(Sections *sections, Decoded *decoded, bool *failed)
{
    enum FrameStatus status = FRAME_NONE;
    pthread_mutex_lock(&sections->lock);
    for (;;) {
        Section *const section = sections->first;
        if (section && section->frames_taken < section->frame_count) {
            *decoded = section->frames[section->frames_taken++];
            if (section->frames_taken == section->frame_count)
                section->frames_taken = section->frame_count = 0;
            sections->frames--;
            status = FRAME_WHOLE;
            break;
        }
        *failed = section && section->failed;
        if (*failed || (!section && sections->ended))
            break;
        if (section && section->done) { /* so it is complete, and not where packets are added */
            sections->first = section->next;
            section_destroy(section);
            pthread_cond_broadcast(&sections->room);
        } else {
            pthread_cond_wait(&sections->to_take, &sections->lock);
        }
    }
    pthread_cond_broadcast(&sections->room);
    pthread_mutex_unlock(&sections->lock);
    return status;
}

/* True if the frame is what the one decoder would have given now: times increase, and it is not
 * the first interlaced one, because decoders guess that from the frames before, or the first with
 * film grain. */
static bool is_usual(const Sections *sections, const Libav *libav, const Decoded *decoded)
{
    const AVFrame *const frame = decoded->frame;
    if ((libav_is_interlaced(frame) && !libav->video->traits.interlaced) ||
        (decoded->grain && !libav->grain_noted))
        return false;
    return sections->begun ? frame->pts > sections->time : frame->pts == libav->begin;
}

enum FrameStatus sections_next(Sections *sections, Libav *libav, bool *gave_up)
{
    for (;;) {
        Decoded decoded;
        if (atomic_load(&libav->video->source->cancelled))
            return FRAME_ERROR;
        const enum FrameStatus status = take(sections, &decoded, gave_up);
        if (status != FRAME_WHOLE)
            return status;
        const bool again = !sections->begun;
        *gave_up = !is_usual(sections, libav, &decoded);
        sections->time = decoded.frame->pts;
        sections->begun = true;
        if (!*gave_up && !again) {
            av_frame_unref(libav->frame);
            av_frame_move_ref(libav->frame, decoded.frame);
            libav->position = decoded.position;
            libav->fetched = false;
        }
        av_frame_free(&decoded.frame);
        if (*gave_up || !again)
            return FRAME_WHOLE;
    }
}

const Libav *sections_reader(const Sections *sections)
{
    return sections->libav;
}

/* ---- starting and stopping ---- */

/* How many decoders to use. */
static unsigned decoder_count(const Libav *libav)
{
    const VideoOptions *const options = &libav->video->options;
    const char *const device = libav->video->traits.hwaccel;
    const unsigned most = options->decoders < DECODERS_MOST ? options->decoders : DECODERS_MOST;
    if (device)
        return strcmp(device, "cuda") ? 1 : most; /* other devices have too few buffers */
    if (!options->decoders_auto)
        return most;
    if (libav->codec->codec->capabilities &
        (AV_CODEC_CAP_FRAME_THREADS | AV_CODEC_CAP_OTHER_THREADS))
        return 1; /* one decoder with threads of its own shares the work better */
    const unsigned threads = (unsigned)libav_thread_count(options);
    return threads < CPU_LEAST ? 1 : threads < most ? threads : most;
}

/* True if the file can be read once more, from its beginning. */
static bool is_plain_file(const Libav *libav)
{
    const Video *const video = libav->video;
    return video->source->seekable && video->source->fd >= 0 && strcmp(video->path, "-") != 0 &&
           !video->options.even && !video->traits.timeless && !libav->sought && !libav->opened &&
           !libav->damaged && libav->begin != AV_NOPTS_VALUE;
}

static bool open_twin(Sections *sections, const Libav *libav)
{
    const Video *const video = libav->video;
    if (video_create(&sections->twin, video->path, NULL))
        return false;
    Video *const twin = sections->twin;
    twin->options = video->options;
    twin->options.hwaccel = video->traits.hwaccel;
    twin->options.quiet = true;
    twin->options.threads = 1;
    twin->options.decoders = 0;
    twin->traits = video->traits;
    twin->reader = &libav_reader;
    if (libav_begin(twin))
        return false;
    sections->libav = twin->state;
    return sections->libav->stream->index == libav->stream->index &&
           sections->libav->codec->codec == libav->codec->codec &&
           cutter_open(&sections->cutter, sections->libav->stream->codecpar);
}

/* Reads the beginning of the file. False if it shows no second section. */
static bool scan(Sections *sections)
{
    for (unsigned i = 0; i < SCAN_PACKETS && sections->sections < 2; i++)
        if (sections->bytes >= PACKETS_ROOM / 2 || !read_one(sections))
            break;
    return sections->sections > 1;
}

static size_t frame_bytes(const Planes *shape)
{
    size_t samples = 0;
    for (unsigned p = 0; p < shape->count; p++)
        samples += (size_t)shape->width[p] * shape->height[p];
    return samples * (shape->bitdepth > 8 ? 2 : 1);
}

static bool start_worker(Sections *sections, Worker *worker)
{
    Libav *const libav = sections->libav;
    worker->owner = sections;
    worker->frame = av_frame_alloc();
    if (!worker->frame || libav_decoder_create(libav, libav->codec->codec, 1, &worker->codec))
        return false;
    worker->started = !pthread_create(&worker->thread, NULL, work, worker);
    return worker->started;
}

static bool start_threads(Sections *sections)
{
    atomic_store(&sections->libav->complained, false);
    sections->workers = calloc(sections->worker_count, sizeof(*sections->workers));
    bool good = sections->workers != NULL;
    for (unsigned i = 0; good && i < sections->worker_count; i++)
        good = start_worker(sections, &sections->workers[i]);
    if (good && !sections->ended)
        good = sections->reading = !pthread_create(&sections->thread, NULL, read_all, sections);
    return good;
}

void sections_start(Libav *libav)
{
    const unsigned count = decoder_count(libav);
    Cutter cutter;
    libav->not_cut = true;
    if (count < 2 || !is_plain_file(libav) || !cutter_open(&cutter, libav->stream->codecpar))
        return;
    cutter_close(&cutter);
    Sections *const sections = calloc(1, sizeof(*sections));
    if (!sections)
        return;
    pthread_mutex_init(&sections->lock, NULL);
    pthread_cond_init(&sections->to_send, NULL);
    pthread_cond_init(&sections->to_take, NULL);
    pthread_cond_init(&sections->room, NULL);
    sections->reader = libav;
    sections->worker_count = count;
    sections->frame_room =
        libav->video->options.decoders_room / (frame_bytes(&libav->unpacker.shape) + 1);
    if (open_twin(sections, libav) && scan(sections)) {
        sections->counts = cutter_counts_frames(&sections->cutter);
        if (start_threads(sections)) {
            libav->sections = sections;
            return;
        }
    }
    sections_destroy(sections);
}

static void stop_threads(Sections *sections)
{
    pthread_mutex_lock(&sections->lock);
    sections->stop = true;
    pthread_cond_broadcast(&sections->to_send);
    pthread_cond_broadcast(&sections->room);
    pthread_mutex_unlock(&sections->lock);
    if (sections->reading) {
        source_cancel(sections->twin->source);
        pthread_join(sections->thread, NULL);
    }
    for (unsigned i = 0; sections->workers && i < sections->worker_count; i++)
        if (sections->workers[i].started)
            pthread_join(sections->workers[i].thread, NULL);
}

void sections_destroy(Sections *sections)
{
    if (!sections)
        return;
    stop_threads(sections);
    for (Section *section = sections->first, *next; section; section = next) {
        next = section->next;
        section_destroy(section);
    }
    for (unsigned i = 0; sections->workers && i < sections->worker_count; i++) {
        avcodec_free_context(&sections->workers[i].codec);
        av_frame_free(&sections->workers[i].frame);
    }
    free(sections->workers);
    cutter_close(&sections->cutter);
    av_buffer_unref(&sections->kept);
    video_close(sections->twin);
    pthread_cond_destroy(&sections->room);
    pthread_cond_destroy(&sections->to_take);
    pthread_cond_destroy(&sections->to_send);
    pthread_mutex_destroy(&sections->lock);
    free(sections);
}
