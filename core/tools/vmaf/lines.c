/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "lines.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "libvmaf/inspect.h"
#include "libvmaf/metadata.h"
#include "report/text.h"

enum {
    SCHEMA = 1,
    /* Scores that a feature holds back come with one of the next few pairs. When this many have
     * followed, a pair gets no more. */
    SETTLED = 6,
    FIGURES = 4, /* scores of a collection */
};

/* ---- sums and series ---- */

/* Scores in the order of their pairs. */
typedef struct Series {
    double *at;
    size_t count, capacity;
} Series;

static int series_add(Series *series, double value)
{
    if (series->count == series->capacity) {
        const size_t more = series->capacity ? 2 * series->capacity : 64;
        double *const grown = realloc(series->at, more * sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        series->at = grown;
        series->capacity = more;
    }
    series->at[series->count++] = value;
    return 0;
}

/* The sums from which the library's figures are computed, in the order of the pairs. */
typedef struct Sums {
    double sum, inverse_sum, min, max;
    uint64_t count;
} Sums;

static void sums_add(Sums *sums, double score)
{
    sums->min = !sums->count || score < sums->min ? score : sums->min;
    sums->max = !sums->count || score > sums->max ? score : sums->max;
    sums->sum += score;
    sums->inverse_sum += 1.0 / (score + 1.0);
    sums->count++;
}

static void sums_figures(const Sums *sums, VmafStatistics *figures)
{
    figures->min = sums->min;
    figures->max = sums->max;
    figures->mean = sums->sum / (double)sums->count;
    figures->harmonic_mean = (double)sums->count / sums->inverse_sum - 1.0;
    figures->stddev = (double)NAN;
    for (unsigned i = 0; i <= 100; i++)
        figures->percentile[i] = (double)NAN;
}

/* ---- videos ---- */

typedef struct LinesVideo LinesVideo;

/* A metric of a video: one that a feature or a model makes, or a figure of a collection. */
typedef struct Metric {
    LinesVideo *video;
    unsigned number; /* in the video's list */
    char *name;      /* the stored name */
    char *label;     /* the name in reports */
    VmafModelCollection *collection;
    unsigned figure;
    Sums sums;     /* sums over all pairs whose lines are written */
    Sums shot;     /* sums over those of the current shot */
    Series window; /* the scores of the current window */
    Series all;    /* scores of all pairs, unless the run is bounded */
} Metric;

/* A pair whose line is not written. */
typedef struct Pending {
    unsigned index;
    PairFrames frames;
    double *values; /* values of each metric; NaN and not `known`: not there yet */
    bool *known;
} Pending;

/* Neighbouring pairs whose figures get a line. */
typedef struct Group {
    bool open;
    uint64_t number; /* from 0 */
    PairFrames first, last;
    unsigned first_index, last_index;
    uint64_t pairs;
} Group;

struct LinesVideo {
    Lines *lines;
    unsigned number;
    VmafContext *vmaf;
    Metric **metrics; /* each on its own: handlers point to them */
    unsigned metric_count;
    Pending *ring; /* pairs in their order, from `first` on */
    size_t first, count, capacity;
    unsigned added, newest; /* the last index that was added; the last that has a score */
    bool *expected;         /* metrics that the line before had; NULL: no line yet */
    uint64_t written;       /* lines of pairs */
    int64_t origin;         /* where windows begin: the time of the first pair */
    Group window, shot;
    unsigned *cuts; /* the next pairs with which shots begin */
    size_t cut_count, cut_capacity;
    unsigned looked; /* cuts before this pair are known */
};

struct Lines {
    const Options *options;
    bool bounded;
    unsigned count;
    LinesVideo *videos;
    /* Guards all of it. Recursive: asking for the figures of a collection stores scores, which
     * calls handlers. */
    pthread_mutex_t lock;
    int err;
    void (*stop)(void *arg);
    void *stop_arg;
};

bool lines_are_bounded(const Options *options)
{
    bool pooled = false;
    for (unsigned i = 0; i < options->score_limit_count; i++)
        pooled = pooled || options->score_limits[i].each_shot ||
                 options->score_limits[i].pooling.kind == POOLING_PERCENTILE;
    return options->lines && !pooled && !options->html && !options->outputs.count &&
           !options->heatmap_folder;
}

/* ---- writing ---- */

static void fail_locked(Lines *lines, int err)
{
    if (lines->err)
        return;
    lines->err = err;
    if (lines->stop)
        lines->stop(lines->stop_arg);
}

/* Ends a line and hands it to whoever reads it. */
static void end_line_locked(Lines *lines)
{
    errno = 0;
    if (!lines->err && fputc('\n', stdout) != EOF && !fflush(stdout) && !ferror(stdout))
        return;
    const int reason = errno ? errno : EIO;
    if (!lines->err)
        say("could not write to standard output: %s", strerror(reason));
    fail_locked(lines, -reason);
}

static void put_text(const char *text)
{
    put_script_string(stdout, text ? text : "");
}

static void put_score(const Lines *lines, double score)
{
    char text[64];
    fputs(isfinite(score) ? score_text(text, lines->options, score) : "null", stdout);
}

static void put_time(int64_t time)
{
    if (time == VIDEO_NO_TIME)
        fputs("null", stdout);
    else
        printf("%.6f", (double)time / 1e9);
}

/* Writes the figures of a metric, without those that are not known. */
static void put_figures(const Lines *lines, const VmafStatistics *figures, bool whole)
{
    const struct {
        const char *name;
        double value;
    } rows[] = {
        { "mean", figures->mean },
        { "harmonic_mean", figures->harmonic_mean },
        { "min", figures->min },
        { "max", figures->max },
        { "stddev", figures->stddev },
        { "p1", figures->percentile[1] },
        { "p5", figures->percentile[5] },
        { "p10", figures->percentile[10] },
        { "median", figures->percentile[50] },
    };
    const size_t count = whole ? sizeof(rows) / sizeof(*rows) : 4;
    for (size_t i = 0; i < count; i++) {
        printf("%c\"%s\":", i ? ',' : '{', rows[i].name);
        put_score(lines, rows[i].value);
    }
    putchar('}');
}

/* Begins the line of a window or a shot. */
static void put_group(const LinesVideo *video, const Group *group, const char *type)
{
    printf("{\"type\":\"%s\",\"video\":%u,\"%s\":%" PRIu64 ",\"first\":%u,\"last\":%u,"
           "\"frames\":%" PRIu64 ",\"begin\":",
           type, video->number, type, group->number, group->first_index, group->last_index,
           group->pairs);
    put_time(group->first.time);
    fputs(",\"end\":", stdout);
    put_time(group->last.time);
    fputs(",\"metrics\":{", stdout);
}

static void put_window_locked(LinesVideo *video)
{
    Group *const window = &video->window;
    bool any = false;
    if (!window->open)
        return;
    put_group(video, window, "window");
    for (unsigned i = 0; i < video->metric_count; i++) {
        Metric *const metric = video->metrics[i];
        VmafStatistics figures = { .size = sizeof(figures) };
        if (metric->window.count == window->pairs &&
            !vmaf_statistics(metric->window.at, metric->window.count, &figures)) {
            fputs(any ? "," : "", stdout);
            put_text(metric->label);
            putchar(':');
            put_figures(video->lines, &figures, true);
            any = true;
        }
        metric->window.count = 0;
    }
    fputs("}}", stdout);
    end_line_locked(video->lines);
    window->open = false;
    window->pairs = 0;
}

/* A shot may last for days: its scores are not kept, and its line has no percentiles. */
static void put_shot_locked(LinesVideo *video)
{
    Group *const shot = &video->shot;
    bool any = false;
    if (!shot->open)
        return;
    put_group(video, shot, "shot");
    for (unsigned i = 0; i < video->metric_count; i++) {
        Metric *const metric = video->metrics[i];
        VmafStatistics figures = { .size = sizeof(figures) };
        if (metric->shot.count == shot->pairs) {
            sums_figures(&metric->shot, &figures);
            fputs(any ? "," : "", stdout);
            put_text(metric->label);
            putchar(':');
            put_figures(video->lines, &figures, false);
            any = true;
        }
        metric->shot = (Sums){ .count = 0 };
    }
    fputs("}}", stdout);
    end_line_locked(video->lines);
    *shot = (Group){ .number = shot->number + 1 };
}

static void add_to_group(Group *group, const Pending *pair)
{
    if (!group->open) {
        group->open = true;
        group->first = pair->frames;
        group->first_index = pair->index;
    }
    group->last = pair->frames;
    group->last_index = pair->index;
    group->pairs++;
}

/* Ends the shot before, if the pair is in another one, and adds the pair to its shot. */
static void add_to_shot_locked(LinesVideo *video, const Pending *pair)
{
    size_t passed = 0;
    if (!video->lines->options->shots)
        return;
    while (passed < video->cut_count && video->cuts[passed] <= pair->index)
        passed++;
    if (passed) {
        put_shot_locked(video);
        video->cut_count -= passed;
        memmove(video->cuts, video->cuts + passed, video->cut_count * sizeof(*video->cuts));
    }
    add_to_group(&video->shot, pair);
    for (unsigned i = 0; i < video->metric_count; i++)
        if (pair->known[i])
            sums_add(&video->metrics[i]->shot, pair->values[i]);
}

/* The number of the window that a pair belongs to. */
static uint64_t window_of(const LinesVideo *video, const Pending *pair)
{
    const Length *const length = &video->lines->options->window;
    if (length->in_frames)
        return video->written / (uint64_t)length->frames;
    if (pair->frames.time < video->origin) /* a time went back */
        return video->window.number;
    return (uint64_t)(pair->frames.time - video->origin) / (uint64_t)length->time;
}

/* Ends the window before, if the pair is in another one, and adds the pair to its window. */
static void add_to_window_locked(LinesVideo *video, const Pending *pair)
{
    if (!video->lines->options->window.given)
        return;
    if (!video->written)
        video->origin = pair->frames.time;
    const uint64_t number = window_of(video, pair);
    if (video->window.open && number != video->window.number)
        put_window_locked(video);
    if (!video->window.open)
        video->window.number = number;
    add_to_group(&video->window, pair);
    for (unsigned i = 0; i < video->metric_count; i++)
        if (pair->known[i] && series_add(&video->metrics[i]->window, pair->values[i]))
            fail_locked(video->lines, -ENOMEM);
}

static void put_pair(const LinesVideo *video, const Pending *pair)
{
    bool any = false;
    printf("{\"type\":\"frame\",\"video\":%u,\"frame\":%u,\"ref\":%" PRIu64 ",\"dist\":%" PRIu64
           ",\"time\":",
           video->number, pair->index, pair->frames.number[SIDE_REF],
           pair->frames.number[SIDE_DIST]);
    put_time(pair->frames.time);
    fputs(",\"metrics\":{", stdout);
    for (unsigned i = 0; i < video->metric_count; i++) {
        if (!pair->known[i])
            continue;
        fputs(any ? "," : "", stdout);
        put_text(video->metrics[i]->label);
        putchar(':');
        put_score(video->lines, pair->values[i]);
        any = true;
    }
    fputs("}}", stdout);
}

/* Asks for the figures of collections, once the features are there. */
static void fill_collections(LinesVideo *video, Pending *pair)
{
    for (unsigned i = 0; i < video->metric_count; i++) {
        const Metric *const metric = video->metrics[i];
        VmafModelCollectionScore score;
        if (!metric->collection || metric->figure ||
            vmaf_collection_score_if_ready(video->vmaf, metric->collection, pair->index, &score))
            continue;
        const double figures[FIGURES] = { score.bootstrap.bagging_score, score.bootstrap.stddev,
                                          score.bootstrap.ci.p95.lo, score.bootstrap.ci.p95.hi };
        for (unsigned f = 0; f < FIGURES; f++) {
            pair->values[i + f] = figures[f];
            pair->known[i + f] = true;
        }
    }
}

/* Writes the line of the first pair that waits, and those of a window and a shot that end before
 * it. */
static void write_first_locked(LinesVideo *video)
{
    Lines *const lines = video->lines;
    Pending *const pair = &video->ring[video->first];
    fill_collections(video, pair);
    add_to_window_locked(video, pair);
    add_to_shot_locked(video, pair);
    put_pair(video, pair);
    end_line_locked(lines);
    for (unsigned i = 0; i < video->metric_count; i++) {
        Metric *const metric = video->metrics[i];
        if (!pair->known[i])
            continue;
        sums_add(&metric->sums, pair->values[i]);
        if (!lines->bounded && series_add(&metric->all, pair->values[i]))
            fail_locked(lines, -ENOMEM);
    }
    if (!video->expected)
        video->expected = calloc(video->metric_count + 1, sizeof(*video->expected));
    if (video->expected)
        memcpy(video->expected, pair->known, video->metric_count * sizeof(*pair->known));
    video->written++;
    video->first = (video->first + 1) % video->capacity;
    video->count--;
}

/* True if the first pair that waits gets no more scores: it has those of the line before, or enough
 * pairs after it have scores. */
static bool is_settled(const LinesVideo *video)
{
    const Pending *const pair = &video->ring[video->first];
    const unsigned step = video->lines->options->subsample ? video->lines->options->subsample : 1;
    if (video->lines->options->shots && pair->index >= video->looked)
        return false;
    if (video->newest > pair->index && (video->newest - pair->index) / step >= SETTLED)
        return true;
    for (unsigned i = 0; i < video->metric_count; i++)
        if (!video->expected ||
            (video->expected[i] && !pair->known[i] && !video->metrics[i]->collection))
            return false;
    return true;
}

static void write_settled_locked(LinesVideo *video)
{
    while (!video->lines->err && video->count && is_settled(video))
        write_first_locked(video);
}

/* ---- listening ---- */

/* The handler of a metric: called by the thread that stores the score. */
static void hear(void *arg, VmafMetadata *score)
{
    const Metric *const metric = arg;
    LinesVideo *const video = metric->video;
    Lines *const lines = video->lines;
    pthread_mutex_lock(&lines->lock);
    for (size_t i = 0; !lines->err && i < video->count; i++) {
        Pending *const pair = &video->ring[(video->first + i) % video->capacity];
        if (pair->index != score->picture_index)
            continue;
        pair->values[metric->number] = score->score;
        pair->known[metric->number] = true;
        video->newest = pair->index > video->newest ? pair->index : video->newest;
        break;
    }
    write_settled_locked(video);
    pthread_mutex_unlock(&lines->lock);
}

static int add_metric(LinesVideo *video, const char *name, const char *label, Metric **out)
{
    Metric *const metric = calloc(1, sizeof(*metric));
    Metric **const grown =
        realloc(video->metrics, (video->metric_count + 1) * sizeof(*video->metrics));
    video->metrics = grown ? grown : video->metrics;
    if (!metric || !grown) {
        free(metric);
        return -ENOMEM;
    }
    video->metrics[video->metric_count] = metric;
    *metric = (Metric){ .video = video, .number = video->metric_count };
    metric->name = strdup(name);
    metric->label = strdup(label);
    video->metric_count++;
    *out = metric;
    return metric->name && metric->label ? 0 : -ENOMEM;
}

static bool has_metric(const LinesVideo *video, const char *name)
{
    for (unsigned i = 0; i < video->metric_count; i++)
        if (!strcmp(video->metrics[i]->name, name))
            return true;
    return false;
}

static int listen_to(LinesVideo *video, const char *name, const char *label)
{
    Metric *metric;
    if (has_metric(video, name))
        return 0;
    const int err = add_metric(video, name, label, &metric);
    const VmafMetadataConfiguration handler = { metric ? metric->name : NULL, hear, metric };
    return err ? err : vmaf_register_metadata_handler(video->vmaf, handler);
}

static int add_collection(LinesVideo *video, const char *name, VmafModelCollection *collection)
{
    static const char *const suffixes[FIGURES] = { "bagging", "stddev", "ci_p95_lo", "ci_p95_hi" };
    int err = 0;
    for (unsigned i = 0; !err && i < FIGURES; i++) {
        char text[512];
        Metric *metric;
        snprintf(text, sizeof(text), "%s_%s", name, suffixes[i]);
        err = add_metric(video, text, text, &metric);
        if (err)
            return err;
        metric->collection = collection;
        metric->figure = i;
    }
    return err;
}

static int add_models(LinesVideo *video, const Models *models)
{
    VmafModelCollection *collection;
    const char *name;
    int err = 0;
    for (size_t i = 0; !err && (name = models_metric(models, i, &collection)); i++) {
        err = listen_to(video, name, name);
        if (!err && collection)
            err = add_collection(video, name, collection);
    }
    return err;
}

static int add_features(LinesVideo *video)
{
    VmafFeatureInfo info = { .size = sizeof(info) };
    VmafMetricInfo metric = { .size = sizeof(metric) };
    int err = 0;
    for (unsigned f = 0; !vmaf_feature_info(video->vmaf, f, &info); f++)
        for (unsigned i = 0; !err && !vmaf_feature_metric(video->vmaf, f, i, &metric); i++)
            err = listen_to(video, metric.name, metric.short_name);
    return err;
}

int lines_watch(Lines *lines, unsigned number, VmafContext *vmaf, const Models *models)
{
    LinesVideo *const video = &lines->videos[number];
    video->vmaf = vmaf;
    int err = lines->options->no_prediction ? 0 : add_models(video, models);
    return err ? err : add_features(video);
}

/* ---- pairs ---- */

static int grow_ring(LinesVideo *video)
{
    const size_t capacity = video->capacity ? 2 * video->capacity : 16;
    const size_t values = video->metric_count + 1;
    Pending *const ring = calloc(capacity, sizeof(*ring));
    int err = ring ? 0 : -ENOMEM;
    for (size_t i = 0; !err && i < capacity; i++) {
        if (i < video->capacity) {
            ring[i] = video->ring[(video->first + i) % video->capacity];
            continue;
        }
        ring[i].values = calloc(values, sizeof(*ring[i].values));
        ring[i].known = calloc(values, sizeof(*ring[i].known));
        err = ring[i].values && ring[i].known ? 0 : -ENOMEM;
    }
    if (err) {
        for (size_t i = video->capacity; ring && i < capacity; i++) {
            free(ring[i].values);
            free(ring[i].known);
        }
        free(ring);
        return err;
    }
    free(video->ring);
    video->ring = ring;
    video->capacity = capacity;
    video->first = 0;
    return 0;
}

int lines_add(Lines *lines, unsigned number, unsigned index, const PairFrames *frames)
{
    LinesVideo *const video = &lines->videos[number];
    const Length *const window = &lines->options->window;
    const unsigned step = lines->options->subsample ? lines->options->subsample : 1;
    if (index % step)
        return 0;
    if (window->given && !window->in_frames && frames->time == VIDEO_NO_TIME) {
        say("--window: the frames have no times, because the videos have no frame rate; give the "
            "window in frames: --window 50");
        return -EINVAL;
    }
    pthread_mutex_lock(&lines->lock);
    const int err = video->count == video->capacity ? grow_ring(video) : 0;
    if (!err) {
        Pending *const pair = &video->ring[(video->first + video->count++) % video->capacity];
        pair->index = index;
        pair->frames = *frames;
        memset(pair->known, 0, video->metric_count * sizeof(*pair->known));
        video->added = index;
    }
    pthread_mutex_unlock(&lines->lock);
    return err;
}

void lines_looked(Lines *lines, unsigned number, unsigned index)
{
    LinesVideo *const video = &lines->videos[number];
    pthread_mutex_lock(&lines->lock);
    video->looked = index;
    write_settled_locked(video);
    pthread_mutex_unlock(&lines->lock);
}

void lines_cut(Lines *lines, unsigned number, unsigned index)
{
    LinesVideo *const video = &lines->videos[number];
    pthread_mutex_lock(&lines->lock);
    if (video->cut_count == video->cut_capacity) {
        const size_t more = 2 * video->cut_capacity + 16;
        unsigned *const grown = realloc(video->cuts, more * sizeof(*grown));
        if (!grown)
            fail_locked(lines, -ENOMEM);
        video->cuts = grown ? grown : video->cuts;
        video->cut_capacity = grown ? more : video->cut_capacity;
    }
    if (video->cut_count < video->cut_capacity)
        video->cuts[video->cut_count++] = index;
    pthread_mutex_unlock(&lines->lock);
}

unsigned lines_written(Lines *lines, unsigned number)
{
    pthread_mutex_lock(&lines->lock);
    const LinesVideo *const video = &lines->videos[number];
    const unsigned index = video->count ? video->ring[video->first].index : video->added;
    pthread_mutex_unlock(&lines->lock);
    return index;
}

int lines_error(Lines *lines)
{
    pthread_mutex_lock(&lines->lock);
    const int err = lines->err;
    pthread_mutex_unlock(&lines->lock);
    return err;
}

void lines_call(Lines *lines, void (*stop)(void *arg), void *arg)
{
    pthread_mutex_lock(&lines->lock);
    lines->stop = stop;
    lines->stop_arg = arg;
    if (stop && lines->err)
        stop(arg);
    pthread_mutex_unlock(&lines->lock);
}

int lines_finish(Lines *lines, unsigned number)
{
    LinesVideo *const video = &lines->videos[number];
    pthread_mutex_lock(&lines->lock);
    while (!lines->err && video->count)
        write_first_locked(video);
    if (!lines->err)
        put_window_locked(video);
    if (!lines->err)
        put_shot_locked(video);
    const int err = lines->err;
    pthread_mutex_unlock(&lines->lock);
    return err;
}

/* ---- the summary ---- */

/* Sets the figures of a metric that all lines have. *whole: percentiles are among them. */
static bool figures_of(const LinesVideo *video, const Metric *metric, VmafStatistics *figures,
                       bool *whole)
{
    *figures = (VmafStatistics){ .size = sizeof(*figures) };
    *whole = false;
    if (!video->written || metric->sums.count != video->written)
        return false;
    sums_figures(&metric->sums, figures);
    *whole = metric->all.count == video->written &&
             !vmaf_statistics(metric->all.at, metric->all.count, figures);
    return true;
}

bool lines_figures(Lines *lines, unsigned number, const char *name, VmafStatistics *figures)
{
    const LinesVideo *const video = &lines->videos[number];
    bool found = false, whole;
    pthread_mutex_lock(&lines->lock);
    for (unsigned i = 0; !found && i < video->metric_count; i++)
        found = !strcmp(video->metrics[i]->name, name) &&
                figures_of(video, video->metrics[i], figures, &whole);
    pthread_mutex_unlock(&lines->lock);
    return found;
}

static void put_aggregates(const Lines *lines, VmafContext *vmaf)
{
    const char *name;
    double value;
    fputs(",\"aggregate\":{", stdout);
    for (unsigned i = 0; vmaf && !vmaf_aggregate_metric(vmaf, i, &name, &value); i++) {
        fputs(i ? "," : "", stdout);
        put_text(name);
        putchar(':');
        put_score(lines, value);
    }
    putchar('}');
}

/* Where each extractor was computed, as in the JSON report. */
static void put_places(VmafContext *vmaf)
{
    VmafFeatureInfo info = { .size = sizeof(info) };
    fputs(",\"places\":[", stdout);
    for (unsigned i = 0; vmaf && !vmaf_feature_info(vmaf, i, &info); i++) {
        fputs(i ? ",{\"extractor\":" : "{\"extractor\":", stdout);
        put_text(info.extractor);
        fputs(",\"backend\":", stdout);
        put_text(info.backend);
        if (info.device) {
            fputs(",\"device\":", stdout);
            put_text(info.device);
            fputs(info.device_type ? ",\"device_type\":" : "", stdout);
            if (info.device_type)
                put_text(info.device_type);
            printf(",\"frames_on_cpu\":%" PRIu64, info.frames_on_cpu);
        }
        putchar('}');
    }
    putchar(']');
}

static void put_video(const Lines *lines, const LinesVideo *video, const LinesEnd *end)
{
    const bool complete = !end->failed && !*end->incomplete;
    bool any = false;
    printf("{\"video\":%u,\"frames\":%" PRIu64 ",\"failed\":%s,\"complete\":%s", video->number,
           video->written, end->failed ? "true" : "false", complete ? "true" : "false");
    if (*end->incomplete) {
        fputs(",\"incomplete_reason\":", stdout);
        put_text(end->incomplete);
    }
    fputs(",\"metrics\":{", stdout);
    for (unsigned i = 0; i < video->metric_count; i++) {
        VmafStatistics figures;
        bool whole;
        if (!figures_of(video, video->metrics[i], &figures, &whole))
            continue;
        fputs(any ? "," : "", stdout);
        put_text(video->metrics[i]->label);
        putchar(':');
        put_figures(lines, &figures, whole);
        any = true;
    }
    putchar('}');
    put_aggregates(lines, end->vmaf);
    put_places(end->vmaf);
    putchar('}');
}

int lines_summarise(Lines *lines, const LinesEnd *ends)
{
    pthread_mutex_lock(&lines->lock);
    if (!lines->err) {
        fputs("{\"type\":\"summary\",\"videos\":[", stdout);
        for (unsigned i = 0; i < lines->count; i++) {
            fputs(i ? "," : "", stdout);
            put_video(lines, &lines->videos[i], &ends[i]);
        }
        fputs("]}", stdout);
        end_line_locked(lines);
    }
    const int err = lines->err;
    pthread_mutex_unlock(&lines->lock);
    return err;
}

/* ---- the whole ---- */

static void put_start_locked(Lines *lines)
{
    const Options *const o = lines->options;
    printf("{\"type\":\"start\",\"schema\":%d,\"version\":", SCHEMA);
    put_text(vmaf_version());
    fputs(",\"reference\":", stdout);
    put_text(o->reference);
    fputs(",\"distorted\":[", stdout);
    for (size_t i = 0; i < o->distorted.count; i++) {
        fputs(i ? "," : "", stdout);
        put_text(o->distorted.at[i]);
    }
    putchar(']');
    if (o->window.given && o->window.in_frames)
        printf(",\"window_frames\":%" PRId64, o->window.frames);
    else if (o->window.given)
        printf(",\"window_seconds\":%.9g", (double)o->window.time / 1e9);
    putchar('}');
    end_line_locked(lines);
}

int lines_create(Lines **out, const Options *options)
{
    Lines *const lines = calloc(1, sizeof(*lines));
    if (!lines)
        return -ENOMEM;
    lines->options = options;
    lines->bounded = lines_are_bounded(options);
    lines->count = (unsigned)options->distorted.count;
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lines->lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
    lines->videos = calloc(lines->count, sizeof(*lines->videos));
    if (!lines->videos) {
        lines_destroy(lines);
        return -ENOMEM;
    }
    for (unsigned i = 0; i < lines->count; i++) {
        lines->videos[i].lines = lines;
        lines->videos[i].number = i;
    }
    /* A reader gets whole lines, as far as they fit. */
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    put_start_locked(lines);
    if (lines->err) {
        const int err = lines->err;
        lines_destroy(lines);
        return err;
    }
    *out = lines;
    return 0;
}

static void clear_video(LinesVideo *video)
{
    for (unsigned i = 0; i < video->metric_count; i++) {
        Metric *const metric = video->metrics[i];
        free(metric->name);
        free(metric->label);
        free(metric->window.at);
        free(metric->all.at);
        free(metric);
    }
    for (size_t i = 0; i < video->capacity; i++) {
        free(video->ring[i].values);
        free(video->ring[i].known);
    }
    free(video->metrics);
    free(video->ring);
    free(video->expected);
    free(video->cuts);
}

void lines_destroy(Lines *lines)
{
    if (!lines)
        return;
    for (unsigned i = 0; lines->videos && i < lines->count; i++)
        clear_video(&lines->videos[i]);
    free(lines->videos);
    pthread_mutex_destroy(&lines->lock);
    free(lines);
}
