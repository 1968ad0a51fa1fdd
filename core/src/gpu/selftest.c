/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/selftest.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/team.h"
#include "gpu/kernels.h"
#include "gpu/cachefile.h"
#include "gpu/feature_gpu.h"
#include "gpu/plan.h"
#include "gpu/stream.h"

/* The default size of the test pictures: odd, no multiple of a tile, and large enough for most
 * features. Features that need more set test_w and test_h. */
#define TEST_W 219
#define TEST_H 183

#define JOINED_BIT 32 /* bit of a SelfTestSet */

/* The record of a passed test. Its text holds everything that the verdict depends on. */
typedef struct Verdict {
    char text[1024];
    size_t size;   /* size of the text, with its final 0 */
    char name[64]; /* name of the file in the cache folder */
} Verdict;

static void print_hex(char *text, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sprintf(text + 2 * i, "%02x", bytes[i]);
}

/* Computes one hash of the code of all kernels as this device gets it, and of which variants it
 * runs. */
static void hash_kernels(GpuDevice *device, uint8_t hash[SIPHASH_SIZE])
{
    memset(hash, 0, SIPHASH_SIZE);
    for (const KernelInfo *all = kernel_infos; all->name; all++) {
        const KernelInfo *info = gpu_kernel_for(device, all->name);
        const uint64_t code = device->ops->kernel_hash(device, info);
        siphash(hash, info->name, strlen(info->name), hash);
        siphash(hash, &code, sizeof(code), hash);
    }
}

static void make_verdict(GpuDevice *device, const uint8_t kernels_hash[SIPHASH_SIZE],
                         const FeatureDef *def, bool joined, unsigned bpc, Verdict *verdict)
{
    static const uint8_t no_key[SIPHASH_SIZE];
    uint8_t hash[SIPHASH_SIZE];
    char kernels[2 * SIPHASH_SIZE + 1], uuid[2 * sizeof(device->uuid) + 1];
    print_hex(kernels, kernels_hash, SIPHASH_SIZE);
    print_hex(uuid, device->uuid, sizeof(device->uuid));
    const int n = snprintf(
        verdict->text, sizeof(verdict->text),
        "passed\nfeature %s%s at %u bits\nbackend %s\ndevice %s\nUUID %s\ndriver %s\nbuild %s\nkernels %s\n",
        def->name, joined ? " joined" : "", bpc, device->backend, device->name, uuid,
        device->driver, build_id, kernels);
    verdict->size = (size_t)n + 1;
    siphash(no_key, verdict->text, verdict->size, hash);
    strcpy(verdict->name, "selftest-");
    print_hex(verdict->name + strlen(verdict->name), hash, sizeof(hash));
}

static bool is_remembered(const Verdict *verdict)
{
    void *data;
    size_t size;
    if (cachefile_read(verdict->name, &data, &size))
        return false;
    const bool same = size == verdict->size && !memcmp(data, verdict->text, size);
    mem_free(data);
    return same;
}

/* Each case is a task of its own for these threads. */
#define TEST_THREADS 16

typedef struct TestCase {
    const FeatureDef *def;
    bool joined; /* two features share a plan */
} TestCase;

typedef struct SelfTest {
    GpuDevice *device;
    unsigned bpc;
    uint8_t kernels_hash[SIPHASH_SIZE];
    TestCase cases[8 * sizeof(SelfTestSet)];
    unsigned count;
    /* The first error; the other cases are then skipped, and only this error is logged. */
    atomic_int err;
} SelfTest;

static void report_failure(GpuDevice *device, const GpuCheck *check, int result,
                           const char *kernels)
{
    if (result == 1)
        log_error("%s: %s (%s) computes wrong bits: %s at %u bits, kernels %s", device->backend,
                  device->name, device->driver, check->def->name, check->shape.bpc, kernels);
    else
        log_error("%s: the self-test of %s could not run on %s (%d)", device->backend,
                  check->def->name, device->name, result);
}

/* Tests pictures of one size. Returns the same values as gpu_check. *check describes the last
 * test. */
static int check_size(const SelfTest *test, GpuCheck *check, unsigned w, unsigned h, char *kernels,
                      size_t size)
{
    shape_init(&check->shape, VMAF_PIX_FMT_YUV420P, test->bpc, w, h);
    check->content = CHECK_TEXTURE;
    int result = gpu_check(test->device, check, kernels, size);
    check->content = CHECK_BANDS; /* textures contain no banding */
    if (!result)
        result = gpu_check(test->device, check, kernels, size);
    return result;
}

/* Runs the check of FeatureGpu.first_check. On success `check` describes the feature itself
 * again. */
static int check_first(const SelfTest *test, GpuCheck *check, char *kernels, size_t size)
{
    const FeatureDef *const def = check->def;
    if (!def->gpu->first_check)
        return 0;
    check->def = def->gpu->first_check;
    const int result = check_size(test, check, TEST_W, TEST_H, kernels, size);
    if (!result)
        check->def = def;
    return result;
}

static void run_job(void *arg, unsigned job)
{
    SelfTest *test = arg;
    const TestCase *const own = &test->cases[job];
    const FeatureGpu *const gpu = own->def->gpu;
    GpuCheck check = { .def = own->def,
                       .joined_options = own->joined ? gpu->joined_options : NULL,
                       .seed = 1 };
    char kernels[512] = "";
    int none = 0;
    if (atomic_load(&test->err))
        return;
    int result = check_first(test, &check, kernels, sizeof(kernels));
    if (!result)
        result = check_size(test, &check, gpu->test_w ? gpu->test_w : TEST_W,
                            gpu->test_h ? gpu->test_h : TEST_H, kernels, sizeof(kernels));
    if (!result && gpu->large_w)
        result = check_size(test, &check, gpu->large_w, gpu->large_h, kernels, sizeof(kernels));
    if (!result) {
        Verdict verdict;
        make_verdict(test->device, test->kernels_hash, own->def, own->joined, test->bpc, &verdict);
        cachefile_write(verdict.name, verdict.text, verdict.size);
    } else if (result != -ENOTSUP && /* the feature has no kernels for such pictures */
               atomic_compare_exchange_strong(&test->err, &none, result == 1 ? -ENOTSUP : result)) {
        /* Only the first failure is logged, since others often have the same cause. */
        report_failure(test->device, &check, result, kernels);
    }
}

static void add_case(SelfTest *test, const FeatureDef *def, bool joined)
{
    Verdict verdict;
    make_verdict(test->device, test->kernels_hash, def, joined, test->bpc, &verdict);
    if (!is_remembered(&verdict))
        test->cases[test->count++] = (TestCase){ def, joined };
}

static unsigned number_of(const FeatureDef *def)
{
    unsigned number = 0;
    while (strcmp(feature_registry[number]->name, def->name) != 0)
        number++;
    assert(number < JOINED_BIT);
    return number;
}

static SelfTestSet joined_set_of(const FeatureDef *def)
{
    return (SelfTestSet)1 << (JOINED_BIT + number_of(def));
}

/* Lists the cases without a verdict. */
static void list_cases(SelfTest *test, SelfTestSet wanted)
{
    for (const FeatureDef *const *def = feature_registry; *def; def++) {
        if ((*def)->gpu && wanted & selftest_set_of(*def))
            add_case(test, *def, false);
        if ((*def)->gpu && (*def)->gpu->plan_all && wanted & joined_set_of(*def))
            add_case(test, *def, true);
    }
}

SelfTestSet selftest_set_of(const FeatureDef *def)
{
    return (SelfTestSet)1 << number_of(def);
}

SelfTestSet selftest_set_of_all(Feature *const *features, unsigned count, FeatureSet taken)
{
    SelfTestSet set = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!(taken >> i & 1))
            continue;
        set |= selftest_set_of(features[i]->def);
        for (unsigned j = 0; j < i; j++)
            if (taken >> j & 1 && can_share_plan(features[j], features[i]))
                set |= joined_set_of(features[i]->def);
    }
    return set;
}

int selftest_run(GpuDevice *device, SelfTestSet features, unsigned depth)
{
    SelfTest test = { .device = device, .bpc = selftest_bits(depth) };
    Team *team;
    hash_kernels(device, test.kernels_hash);
    list_cases(&test, features);
    if (!test.count)
        return 0;
    const int err = team_create(&team, test.count < TEST_THREADS ? test.count : TEST_THREADS);
    if (err)
        return err;
    team_run(team, test.count, run_job, &test);
    team_destroy(team);
    return atomic_load(&test.err);
}

/* Enough for features that look two frames back. */
#define CHECK_FRAMES 3

/* A feature under test. */
typedef struct Tested {
    Feature *feature;
    bool ready; /* init was called */
    void *scratch;
    void *cpu, *gpu; /* results */
} Tested;

typedef struct Check {
    Tested tested[2]; /* the second is for GpuCheck.joined_options */
    unsigned count;
    VmafPicture ref[CHECK_FRAMES], dist[CHECK_FRAMES];
} Check;

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static unsigned sample(const GpuCheck *check, unsigned frame, unsigned x, unsigned y, bool is_dist,
                       uint32_t *noise)
{
    const unsigned peak = (1u << check->shape.bpc) - 1;
    if (check->content == CHECK_FLAT)
        return is_dist ? peak / 3 : peak / 2;
    if (check->content == CHECK_EXTREMES)
        return next_random(noise) & 1 ? peak : 0;
    if (check->content == CHECK_BANDS) {
        /* Steps of one code value (of 10 bits, or of 8 at a depth of 8), and brighter areas far
         * from them. */
        const unsigned bpc = check->shape.bpc, band = x / 37 + y / (is_dist ? 29 : 53) + frame;
        const unsigned far = x / 48 % 2 ? peak / 4 : 0;
        return peak / 5 + far + (band % 23 << (bpc > 10 ? bpc - 10 : 0));
    }
    const unsigned step = is_dist ? 8 : 3, moved = x + 5 * frame;
    unsigned value = (moved / step * 7 + y / step * 5) % 200;
    if ((moved / 24 + y / 16) % 3 == 0)
        value = 200 - value;
    value += next_random(noise) % (is_dist ? 56 : 16);
    value = value << (check->shape.bpc - 8) | (next_random(noise) & (peak >> 8));
    return value < peak ? value : peak;
}

static void paint(const GpuCheck *check, VmafPicture *pic, unsigned frame, bool is_dist)
{
    for (unsigned p = 0; p < 3; p++) {
        uint32_t noise = check->seed * 747796405u + frame * 31u + p * 7u + is_dist;
        for (unsigned y = 0; pic->data[p] && y < pic->h[p]; y++) {
            uint8_t *row = (uint8_t *)pic->data[p] + y * pic->stride[p];
            for (unsigned x = 0; x < pic->w[p]; x++) {
                const unsigned value = sample(check, frame, x, y, is_dist, &noise);
                if (pic->bpc > 8)
                    ((uint16_t *)row)[x] = (uint16_t)value;
                else
                    row[x] = (uint8_t)value;
            }
        }
    }
}

static int prepare_feature(Tested *t, const GpuCheck *check, const char *const *options)
{
    Dict *dict = NULL;
    int err = 0;
    for (const char *const *o = options; o && *o && !err; o += 2)
        err = dict_set(&dict, o[0], o[1]);
    if (!err)
        err = feature_create(&t->feature, check->def, dict);
    if (err) {
        dict_destroy(dict);
        return err;
    }
    Feature *f = t->feature;
    f->shape = check->shape;
    f->planes = f->def->flags & FEATURE_CHROMA && shape_has_chroma(&check->shape) ? 7 : 1;
    t->ready = true;
    if (f->def->init && (err = f->def->init(f)))
        return err == -ENOMEM ? err : -ENOTSUP;
    if (f->def->scratch_create && (err = f->def->scratch_create(f, &t->scratch)))
        return err;
    t->cpu = mem_zalloc(f->def->result_size);
    t->gpu = mem_zalloc(f->def->result_size);
    return t->cpu && t->gpu ? 0 : -ENOMEM;
}

static int prepare(Check *c, const GpuCheck *check)
{
    c->count = check->joined_options ? 2 : 1;
    int err = prepare_feature(&c->tested[0], check, check->options);
    if (!err && check->joined_options)
        err = prepare_feature(&c->tested[1], check, check->joined_options);
    for (unsigned i = 0; i < CHECK_FRAMES && !err; i++) {
        err = picture_alloc(&c->ref[i], &check->shape);
        if (!err)
            err = picture_alloc(&c->dist[i], &check->shape);
        if (err)
            return err;
        paint(check, &c->ref[i], i, false);
        paint(check, &c->dist[i], i, true);
    }
    return err;
}

static FramePair pair_of(const Check *c, unsigned i)
{
    return (FramePair){
        .ref = &c->ref[i],
        .dist = &c->dist[i],
        .prev_ref = { i > 0 ? &c->ref[i - 1] : NULL, i > 1 ? &c->ref[i - 2] : NULL },
        .prev_dist = i > 0 ? &c->dist[i - 1] : NULL,
        .position = i,
    };
}

static int run_cpu(const Check *c, const Tested *t)
{
    int err = 0;
    for (unsigned i = 0; i < CHECK_FRAMES && !err; i++) {
        const FramePair pair = pair_of(c, i);
        err = t->feature->def->measure(t->feature, t->scratch, &pair, t->cpu, NULL);
    }
    return err;
}

static int run_gpu(Check *c, GpuDevice *device)
{
    Feature *const features[] = { c->tested[0].feature, c->tested[1].feature };
    void *const results[] = { c->tested[0].gpu, c->tested[1].gpu };
    const FeatureSet all = ((FeatureSet)1 << c->count) - 1;
    GpuStream *stream;
    FeatureSet taken;
    int err = stream_create(&stream,
                            &(GpuStreamParams){ .device = device,
                                                .features = features,
                                                .feature_count = c->count,
                                                .depth = 2,
                                                .never_on_cpu = true },
                            &taken);
    if (err)
        return err;
    if (taken != all)
        err = -ENOTSUP;
    for (unsigned i = 0; i < CHECK_FRAMES && !err; i++) {
        const FramePair pair = pair_of(c, i);
        err = stream_submit(stream, &pair, all);
        if (!err)
            err = stream_collect(stream, results);
    }
    stream_destroy(stream);
    return err;
}

static bool is_same(const Tested *t)
{
    const FeatureDef *const def = t->feature->def;
    return def->gpu->same ? def->gpu->same(t->feature, t->cpu, t->gpu)
                          : !memcmp(t->cpu, t->gpu, def->result_size);
}

/* Creates the plan that ran. */
static int plan_of(const Check *c, GpuPlan **plan)
{
    const Feature *const all[] = { c->tested[0].feature, c->tested[1].feature };
    return c->count > 1 ? plan_create_shared(plan, all, c->count) : plan_create(plan, all[0]);
}

static void name_kernels(const GpuDevice *device, const Check *c, char *names, size_t size)
{
    GpuPlan *plan;
    if (!size || plan_of(c, &plan))
        return;
    names[0] = '\0';
    for (unsigned p = 0; p < plan->pass_count; p++) {
        const char *kernel = plan->passes[p].kernel;
        const size_t used = strlen(names);
        unsigned first = 0; /* the first pass that runs this kernel */
        while (strcmp(plan->passes[first].kernel, kernel) != 0)
            first++;
        if (first == p)
            snprintf(names + used, size - used, "%s%s", used ? ", " : "",
                     gpu_kernel_for(device, kernel)->name);
    }
    plan_destroy(plan);
}

static void clean(Check *c)
{
    for (unsigned i = 0; i < CHECK_FRAMES; i++) {
        picture_release(&c->ref[i]);
        picture_release(&c->dist[i]);
    }
    for (unsigned i = 0; i < c->count; i++) {
        Tested *const t = &c->tested[i];
        mem_free(t->cpu);
        mem_free(t->gpu);
        if (t->scratch)
            t->feature->def->scratch_destroy(t->scratch);
        if (t->ready && t->feature->def->close)
            t->feature->def->close(t->feature);
        feature_destroy(t->feature);
    }
}

int gpu_check(GpuDevice *device, const GpuCheck *check, char *names, size_t names_size)
{
    Check c = { 0 };
    int err = prepare(&c, check);
    for (unsigned i = 0; i < c.count && !err; i++)
        err = run_cpu(&c, &c.tested[i]);
    if (!err)
        err = run_gpu(&c, device);
    if (!err) {
        for (unsigned i = 0; i < c.count; i++)
            err |= !is_same(&c.tested[i]);
        name_kernels(device, &c, names, names_size);
    }
    clean(&c);
    return err;
}
