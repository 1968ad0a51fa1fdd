/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* VMAF_BACKEND in the environment, under a program that knows nothing of it: scores there, to the
 * last bit those of the CPU, or an error that is seen whatever the program's log level. The device
 * is the host backend, which every machine has. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pthread.h>

#include <libvmaf/device.h>
#include <libvmaf/inspect.h>
#include <libvmaf/libvmaf.h>
#include <libvmaf/libvmaf_vulkan.h>

#include "clip.h"
#include "testing.h"

#define W 96
#define H 80
#define FRAMES 6
#define MOTION2 "VMAF_integer_feature_motion2_score"

/* ---- what is said ---- */

static char said[65536];
static FILE *log_file;
static int stderr_before;

static void listen(void)
{
    fflush(stderr);
    log_file = tmpfile();
    assert_non_null(log_file);
    stderr_before = dup(2);
    assert_true(stderr_before >= 0 && dup2(fileno(log_file), 2) == 2);
}

static void stop_listening(void)
{
    fflush(stderr);
    assert_int_equal(2, dup2(stderr_before, 2));
    close(stderr_before);
    rewind(log_file);
    said[fread(said, 1, sizeof(said) - 1, log_file)] = '\0';
    fclose(log_file);
}

static unsigned times_said(const char *words)
{
    unsigned count = 0;
    for (const char *at = said; (at = strstr(at, words)); at++)
        count++;
    return count;
}

static void ask(const char *backend)
{
    assert_int_equal(0, backend ? setenv("VMAF_BACKEND", backend, 1) : unsetenv("VMAF_BACKEND"));
}

static int tidy(void **unused)
{
    ask(NULL);
    return unsetenv("VMAF_LOG") | unsetenv("VMAF_ALLOW_SOFTWARE");
}

/* ---- a program ---- */

static VmafContext *start(unsigned threads, unsigned subsample, uint64_t gpumask)
{
    VmafContext *vmaf;
    const VmafConfiguration cfg = { .log_level = VMAF_LOG_LEVEL_NONE,
                                    .n_threads = threads,
                                    .n_subsample = subsample,
                                    .gpumask = gpumask };
    assert_int_equal(0, vmaf_init(&vmaf, cfg));
    return vmaf;
}

static int read_frame(VmafContext *vmaf, unsigned t)
{
    VmafPicture ref, dist;
    assert_int_equal(0, clip_alloc(&ref, W, H, t, 0));
    assert_int_equal(0, clip_alloc(&dist, W, H, t, 1));
    const int err = vmaf_read_pictures(vmaf, &ref, &dist, t);
    /* A failed read leaves them with the caller. */
    assert_true(!ref.ref == !err && !dist.ref == !err);
    if (ref.ref)
        vmaf_picture_unref(&ref);
    if (dist.ref)
        vmaf_picture_unref(&dist);
    return err;
}

static void read_all(VmafContext *vmaf)
{
    for (unsigned t = 0; t < FRAMES; t++)
        assert_int_equal(0, read_frame(vmaf, t));
    assert_int_equal(0, vmaf_read_pictures(vmaf, NULL, NULL, 0));
}

typedef struct Scores {
    double vmaf[FRAMES];
    char backend[16]; /* where motion ran */
} Scores;

static const char *place_of(VmafContext *vmaf, const char *extractor)
{
    VmafFeatureInfo info = { .size = sizeof(info) };
    for (unsigned i = 0; !vmaf_feature_info(vmaf, i, &info); i++)
        if (!strcmp(info.extractor, extractor))
            return info.backend;
    return "nowhere";
}

static void score(unsigned threads, unsigned subsample, uint64_t gpumask, Scores *out)
{
    VmafModel *model;
    VmafModelConfig config = { .name = "vmaf" };
    *out = (Scores){ 0 };
    VmafContext *vmaf = start(threads, subsample, gpumask);
    assert_int_equal(0, vmaf_model_load(&model, &config, "vmaf_v0.6.1"));
    assert_int_equal(0, vmaf_use_features_from_model(vmaf, model));
    read_all(vmaf);
    for (unsigned t = 0; t < FRAMES; t += subsample ? subsample : 1)
        assert_int_equal(0, vmaf_score_at_index(vmaf, model, &out->vmaf[t], t));
    snprintf(out->backend, sizeof(out->backend), "%s", place_of(vmaf, "motion"));
    assert_int_equal(0, vmaf_close(vmaf));
    vmaf_model_destroy(model);
}

/* ---- tests ---- */

/* Runs first, because a process warns of a device only once. The program's log level is NONE, which
 * does not silence this warning: only the user can. */
static void test_warning(void **unused)
{
    const VmafDeviceOptions options = { .size = sizeof(options), .backend = "host" };
    listen();
    for (unsigned i = 0; i < 5; i++) {
        if (i < 2)
            setenv("VMAF_LOG", i ? "error" : "none", 1);
        else
            unsetenv("VMAF_LOG");
        VmafContext *vmaf = start(0, 0, 0); /* sets the level */
        VmafDevice *device;
        assert_int_equal(0, vmaf_device_open(&device, &options));
        vmaf_device_close(&device);
        assert_int_equal(0, vmaf_close(vmaf));
    }
    stop_listening();
    assert_int_equal(1, times_said("libvmaf WARNING host: "));
    assert_int_equal(1, times_said(" is a software device: a CPU computes the scores"));
    assert_int_equal(1, times_said("\n"));
}

static void test_scores(void **unused)
{
    for (unsigned threads = 0; threads < 4; threads += 3)
        for (unsigned subsample = 0; subsample < 3; subsample += 2) {
            Scores wanted, scores;
            ask(NULL);
            score(threads, subsample, 0, &wanted);
            assert_string_equal("cpu", wanted.backend);
            ask("host");
            score(threads, subsample, 0, &scores);
            assert_string_equal("host", scores.backend);
            assert_memory_equal(wanted.vmaf, scores.vmaf, sizeof(wanted.vmaf));
            ask("host:0");
            score(threads, subsample, 0, &scores);
            assert_string_equal("host", scores.backend);
            assert_memory_equal(wanted.vmaf, scores.vmaf, sizeof(wanted.vmaf));
        }
}

/* Values that select the CPU. */
static void test_cpu(void **unused)
{
    Scores wanted, scores;
    score(0, 0, 0, &wanted);
    const char *const words[] = { "", "cpu" };
    listen();
    for (unsigned i = 0; i < COUNT(words); i++) {
        ask(words[i]);
        score(0, 0, 0, &scores);
        assert_string_equal("cpu", scores.backend);
        assert_memory_equal(wanted.vmaf, scores.vmaf, sizeof(wanted.vmaf));
    }
    /* The program itself says so. */
    ask("host");
    score(0, 0, 1, &scores);
    stop_listening();
    assert_string_equal("cpu", scores.backend);
    assert_string_equal("", said);
}

static void test_bad_values(void **unused)
{
    static const char *const words[] = { "vulkna", "host:",  "cpu:0", ":",
                                         ":0",     "Vulkan", "all",   "cpu:" };
    for (unsigned i = 0; i < COUNT(words); i++) {
        ask(words[i]);
        VmafContext *vmaf = start(0, 0, 0);
        assert_int_equal(0, vmaf_use_feature(vmaf, "motion", NULL));
        listen();
        assert_int_equal(-EINVAL, read_frame(vmaf, 0));
        stop_listening();
        assert_int_equal(0, vmaf_close(vmaf));
        assert_int_equal(1, times_said("libvmaf ERROR"));
        char named[64];
        snprintf(named, sizeof(named), "VMAF_BACKEND=%s is not understood", words[i]);
        assert_int_equal(1, times_said(named));
        assert_int_equal(1, times_said("cuda, hip, vulkan, sycl, cpu or auto"));
    }
}

/* No such device: every read fails, aloud, and the CPU never takes over. */
static void test_no_device(void **unused)
{
    ask("host:no such device");
    VmafContext *vmaf = start(0, 0, 0);
    assert_int_equal(0, vmaf_use_feature(vmaf, "motion", NULL));
    const VmafPictureConfiguration pool = { .pic_params = { W, H, 8, VMAF_PIX_FMT_YUV420P },
                                            .pic_cnt = 4 };
    listen();
    for (unsigned t = 0; t < 3; t++)
        assert_int_equal(-ENODEV, read_frame(vmaf, 0));
    stop_listening();
    assert_int_equal(3, times_said("no device is called \"no such device\""));
    assert_int_equal(3, times_said("VMAF_BACKEND=host:no such device"));
    listen();
    assert_int_equal(-ENODEV, vmaf_preallocate_pictures(vmaf, pool));
    assert_int_equal(-ENODEV, vmaf_use_feature(vmaf, "vif_host", NULL));
    stop_listening();
    assert_int_equal(2, times_said("VMAF_BACKEND=host:no such device"));
    /* The user may ask for silence. */
    assert_int_equal(0, setenv("VMAF_LOG", "none", 1));
    assert_int_equal(0, vmaf_close(vmaf));
    listen();
    vmaf = start(0, 0, 0);
    assert_int_equal(0, vmaf_use_feature(vmaf, "motion", NULL));
    assert_int_equal(-ENODEV, read_frame(vmaf, 0));
    stop_listening();
    assert_string_equal("", said);
    assert_int_equal(0, vmaf_close(vmaf));
}

/* A device from the program has priority: the environment's device is not even looked for. */
static void test_explicit(void **unused)
{
    VmafDevice *device;
    const VmafDeviceOptions options = { .size = sizeof(options), .backend = "host" };
    assert_int_equal(0, vmaf_device_open(&device, &options));
    ask("host:no such device");
    listen();
    for (unsigned late = 0; late < 2; late++) {
        VmafContext *vmaf = start(0, 0, 0);
        if (!late)
            assert_int_equal(0, vmaf_use_device(vmaf, device));
        assert_int_equal(0, vmaf_use_feature(vmaf, "motion", NULL));
        if (late)
            assert_int_equal(0, vmaf_use_device(vmaf, device));
        read_all(vmaf);
        assert_string_equal("host", place_of(vmaf, "motion"));
        assert_int_equal(0, vmaf_close(vmaf));
    }
    /* The CPU can be given, too. */
    static const char *const words[] = { "host:no such device", "host", "vulkna" };
    for (unsigned i = 0; i < COUNT(words); i++) {
        ask(words[i]);
        VmafContext *vmaf = start(0, 0, 0);
        if (i == 1) /* asked for before */
            assert_true(vmaf_pairs_in_flight(vmaf) > 1);
        assert_int_equal(0, vmaf_use_device(vmaf, NULL));
        assert_int_equal(1, vmaf_pairs_in_flight(vmaf));
        assert_int_equal(0, vmaf_use_feature(vmaf, "motion", NULL));
        read_all(vmaf);
        assert_string_equal("cpu", place_of(vmaf, "motion"));
        assert_int_equal(-EINVAL, vmaf_use_device(vmaf, device));
        assert_int_equal(0, vmaf_close(vmaf));
    }
    assert_int_equal(-EINVAL, vmaf_use_device(NULL, NULL));
    stop_listening();
    assert_int_equal(COUNT(words), times_said("a GPU must be imported before the first picture"));
    assert_int_equal(COUNT(words), times_said("\n"));
    vmaf_device_close(&device);
}

/* "auto" and "cpu" are words of the environment and the command; a program names a backend. */
static void test_unknown_backends(void **unused)
{
    static const char *const names[] = { NULL, "", "auto", "cpu", "vulkna" };
    for (unsigned i = 0; i < COUNT(names); i++) {
        const VmafDeviceOptions options = { .size = sizeof(options), .backend = names[i] };
        VmafDevice *device;
        setenv("VMAF_LOG", "error", 1);
        assert_int_equal(0, vmaf_close(start(0, 0, 0))); /* sets the level */
        listen();
        assert_int_equal(-EINVAL, vmaf_device_open(&device, &options));
        stop_listening();
        assert_null(device);
        assert_int_equal(1, times_said("use one of vmaf_backend_name()"));
        assert_int_equal(1, times_said(names[i] ? "an unknown backend" : "no backend"));
    }
}

/* A device and a mask that keeps features off it contradict each other. The program cannot silence
 * the warning. */
static void test_masked(void **unused)
{
    for (int required = 0; required < 2; required++) {
        assert_int_equal(0, required ? setenv("VMAF_LOG", "error", 1) : unsetenv("VMAF_LOG"));
        const VmafDeviceOptions options = { .size = sizeof(options),
                                            .backend = "host",
                                            .required = required };
        VmafDevice *device;
        VmafContext *vmaf = start(0, 0, 1);
        assert_int_equal(0, vmaf_device_open(&device, &options));
        listen();
        assert_int_equal(required ? -EINVAL : 0, vmaf_use_device(vmaf, device));
        stop_listening();
        assert_int_equal(1, times_said(required ? "but gpumask keeps" : "WARNING gpumask is set"));
        if (!required) {
            assert_int_equal(0, vmaf_use_feature(vmaf, "motion", NULL));
            read_all(vmaf);
            assert_string_equal("cpu", place_of(vmaf, "motion"));
        }
        assert_int_equal(0, vmaf_close(vmaf));
        vmaf_device_close(&device);
    }
}

/* Features without GPU code run beside it, and that is said once; where all are such, nothing
 * runs. */
static void test_features(void **unused)
{
    ask("host");
    assert_int_equal(0, setenv("VMAF_LOG", "info", 1));
    listen();
    for (unsigned i = 0; i < 2; i++) {
        VmafContext *vmaf = start(0, 0, 0);
        assert_int_equal(0, vmaf_use_feature(vmaf, "motion", NULL));
        assert_int_equal(0, vmaf_use_feature(vmaf, "null", NULL));
        assert_int_equal(0, vmaf_use_feature(vmaf, "vif_host", NULL));
        read_all(vmaf);
        assert_string_equal("host", place_of(vmaf, "motion"));
        assert_string_equal("host", place_of(vmaf, "vif"));
        assert_string_equal("cpu", place_of(vmaf, "null"));
        assert_int_equal(0, vmaf_close(vmaf));
    }
    stop_listening();
    assert_int_equal(2, times_said("(host): motion, vif\n"));
    assert_int_equal(1, times_said("cannot run there: null\n"));
    VmafContext *vmaf = start(0, 0, 0);
    assert_int_equal(0, vmaf_use_feature(vmaf, "null", NULL));
    listen();
    assert_int_equal(-EINVAL, read_frame(vmaf, 0));
    stop_listening();
    assert_int_equal(1, times_said("libvmaf ERROR"));
    assert_int_equal(0, vmaf_close(vmaf));
}

/* ---- one device ---- */

static void *score_alone(void *scores)
{
    score(2, 0, 0, scores);
    return NULL;
}

/* However many contexts, one after another and at once. */
static void test_shared(void **unused)
{
    Scores wanted, scores[4];
    score(0, 0, 0, &wanted);
    /* A spelling that no other test has. */
    ask("host:00");
    assert_int_equal(0, setenv("VMAF_LOG", "debug", 1));
    listen();
    pthread_t threads[COUNT(scores)];
    for (unsigned i = 0; i < COUNT(scores); i++)
        assert_int_equal(0, pthread_create(&threads[i], NULL, score_alone, &scores[i]));
    for (unsigned i = 0; i < COUNT(scores); i++)
        assert_int_equal(0, pthread_join(threads[i], NULL));
    VmafContext *vmaf[3];
    for (unsigned i = 0; i < COUNT(vmaf); i++) {
        vmaf[i] = start(i, 0, 0);
        assert_int_equal(0, vmaf_use_feature(vmaf[i], "motion", NULL));
    }
    for (unsigned t = 0; t < FRAMES; t++)
        for (unsigned i = 0; i < COUNT(vmaf); i++)
            assert_int_equal(0, read_frame(vmaf[i], t));
    for (unsigned i = 0; i < COUNT(vmaf); i++)
        assert_int_equal(0, vmaf_close(vmaf[i])); /* never flushed */
    stop_listening();
    for (unsigned i = 0; i < COUNT(scores); i++) {
        assert_string_equal("host", scores[i].backend);
        assert_memory_equal(wanted.vmaf, scores[i].vmaf, sizeof(wanted.vmaf));
    }
    assert_int_equal(1, times_said(": chosen\n"));
}

/* A child opens its own; the parent's goes on. */
static void test_fork(void **unused)
{
    Scores wanted, scores;
    score(0, 0, 0, &wanted);
    ask("host:000");
    score(0, 0, 0, &scores);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        assert_int_equal(0, setenv("VMAF_LOG", "debug", 1));
        listen();
        score(2, 0, 0, &scores);
        stop_listening();
        const bool good = !memcmp(wanted.vmaf, scores.vmaf, sizeof(wanted.vmaf)) &&
                          !strcmp("host", scores.backend) && times_said(": chosen\n") == 1;
        _exit(good ? 0 : 1);
    }
    int status;
    assert_int_equal(child, waitpid(child, &status, 0));
    assert_int_equal(0, status);
    score(2, 0, 0, &scores);
    assert_string_equal("host", scores.backend);
    assert_memory_equal(wanted.vmaf, scores.vmaf, sizeof(wanted.vmaf));
}

/* Pools are the device's from the start, as large as it needs them. */
static void test_pool(void **unused)
{
    ask(NULL);
    VmafContext *vmaf = start(2, 0, 0);
    const unsigned plain = vmaf_pairs_in_flight(vmaf);
    assert_int_equal(0, vmaf_close(vmaf));
    ask("host");
    vmaf = start(2, 0, 0);
    assert_int_equal(0, vmaf_use_feature(vmaf, "motion", NULL));
    const unsigned pairs = vmaf_pairs_in_flight(vmaf);
    assert_true(pairs > plain);
    const VmafPictureConfiguration pool = { .pic_params = { W, H, 8, VMAF_PIX_FMT_YUV420P },
                                            .pic_cnt = 2 * pairs + 4 };
    assert_int_equal(0, vmaf_preallocate_pictures(vmaf, pool));
    for (unsigned t = 0; t < FRAMES; t++) {
        VmafPicture pair[2];
        for (int side = 0; side < 2; side++) {
            assert_int_equal(0, vmaf_fetch_preallocated_picture(vmaf, &pair[side]));
            clip_fill(&pair[side], t, side);
        }
        assert_int_equal(0, vmaf_read_pictures(vmaf, &pair[0], &pair[1], t));
    }
    assert_int_equal(0, vmaf_read_pictures(vmaf, NULL, NULL, 0));
    double score;
    assert_int_equal(0, vmaf_feature_score_at_index(vmaf, MOTION2, &score, FRAMES - 1));
    assert_int_equal(0, vmaf_close(vmaf));
}

/* True if the first Vulkan device is a software device that works. */
static bool find_software(VmafDeviceInfo *info)
{
    *info = (VmafDeviceInfo){ .size = sizeof(*info) };
    if (!vmaf_device_info("vulkan", 0, info) && info->type == VMAF_DEVICE_SOFTWARE &&
        !info->missing[0])
        return true;
    print_message("the first Vulkan device here is no software device that works\n");
    return false;
}

/* A software device is refused when it is chosen by something other than its name. */
static void check_refused(const char *asked, const VmafDeviceInfo *info)
{
    ask(asked);
    VmafContext *vmaf = start(0, 0, 0);
    assert_int_equal(0, vmaf_use_feature(vmaf, "motion", NULL));
    listen();
    assert_int_equal(-ENODEV, read_frame(vmaf, 0));
    stop_listening();
    assert_true(times_said("VMAF_ALLOW_SOFTWARE=1") > 0);
    assert_true(times_said(info->name) > 0);
    assert_int_equal(0, vmaf_close(vmaf));
}

/* A software device is taken when it is called by its name or allowed, not otherwise. */
static void test_software(void **unused)
{
    VmafDeviceInfo info;
    if (!find_software(&info))
        return;
    Scores wanted, scores;
    score(0, 0, 0, &wanted);
    static const char *const refused[] = { "vulkan", "vulkan:0", "auto:0", "vulkan:all" };
    for (unsigned i = 0; i < COUNT(refused); i++)
        check_refused(refused[i], &info);
    static const char *const not_allowed[] = { "", "0", "no", "false" };
    for (unsigned i = 0; i < COUNT(not_allowed); i++) {
        assert_int_equal(0, setenv("VMAF_ALLOW_SOFTWARE", not_allowed[i], 1));
        check_refused("vulkan:0", &info);
    }
    char by_name[512];
    snprintf(by_name, sizeof(by_name), "vulkan:%s", info.name);
    const char *const taken[] = { "vulkan", "vulkan:0", by_name };
    for (unsigned i = 0; i < COUNT(taken); i++) {
        ask(taken[i]);
        assert_int_equal(0, setenv("VMAF_ALLOW_SOFTWARE", i == 2 ? "0" : "1", 1));
        score(0, 0, 0, &scores);
        assert_string_equal("vulkan", scores.backend);
        assert_memory_equal(wanted.vmaf, scores.vmaf, sizeof(wanted.vmaf));
    }
}

/* The states of libvmaf_vulkan.h refuse software devices, too. No environment variable names their
 * device. */
static void test_states(void **unused)
{
    VmafDeviceInfo info;
    VmafVulkanState *state;
    if (!find_software(&info))
        return;
    const VmafVulkanConfiguration zeros = { 0 };
    VmafVulkanOptions options = { .size = sizeof(options), .device = "0" };
    char why[512];
    listen();
    assert_int_equal(-ENODEV, vmaf_vulkan_state_init(&state, zeros));
    assert_null(state);
    stop_listening();
    assert_int_equal(1, times_said("\"0\" is "));
    assert_int_equal(1, times_said("VMAF_ALLOW_SOFTWARE=1"));
    assert_int_equal(-ENODEV, vmaf_vulkan_state_init_with_options(&state, &options));
    assert_int_equal(-ENODEV, vmaf_backend_missing("vulkan", 0, why, sizeof(why)));
    options.allow_software = 1;
    assert_int_equal(0, vmaf_vulkan_state_init_with_options(&state, &options));
    vmaf_vulkan_state_free(&state);
    assert_int_equal(0, setenv("VMAF_ALLOW_SOFTWARE", "1", 1));
    assert_int_equal(0, vmaf_backend_missing("vulkan", 0, why, sizeof(why)));
    assert_int_equal(0, vmaf_vulkan_state_init(&state, zeros));
    vmaf_vulkan_state_free(&state);
}

/* Scores pictures that are too large for the device. */
static int score_too_large(int fallback, const char **place)
{
    enum { WIDE = 16384, HIGH = 8192 };
    const VmafVulkanOptions options = { .size = sizeof(options),
                                        .allow_software = 1,
                                        .fallback_cpu = fallback };
    VmafVulkanState *state;
    VmafPicture pair[2];
    VmafContext *vmaf = start(0, 0, 0);
    assert_int_equal(0, vmaf_vulkan_state_init_with_options(&state, &options));
    assert_int_equal(0, vmaf_vulkan_import_state(vmaf, state));
    assert_int_equal(0, vmaf_use_feature(vmaf, "vif", NULL));
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(0, vmaf_picture_alloc(&pair[i], VMAF_PIX_FMT_YUV400P, 8, WIDE, HIGH));
        memset(pair[i].data[0], 16, (size_t)pair[i].stride[0] * HIGH);
    }
    int err = vmaf_read_pictures(vmaf, &pair[0], &pair[1], 0);
    for (unsigned i = 0; err && i < 2; i++)
        vmaf_picture_unref(&pair[i]);
    if (!err)
        err = vmaf_read_pictures(vmaf, NULL, NULL, 0);
    *place = place_of(vmaf, "vif");
    assert_int_equal(0, vmaf_close(vmaf));
    vmaf_vulkan_state_free(&state);
    return err;
}

/* Features of a state run on its device, or the first pair fails, unless the program allows the
 * CPU. */
static void test_too_large(void **unused)
{
    VmafDeviceInfo info;
    const char *place;
    if (!find_software(&info))
        return;
    assert_int_equal(0, setenv("VMAF_LOG", "warning", 1));
    listen();
    assert_int_equal(-EINVAL, score_too_large(0, &place));
    stop_listening();
    assert_int_equal(1, times_said("ERROR feature \"vif\" cannot run on vulkan: "));
    assert_int_equal(1, times_said("fallback_cpu"));
    listen();
    assert_int_equal(0, score_too_large(1, &place));
    stop_listening();
    assert_string_equal("cpu", place);
    assert_int_equal(1, times_said("WARNING feature \"vif\" runs on the CPU"));
}

/* Any device, or the CPU if there is none. */
static void test_auto(void **unused)
{
    Scores wanted, scores;
    score(0, 0, 0, &wanted);
    ask("auto");
    listen();
    score(0, 0, 0, &scores);
    stop_listening();
    assert_memory_equal(wanted.vmaf, scores.vmaf, sizeof(wanted.vmaf));
    if (!strcmp(scores.backend, "cpu")) /* whatever the program's level */
        assert_int_equal(1,
                         times_said("VMAF_BACKEND=auto: no usable GPU found; scoring on the CPU"));
    ask("auto:no such device");
    VmafContext *vmaf = start(0, 0, 0);
    assert_int_equal(0, vmaf_use_feature(vmaf, "motion", NULL));
    listen();
    assert_int_equal(-ENODEV, read_frame(vmaf, 0));
    stop_listening();
    assert_int_equal(1, times_said("no backend has a device \"no such device\""));
    assert_int_equal(0, vmaf_close(vmaf));
}

/* Without an argument, runs the tests that need no driver, since drivers leak memory. */
TEST_MAIN(environment)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_warning, tidy),
        cmocka_unit_test_teardown(test_scores, tidy),
        cmocka_unit_test_teardown(test_cpu, tidy),
        cmocka_unit_test_teardown(test_bad_values, tidy),
        cmocka_unit_test_teardown(test_no_device, tidy),
        cmocka_unit_test_teardown(test_explicit, tidy),
        cmocka_unit_test_teardown(test_unknown_backends, tidy),
        cmocka_unit_test_teardown(test_masked, tidy),
        cmocka_unit_test_teardown(test_features, tidy),
        cmocka_unit_test_teardown(test_shared, tidy),
        cmocka_unit_test_teardown(test_fork, tidy),
        cmocka_unit_test_teardown(test_pool, tidy),
    };
    const struct CMUnitTest driver_tests[] = {
        cmocka_unit_test_teardown(test_software, tidy),
        cmocka_unit_test_teardown(test_states, tidy),
        cmocka_unit_test_teardown(test_too_large, tidy),
        cmocka_unit_test_teardown(test_auto, tidy),
    };
    tidy(NULL);
    if (argc > 1 && !strcmp(argv[1], "drivers"))
        return cmocka_run_group_tests(driver_tests, NULL, NULL);
    if (vmaf_backend_built("host") != 1)
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
