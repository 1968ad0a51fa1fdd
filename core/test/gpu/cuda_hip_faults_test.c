/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every function of the driver fails once, at its first calls and at its last, while a device is
 * opened, scores a clip and is closed. Each time the error is returned or handled, no score is
 * wrong, and nothing leaks on either side. Runs on the fake driver only. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "fake_driver/control.h"
#include "libvmaf/device.h"
#include "rig_cuda_hip.h"
#include "score.h"

#define FIRST_CALLS 4
#define LONGEST_S 590 /* more seconds than anything here takes; a hang ends the program */

static const SynthClip clip = { "small", SYNTH_NOISE, 40, 24, VMAF_PIX_FMT_YUV420P, 8, 12 };
static const ClipFeature features[] = { { "psnr", { 0 } }, { "motion", { 0 } } };
static const char *backend;
static char *wanted;

static struct {
    int (*inject)(const char *function, unsigned nth, const char *what);
    int (*failed)(void);
    unsigned (*calls)(unsigned i, const char **function);
    unsigned (*complaints)(void);
    long (*leaks)(void);
    void (*reset)(void);
} control;

static int score(VmafDevice *device)
{
    const ScoreRun run = {
        .device = device, .clip = &clip, .features = features, .feature_count = COUNT(features)
    };
    VmafContext *vmaf;
    const int err = score_start_mixed(&run, &vmaf);
    return vmaf ? score_finish(vmaf, err, wanted) : err;
}

static int open_device(VmafDevice **device)
{
    return vmaf_device_open(
        device,
        &(VmafDeviceOptions){ .size = sizeof(VmafDeviceOptions), .backend = backend, .quiet = 1 });
}

static int run(void)
{
    VmafDevice *device;
    int err = open_device(&device);
    if (err)
        return err;
    /* With one frame a submission, the same recordings come up again and become graphs. */
    rig_session(device)->device->tuning.max_batch = 1;
    err = score(device);
    vmaf_device_close(&device);
    return err;
}

/* If the context cannot be made current, what is in it is freed only when the context ends. */
static bool may_leave(const char *function, const char *what)
{
    return strstr(function, "CtxPush") || !strcmp(what, "gone");
}

static bool fail_one(const char *function, unsigned nth, const char *what)
{
    const long live = mem_live();
    control.inject(function, nth, what);
    const int err = run();
    const bool was_there = control.failed();
    const unsigned complaints = control.complaints();
    const long leaks = control.leaks();
    control.inject(NULL, 0, NULL);
    control.reset();
    if (err != SCORES_WRONG && err <= 0 && mem_live() == live && !complaints &&
        (!leaks || may_leave(function, what)))
        return true;
    print_error("call %u of %s, %s%s: returned %d, %ld blocks and %ld of the driver's objects left "
                "behind, %u complaints\n",
                nth, function, what, was_there ? "" : " (not reached)", err, mem_live() - live,
                leaks, complaints);
    return false;
}

static void test_each_function(void **unused)
{
    static const char *const kinds[] = { "2", "999", "lost", "gone" };
    struct {
        const char *function;
        unsigned calls;
    } seen[96] = { { 0 } };
    unsigned count = 0, wrong = 0, runs = 0;
    control.inject(NULL, 0, NULL);
    assert_int_equal(0, run());
    assert_int_equal(0, control.leaks());
    for (const char *function; count < COUNT(seen); count++) {
        seen[count].calls = control.calls(count, &function);
        seen[count].function = function;
        if (!function)
            break;
    }
    log_set_level(VMAF_LOG_LEVEL_NONE);
    for (unsigned i = 0; i < count; i++)
        for (unsigned kind = 0; kind < COUNT(kinds); kind++)
            for (unsigned n = 1; n <= seen[i].calls; n++)
                if (n <= FIRST_CALLS || n == seen[i].calls) {
                    wrong += !fail_one(seen[i].function, n, kinds[kind]);
                    runs++;
                }
    print_message("%u functions, %u runs with a fault\n", count, runs);
    assert_true(count >= 35); /* including the functions of graphs */
    assert_int_equal(0, wrong);
    assert_int_equal(0, run());
}

static void find_control(void)
{
    *(void **)&control.inject = rig_cuda_hip_control("emulated_fail");
    *(void **)&control.failed = rig_cuda_hip_control("emulated_failed");
    *(void **)&control.calls = rig_cuda_hip_control("emulated_calls");
    *(void **)&control.complaints = rig_cuda_hip_control("emulated_complaints");
    *(void **)&control.leaks = rig_cuda_hip_control("emulated_leaks");
    *(void **)&control.reset = rig_cuda_hip_control("emulated_reset");
}

TEST_MAIN(cuda_hip_faults)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_each_function) };
    backend = argc == 2 ? argv[1] : "cuda";
    VmafDevice *device;
    const int err = open_device(&device); /* and stores the self-test's verdict */
    if (!err)
        vmaf_device_close(&device);
    find_control();
    if (!control.inject) {
        printf("skipped: no fake driver\n");
        return 77;
    }
    alarm(LONGEST_S);
    const ScoreRun run_cpu = { .clip = &clip,
                               .features = features,
                               .feature_count = COUNT(features) };
    if (err || score_run(&run_cpu, &wanted))
        return 1;
    const int failed = cmocka_run_group_tests_name(backend, tests, NULL, NULL);
    free(wanted);
    return failed;
}
