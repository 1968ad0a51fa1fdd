/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures beyond a device's limits are refused, or scored on the CPU if that was allowed;
 * alignments that a device needs are kept; and a device that computes wrong bits is not used. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "gpu/selftest.h"
#include "libvmaf/inspect.h"
#include "pairs.h"
#include "rig.h"
#include "score.h"
#include "tap.h"

static const SynthClip clip = { "small", SYNTH_MIX, 70, 36, VMAF_PIX_FMT_YUV420P, 8, 4 };
static const ClipFeature features[] = { { "psnr", { 0 } }, { "vif", { 0 } }, { "motion", { 0 } } };

/* ---- limits ---- */

static GpuLimits usual;

static int keep_limits(void **unused)
{
    usual = rig_gpu()->limits;
    return 0;
}

/* Scores a clip. True if any frame went to the device. */
static bool runs_there(void)
{
    ScoreRun run = { .clip = &clip, .features = features, .feature_count = COUNT(features) };
    char *wanted, *scores;
    assert_int_equal(0, score_run(&run, &wanted));
    run.device = rig_device();
    tap_open(rig_gpu());
    assert_int_equal(0, score_run(&run, &scores));
    const bool there = tap_calls(TAP_KERNEL_GET) > 0;
    tap_close();
    rig_gpu()->limits = usual;
    assert_true(score_same(wanted, scores));
    free(wanted);
    free(scores);
    return there;
}

static void test_limits(void **unused)
{
    const size_t plane = 128 * 36; /* rows of whole cache lines */
    assert_true(runs_there());
    rig_gpu()->limits.max_binding = plane - 1;
    assert_false(runs_there());
    for (unsigned i = 0; i < 2; i++) {
        rig_gpu()->limits.max_workgroups[i] = 0;
        assert_false(runs_there());
    }
    rig_gpu()->limits.max_workgroups[0] = 1; /* fits some of the features */
    rig_gpu()->limits.max_workgroups[1] = 1;
    runs_there();
}

/* ---- features run on the chosen device or fail ---- */

static char said[4096];
static bool required, quiet; /* as in VmafDeviceOptions */

static int read_first_pair(const ClipFeature *wanted, unsigned count)
{
    const VmafDeviceOptions options = { .size = sizeof(options),
                                        .backend = rig_gpu()->backend,
                                        .allow_software = 1,
                                        .required = required,
                                        .quiet = quiet };
    ScoreRun run = { .clip = &clip, .features = wanted, .feature_count = count };
    VmafContext *vmaf;
    assert_int_equal(0, vmaf_device_open(&run.device, &options));
    GpuDevice *gpu = rig_session(run.device)->device;
    gpu->limits = rig_gpu()->limits;
    assert_int_equal(0, score_open(&run, &vmaf));
    log_set_level(VMAF_LOG_LEVEL_WARNING);
    FILE *log = tmpfile();
    const int usual_stderr = dup(STDERR_FILENO);
    assert_non_null(log);
    assert_int_equal(STDERR_FILENO, dup2(fileno(log), STDERR_FILENO));
    const int err = score_read(&run, vmaf, 0, 0);
    fflush(stderr);
    assert_int_equal(STDERR_FILENO, dup2(usual_stderr, STDERR_FILENO));
    close(usual_stderr);
    assert_int_equal(0, vmaf_close(vmaf));
    vmaf_device_close(&run.device);
    rewind(log);
    said[fread(said, 1, sizeof(said) - 1, log)] = '\0';
    fclose(log);
    return err;
}

/* The first pair is refused, and the message names the limit. */
static void check_refusals(void)
{
    static const ClipFeature no_kernels[] = { { "on_cpu", { 0 } } };
    static const ClipFeature both[] = { { "on_cpu", { 0 } }, { "psnr", { 0 } } };
    static const ClipFeature unfit[] = { { "psnr", { 0 } },
                                         { "adm", { "adm_norm_view_dist", "1", NULL } } };
    assert_int_equal(0, read_first_pair(features, COUNT(features)));
    assert_int_equal(0, read_first_pair(both, COUNT(both)));
    assert_int_equal(required ? -EINVAL : 0, read_first_pair(no_kernels, COUNT(no_kernels)));
    assert_int_equal(required, strstr(said, "none of the features has code for a GPU") != NULL);
    assert_int_equal(-EINVAL, read_first_pair(unfit, COUNT(unfit)));
    assert_non_null(strstr(said, "\"adm\" cannot run on"));
    assert_non_null(strstr(said, "adm_norm_view_dist"));
    rig_gpu()->limits.max_binding = 4000;
    const int by_size = read_first_pair(features, COUNT(features));
    rig_gpu()->limits = usual;
    assert_int_equal(-EINVAL, by_size);
    assert_non_null(strstr(said, "the device's limit is 4000"));
    rig_gpu()->limits.max_workgroups[1] = 1;
    const int by_groups = read_first_pair(features, COUNT(features));
    rig_gpu()->limits = usual;
    assert_int_equal(-EINVAL, by_groups);
    assert_non_null(strstr(said, "workgroups down, and the device's limit is 1"));
}

/* A feature that has GPU code runs on the device or fails. With `required`, at least one feature
 * must have such code. */
static void test_required(void **unused)
{
    for (unsigned i = 0; i < 2; i++) {
        required = i;
        check_refusals();
    }
}

/* A feature without GPU code runs on the CPU, and the log says so, unless the program itself
 * does. */
static void test_beside(void **unused)
{
    static const ClipFeature both[] = { { "on_cpu", { 0 } }, { "psnr", { 0 } } };
    static const char told[] = "because they have no GPU code: on_cpu";
    required = false;
    assert_int_equal(0, read_first_pair(both, COUNT(both)));
    assert_non_null(strstr(said, told));
    assert_null(strstr(said, "psnr"));
    assert_int_equal(0, read_first_pair(both + 1, 1));
    assert_null(strstr(said, "no GPU code"));
    quiet = true;
    assert_int_equal(0, read_first_pair(both, COUNT(both)));
    assert_null(strstr(said, told));
    quiet = false;
}

/* Options that set both `required` and `fallback_cpu` are refused. */
static void test_contradiction(void **unused)
{
    VmafDevice *device = NULL;
    VmafDeviceOptions options = { .size = sizeof(options),
                                  .backend = rig_gpu()->backend,
                                  .allow_software = 1,
                                  .required = 1,
                                  .fallback_cpu = 1 };
    log_set_level(VMAF_LOG_LEVEL_NONE);
    assert_int_equal(-EINVAL, vmaf_device_open(&device, &options));
    assert_null(device);
    options.required = 0;
    char why[64];
    assert_int_equal(0, vmaf_device_missing(&options, why, sizeof(why)));
    assert_string_equal("", why);
    options.device = "no such device";
    assert_int_equal(-ENODEV, vmaf_device_missing(&options, why, sizeof(why)));
    assert_string_equal("no device is called \"no such device\"", why);
    assert_int_equal(-EINVAL, vmaf_device_missing(NULL, why, sizeof(why)));
    options.size = 1;
    assert_int_equal(-EINVAL, vmaf_device_missing(&options, why, sizeof(why)));
}

/* Features beyond the limit run on the CPU, with the same scores, or are refused on a required
 * device. */
static void test_many(void **unused)
{
    enum { MANY = FEATURE_SET_SIZE + 3 };
    static char limits[MANY][16];
    static ClipFeature many[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(limits[i], sizeof(limits[i]), "%.2f", 2 + 0.25 * i);
        many[i] = (ClipFeature){ "adm", { "adm_enhn_gain_limit", limits[i], NULL } };
    }
    const ScoreRun run = { .clip = &clip, .features = many, .feature_count = MANY };
    ScoreRun there = run;
    there.device = rig_device();
    char *wanted, *scores;
    VmafContext *vmaf;
    assert_int_equal(0, score_run(&run, &wanted));
    assert_int_equal(0, score_open(&there, &vmaf));
    for (unsigned t = 0; t < clip.frames; t++)
        assert_int_equal(0, score_read(&there, vmaf, t, t));
    for (unsigned i = 0; i < MANY; i++) {
        VmafFeatureInfo info = { .size = sizeof(info) };
        assert_int_equal(0, vmaf_feature_info(vmaf, i, &info));
        assert_string_equal(info.backend, i < FEATURE_SET_SIZE ? rig_gpu()->backend : "cpu");
    }
    assert_int_equal(0, score_close(vmaf, &scores));
    assert_true(score_same(wanted, scores));
    free(wanted);
    free(scores);
    assert_int_equal(0, read_first_pair(many, FEATURE_SET_SIZE));
    assert_int_equal(-EINVAL, read_first_pair(many, MANY));
    assert_non_null(strstr(said, "a context runs at most 64 features there"));
}

/* A device whose memory holds fewer frames than asked for still scores. */
static int (*real_buffer_create)(GpuDevice *, enum GpuMemory, size_t, GpuBuffer **);
static unsigned readbacks; /* one for each frame in flight */

static int small_memory(GpuDevice *gpu, enum GpuMemory memory, size_t size, GpuBuffer **buffer)
{
    *buffer = NULL;
    if (memory == GPU_READBACK && readbacks++ == 4)
        return -ENOMEM;
    return real_buffer_create(gpu, memory, size, buffer);
}

static void test_memory(void **unused)
{
    ScoreRun run = { .clip = &clip, .features = features, .feature_count = COUNT(features) };
    char *wanted, *scores;
    assert_int_equal(0, score_run(&run, &wanted));
    const GpuOps *const real = rig_gpu()->ops;
    GpuOps small = *real;
    real_buffer_create = real->buffer_create;
    small.buffer_create = small_memory;
    readbacks = 0;
    rig_gpu()->ops = &small;
    run.device = rig_device();
    const int err = score_run(&run, &scores);
    rig_gpu()->ops = real;
    assert_int_equal(0, err);
    assert_true(readbacks > 5); /* a shorter ring was tried */
    assert_true(score_same(wanted, scores));
    free(wanted);
    free(scores);
}

/* ---- alignment ---- */

/* Buffers begin at the device's alignment. */
static void test_alignment(void **unused)
{
    Pairs pairs;
    pairs_create(&pairs, &clip, features, COUNT(features));
    for (size_t alignment = usual.offset_alignment; alignment <= 8192; alignment *= 4) {
        rig_gpu()->limits.offset_alignment = alignment;
        const int wrong = pairs_stream(&pairs, rig_gpu(), &(PairsRun){ .depth = 3 });
        rig_gpu()->limits = usual;
        assert_int_equal(0, wrong);
    }
    pairs_destroy(&pairs);
}

/* ---- the self-test ---- */

static void no_dispatch(GpuCommands *commands, GpuKernel *kernel, GpuBindings *bindings,
                        const void *params, const unsigned groups[3])
{
}

static void (*real_dispatch)(GpuCommands *, GpuKernel *, GpuBindings *, const void *,
                             const unsigned[3]);

/* A dispatch that leaves out the kernels for large pictures. */
static void dispatch_few(GpuCommands *commands, GpuKernel *kernel, GpuBindings *bindings,
                         const void *params, const unsigned groups[3])
{
    if (groups[0] * groups[1] * groups[2] < 1000)
        real_dispatch(commands, kernel, bindings, params, groups);
}

/* Scores on a device with these operations. */
static int score_on(const GpuOps *ops, unsigned feature_count)
{
    const GpuSession *like = rig_session(rig_device());
    const GpuBackend *backend = like->backend;
    GpuProbe *probe;
    GpuDevice *device;
    GpuSession *session;
    assert_int_equal(0, backend->probe(backend, false, &probe));
    assert_int_equal(0, backend->open(probe, like->index, &device));
    device->ops = ops;
    assert_int_equal(0, session_adopt(&session, backend, device, &probe->devices[like->index], 0));
    backend->probe_end(probe);
    char *scores = NULL;
    const int err = score_run(&(ScoreRun){ .clip = &clip,
                                           .features = features,
                                           .feature_count = feature_count,
                                           .device = (VmafDevice *)session },
                              &scores);
    session_close(session);
    free(scores);
    return err;
}

static int (*real_kernel_get)(GpuDevice *, const KernelInfo *, GpuKernel **);
static atomic_bool asked_for_views;

static int note_views(GpuDevice *device, const KernelInfo *info, GpuKernel **kernel)
{
    if (strstr(info->name, "_views"))
        asked_for_views = true;
    return real_kernel_get(device, info, kernel);
}

/* The test of two adm that share a plan, without that of each by itself. */
static SelfTestSet joined_set(void)
{
    static const ClipFeature both[] = { { "adm", { 0 } },
                                        { "adm", { "adm_norm_view_dist", "5", NULL } } };
    Feature *two[COUNT(both)];
    const FeatureDef *const adm = feature_find("adm");
    Dict *dict;
    for (unsigned i = 0; i < COUNT(both); i++) {
        assert_int_equal(0, clip_options(&both[i], &dict));
        assert_int_equal(0, feature_create(&two[i], adm, dict));
    }
    const SelfTestSet set = selftest_set_of_all(two, 2, 3);
    assert_true(selftest_set_of_all(two, 2, 1) == selftest_set_of(adm)); /* one stays on the CPU */
    assert_true(set & selftest_set_of(adm));
    for (unsigned i = 0; i < COUNT(both); i++)
        feature_destroy(two[i]);
    return set & ~selftest_set_of(adm);
}

static uint64_t other_code(GpuDevice *dev, const KernelInfo *info)
{
    return 1;
}

/* Returns -ENOTSUP for a device whose kernels do nothing, unless a cached verdict says that these
 * kernels are good. */
static void test_selftest(void **unused)
{
    GpuDevice *gpu = rig_gpu();
    if (!gpu->ops->kernel_hash) {
        print_message("nothing but our code computes here: no self-test\n");
        return;
    }
    const bool may_use_doubles = rig_may_use_doubles();
    assert_int_equal(0, selftest_run(gpu, SELFTEST_ALL, 0));
    tap_open(gpu);
    assert_int_equal(0, selftest_run(gpu, SELFTEST_ALL, 0)); /* the verdict is cached */
    assert_int_equal(0, tap_calls(TAP_SUBMIT));
    tap_close();

    const GpuOps *real = gpu->ops;
    GpuOps broken = *real;
    broken.dispatch = no_dispatch;
    char cache[] = "/tmp/vmaf-selftest-XXXXXX", *own = getenv("VMAF_CACHE_DIR");
    assert_non_null(own);
    own = strdup(own);
    assert_non_null(mkdtemp(cache));
    setenv("VMAF_CACHE_DIR", cache, 1);
    log_set_level(VMAF_LOG_LEVEL_NONE);
    gpu->ops = &broken;
    int results[SELFTEST_DEPTHS + 7];
    unsigned at = 0;
    for (; at < SELFTEST_DEPTHS; at++) /* a verdict on a bad device is not cached */
        results[at] = selftest_run(gpu, SELFTEST_ALL, at);
    real_dispatch = real->dispatch;
    broken.dispatch = dispatch_few;
    results[at++] = selftest_run(gpu, selftest_set_of(feature_find("xpsnr")), 0);
    broken.dispatch = no_dispatch;
    real_kernel_get = real->kernel_get;
    broken.kernel_get = note_views;
    results[at++] = selftest_run(gpu, joined_set(), 0);
    const bool joined_ran = asked_for_views;
    broken.kernel_get = real_kernel_get;
    gpu->ops = real;
    setenv("VMAF_CACHE_DIR", "", 1); /* otherwise the driver would store its kernels there */
    results[at++] = score_on(&broken, COUNT(features));
    /* Another device of the same make, another driver version, other code, and kernels with doubles
     * each need a verdict of their own. */
    setenv("VMAF_CACHE_DIR", own, 1);
    gpu->ops = &broken;
    gpu->uuid[0] ^= 1;
    results[at++] = selftest_run(gpu, SELFTEST_ALL, 0);
    gpu->uuid[0] ^= 1;
    gpu->driver[0] ^= 1;
    results[at++] = selftest_run(gpu, SELFTEST_ALL, 0);
    gpu->driver[0] ^= 1;
    broken.kernel_hash = other_code;
    results[at++] = selftest_run(gpu, SELFTEST_ALL, 0);
    broken.kernel_hash = real->kernel_hash;
    gpu->tuning.doubles ^= may_use_doubles;
    results[at++] = may_use_doubles ? selftest_run(gpu, SELFTEST_ALL, 0) : -ENOTSUP;
    gpu->tuning.doubles ^= may_use_doubles;
    gpu->ops = real;
    free(own);
    assert_int_equal(0, rmdir(cache));
    assert_true(joined_ran);
    for (unsigned i = 0; i < COUNT(results); i++)
        assert_int_equal(-ENOTSUP, results[i]);
}

/* The number of readback buffers that the device has memory for, and the number that exists. */
static pthread_mutex_t room_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned room, used, most;
static const GpuBuffer *users[64];
static void (*real_buffer_destroy)(GpuDevice *, GpuBuffer *);

static int create_in_room(GpuDevice *gpu, enum GpuMemory memory, size_t size, GpuBuffer **buffer)
{
    if (memory != GPU_READBACK)
        return real_buffer_create(gpu, memory, size, buffer);
    *buffer = NULL;
    pthread_mutex_lock(&room_lock);
    const int err = used < room ? real_buffer_create(gpu, memory, size, buffer) : -ENOMEM;
    if (!err)
        users[used++] = *buffer;
    most = used > most ? used : most;
    pthread_mutex_unlock(&room_lock);
    return err;
}

static void destroy_in_room(GpuDevice *gpu, GpuBuffer *buffer)
{
    pthread_mutex_lock(&room_lock);
    for (unsigned i = 0; buffer && i < used; i++)
        if (users[i] == buffer)
            users[i] = users[--used];
    pthread_mutex_unlock(&room_lock);
    real_buffer_destroy(gpu, buffer);
}

/* A device that has memory for the frames or for the self-test, but not for both at once. */
static void test_selftest_memory(void **unused)
{
    const GpuOps *const real = rig_gpu()->ops;
    char *own = getenv("VMAF_CACHE_DIR");
    GpuOps tight = *real;
    if (!real->kernel_hash)
        return; /* this backend has no self-test */
    real_buffer_create = real->buffer_create;
    real_buffer_destroy = real->buffer_destroy;
    tight.buffer_create = create_in_room;
    tight.buffer_destroy = destroy_in_room;
    room = COUNT(users);
    assert_non_null(own);
    own = strdup(own);
    assert_int_equal(0, score_on(&tight, 1)); /* from now on the verdict is cached */
    most = 0;
    assert_int_equal(0, score_on(&tight, 1));
    room = most; /* enough for the frames */
    assert_int_equal(0, used);
    log_set_level(VMAF_LOG_LEVEL_NONE);
    setenv("VMAF_CACHE_DIR", "", 1);
    const int err = score_on(&tight, 1);
    setenv("VMAF_CACHE_DIR", own, 1);
    free(own);
    assert_int_equal(0, err);
    assert_int_equal(0, used);
}

TEST_MAIN(limits)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_limits, keep_limits),
        cmocka_unit_test_setup(test_required, keep_limits),
        cmocka_unit_test(test_beside),
        cmocka_unit_test(test_contradiction),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_memory),
        cmocka_unit_test_setup(test_alignment, keep_limits),
        cmocka_unit_test(test_selftest),
        cmocka_unit_test(test_selftest_memory),
    };
    return RIG_RUN(argc, argv, tests);
}
