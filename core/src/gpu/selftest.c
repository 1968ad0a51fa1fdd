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
#include "gpu/build_id.h"
#include "gpu/cachefile.h"
#include "gpu/check.h"
#include "gpu/feature_gpu.h"
#include "gpu/siphash.h"

/* Odd, no multiple of a tile, and large enough for most features; others say what they need. */
#define TEST_W 219
#define TEST_H 183

/* What a feature that passed is remembered by: all that the verdict hangs on. */
typedef struct Verdict {
    char text[1024];
    size_t size;   /* of the text, with its end */
    char name[64]; /* of the file that holds it */
} Verdict;

static void print_hex(char *text, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sprintf(text + 2 * i, "%02x", bytes[i]);
}

/* One value for the code of all kernels as this device gets it, and for which of them it runs. */
static void hash_kernels(GpuDevice *device, uint8_t hash[SIPHASH_SIZE])
{
    memset(hash, 0, SIPHASH_SIZE);
    for (const KernelInfo *all = kernel_infos; all->name; all++) {
        const KernelInfo *info = gpu_kernel_for(device, all->name);
        const KernelImage *image = device->ops->kernel_image(device, info);
        siphash(hash, info->name, strlen(info->name), hash);
        if (image)
            siphash(hash, image->data, image->size, hash);
    }
}

static void make_verdict(GpuDevice *device, const uint8_t kernels_hash[SIPHASH_SIZE],
                         const FeatureDef *def, unsigned bpc, Verdict *verdict)
{
    static const uint8_t no_key[SIPHASH_SIZE];
    uint8_t hash[SIPHASH_SIZE];
    char kernels[2 * SIPHASH_SIZE + 1], uuid[2 * sizeof(device->uuid) + 1];
    print_hex(kernels, kernels_hash, SIPHASH_SIZE);
    print_hex(uuid, device->uuid, sizeof(device->uuid));
    const int n = snprintf(
        verdict->text, sizeof(verdict->text),
        "passed\nfeature %s at %u bits\nbackend %s\ndevice %s\nUUID %s\ndriver %s\nbuild %s\nkernels %s\n",
        def->name, bpc, device->backend, device->name, uuid, device->driver, build_id, kernels);
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

/* A feature is a job of its own. */
#define TEST_THREADS 16

typedef struct SelfTest {
    GpuDevice *device;
    unsigned bpc;
    uint8_t kernels_hash[SIPHASH_SIZE];
    const FeatureDef *features[8 * sizeof(SelfTestSet)];
    unsigned count;
    atomic_int err; /* the first one; the rest is then left out, and only that one is told */
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

static void run_job(void *arg, unsigned job)
{
    SelfTest *test = arg;
    GpuCheck check = { .def = test->features[job], .seed = 1 };
    const FeatureGpu *const gpu = check.def->gpu;
    char kernels[512] = "";
    int none = 0;
    if (atomic_load(&test->err))
        return;
    shape_init(&check.shape, VMAF_PIX_FMT_YUV420P, test->bpc, gpu->test_w ? gpu->test_w : TEST_W,
               gpu->test_h ? gpu->test_h : TEST_H);
    int result = gpu_check(test->device, &check, kernels, sizeof(kernels));
    check.content = CHECK_BANDS; /* there is no banding in a texture */
    if (!result)
        result = gpu_check(test->device, &check, kernels, sizeof(kernels));
    if (!result) {
        Verdict verdict;
        make_verdict(test->device, test->kernels_hash, check.def, test->bpc, &verdict);
        cachefile_write(verdict.name, verdict.text, verdict.size);
    } else if (result != -ENOTSUP && /* it has nothing for such pictures */
               atomic_compare_exchange_strong(&test->err, &none, result == 1 ? -ENOTSUP : result)) {
        /* Others may fail meanwhile for the same reason. */
        report_failure(test->device, &check, result, kernels);
    }
}

/* Those without a verdict. */
static void list_features(SelfTest *test, SelfTestSet wanted)
{
    Verdict verdict;
    for (const FeatureDef *const *def = feature_registry; *def; def++) {
        if (!(*def)->gpu || !(wanted & selftest_set_of(*def)))
            continue;
        make_verdict(test->device, test->kernels_hash, *def, test->bpc, &verdict);
        if (!is_remembered(&verdict))
            test->features[test->count++] = *def;
    }
}

SelfTestSet selftest_set_of(const FeatureDef *def)
{
    unsigned number = 0;
    while (strcmp(feature_registry[number]->name, def->name) != 0)
        number++;
    assert(number < 8 * sizeof(SelfTestSet));
    return (SelfTestSet)1 << number;
}

int selftest_run(GpuDevice *device, SelfTestSet features, unsigned depth)
{
    SelfTest test = { .device = device, .bpc = selftest_bits(depth) };
    Team *team;
    hash_kernels(device, test.kernels_hash);
    list_features(&test, features);
    if (!test.count)
        return 0;
    const int err = team_create(&team, test.count < TEST_THREADS ? test.count : TEST_THREADS);
    if (err)
        return err;
    team_run(team, test.count, run_job, &test);
    team_destroy(team);
    return atomic_load(&test.err);
}
