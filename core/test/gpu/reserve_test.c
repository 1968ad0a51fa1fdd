/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Upload memory that is reserved while the driver starts: blocks lie in the reserve while it has
 * room, and later in the driver's own memory; and the device reads the right pictures from
 * either. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "gpu/pages.h"
#include "gpu/upload.h"
#include "pairs.h"
#include "rig.h"
#include "score.h"
#include "tap.h"

enum { BLOCK = 900000, FIT = 4 }; /* so many fit into two large pages */

static GpuDevice *gpu_of(VmafDevice *device)
{
    return rig_session(device)->device;
}

/* Opens a device with a reserve of this size. The first block shows whether the driver accepts
 * it. */
static VmafDevice *open_with(size_t size)
{
    VmafDevice *const own = rig_open(2);
    gpu_of(own)->reserve = reserve_start(size);
    assert_non_null(gpu_of(own)->reserve);
    return own;
}

static bool is_reserved(VmafDevice *own, const void *block)
{
    const GpuReserve *const reserve = gpu_of(own)->reserve;
    return reserve && (uintptr_t)block - (uintptr_t)reserve->pages < reserve->size;
}

static void test_blocks(void **unused)
{
    VmafDevice *const own = open_with(2 * PAGES_ALIGN - 5);
    void *blocks[FIT + 2], *first = gpu_of(own)->reserve->pages;
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < FIT + 2; i++) {
            assert_int_equal(0, upload_alloc(gpu_of(own), BLOCK, &blocks[i]));
            memset(blocks[i], (int)i, BLOCK);
        }
        const bool taken = gpu_of(own)->reserve != NULL;
        assert_int_equal(taken, rig_session(own)->backend->takes_pages);
        if (taken)
            assert_ptr_equal(first, blocks[0]);
        for (unsigned i = 0; i < FIT + 2; i++) {
            assert_int_equal(taken && i < FIT, is_reserved(own, blocks[i]));
            assert_int_equal((char)i, ((char *)blocks[i])[BLOCK - 1]); /* no other block overlaps */
        }
        for (unsigned i = 0; i < FIT + 2; i++)
            upload_free(gpu_of(own), blocks[(i + 3) % (FIT + 2)]);
    }
    VmafDevice *gone = own;
    vmaf_device_close(&gone);
}

/* While one block is held, the memory of the others is not given out a second time. */
static void test_held(void **unused)
{
    VmafDevice *own = open_with(2 * PAGES_ALIGN);
    GpuDevice *const gpu = gpu_of(own);
    void *held, *other, *next;
    assert_int_equal(0, upload_alloc(gpu, BLOCK, &held));
    memset(held, 7, BLOCK);
    assert_int_equal(0, upload_alloc(gpu, BLOCK, &other));
    upload_free(gpu, other);
    assert_int_equal(0, upload_alloc(gpu, BLOCK, &next));
    memset(next, 8, BLOCK);
    upload_free(gpu, next);
    vmaf_device_close(&own); /* the device stays open for the last block */
    assert_int_equal(7, ((char *)held)[0]);
    assert_memory_equal(held, (char *)held + 1, BLOCK - 1); /* all of its bytes */
    upload_free(gpu, held);
}

/* A reserve that is never used, opened and closed whether or not its memory is ready by then. */
static void test_unused(void **unused)
{
    for (unsigned i = 0; i < 3; i++) {
        VmafDevice *own = open_with((size_t)16 << (20 + i));
        vmaf_device_close(&own);
    }
}

static void test_refused(void **unused)
{
    VmafDevice *own = open_with(PAGES_ALIGN);
    void *block;
    tap_open(gpu_of(own));
    tap_fail(TAP_BUFFER_IMPORT, 1, -EIO);
    assert_int_equal(0, upload_alloc(gpu_of(own), BLOCK, &block));
    assert_null(gpu_of(own)->reserve);
    memset(block, 1, BLOCK);
    upload_free(gpu_of(own), block);
    tap_close();
    vmaf_device_close(&own);
}

/* A block larger than the memory of the machine is refused. */
static void test_large_block(void **unused)
{
    VmafDevice *own = open_with(PAGES_ALIGN);
    void *block, *small;
    tap_open(gpu_of(own));
    tap_fail(TAP_BUFFER_CREATE, 1, -ENOMEM);
    assert_int_equal(-ENOMEM, upload_alloc(gpu_of(own), SIZE_MAX - 5, &block));
    tap_close();
    assert_int_equal(0, upload_alloc(gpu_of(own), BLOCK, &small));
    memset(small, 1, BLOCK);
    upload_free(gpu_of(own), small);
    vmaf_device_close(&own);
}

/* A wrong guess must not reserve all of the machine's memory. */
static void test_far_too_much(void **unused)
{
    assert_null(reserve_start(SIZE_MAX));
    assert_null(reserve_start(SIZE_MAX - PAGES_ALIGN));
#ifdef __linux__
    const size_t all = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    assert_null(reserve_start(all - all / 8));
#endif
}

/* A child process must not inherit pinned pages: the parent would then write to copies, which no
 * device sees. */
static void test_not_inherited(void **unused)
{
#ifdef __linux__
    void *const pages = pages_alloc(PAGES_ALIGN);
    assert_non_null(pages);
    memset(pages, 1, PAGES_ALIGN);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        unsigned char there;
        _exit(mincore(pages, 1, &there) == -1 && errno == ENOMEM ? 0 : 1);
    }
    int status;
    assert_int_equal(pid, waitpid(pid, &status, 0));
    assert_int_equal(0, status);
    pages_free(pages, PAGES_ALIGN);
#else
    skip();
#endif
}

/* Scores through the API, with more pictures than the reserve has room for. */
static void test_scores(void **unused)
{
    static const SynthClip clip = { "wide", SYNTH_NOISE, 350, 250, VMAF_PIX_FMT_YUV420P, 10, 8 };
    static const ClipFeature features[] = { { "psnr", { 0 } }, { "motion", { 0 } } };
    ScoreRun run = { .clip = &clip, .features = features, .feature_count = COUNT(features) };
    char *wanted, *scores;
    assert_int_equal(0, score_run(&run, &wanted));
    run.pooled = true;
    assert_int_equal(
        0, vmaf_device_open(&run.device, &(VmafDeviceOptions){ .size = sizeof(VmafDeviceOptions),
                                                               .backend = rig_gpu()->backend,
                                                               .allow_software = 1,
                                                               .max_outstanding_frames = 4,
                                                               .upload_bytes = PAGES_ALIGN }));
    assert_int_equal(gpu_of(run.device)->reserve != NULL,
                     rig_session(run.device)->backend->takes_pages);
    for (unsigned round = 0; round < 2; round++) {
        assert_int_equal(0, score_run(&run, &scores));
        assert_true(score_same(wanted, scores));
        free(scores);
        if (gpu_of(run.device)->reserve)
            assert_int_equal(0, gpu_of(run.device)->reserve->used);
    }
    free(wanted);
    vmaf_device_close(&run.device);
}

/* Work that is only known once the device is open. */
static void test_expected_later(void **unused)
{
    VmafDeviceOptions options = { .size = sizeof(options),
                                  .max_outstanding_frames = 3,
                                  .upload_bytes = PAGES_ALIGN };
    VmafDevice *own = rig_open(2);
    VmafContext *vmaf;
    assert_int_equal(0, vmaf_device_expect(own, &options));
    assert_int_equal(gpu_of(own)->reserve != NULL, rig_session(own)->backend->takes_pages);
    assert_int_equal(0, vmaf_init(&vmaf, (VmafConfiguration){ 0 }));
    assert_int_equal(0, vmaf_use_device(vmaf, own));
    const unsigned in_flight = vmaf_pairs_in_flight(vmaf);
    options.max_outstanding_frames = 7;
    assert_int_equal(-EBUSY, vmaf_device_expect(own, &options));
    assert_int_equal(0, vmaf_close(vmaf));
    const GpuReserve *const before = gpu_of(own)->reserve;
    assert_int_equal(0, vmaf_device_expect(own, &options));
    assert_ptr_equal(before, gpu_of(own)->reserve);
    assert_int_equal(0, vmaf_init(&vmaf, (VmafConfiguration){ 0 }));
    assert_int_equal(0, vmaf_use_device(vmaf, own));
    assert_int_equal(in_flight + 4, vmaf_pairs_in_flight(vmaf));
    assert_int_equal(0, vmaf_close(vmaf));
    assert_int_equal(-EINVAL, vmaf_device_expect(NULL, &options));
    options.size = 8;
    assert_int_equal(-EINVAL, vmaf_device_expect(own, &options));
    vmaf_device_close(&own);
}

TEST_MAIN(reserve)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),         cmocka_unit_test(test_held),
        cmocka_unit_test(test_unused),         cmocka_unit_test(test_refused),
        cmocka_unit_test(test_scores),         cmocka_unit_test(test_large_block),
        cmocka_unit_test(test_far_too_much),   cmocka_unit_test(test_not_inherited),
        cmocka_unit_test(test_expected_later),
    };
    return RIG_RUN(argc, argv, tests);
}
