/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Brings videos to one format and warns about differences that remain. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "input/chroma.h"
#include "input/reader.h"
#include "common/message.h"

static const char *const scale_names[] = {
    [SCALE_BICUBIC] = "bicubic", [SCALE_BILINEAR] = "bilinear", [SCALE_LANCZOS] = "lanczos",
    [SCALE_NEAREST] = "nearest", [SCALE_AREA] = "area",
};

const char *video_scale_name(enum VideoScale scale)
{
    const size_t count = sizeof(scale_names) / sizeof(*scale_names);
    return (size_t)scale < count ? scale_names[scale] : NULL;
}

/* ---- the common format ---- */

/* 4:0:0 is the coarsest chroma, 4:4:4 the finest. */
static unsigned fineness(enum VmafPixelFormat pix_fmt)
{
    switch (pix_fmt) {
    case VMAF_PIX_FMT_YUV444P:
        return 3;
    case VMAF_PIX_FMT_YUV422P:
        return 2;
    case VMAF_PIX_FMT_YUV420P:
        return 1;
    default:
        return 0;
    }
}

/* The common bit depth. Where depths differ it is even, because not all conversions support odd
 * depths. */
static unsigned larger_depth(unsigned a, unsigned b)
{
    const unsigned depth = a > b ? a : b;
    return a != b && depth < 16 ? (depth + 1) / 2 * 2 : depth;
}

static unsigned even(double side)
{
    const unsigned rounded = (unsigned)(side / 2 + 0.5) * 2;
    return rounded ? rounded : 2;
}

/* Makes the format as large as the box allows and keeps its aspect ratio. */
static void fit(VideoFormat *format, unsigned box_width, unsigned box_height)
{
    const double across = (double)box_width / format->width;
    const double down = (double)box_height / format->height;
    const double factor = across < down ? across : down;
    format->width = even(format->width * factor);
    format->height = even(format->height * factor);
}

bool video_is_decoded(const Video *video)
{
    return video->reader->planes != NULL;
}

/* True if differences between the videos are removed, and not refused. */
static bool are_converted(Video *const *videos, unsigned count, const VideoAlign *how)
{
    bool convert = how->asked || how->match_range;
    for (unsigned i = 0; i < count; i++)
        convert |= video_is_decoded(videos[i]);
    return convert;
}

/* A turned picture's chroma no longer lies as its file says, unless it lies in the middle. */
static enum VideoSiting siting_of(const Video *video)
{
    const VideoTraits *const traits = &video->traits;
    return traits->siting && (!traits->rotation || traits->siting == SITING_CENTRE) ? traits->siting
                                                                                    : SITING_LEFT;
}

static bool is_subsampled(enum VmafPixelFormat pix_fmt)
{
    return pix_fmt == VMAF_PIX_FMT_YUV420P || pix_fmt == VMAF_PIX_FMT_YUV422P;
}

/* True if chroma must be raised to 4:4:4 for extractors that are told what samples mean, because
 * these assume that the chroma of all videos is sited left and has one format. */
static bool raises_chroma(Video *const *videos, unsigned count, const VideoAlign *how)
{
    bool subsampled = false, mixed = false;
    enum VmafPixelFormat chroma = VMAF_PIX_FMT_UNKNOWN;
    for (unsigned i = 0; i < count; i++) {
        const enum VmafPixelFormat pix_fmt = videos[i]->format.pix_fmt;
        if (pix_fmt == VMAF_PIX_FMT_YUV400P)
            continue;
        subsampled |= is_subsampled(pix_fmt);
        mixed |= chroma && pix_fmt != chroma;
        mixed |= is_subsampled(pix_fmt) && siting_of(videos[i]) != SITING_LEFT;
        chroma = pix_fmt;
    }
    return how->by_tags && subsampled && mixed && are_converted(videos, count, how);
}

/* The depth in which raised chroma loses nothing, as far as there is one. */
static unsigned raised_depth(unsigned bitdepth)
{
    return bitdepth + CHROMA_BITS <= 12 ? 12 : 16;
}

static VideoFormat common_format(Video *const *videos, unsigned count, const VideoAlign *how)
{
    VideoFormat common = videos[0]->format;
    const bool widen = how->deepen || are_converted(videos, count, how);
    for (unsigned i = 1; i < count; i++) {
        const VideoFormat *const format = &videos[i]->format;
        common.bitdepth = larger_depth(common.bitdepth, format->bitdepth);
        if (fineness(format->pix_fmt) > fineness(common.pix_fmt))
            common.pix_fmt = format->pix_fmt;
    }
    if (raises_chroma(videos, count, how)) {
        common.pix_fmt = VMAF_PIX_FMT_YUV444P;
        common.bitdepth = raised_depth(common.bitdepth);
    }
    if (widen && common.bitdepth < how->least_depth)
        common.bitdepth = how->least_depth;
    if (how->box_width)
        fit(&common, how->box_width, how->box_height);
    return common;
}

/* How chroma was raised, for notes. */
static const char *const raised_names[] = {
    [SITING_UNKNOWN] = "",
    [SITING_LEFT] = " (linear, sited left)",
    [SITING_CENTRE] = " (linear, sited in the centre)",
    [SITING_TOP_LEFT] = " (linear, sited top left)",
    [SITING_TOP] = " (linear, sited at the top)",
    [SITING_BOTTOM_LEFT] = " (linear, sited bottom left)",
    [SITING_BOTTOM] = " (linear, sited at the bottom)",
};

static void note_conversion(Video *video, const VideoFormat *from, enum VideoScale scale)
{
    const VideoFormat *const target = &video->format;
    const bool scaled = from->width != target->width || from->height != target->height;
    const bool deeper = from->bitdepth != target->bitdepth;
    const bool raised = is_subsampled(from->pix_fmt) && !scaled;
    char depth[40] = "";
    if (deeper)
        snprintf(depth, sizeof(depth), ", straight to %u bits", target->bitdepth);
    if (scaled)
        video_note(video, "scaled", true, "scaled from %ux%u to %ux%u (%s)%s", from->width,
                   from->height, target->width, target->height, scale_names[scale], depth);
    else if (deeper)
        video_note(video, "widened", true, "widened from %u to %u bits (samples times %u)",
                   from->bitdepth, target->bitdepth, 1u << (target->bitdepth - from->bitdepth));
    if (from->pix_fmt != target->pix_fmt)
        video_note(video, "chroma", true, "chroma brought from %s to %s%s",
                   video_format_name(from->pix_fmt), video_format_name(target->pix_fmt),
                   raised ? raised_names[video->raised] : "");
}

/* ---- shapes ---- */

/* Width and height as shown. Samples of unknown aspect are square. */
typedef struct Shape {
    double width, height;
    double aspect; /* shape of a sample */
} Shape;

static Shape shape_of(const Video *video)
{
    const VideoTraits *const traits = &video->traits;
    const bool known = traits->aspect_num && traits->aspect_den;
    double aspect = known ? (double)traits->aspect_num / traits->aspect_den : 1.0;
    if (traits->rotation % 180)
        aspect = 1.0 / aspect;
    return (Shape){ video->format.width, video->format.height, aspect };
}

/* The largest power of two up to 16 that divides a side: encoders round sides to such grids. */
static double grid_of(double side)
{
    unsigned grid = 1;
    while (grid < 16 && (unsigned)side % (2 * grid) == 0)
        grid *= 2;
    return grid;
}

/* True if `b` is as `a` scaled, with one side rounded to a grid. `ratio`: the aspect of b's samples
 * divided by that of a's. */
static bool is_rounded(const Shape *a, const Shape *b, double ratio)
{
    const double width = b->height * a->width / a->height / ratio;
    const double height = b->width * a->height / a->width * ratio;
    const double off = fabs(b->width - width), above = fabs(b->height - height);
    const double most = 0.05; /* largest error of a side: small pictures are not of any shape */
    return (off < grid_of(b->width) && off <= most * width) ||
           (above < grid_of(b->height) && above <= most * height);
}

/* True if the videos are shown in the same shape. Two ways of counting anamorphic samples (702 or
 * 720 of them in a row) differ by 2.6 %. */
static bool is_shown_alike(const Shape *a, const Shape *b)
{
    const double wider = b->width * b->aspect * a->height / (b->height * a->width * a->aspect);
    const double tolerance = fabs(a->aspect - b->aspect) > 1e-3 ? 0.03 : 0.0025;
    return fabs(wider - 1.0) <= tolerance;
}

/* True if one picture can be scaled to the other without being stretched: as shown, or sample by
 * sample, since encoders often lose the aspect of samples. */
static bool is_same_shape(const Video *first, const Video *second)
{
    const Shape a = shape_of(first), b = shape_of(second);
    const double ratio = b.aspect / a.aspect;
    return is_shown_alike(&a, &b) || is_rounded(&a, &b, ratio) || is_rounded(&b, &a, 1.0 / ratio) ||
           is_rounded(&a, &b, 1.0) || is_rounded(&b, &a, 1.0);
}

static double shown_ratio(const Video *video)
{
    const Shape shape = shape_of(video);
    return shape.width * shape.aspect / shape.height;
}

static int check_shapes(Video *const *videos, unsigned count, const VideoAlign *how)
{
    const VideoFormat *const ref = &videos[0]->format;
    for (unsigned i = 1; i < count && !how->stretch && !how->refuse; i++) {
        const VideoFormat *const dist = &videos[i]->format;
        if (is_same_shape(videos[0], videos[i]))
            continue;
        say("%s has %ux%u (shown as %.2f:1), %s has %ux%u (%.2f:1): their shapes differ, so scaling "
            "would stretch one of them. --crop_ref and --crop_dist cut edges off (W:H:X:Y, or auto "
            "for black bars); --scale stretch scores them stretched",
            videos[0]->path, ref->width, ref->height, shown_ratio(videos[0]), videos[i]->path,
            dist->width, dist->height, shown_ratio(videos[i]));
        return -EINVAL;
    }
    return 0;
}

static int convert_all(Video *const *videos, unsigned count, const VideoAlign *how)
{
    const VideoFormat common = common_format(videos, count, how);
    const bool raise = raises_chroma(videos, count, how);
    for (unsigned i = 0; i < count; i++) {
        const VideoFormat *const format = &videos[i]->format;
        if (how->refuse && (format->width != common.width || format->height != common.height)) {
            say("dimensions do not match: %ux%u (%s), %ux%u (%s); --scale none forbids scaling",
                common.width, common.height, videos[0]->path, format->width, format->height,
                videos[i]->path);
            return -EINVAL;
        }
        const VideoFormat from = *format;
        if (raise)
            video_raise_chroma(videos[i], siting_of(videos[i]));
        const int err = video_convert(videos[i], &common, how->scale);
        if (err)
            return err;
        note_conversion(videos[i], &from, how->scale);
    }
    return 0;
}

/* ---- other differences ---- */

static bool differ(const char *a, const char *b)
{
    return a && b && strcmp(a, b) != 0;
}

/* Video of unknown range counts as limited. */
static bool is_full(const Video *video)
{
    return video->traits.range == RANGE_FULL;
}

static const char *range_name(const Video *video)
{
    return is_full(video) ? "full" : "limited";
}

static void keep_rgb(Video *video)
{
    video->rgb_kept = true;
    video->rgb = false;
    video->traits.matrix = "gbr";
    video->traits.range = RANGE_FULL;
}

/* Chooses how RGB is converted, if it is: with the matrix and range of the first video that is not
 * RGB; if all are RGB, BT.601 with limited range, as in FFmpeg. */
static void settle_rgb(Video *const *videos, unsigned count, const VideoAlign *how)
{
    const Video *other = NULL;
    for (unsigned i = 0; i < count && how->by_tags; i++)
        if (videos[i]->rgb && videos[i]->rgb_whole)
            keep_rgb(videos[i]);
    for (unsigned i = 0; i < count && !other; i++)
        if (!videos[i]->rgb)
            other = videos[i];
    for (unsigned i = 0; i < count; i++) {
        VideoTraits *const traits = &videos[i]->traits;
        if (!videos[i]->rgb)
            continue;
        traits->range = other && is_full(other) ? RANGE_FULL : RANGE_LIMITED;
        traits->matrix = other && other->traits.matrix ? other->traits.matrix : "smpte170m";
        video_note(videos[i], "rgb", true, "%s brought to YUV (matrix %s, %s range)",
                   traits->pixel_format, traits->matrix, range_name(videos[i]));
    }
}

static void match_ranges(Video *const *videos, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        if (is_full(videos[0]) == is_full(videos[i]) || videos[0]->rgb_kept || videos[i]->rgb_kept)
            continue;
        video_convert_range(videos[i], is_full(videos[0]) ? RANGE_FULL : RANGE_LIMITED);
        video_note(videos[i], "range", true, "brought from %s to %s range", range_name(videos[i]),
                   range_name(videos[0]));
    }
}

static void warn_of_colours(const Video *ref, Video *dist, bool by_tags)
{
    const VideoTraits *const a = &ref->traits, *const b = &dist->traits;
    if (is_full(ref) != is_full(dist) && !dist->range && !by_tags)
        video_note(dist, "range", false,
                   "samples have %s range, those of %s %s range%s: compared as they are, which "
                   "makes the score wrong; --range match brings them together",
                   range_name(dist), ref->path, range_name(ref),
                   a->range && b->range ? "" : " (taken as limited where nothing is said)");
    if (differ(a->matrix, b->matrix) && !by_tags)
        video_note(dist, "matrix", false,
                   "colour matrix is %s, that of %s %s: compared as they are", b->matrix, ref->path,
                   a->matrix);
    if (differ(a->primaries, b->primaries) || differ(a->transfer, b->transfer))
        video_note(dist, "colours", false,
                   "primaries and transfer are %s and %s, those of %s %s and %s: compared as they "
                   "are",
                   b->primaries ? b->primaries : "unknown", b->transfer ? b->transfer : "unknown",
                   ref->path, a->primaries ? a->primaries : "unknown",
                   a->transfer ? a->transfer : "unknown");
}

/* Call it before the videos are scaled. */
static void warn_of_aspect(const Video *ref, Video *dist)
{
    const VideoTraits *const a = &ref->traits, *const b = &dist->traits;
    const Shape x = shape_of(ref), y = shape_of(dist);
    const bool is_same_size =
        ref->native.width == dist->native.width && ref->native.height == dist->native.height;
    if (a->aspect_num && b->aspect_num &&
        (uint64_t)a->aspect_num * b->aspect_den != (uint64_t)b->aspect_num * a->aspect_den &&
        (is_same_size || !is_shown_alike(&x, &y)))
        video_note(dist, "aspect", false,
                   "a sample's aspect is %u:%u, in %s %u:%u: compared sample by sample",
                   b->aspect_num, b->aspect_den, ref->path, a->aspect_num, a->aspect_den);
}

static void warn_of_hdr(Video *video)
{
    if (video->traits.hdr)
        video_note(video, "hdr", false,
                   "HDR (%s) under a model of SDR video: scored as it is, the scores are only good "
                   "to compare",
                   video->traits.transfer);
}

VideoFormat videos_scored_format(const Video *ref, const Video *dist, const VideoAlign *how)
{
    Video *const pair[] = { (Video *)ref, (Video *)dist };
    return common_format(pair, 2, how);
}

bool videos_align_alike(const Video *ref, const Video *a, const Video *b, const VideoAlign *how)
{
    const VideoFormat x = videos_scored_format(ref, a, how), y = videos_scored_format(ref, b, how);
    if (x.bitdepth != y.bitdepth || x.pix_fmt != y.pix_fmt)
        return false;
    if (!video_is_decoded(ref) &&
        video_is_decoded(a) != video_is_decoded(b)) /* only one is converted */
        return false;
    /* An RGB reference is converted with the colours of the video it is compared with. */
    return !ref->rgb || (a->rgb == b->rgb && is_full(a) == is_full(b) &&
                         !differ(a->traits.matrix ? a->traits.matrix : "",
                                 b->traits.matrix ? b->traits.matrix : ""));
}

int videos_align(Video *const *videos, unsigned count, const VideoAlign *how)
{
    const bool convert = are_converted(videos, count, how);
    int err = 0;
    if (convert)
        settle_rgb(videos, count, how);
    if (how->match_range)
        match_ranges(videos, count);
    if (convert)
        err = check_shapes(videos, count, how);
    for (unsigned i = 1; i < count && convert && !err; i++)
        warn_of_aspect(videos[0], videos[i]);
    if (convert && !err)
        err = convert_all(videos, count, how);
    for (unsigned i = 1; i < count && !convert && !err; i++)
        err = video_compare(videos[0], videos[i], how->common_bitdepth);
    if (!convert && !err && how->deepen)
        err = convert_all(videos, count, how);
    for (unsigned i = 0; i < count && convert && !err; i++) {
        if (i > 0 && !how->colours_converted)
            warn_of_colours(videos[0], videos[i], how->by_tags);
        if (how->sdr_model && !how->colours_converted)
            warn_of_hdr(videos[i]);
    }
    return err;
}
