/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Maps: their cells add up to the scores of a scoring run, to the last bit, and lie where the
 * picture differs. The tests go through the registry, so they cover new features, too. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../api/clip.h"
#include "../testing.h"
#include "base/mem.h"
#include "engine/map.h"
#include "libvmaf/libvmaf.h"

enum { FRAMES = 3 };

typedef struct Shape {
    enum VmafPixelFormat format;
    unsigned bpc, w, h;
} Shape;

/* Sides that no scale divides, more than one strip of vif, and a second kind of samples. */
static const Shape shapes[] = {
    { VMAF_PIX_FMT_YUV420P, 8, 347, 217 },
    { VMAF_PIX_FMT_YUV444P, 10, 241, 219 },
};

/* The value of an option that tests set; NULL: they leave it alone. */
static const char *tried_value(const Option *option)
{
    if (option->type == OPTION_BOOL)
        return option->def != 0.0 ? "false" : "true";
    return strcmp(option->name, "scale") ? NULL : "3";
}

static VmafContext *create(const FeatureDef *def, const Option *option)
{
    VmafContext *vmaf;
    VmafFeatureDictionary *dict = NULL;
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ .log_level = VMAF_LOG_LEVEL_ERROR }), 0);
    if (option)
        assert_int_equal(vmaf_feature_dictionary_set(&dict, option->name, tried_value(option)), 0);
    assert_int_equal(vmaf_use_feature(vmaf, def->name, dict), 0);
    return vmaf;
}

static VmafPicture picture(const Shape *shape, unsigned frame, int distorted)
{
    VmafPicture pic;
    assert_int_equal(vmaf_picture_alloc(&pic, shape->format, shape->bpc, shape->w, shape->h), 0);
    clip_fill(&pic, frame, distorted);
    return pic;
}

/* ---- sums ---- */

typedef struct Clip {
    VmafPicture ref[FRAMES], dist[FRAMES];
} Clip;

static void make_clip(Clip *clip, const Shape *shape)
{
    for (unsigned i = 0; i < FRAMES; i++) {
        clip->ref[i] = picture(shape, i * i, 0);
        clip->dist[i] = picture(shape, i * i, 1);
    }
}

static void clear_clip(Clip *clip)
{
    for (unsigned i = 0; i < FRAMES; i++) {
        vmaf_picture_unref(&clip->ref[i]);
        vmaf_picture_unref(&clip->dist[i]);
    }
}

static void score_clip(VmafContext *vmaf, const Shape *shape)
{
    for (unsigned i = 0; i < FRAMES; i++) {
        VmafPicture ref = picture(shape, i * i, 0), dist = picture(shape, i * i, 1);
        assert_int_equal(vmaf_read_pictures(vmaf, &ref, &dist, i), 0);
    }
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
}

static VmafMapPair pair_of(const Clip *clip, unsigned i)
{
    VmafMapPair pair = { .size = sizeof(pair), .ref = &clip->ref[i], .dist = &clip->dist[i] };
    for (unsigned k = 0; k < 2 && k < i; k++)
        pair.prev_ref[k] = &clip->ref[i - 1 - k];
    return pair;
}

static void compare_layers(const VmafMap *map, VmafContext *scored, unsigned index)
{
    VmafMapLayer layer = { .size = sizeof(layer) };
    unsigned count = 0;
    for (; !vmaf_map_layer(map, count, &layer); count++) {
        double expected;
        assert_int_equal(vmaf_feature_score_at_index(scored, layer.metric, &expected, index), 0);
        assert_memory_equal(&layer.score, &expected, sizeof(expected));
        assert_true(layer.best != layer.worst && layer.width && layer.height);
    }
    assert_true(count > 0);
    assert_int_equal(vmaf_map_layer(map, count, &layer), -ENOENT);
}

static void try_scores(const FeatureDef *def, const Option *option, const Shape *shape)
{
    print_message("%s %s %ux%u\n", def->name, option ? option->name : "", shape->w, shape->h);
    VmafContext *const scored = create(def, option);
    Clip clip;
    make_clip(&clip, shape);
    score_clip(scored, shape);
    for (unsigned i = 0; i < FRAMES; i++) {
        const VmafMapPair pair = pair_of(&clip, i);
        VmafMap *map;
        assert_int_equal(vmaf_map_create(&map, scored, 0, &pair), 0);
        compare_layers(map, scored, i);
        vmaf_map_destroy(map);
    }
    clear_clip(&clip);
    vmaf_close(scored);
}

static void cells_add_up_to_scores(void **unused)
{
    for (unsigned i = 0; feature_registry[i]; i++) {
        const FeatureDef *const def = feature_registry[i];
        for (unsigned s = 0; def->map && s < COUNT(shapes); s++) {
            try_scores(def, NULL, &shapes[s]);
            for (const Option *option = def->options; option && option->name; option++)
                if (tried_value(option))
                    try_scores(def, option, &shapes[s]);
        }
    }
}

/* ---- places ---- */

enum { BUMP_X = 128, BUMP_Y = 96, BUMP = 32 };

/* Changes a square of luma, and the chroma at its place. */
static void add_bump(VmafPicture *pic, uint8_t change)
{
    for (unsigned p = 0; p < 3; p++) {
        const unsigned sx = pic->w[0] / pic->w[p], sy = pic->h[0] / pic->h[p];
        for (unsigned y = BUMP_Y / sy; y < (BUMP_Y + BUMP) / sy; y++)
            for (unsigned x = BUMP_X / sx; x < (BUMP_X + BUMP) / sx; x++)
                ((uint8_t *)pic->data[p])[y * (size_t)pic->stride[p] + x] ^= change;
    }
}

/* The middle of the cells that differ between two maps is the middle of the bump, to within most of
 * a cell: filters reach as far to one side as to the other. */
static void compare_places(const VmafMap *clean, const VmafMap *bumped, unsigned index)
{
    VmafMapLayer layer = { .size = sizeof(layer) };
    const VmafPartValue *a, *b;
    assert_int_equal(vmaf_map_layer(clean, index, &layer), 0);
    assert_int_equal(vmaf_map_terms(clean, index, &a), 0);
    assert_int_equal(vmaf_map_terms(bumped, index, &b), 0);
    unsigned x0 = layer.width, x1 = 0, y0 = layer.height, y1 = 0;
    for (unsigned y = 0; y < layer.height; y++) {
        for (unsigned x = 0; x < layer.width; x++, a += layer.terms, b += layer.terms) {
            if (!memcmp(a, b, layer.terms * sizeof(*a)))
                continue;
            x0 = x < x0 ? x : x0;
            x1 = x + 1 > x1 ? x + 1 : x1;
            y0 = y < y0 ? y : y0;
            y1 = y + 1 > y1 ? y + 1 : y1;
        }
    }
    const double x = layer.left + 0.5 * (x0 + x1) * layer.step_x - BUMP_X - BUMP / 2;
    const double y = layer.top + 0.5 * (y0 + y1) * layer.step_y - BUMP_Y - BUMP / 2;
    print_message("%s: cells %u to %u, %u to %u, off by %.1f, %.1f samples\n", layer.metric, x0, x1,
                  y0, y1, x, y);
    assert_true(x0 < x1 && y0 < y1);
    assert_true(fabs(x) < 0.75 * layer.step_x && fabs(y) < 0.75 * layer.step_y);
}

/* Makes a picture flat: banding is only found on smooth areas. */
static void flatten(VmafPicture *pic)
{
    for (unsigned p = 0; p < 3; p++)
        memset(pic->data[p], 100, (size_t)pic->stride[p] * pic->h[p]);
}

static void try_places(const FeatureDef *def)
{
    VmafContext *const vmaf = create(def, NULL);
    VmafPicture ref = picture(&shapes[0], 0, 0), clean = picture(&shapes[0], 0, 0);
    VmafPicture bumped = picture(&shapes[0], 0, 0);
    const bool banding = !strcmp(def->name, "cambi");
    if (banding) {
        flatten(&clean);
        flatten(&bumped);
    }
    add_bump(&bumped, banding ? 1 : 0x55);
    const VmafMapPair pairs[] = { { sizeof(*pairs), &ref, &clean, { NULL } },
                                  { sizeof(*pairs), &ref, &bumped, { NULL } } };
    VmafMap *map[2];
    VmafMapLayer layer = { .size = sizeof(layer) };
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(vmaf_map_create(&map[i], vmaf, 0, &pairs[i]), 0);
    for (unsigned i = 0; !vmaf_map_layer(map[0], i, &layer); i++)
        compare_places(map[0], map[1], i);
    for (unsigned i = 0; i < 2; i++)
        vmaf_map_destroy(map[i]);
    vmaf_picture_unref(&ref);
    vmaf_picture_unref(&clean);
    vmaf_picture_unref(&bumped);
    vmaf_close(vmaf);
}

static void cells_lie_where_pictures_differ(void **unused)
{
    for (unsigned i = 0; feature_registry[i]; i++)
        if (feature_registry[i]->map)
            try_places(feature_registry[i]);
}

/* ---- values ---- */

/* One value for the whole picture is made of all cells: for vif, it is the score in single
 * precision. A value over a single cell is made of that cell. */
static void values_are_made_of_cells(void **unused)
{
    VmafContext *const vmaf = create(feature_find("vif"), NULL);
    Clip clip;
    VmafMap *map;
    VmafMapLayer layer = { .size = sizeof(layer) };
    double whole;
    make_clip(&clip, &shapes[0]);
    const VmafMapPair pair = pair_of(&clip, 0);
    assert_int_equal(vmaf_map_create(&map, vmaf, 0, &pair), 0);
    for (unsigned i = 0; !vmaf_map_layer(map, i, &layer); i++) {
        assert_int_equal(vmaf_map_values(map, i, 1, 1, &whole), 0);
        assert_true(whole == layer.score);
    }
    double *const values = calloc((size_t)shapes[0].w * shapes[0].h, sizeof(*values));
    const VmafPartValue *terms;
    assert_int_equal(vmaf_map_values(map, 0, shapes[0].w, shapes[0].h, values), 0);
    assert_int_equal(vmaf_map_terms(map, 0, &terms), 0);
    for (size_t i = 0; i < (size_t)shapes[0].w * shapes[0].h; i++) {
        const double sums[] = { (double)terms[4 * i].integer, (double)terms[4 * i + 1].integer,
                                (double)terms[4 * i + 2].integer,
                                (double)terms[4 * i + 3].integer };
        assert_true(values[i] == feature_find("vif")->map->value(NULL, 0, sums, 1));
    }
    free(values);
    vmaf_map_destroy(map);
    clear_clip(&clip);
    vmaf_close(vmaf);
}

/* The border that adm leaves out has no values, and all cells inside it have one. */
static void the_border_has_no_values(void **unused)
{
    VmafContext *const vmaf = create(feature_find("adm"), NULL);
    Clip clip;
    VmafMap *map;
    VmafMapLayer layer = { .size = sizeof(layer) };
    make_clip(&clip, &shapes[0]);
    const VmafMapPair pair = pair_of(&clip, 0);
    assert_int_equal(vmaf_map_create(&map, vmaf, 0, &pair), 0);
    for (unsigned i = 0; !vmaf_map_layer(map, i, &layer); i++) {
        const unsigned w = shapes[0].w, h = shapes[0].h;
        double *const values = calloc((size_t)w * h, sizeof(*values));
        assert_int_equal(vmaf_map_values(map, i, w, h, values), 0);
        for (unsigned y = 0; y < h; y++)
            for (unsigned x = 0; x < w; x++)
                assert_int_equal(!isnan(values[(size_t)y * w + x]),
                                 x >= layer.left && y >= layer.top &&
                                     x < layer.left + layer.width * layer.step_x &&
                                     y < layer.top + layer.height * layer.step_y);
        free(values);
    }
    vmaf_map_destroy(map);
    clear_clip(&clip);
    vmaf_close(vmaf);
}

/* ---- memory ---- */

/* Every allocation of a map fails once. */
static void failing_allocations_are_reported(void **unused)
{
    VmafContext *const vmaf = create(feature_find("vif"), NULL);
    Clip clip;
    VmafMap *map = NULL;
    make_clip(&clip, &shapes[0]);
    const VmafMapPair pair = pair_of(&clip, 0);
    mem_fail_after(0);
    assert_int_equal(vmaf_map_create(&map, vmaf, 0, &pair), 0);
    const unsigned long allocations = mem_fail_after(1);
    vmaf_map_destroy(map);
    assert_true(allocations > 10);
    for (unsigned long n = 1; n <= allocations; n++) {
        mem_fail_after(n);
        assert_int_equal(vmaf_map_create(&map, vmaf, 0, &pair), -ENOMEM);
        assert_null(map);
    }
    mem_fail_after(0);
    clear_clip(&clip);
    vmaf_close(vmaf);
}

/* ---- arguments ---- */

static void bad_arguments_are_refused(void **unused)
{
    VmafContext *const vmaf = create(feature_find("motion"), NULL);
    VmafPicture ref = picture(&shapes[0], 0, 0), other = picture(&shapes[1], 0, 0);
    VmafMapPair pair = { .size = sizeof(pair), .ref = &ref, .dist = &other };
    VmafMapLayer layer = { .size = sizeof(layer) };
    const VmafPartValue *terms;
    double value;
    VmafMap *map = NULL;
    assert_int_equal(vmaf_map_create(&map, vmaf, 1, &pair), -ENOENT);
    assert_int_equal(vmaf_map_create(&map, vmaf, 0, &pair), -ENOTSUP);
    assert_int_equal(vmaf_use_feature(vmaf, "vif", NULL), 0);
    assert_int_equal(vmaf_map_create(&map, vmaf, 1, &pair), -EINVAL); /* two formats */
    assert_null(map);
    pair.dist = NULL;
    assert_int_equal(vmaf_map_create(&map, vmaf, 1, &pair), -EINVAL);
    pair = (VmafMapPair){ .size = 0, .ref = &ref, .dist = &ref };
    assert_int_equal(vmaf_map_create(&map, vmaf, 1, &pair), -EINVAL);
    pair.size = sizeof(pair);
    assert_int_equal(vmaf_map_create(&map, vmaf, 1, &pair), 0);
    assert_int_equal(vmaf_map_terms(map, 4, &terms), -ENOENT);
    assert_int_equal(vmaf_map_values(map, 4, 1, 1, &value), -ENOENT);
    assert_int_equal(vmaf_map_values(map, 0, 0, 1, &value), -EINVAL);
    layer.size = 0;
    assert_int_equal(vmaf_map_layer(map, 0, &layer), -EINVAL);
    vmaf_map_destroy(map);
    vmaf_map_destroy(NULL);
    vmaf_picture_unref(&ref);
    vmaf_picture_unref(&other);
    vmaf_close(vmaf);
}

TEST_MAIN(map)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_add_up_to_scores),
        cmocka_unit_test(cells_lie_where_pictures_differ),
        cmocka_unit_test(values_are_made_of_cells),
        cmocka_unit_test(the_border_has_no_values),
        cmocka_unit_test(failing_allocations_are_reported),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
