/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "maps.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "libvmaf/inspect.h"
#include "libvmaf/map.h"
#include "report/heat.h"
#include "report/save.h"

/* ---- before the scoring ---- */

static int make_folder(const char *path)
{
    struct stat info;
    if (!mkdir(path, 0777) || (errno == EEXIST && !stat(path, &info) && S_ISDIR(info.st_mode)))
        return 0;
    say("--heatmap: cannot make the folder %s: %s", path, strerror(errno));
    return -errno;
}

int maps_check(const Options *options, Video *const *videos, unsigned count)
{
    if (!options->heatmap_folder && !options->heatmap_html)
        return 0;
    if (!png_can()) {
        say("--heatmap: this program was built without libpng");
        return -ENOTSUP;
    }
    for (unsigned i = 0; i < count; i++) {
        if (videos[i]->source->seekable)
            continue;
        say("--heatmap reads frames a second time, which is impossible with a pipe: %s; use a file",
            videos[i]->path);
        return -EINVAL;
    }
    return options->heatmap_folder ? make_folder(options->heatmap_folder) : 0;
}

static bool extractor_has_map(const char *name)
{
    VmafExtractorInfo extractor = { .size = sizeof(extractor) };
    unsigned index;
    return !vmaf_extractor_find(name, &index) && !vmaf_extractor_info(index, &extractor) &&
           extractor.has_map;
}

int maps_check_features(const Options *options, const VmafContext *vmaf)
{
    VmafFeatureInfo info = { .size = sizeof(info) };
    if (!options->heatmap_folder && !options->heatmap_html)
        return 0;
    for (unsigned i = 0; !vmaf_feature_info(vmaf, i, &info); i++) {
        if (extractor_has_map(info.extractor))
            return 0;
    }
    say("--heatmap: no feature of this run has a map; --list_features tells which ones have, "
        "such as --feature ssim");
    return -EINVAL;
}

/* ---- reading frames again ---- */

enum { REFERENCES = 3 }; /* references of a pair, and of the two pairs before it */

/* A picture of a frame; `pic` is empty if there is none. */
typedef struct Fetched {
    uint64_t number;
    VmafPicture pic;
} Fetched;

typedef struct Again {
    const Rating *rating;
    Video *videos[SIDES];
    uint64_t next[SIDES]; /* the number of the frame that is found next */
    unsigned planes, bitdepth;
    Fetched refs[REFERENCES], dist;
    unsigned oldest; /* index in refs of the next one to be replaced */
    uint64_t layers; /* so far, of all pairs */
    bool told;       /* that features have no map with their options */
} Again;

static void drop(Fetched *fetched)
{
    if (fetched->pic.ref)
        vmaf_picture_unref(&fetched->pic);
    *fetched = (Fetched){ 0 };
}

static void again_close(Again *again)
{
    for (unsigned i = 0; i < REFERENCES; i++)
        drop(&again->refs[i]);
    drop(&again->dist);
    for (unsigned side = 0; side < SIDES; side++)
        video_close(again->videos[side]);
}

/* Opens both videos again and brings them to the format in which they were scored. */
static int again_open(Again *again, const Rating *rating, const Options *options)
{
    const Video *const scored[SIDES] = { rating->ref, rating->video };
    *again = (Again){ .rating = rating, .planes = rating_planes(rating) };
    int err = 0;
    for (unsigned side = 0; !err && side < SIDES; side++)
        err = video_reopen(&again->videos[side], scored[side]);
    if (err)
        return err;
    const VideoAlign align = rating_align(rating, options, again->videos[SIDE_REF]);
    err = videos_align(again->videos, SIDES, &align);
    const unsigned ref = again->videos[SIDE_REF]->format.bitdepth,
                   dist = again->videos[SIDE_DIST]->format.bitdepth;
    again->bitdepth = ref > dist ? ref : dist;
    return err;
}

static int read_failed(const Video *video, uint64_t number)
{
    say("--heatmap: frame %" PRIu64 " of %s could not be read again", number, video->path);
    return -EIO;
}

/* Reads frame `number` of a video, which is no earlier than the one before. */
static int fetch(Again *again, enum Side side, uint64_t number, Fetched *into)
{
    Video *const video = again->videos[side];
    const VideoFormat *const f = &again->videos[SIDE_REF]->format;
    uint64_t offset;
    drop(into);
    if (number < again->next[side] || number - again->next[side] > UINT32_MAX ||
        video_skip(video, (unsigned)(number - again->next[side])) != FRAME_WHOLE ||
        video_find(video, &offset) != FRAME_WHOLE)
        return read_failed(video, number);
    again->next[side] = number + 1;
    if (vmaf_picture_alloc(&into->pic, again->planes == 1 ? VMAF_PIX_FMT_YUV400P : f->pix_fmt,
                           again->bitdepth, f->width, f->height)) {
        say("--heatmap: not enough memory for pictures of %ux%u", f->width, f->height);
        return -ENOMEM;
    }
    into->number = number;
    return video_read(video, offset, again->planes, &into->pic) == FRAME_WHOLE
               ? 0
               : read_failed(video, number);
}

/* The reference of a pair. */
static int reference_of(Again *again, size_t pair, const VmafPicture **pic)
{
    const uint64_t number = again->rating->frames[pair].number[SIDE_REF];
    for (unsigned i = 0; i < REFERENCES; i++) {
        *pic = &again->refs[i].pic;
        if (again->refs[i].pic.ref && again->refs[i].number == number)
            return 0;
    }
    Fetched *const slot = &again->refs[again->oldest++ % REFERENCES];
    *pic = &slot->pic;
    return fetch(again, SIDE_REF, number, slot);
}

/* Reads a pair and the references of the two before it. */
static int read_pair(Again *again, size_t pair, VmafMapPair *out)
{
    const uint64_t dist = again->rating->frames[pair].number[SIDE_DIST];
    const size_t first = pair < REFERENCES - 1 ? 0 : pair - (REFERENCES - 1);
    const VmafPicture *refs[REFERENCES] = { NULL };
    int err = 0;
    for (size_t i = first; !err && i <= pair; i++)
        err = reference_of(again, i, &refs[pair - i]);
    if (!err && !(again->dist.pic.ref && again->dist.number == dist))
        err = fetch(again, SIDE_DIST, dist, &again->dist);
    *out = (VmafMapPair){ .size = sizeof(*out),
                          .ref = refs[0],
                          .dist = &again->dist.pic,
                          .prev_ref = { refs[1], refs[2] } };
    return err;
}

/* ---- measuring ---- */

/* A layer of the map of a pair. */
typedef struct Layer {
    size_t pair;
    const VmafMap *map;
    unsigned index, across, down; /* number; the raster that has one value for each cell */
    char name[160]; /* name of the metric, as reports print it, with the layer's part of it */
    VmafMapLayer info;
    HeatScale scale;
} Layer;

typedef int TakeLayer(void *arg, const Layer *layer);

static void name_layer(Layer *layer, const VmafContext *vmaf, unsigned feature)
{
    VmafMetricInfo info = { .size = sizeof(info) };
    const char *name = layer->info.metric;
    for (unsigned i = 0; !vmaf_feature_metric(vmaf, feature, i, &info); i++)
        if (info.short_name && !strcmp(info.name, layer->info.metric))
            name = info.short_name;
    snprintf(layer->name, sizeof(layer->name), "%s%s%s", name, *layer->info.part ? "_" : "",
             layer->info.part);
}

/* Fails if the map is of other pictures than those that were scored. */
static int check_score(const Again *again, const Layer *layer)
{
    double scored;
    if (vmaf_feature_score_at_index(again->rating->vmaf, layer->info.metric, &scored,
                                    (unsigned)layer->pair) ||
        scored == layer->info.score || (isnan(scored) && isnan(layer->info.score)))
        return 0;
    say("--heatmap: frame %zu of %s was not read as it was scored: %s was %.17g and is %.17g now; "
        "was the file changed?",
        layer->pair, again->rating->video->path, layer->name, scored, layer->info.score);
    return -EIO;
}

static int take_layers(Again *again, const VmafMap *map, unsigned feature, size_t pair,
                       TakeLayer *take, void *arg)
{
    Layer layer = { .pair = pair, .map = map, .info = { .size = sizeof(layer.info) } };
    const VideoFormat *const format = &again->videos[SIDE_REF]->format;
    int err = 0;
    for (; !err && !vmaf_map_layer(map, layer.index, &layer.info); layer.index++) {
        name_layer(&layer, again->rating->vmaf, feature);
        layer.across = (format->width + layer.info.step_x - 1) / layer.info.step_x;
        layer.down = (format->height + layer.info.step_y - 1) / layer.info.step_y;
        layer.scale = (HeatScale){ layer.info.best, layer.info.worst, layer.info.unit };
        err = check_score(again, &layer);
        if (!err)
            err = take(arg, &layer);
        again->layers++;
    }
    return err;
}

/* Says which features could have a map, but have none with the options they run with. */
static void tell_without_map(const Again *again, unsigned feature)
{
    VmafFeatureInfo info = { .size = sizeof(info) };
    if (!again->told && !vmaf_feature_info(again->rating->vmaf, feature, &info) &&
        extractor_has_map(info.extractor))
        say("--heatmap: %s has no map with these options, because it measures samples that lie "
            "between those of the picture",
            info.extractor);
}

static int measure_pair(Again *again, size_t pair, TakeLayer *take, void *arg)
{
    VmafMapPair pictures;
    int err = read_pair(again, pair, &pictures);
    for (unsigned feature = 0; !err; feature++) {
        VmafMap *map = NULL;
        err = vmaf_map_create(&map, again->rating->vmaf, feature, &pictures);
        if (err == -ENOENT)
            return again->layers ? 0 : -ENOTSUP;
        if (!err) {
            err = take_layers(again, map, feature, pair, take, arg);
        } else if (err == -ENOTSUP) {
            tell_without_map(again, feature);
            err = 0;
        } else {
            say("--heatmap: frame %zu of %s: %s", pair, again->rating->video->path, strerror(-err));
        }
        vmaf_map_destroy(map);
    }
    return err;
}

/* Passes the layers of all maps of these pairs, which are increasing, to `take`. A signal ends it
 * early, and the run keeps its scores. */
static int measure(const Rating *rating, const Options *options, const size_t *pairs, size_t count,
                   TakeLayer *take, void *arg)
{
    Again again;
    message_hush(true); /* the messages about the videos were printed when they were scored */
    int err = again_open(&again, rating, options);
    message_hush(false);
    if (err)
        say("--heatmap: %s or %s could not be opened again", rating->ref->path,
            rating->video->path);
    for (size_t i = 0; !err && i < count && !interrupt_signal(); i++) {
        err = measure_pair(&again, pairs[i], take, arg);
        again.told = true;
    }
    again_close(&again);
    return err;
}

/* The values of a layer; the caller frees them. */
static double *values_of(const Layer *layer, unsigned width, unsigned height)
{
    double *const values = malloc((size_t)width * height * sizeof(*values));
    if (values && !vmaf_map_values(layer->map, layer->index, width, height, values))
        return values;
    free(values);
    return NULL;
}

static int draw(Png *png, const Layer *layer, unsigned width, unsigned height, unsigned side,
                const char *title)
{
    Rgb rgb = { 0 };
    double *const values = values_of(layer, width, height);
    int err = values ? heat_draw(&rgb, values, width, height, side, &layer->scale, title) : -ENOMEM;
    if (!err)
        err = png_make(png, &rgb);
    rgb_clear(&rgb);
    free(values);
    return err;
}

/* ---- files ---- */

enum { FILE_WIDTH = 480 }; /* pictures of fewer cells are drawn with larger ones */

typedef struct Files {
    const Rating *rating;
    const char *folder;
    bool several; /* videos, so that names tell them apart */
} Files;

/* `frame_000012_integer_vif_scale0.png`, and with several videos `video_2_frame_…`. */
static int save_layer(void *arg, const Layer *layer)
{
    const Files *const files = arg;
    const unsigned side = layer->across < FILE_WIDTH ? (FILE_WIDTH - 1) / layer->across + 1 : 1;
    char path[4096], title[256], video[32] = "";
    Png png = { 0 };
    if (files->several)
        snprintf(video, sizeof(video), "video_%zu_", files->rating->number + 1);
    const int length = snprintf(path, sizeof(path), "%s/%sframe_%06zu_%s.png", files->folder, video,
                                layer->pair, layer->name);
    if (length < 0 || (size_t)length >= sizeof(path)) {
        say("--heatmap: the path of the folder is too long: %s", files->folder);
        return -ENAMETOOLONG;
    }
    snprintf(title, sizeof(title), "%s  frame %zu  score %.6g", layer->name, layer->pair,
             layer->info.score);
    int err = draw(&png, layer, layer->across, layer->down, side, title);
    if (!err)
        err = save_file(path, (const char *)png.data, png.size);
    png_clear(&png);
    return err;
}

/* Checks that a range of --heatmap_frames begins in the video and has a pair that was scored. */
static int check_range(const Rating *rating, const HeatmapRange *range, unsigned step)
{
    if (range->first >= rating->pairs) {
        say("--heatmap_frames: there is no frame %u: %u pairs were scored, from frame 0 on",
            range->first, rating->pairs);
        return -EINVAL;
    }
    const unsigned last = range->last < rating->pairs ? range->last : rating->pairs - 1;
    if (last / step * step < range->first) {
        say("--heatmap_frames: frame %u was not scored: --subsample %u scores the frames 0, %u, "
            "%u and so on",
            range->first, step, step, 2 * step);
        return -EINVAL;
    }
    return 0;
}

/* Lists the scored pairs that --heatmap_frames names. */
static int list_pairs(const Rating *rating, const Options *options, size_t *pairs, size_t *count)
{
    const HeatmapFrames *const frames = &options->heatmap_frames;
    const unsigned step = options->subsample ? options->subsample : 1;
    int err = 0;
    *count = 0;
    for (unsigned i = 0; !err && i < frames->count; i++)
        err = check_range(rating, &frames->range[i], step);
    for (size_t pair = 0; !err && pair < rating->pairs; pair += step) {
        bool chosen = frames->all;
        for (unsigned i = 0; !chosen && i < frames->count; i++)
            chosen = pair >= frames->range[i].first && pair <= frames->range[i].last;
        if (chosen)
            pairs[(*count)++] = pair;
    }
    return err;
}

static int compare_sizes(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

/* Lists the pairs of these frames of a report, in increasing order. */
static void pairs_of(const StoredReport *report, const size_t *frames, unsigned count,
                     size_t *pairs)
{
    for (unsigned i = 0; i < count; i++)
        pairs[i] = report->numbers[frames[i]];
    qsort(pairs, count, sizeof(*pairs), compare_sizes);
}

int maps_write(const Rating *rating, const Options *options)
{
    Files files = { rating, options->heatmap_folder, options->distorted.count > 1 };
    const HeatmapFrames *const chosen = &options->heatmap_frames;
    size_t *const pairs = malloc((rating->pairs + WORST_MAX) * sizeof(*pairs)), count = 0;
    int err = pairs ? 0 : -ENOMEM;
    if (!err && (chosen->all || chosen->count)) {
        err = list_pairs(rating, options, pairs, &count);
    } else if (!err) {
        size_t frames[WORST_MAX];
        count = worst_frames(rating->report, stored_headline(rating->report), true, frames);
        pairs_of(rating->report, frames, (unsigned)count, pairs);
    }
    if (!err)
        err = measure(rating, options, pairs, count, save_layer, &files);
    free(pairs);
    return err;
}

/* ---- the page ---- */

enum { PAGE_WIDTH = 320, PAGE_WIDTH_MIN = 64 };

typedef struct ForPage {
    const StoredReport *report;
    PageWorst *worst;
    unsigned width; /* the largest of a map */
    size_t size;    /* size of all maps so far */
} ForPage;

static PageMaps *maps_of(const ForPage *page, size_t pair)
{
    unsigned i = 0;
    while (page->report->numbers[page->worst->frames[i]] != pair)
        i++;
    return &page->worst->maps[i];
}

static int keep_layer(void *arg, const Layer *layer)
{
    ForPage *const page = arg;
    PageMaps *const maps = maps_of(page, layer->pair);
    PageMap *const grown = realloc(maps->map, (maps->count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    maps->map = grown;
    PageMap *const map = &grown[maps->count++];
    *map = (PageMap){ .scale = layer->scale, .score = layer->info.score };
    snprintf(map->metric, sizeof(map->metric), "%s", layer->name);
    const unsigned width = layer->across < page->width ? layer->across : page->width;
    const double height = fmax((double)layer->down * width / layer->across + 0.5, 1.0);
    const int err = draw(&map->png, layer, width, (unsigned)height, 1, NULL);
    page->size += map->png.size;
    return err;
}

/* Removes the maps of the last frames until the others take no more than `room` bytes. */
static void drop_beyond(ForPage *page, size_t room)
{
    for (unsigned i = page->worst->count; i && page->size > room; i--) {
        const PageMaps *const maps = &page->worst->maps[i - 1];
        for (unsigned m = 0; m < maps->count; m++)
            page->size -= maps->map[m].png.size;
        page_maps_clear(&page->worst->maps[i - 1]);
    }
}

/* If the maps take too many bytes, they are measured again and drawn smaller. */
int maps_for_page(const Rating *rating, const Options *options, PageWorst *worst, size_t room)
{
    ForPage page = { .report = rating->report, .worst = worst, .width = PAGE_WIDTH };
    size_t pairs[WORST_MAX];
    pairs_of(rating->report, worst->frames, worst->count, pairs);
    int err = measure(rating, options, pairs, worst->count, keep_layer, &page);
    while (!err && page.size > room && page.width > PAGE_WIDTH_MIN) {
        const double factor = fmin(0.9 * sqrt((double)room / (double)page.size), 0.9);
        page.width = (unsigned)fmax(page.width * factor, PAGE_WIDTH_MIN);
        page.size = 0;
        for (unsigned i = 0; i < worst->count; i++)
            page_maps_clear(&worst->maps[i]);
        err = measure(rating, options, pairs, worst->count, keep_layer, &page);
    }
    drop_beyond(&page, room);
    return err;
}
