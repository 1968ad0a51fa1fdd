/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpus.h"
#include "extractors.h"
#include "gpu.h"
#include "input/prefetch.h"
#include "input/reader.h"
#include "input/together.h"
#include "interrupt.h"
#include "libvmaf/device.h"
#include "libvmaf/report.h"
#include "message.h"
#include "meter.h"
#include "models.h"
#include "output.h"
#include "score.h"

typedef struct Run {
    const Options *options;
    Video *video[SIDES];
    VmafContext *vmaf;
    Gpu *gpu;
    Models *models;
    unsigned ahead; /* frames read ahead of each video */
    unsigned pairs; /* scored */
    bool cut;       /* a video ended within a frame */
    bool stopped;   /* a signal came before the last pair */
} Run;

static const char *const side_names[SIDES] = { "reference", "distorted" };

static bool meter_wanted(const Options *options)
{
    return !options->quiet && message_on_terminal();
}

/* Makes sure that a file can be made there, and takes it away again. A link that leads nowhere yet is
 * followed: its target is made. */
static int try_output(const char *path)
{
    struct stat link;
    const bool is_link = !lstat(path, &link) && S_ISLNK(link.st_mode);
    const int fd = open(path, O_WRONLY | O_CREAT | (is_link ? 0 : O_EXCL), 0666);
    if (fd < 0) {
        const int err = errno;
        if (is_link && err == ENOENT)
            say("%s is a link into a folder that does not exist", path);
        return err;
    }
    char *const target = is_link ? realpath(path, NULL) : NULL;
    const int err = close(fd) || unlink(target ? target : path) ? errno : 0;
    free(target);
    return err;
}

static bool is_same_file(const Video *video, const struct stat *output)
{
    struct stat info;
    return !fstat(video->source->fd, &info) && info.st_dev == output->st_dev &&
           info.st_ino == output->st_ino && (S_ISREG(info.st_mode) || S_ISFIFO(info.st_mode));
}

/* Finds out now, not after hours of scoring, that the report has nowhere to go. */
static int check_output(const Run *run)
{
    const char *const path = run->options->output;
    struct stat info;
    int err = 0;
    if (!path || output_is_stdout(path))
        return 0;
    if (stat(path, &info)) {
        err = try_output(path);
    } else {
        for (unsigned side = 0; side < SIDES; side++) {
            if (!is_same_file(run->video[side], &info))
                continue;
            say("%s is the %s video: the report would take its place", path, side_names[side]);
            return -EINVAL;
        }
        if (S_ISDIR(info.st_mode))
            err = EISDIR;
        else if (access(path, W_OK))
            err = errno;
    }
    if (err)
        say("could not open file: %s: %s", path, strerror(err));
    return -err;
}

static int begin_video(Video *video, enum Side side, void *unused)
{
    const int err = video_begin(video);
    if (err && err != -ECANCELED)
        say("problem with %s file: %s", side_names[side], video->path);
    return err;
}

static void cancel_videos(void *arg)
{
    const Run *const run = arg;
    for (unsigned side = 0; side < SIDES; side++)
        source_cancel(run->video[side]->source);
}

static int open_videos(Run *run)
{
    const Options *const o = run->options;
    const VideoFormat raw = { o->width, o->height, o->bitdepth, o->pix_fmt };
    for (unsigned side = 0; side < SIDES; side++) {
        const int err = video_create(&run->video[side], o->path[side], o->raw ? &raw : NULL);
        if (err) {
            say("problem with %s file: %s", side_names[side], o->path[side]);
            return err;
        }
    }
    interrupt_call(cancel_videos, run);
    const int err = videos_do(run->video, begin_video, NULL);
    if (err)
        return err;
    return video_compare(run->video[SIDE_REF], run->video[SIDE_DIST], o->common_bitdepth);
}

/* Frames to read ahead of each video. A GPU wants several; but its pictures lie in pinned memory,
 * which takes long to come by, so large ones are few. */
static unsigned frames_ahead(const Run *run, const VmafPictureConfiguration *pool)
{
    const size_t large = 8u << 20;
    const size_t samples = (size_t)pool->pic_params.w * pool->pic_params.h;
    if (!run->gpu)
        return 1;
    return samples * (pool->pic_params.bpc > 8 ? 2 : 1) < large ? 8 : 4;
}

/* Pairs in the context beside the one in hand. With a GPU no more than are read ahead. */
static unsigned pairs_in_work(const Run *run)
{
    return run->gpu ? run->ahead : vmaf_pairs_in_flight(run->vmaf) - 1;
}

static size_t pair_bytes(const VideoFormat *format)
{
    const size_t luma = (size_t)format->width * format->height;
    const size_t samples = format->pix_fmt == VMAF_PIX_FMT_YUV444P   ? 3 * luma
                           : format->pix_fmt == VMAF_PIX_FMT_YUV422P ? 2 * luma
                                                                     : luma + luma / 2;
    return 2 * samples * (format->bitdepth > 8 ? 2 : 1);
}

static int create_context(Run *run)
{
    const Options *const o = run->options;
    const VideoFormat *const ref = &run->video[SIDE_REF]->format;
    const VideoFormat *const dist = &run->video[SIDE_DIST]->format;
    const VmafConfiguration config = {
        .log_level = VMAF_LOG_LEVEL_INFO,
        .n_threads = o->threads_given ? o->threads : threads_by_default(pair_bytes(ref)),
        .n_subsample = o->subsample,
        .cpumask = o->cpumask,
        .gpumask = o->gpumask,
    };
    int err = vmaf_init(&run->vmaf, config);
    if (err) {
        say("problem initializing VMAF context");
        return err;
    }
    err = gpu_create(&run->gpu, o, run->vmaf);
    if (err)
        return err;
    VmafPictureConfiguration pool = {
        .pic_params = { .w = ref->width,
                        .h = ref->height,
                        .bpc = ref->bitdepth > dist->bitdepth ? ref->bitdepth : dist->bitdepth,
                        .pix_fmt = ref->pix_fmt },
    };
    run->ahead = frames_ahead(run, &pool);
    pool.pic_cnt = prefetch_pool_size(run->ahead, pairs_in_work(run));
    err = vmaf_preallocate_pictures(run->vmaf, pool);
    if (err)
        say("no memory for %u pictures of %ux%u", pool.pic_cnt, pool.pic_params.w,
            pool.pic_params.h);
    return err;
}

/* Tells the library what only the command knows, for reports. */
static int note_origin(const Run *run)
{
    const Options *const o = run->options;
    int err = 0;
    for (unsigned side = 0; !err && side < SIDES; side++) {
        const Video *const video = run->video[side];
        const VmafReportInput input = {
            .size = sizeof(input),
            .path = video->path,
            .kind = video->reader->name,
            .w = video->format.width,
            .h = video->format.height,
            .bpc = video->format.bitdepth,
            .pix_fmt = video->format.pix_fmt,
            .skipped = o->skip[side],
            .rate_num = video->traits.rate_num,
            .rate_den = video->traits.rate_den,
            .frames = video_frames_left(video),
        };
        err = vmaf_report_input(run->vmaf, side == SIDE_REF, &input);
    }
    for (size_t i = 0; !err && i < o->given_count; i++)
        err = vmaf_report_option(run->vmaf, o->given[i].name, o->given[i].value);
    if (!err && (o->backend || o->only_cpu)) /* who asks where it runs wants to read it */
        err = vmaf_report_places(run->vmaf);
    if (!err)
        err = vmaf_report_details(run->vmaf);
    if (err)
        say("problem noting where the videos come from");
    return err;
}

static int skip_in_video(Video *video, enum Side side, void *arg)
{
    const unsigned frames = ((const Options *)arg)->skip[side];
    const enum FrameStatus status = video_skip(video, frames);
    if (status == FRAME_WHOLE)
        return 0;
    if (status != FRAME_ERROR)
        say("the %s video has fewer than the %u frames to skip: %s", side_names[side], frames,
            video->path);
    return -EINVAL;
}

static int skip_frames(const Run *run)
{
    return videos_do(run->video, skip_in_video, (void *)run->options);
}

/* Pairs to come, as far as it can be told; 0: not at all. */
static uint64_t expected_pairs(const Run *run)
{
    uint64_t pairs = run->options->frame_limit;
    for (unsigned side = 0; side < SIDES; side++) {
        const uint64_t left = video_frames_left(run->video[side]);
        if (left && (!pairs || left < pairs))
            pairs = left;
    }
    return pairs;
}

/* Why the pairs have come to an end, and whether that is an error. */
static int tell_end(Run *run, const enum FrameStatus status[SIDES])
{
    for (unsigned side = 0; side < SIDES; side++) {
        if (status[side] == FRAME_ERROR)
            return -EIO;
        if (status[side] == FRAME_CUT) {
            say("\"%s\" is cut off within frame %u.", run->video[side]->path,
                run->pairs + run->options->skip[side]);
            run->cut = true;
        }
    }
    if (run->cut)
        return 0;
    if ((status[SIDE_REF] == FRAME_NONE) != (status[SIDE_DIST] == FRAME_NONE)) {
        const unsigned shorter = status[SIDE_REF] == FRAME_NONE ? SIDE_REF : SIDE_DIST;
        say("\"%s\" ended before \"%s\".", run->video[shorter]->path, run->video[!shorter]->path);
    }
    return 0;
}

static int score_pairs(Run *run, Prefetch *prefetch, Meter *meter)
{
    for (;;) {
        VmafPicture pic[SIDES];
        enum FrameStatus status[SIDES];
        prefetch_next(prefetch, pic, status);
        if (interrupt_signal()) {
            run->stopped = true;
            status[SIDE_REF] = status[SIDE_DIST] = FRAME_NONE;
        }
        const bool whole = status[SIDE_REF] == FRAME_WHOLE && status[SIDE_DIST] == FRAME_WHOLE;
        int err = 0;
        if (whole)
            err = vmaf_read_pictures(run->vmaf, &pic[SIDE_REF], &pic[SIDE_DIST], run->pairs);
        if (whole && !err) {
            if (!run->pairs++)
                gpu_tell_places(run->gpu, run->vmaf, run->options->quiet);
            meter_step(meter);
            continue;
        }
        for (unsigned side = 0; side < SIDES; side++)
            if (pic[side].ref)
                vmaf_picture_unref(&pic[side]);
        if (!err)
            return tell_end(run, status);
        say("problem reading pictures");
        return err;
    }
}

static bool mean_so_far(void *arg, double *mean)
{
    const Run *const run = arg;
    return models_mean_so_far(run->models, run->options, run->vmaf, mean);
}

static void interrupt_prefetch(void *prefetch)
{
    prefetch_interrupt(prefetch);
}

static int read_and_score(Run *run)
{
    const PrefetchConfig config = {
        .vmaf = run->vmaf,
        .video = { run->video[SIDE_REF], run->video[SIDE_DIST] },
        .frame_limit = run->options->frame_limit,
        /* Chroma that nobody looks at need not be read. */
        .planes = extractors_planes(run->vmaf),
        .ahead = run->ahead,
        .threads = run->gpu ? 3 : 1,
    };
    const uint64_t expected =
        expected_pairs(run); /* now: the reading ahead will move on in the videos */
    Prefetch *prefetch;
    int err = prefetch_create(&prefetch, &config);
    if (err) {
        say("problem starting to read: %s", strerror(-err));
        return err;
    }
    interrupt_call(interrupt_prefetch, prefetch);
    Meter meter;
    const MeterConfig metering = {
        .score = mean_so_far,
        .arg = run,
        .kind = run->options->progress       ? METER_LINES
                : meter_wanted(run->options) ? METER_TERMINAL
                                             : METER_NONE,
        .total = expected,
    };
    meter_start(&meter, &metering);
    err = score_pairs(run, prefetch, &meter);
    meter_finish(&meter);
    interrupt_call(NULL, NULL);
    prefetch_destroy(prefetch);
    if (!err && !run->pairs && !run->cut && !run->stopped) {
        say("there are no frames to score");
        err = -EINVAL;
    }
    return err;
}

/* The report will say that it is not whole. */
static int note_stop(const Run *run)
{
    char reason[64];
    snprintf(reason, sizeof(reason), "stopped by %s", interrupt_name(interrupt_signal()));
    return vmaf_report_partial(run->vmaf, reason);
}

static void say_stop(const Run *run, bool written)
{
    say("stopped by %s: %u frame%s scored%s%s", interrupt_name(interrupt_signal()), run->pairs,
        run->pairs == 1 ? " was" : "s were", written ? ", which are in " : "; there is no report",
        written ? run->options->output : "");
}

static int finish(Run *run)
{
    const Options *const o = run->options;
    if (!run->pairs) /* the first frame was cut, or a signal came */
        return -EINVAL;
    if (run->stopped && !o->output)
        return -EINTR;
    int err = vmaf_read_pictures(run->vmaf, NULL, NULL, 0);
    if (err) {
        say("problem flushing context");
        return err;
    }
    if (run->stopped)
        err = note_stop(run);
    if (err)
        return err;
    const bool print = !o->output || (message_on_terminal() && !o->quiet && !run->stopped);
    if (!o->no_prediction)
        err = models_score(run->models, o, run->vmaf, run->pairs, print);
    if (!err && print)
        err = extractors_score(o, run->vmaf, run->pairs);
    if (!err && o->output)
        err = output_write(run->vmaf, o, o->output);
    return err ? err : run->cut ? -EINVAL : 0;
}

int score_videos(const Options *options)
{
    Run run = { .options = options };
    interrupt_watch();
    int err = open_videos(&run);
    if (!err)
        err = check_output(&run);
    if (!err)
        err = create_context(&run);
    if (!err)
        err = note_origin(&run);
    if (!err)
        err = models_create(&run.models, options, run.vmaf);
    if (!err)
        err = extractors_use(options, run.vmaf);
    if (!err)
        err = skip_frames(&run);
    if (!err)
        err = read_and_score(&run);
    if (!err)
        err = finish(&run);
    interrupt_call(NULL, NULL);
    if (interrupt_signal())
        say_stop(&run, !err);
    models_destroy(run.models);
    if (run.vmaf)
        vmaf_close(run.vmaf);
    gpu_destroy(run.gpu);
    for (unsigned side = 0; side < SIDES; side++)
        video_close(run.video[side]);
    return err;
}
