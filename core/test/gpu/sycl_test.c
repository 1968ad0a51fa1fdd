/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* libvmaf_sycl.h: its promises about arguments, and that pairs score the same bits however they are
 * passed: pools, frame buffers, VA surfaces. Everything that is not specific to SYCL is tested for
 * all backends alike. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "clip.h"
#include "libvmaf/libvmaf_sycl.h"
#include "rig.h"

#define FRAMES 4
#define W 161
#define H 93

static VmafSyclState *state(void)
{
    return (VmafSyclState *)rig_device();
}

/* ---- pictures and scores ---- */

static unsigned sample(unsigned x, unsigned y, unsigned frame, bool is_ref, unsigned bpc)
{
    unsigned v = (x * 7 + y * 13 + frame * 11) ^ (x * y >> 3);
    if (!is_ref)
        v += (x ^ y) % 5;
    return v & ((1u << bpc) - 1);
}

static void paint(void *data, size_t pitch, unsigned bpc, unsigned shift, unsigned frame, bool ref)
{
    for (unsigned y = 0; y < H; y++) {
        unsigned char *row = (unsigned char *)data + y * pitch;
        for (unsigned x = 0; x < W; x++) {
            const unsigned v = sample(x, y, frame, ref, bpc) << shift;
            if (bpc > 8)
                memcpy(row + 2 * x, &(uint16_t){ (uint16_t)v }, 2);
            else
                row[x] = (unsigned char)v;
        }
    }
}

typedef struct Scores {
    double psnr[FRAMES], motion[FRAMES], on_cpu[FRAMES];
} Scores;

/* psnr and motion run on the device, on_cpu beside it on the CPU. */
static VmafContext *open_context(bool on_device)
{
    VmafContext *vmaf;
    assert_int_equal(0,
                     vmaf_init(&vmaf, (VmafConfiguration){ .log_level = VMAF_LOG_LEVEL_WARNING }));
    if (on_device)
        assert_int_equal(0, vmaf_sycl_import_state(vmaf, state()));
    assert_int_equal(0, vmaf_use_feature(vmaf, "psnr", NULL));
    assert_int_equal(0, vmaf_use_feature(vmaf, "motion", NULL));
    assert_int_equal(0, vmaf_use_feature(vmaf, feature_on_cpu.name, NULL));
    return vmaf;
}

static void take_scores(VmafContext *vmaf, Scores *out)
{
    memset(out, 0, sizeof(*out));
    for (unsigned i = 0; i < FRAMES; i++) {
        assert_int_equal(0, vmaf_feature_score_at_index(vmaf, "psnr_y", &out->psnr[i], i));
        assert_int_equal(0, vmaf_feature_score_at_index(vmaf, "VMAF_integer_feature_motion2_score",
                                                        &out->motion[i], i));
        assert_int_equal(0, vmaf_feature_score_at_index(vmaf, "on_cpu", &out->on_cpu[i], i));
    }
    assert_int_equal(0, vmaf_close(vmaf));
}

static void score_pictures(bool on_device, unsigned bpc,
                           enum VmafSyclPicturePreallocationMethod pool, Scores *out)
{
    VmafContext *vmaf = open_context(on_device);
    const VmafSyclPictureConfiguration cfg = {
        .pic_params = { W, H, bpc, VMAF_PIX_FMT_YUV400P },
        .pic_prealloc_method = pool,
    };
    if (on_device)
        assert_int_equal(0, vmaf_sycl_preallocate_pictures(vmaf, cfg));
    for (unsigned i = 0; i < FRAMES; i++) {
        VmafPicture pics[2];
        for (unsigned is_ref = 0; is_ref < 2; is_ref++) {
            VmafPicture *pic = &pics[is_ref];
            if (pool)
                assert_int_equal(0, vmaf_sycl_picture_fetch(vmaf, pic));
            else
                assert_int_equal(0, vmaf_picture_alloc(pic, VMAF_PIX_FMT_YUV400P, bpc, W, H));
            paint(pic->data[0], (size_t)pic->stride[0], bpc, 0, i, is_ref);
        }
        assert_int_equal(0, vmaf_read_pictures(vmaf, &pics[1], &pics[0], i));
    }
    assert_int_equal(0, vmaf_read_pictures(vmaf, NULL, NULL, 0));
    take_scores(vmaf, out);
}

static void test_pools(void **unused)
{
    for (unsigned bpc = 8; bpc <= 10; bpc += 2) {
        Scores cpu, gpu;
        score_pictures(false, bpc, VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_NONE, &cpu);
        for (int pool = VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_NONE;
             pool <= VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_HOST; pool++) {
            score_pictures(true, bpc, (enum VmafSyclPicturePreallocationMethod)pool, &gpu);
            assert_memory_equal(&cpu, &gpu, sizeof(cpu));
        }
    }
}

/* ---- frame buffers ---- */

static void test_frame_buffers(void **unused)
{
    const size_t pitch = 2 * W + 6;
    unsigned char *plane = malloc(pitch * H);
    for (unsigned bpc = 8; bpc <= 10; bpc += 2) {
        Scores cpu, gpu;
        score_pictures(false, bpc, VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_NONE, &cpu);
        VmafContext *vmaf = open_context(true);
        assert_int_equal(0, vmaf_sycl_init_frame_buffers(vmaf, W, H, bpc));
        for (unsigned i = 0; i < FRAMES; i++) {
            for (unsigned is_ref = 0; is_ref < 2; is_ref++) {
                paint(plane, pitch, bpc, 0, i, is_ref);
                assert_int_equal(0, vmaf_sycl_upload_plane(state(), plane, (unsigned)pitch,
                                                           (int)is_ref, W, H, bpc));
            }
            assert_int_equal(0, vmaf_read_pictures_sycl(vmaf, i));
        }
        assert_int_equal(0, vmaf_sycl_wait_compute(vmaf));
        assert_int_equal(0, vmaf_flush_sycl(vmaf));
        assert_int_equal(-EINVAL, vmaf_read_pictures_sycl(vmaf, FRAMES));
        take_scores(vmaf, &gpu);
        assert_memory_equal(&cpu, &gpu, sizeof(cpu));
    }
    free(plane);
}

/* A program may write to the address it was given, here with work of the device itself. */
static void test_own_copies(void **unused)
{
    GpuDevice *gpu = rig_gpu();
    const size_t row = W, size = row * H;
    Scores cpu, got;
    score_pictures(false, 8, VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_NONE, &cpu);
    VmafContext *vmaf = open_context(true);
    assert_int_equal(0, vmaf_sycl_init_frame_buffers(vmaf, W, H, 8));
    void *at[2];
    assert_int_equal(0, vmaf_sycl_get_frame_buffers(vmaf, &at[1], &at[0]));
    assert_ptr_not_equal(at[0], at[1]);
    GpuBuffer *from, *to[2];
    GpuCommands *commands;
    assert_int_equal(0, gpu->ops->buffer_create(gpu, GPU_UPLOAD, size, &from));
    assert_int_equal(0, gpu->ops->commands_create(gpu, GPU_COMPUTE, &commands));
    for (unsigned side = 0; side < 2; side++)
        assert_int_equal(
            0, gpu->ops->buffer_import(
                   gpu, &(GpuHandle){ GPU_HANDLE_ADDRESS, (intptr_t)at[side], size }, &to[side]));
    for (unsigned i = 0; i < FRAMES; i++) {
        for (unsigned side = 0; side < 2; side++) {
            paint(from->host, row, 8, 0, i, side);
            gpu->ops->begin(commands);
            gpu->ops->copy(commands, &(GpuRange){ from, 0, size },
                           &(GpuRange){ to[side], 0, size });
            assert_int_equal(0, gpu->ops->end(commands));
            assert_int_equal(0, gpu_device_run(gpu, commands));
        }
        assert_int_equal(0, vmaf_read_pictures_sycl(vmaf, i));
    }
    gpu->ops->commands_destroy(gpu, commands);
    gpu->ops->buffer_destroy(gpu, from);
    gpu->ops->buffer_destroy(gpu, to[0]);
    gpu->ops->buffer_destroy(gpu, to[1]);
    assert_int_equal(0, vmaf_flush_sycl(vmaf));
    take_scores(vmaf, &got);
    assert_memory_equal(&cpu, &got, sizeof(cpu));
}

static void test_geometry(void **unused)
{
    static const unsigned char plane[2 * W * H];
    void *ref, *dis;
    VmafContext *vmaf = open_context(true);
    log_set_level(VMAF_LOG_LEVEL_NONE);
    assert_int_equal(-EINVAL, vmaf_sycl_get_frame_buffers(vmaf, &ref, &dis));
    assert_int_equal(-EINVAL, vmaf_read_pictures_sycl(vmaf, 0));
    assert_int_equal(-EINVAL, vmaf_sycl_upload_plane(state(), plane, W, 1, W, H, 8));
    assert_int_equal(-EINVAL, vmaf_sycl_init_frame_buffers(vmaf, 0, H, 8));
    assert_int_equal(-EINVAL, vmaf_sycl_init_frame_buffers(vmaf, W, H, 9));
    assert_int_equal(0, vmaf_sycl_init_frame_buffers(vmaf, W, H, 8));
    assert_int_equal(0, vmaf_sycl_init_frame_buffers(vmaf, W, H, 8));
    assert_int_equal(-EINVAL, vmaf_sycl_init_frame_buffers(vmaf, W, H, 10));
    assert_int_equal(-EINVAL, vmaf_sycl_upload_plane(state(), plane, 2 * W, 1, W, H, 10));
    assert_int_equal(-EINVAL, vmaf_sycl_upload_plane(state(), plane, W - 1, 1, W, H, 8));
    assert_int_equal(0, vmaf_sycl_upload_plane(state(), plane, W, 1, W, H, 8));
    /* A call that names the state alone fails while two contexts use it. */
    VmafContext *other = open_context(true);
    log_set_level(VMAF_LOG_LEVEL_NONE);
    assert_int_equal(-EINVAL, vmaf_sycl_upload_plane(state(), plane, W, 1, W, H, 8));
    vmaf_close(other);
    assert_int_equal(0, vmaf_sycl_upload_plane(state(), plane, W, 1, W, H, 8));
    vmaf_close(vmaf);
    log_set_level(VMAF_LOG_LEVEL_WARNING);
}

/* ---- surfaces ---- */

#ifdef HAVE_VA
#include <va/va.h>

#include "fake_va.h"

static void score_surfaces(FakeVa *va, unsigned bpc, Scores *out)
{
    VmafContext *vmaf = open_context(true);
    assert_int_equal(0, vmaf_sycl_init_frame_buffers(vmaf, W, H, bpc));
    for (unsigned i = 0; i < FRAMES; i++) {
        for (unsigned is_ref = 0; is_ref < 2; is_ref++) {
            paint(va->data + va->offset, va->pitch, bpc, bpc > 8 ? 16 - bpc : 0, i, is_ref);
            va->is_copy = 0;
            assert_int_equal(0, vmaf_sycl_import_va_surface(state(), va, FAKE_VA_SURFACE,
                                                            (int)is_ref, W, H, bpc));
            assert_int_equal(0, va->images);
            assert_int_equal(0, va->mapped);
        }
        assert_int_equal(0, vmaf_read_pictures_sycl(vmaf, i));
    }
    assert_int_equal(0, vmaf_flush_sycl(vmaf));
    take_scores(vmaf, out);
}

static void test_surfaces(void **unused)
{
    FakeVa va = { .w = W + 3, .h = H + 1, .offset = 64, .pitch = 512 };
    va.data = calloc(va.h + 1, va.pitch);
    for (unsigned bpc = 8; bpc <= 10; bpc += 2) {
        Scores cpu, gpu;
        va.fourcc = bpc == 8 ? VA_FOURCC_NV12 : VA_FOURCC_P010;
        score_pictures(false, bpc, VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_NONE, &cpu);
        for (va.cannot_derive = 0; va.cannot_derive < 2; va.cannot_derive++) {
            score_surfaces(&va, bpc, &gpu);
            assert_memory_equal(&cpu, &gpu, sizeof(cpu));
        }
    }
    va.cannot_derive = 0;
    VmafContext *vmaf = open_context(true);
    assert_int_equal(0, vmaf_sycl_init_frame_buffers(vmaf, W, H, 8));
    log_set_level(VMAF_LOG_LEVEL_NONE);
    /* A surface of another depth, one of another size, and none at all. */
    assert_int_equal(-EINVAL,
                     vmaf_sycl_import_va_surface(state(), &va, FAKE_VA_SURFACE, 1, W, H, 8));
    va.fourcc = VA_FOURCC_NV12;
    va.w = W - 1;
    assert_int_equal(-EINVAL,
                     vmaf_sycl_import_va_surface(state(), &va, FAKE_VA_SURFACE, 1, W, H, 8));
    assert_int_equal(-EIO, vmaf_sycl_import_va_surface(state(), &va, 8, 1, W, H, 8));
    log_set_level(VMAF_LOG_LEVEL_WARNING);
    assert_int_equal(0, va.images);
    assert_int_equal(0, va.mapped);
    vmaf_close(vmaf);
    free(va.data);
}
#endif

/* ---- times ---- */

static unsigned long launches_of(const char *text, const char *kernel)
{
    const char *at = strstr(text, kernel);
    return at ? strtoul(at + strlen(kernel), NULL, 10) : 0;
}

static void test_profiling(void **unused)
{
    Scores scores;
    char *text;
    assert_int_equal(0, vmaf_sycl_profiling_enable(state()));
    score_pictures(true, 8, VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_NONE, &scores);
    assert_int_equal(0, vmaf_sycl_profiling_get_string(state(), &text));
    const unsigned long before = launches_of(text, "psnr_sse_8");
    assert_int_equal(FRAMES, before);
    assert_null(strstr(text, "psnr_sse_16"));
    assert_null(strstr(text, " 0.00 us each"));
    free(text);
    vmaf_sycl_profiling_disable(state());
    score_pictures(true, 8, VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_NONE, &scores);
    assert_int_equal(0, vmaf_sycl_profiling_get_string(state(), &text));
    assert_int_equal(before, launches_of(text, "psnr_sse_8"));
    free(text);
}

/* ---- arguments ---- */

static void test_arguments(void **unused)
{
    VmafContext *vmaf;
    VmafSyclState *none = NULL;
    void *ptr = &vmaf;
    char *text = (char *)&vmaf;
    VmafPicture pic;
    assert_int_equal(0, vmaf_init(&vmaf, (VmafConfiguration){ .log_level = VMAF_LOG_LEVEL_NONE }));
    const VmafSyclPictureConfiguration pool = { .pic_prealloc_method = 9,
                                                .pic_params = { W, H, 8, VMAF_PIX_FMT_YUV420P } };
    assert_int_equal(-EINVAL, vmaf_sycl_state_init(NULL, (VmafSyclConfiguration){ -1, 0 }));
    assert_int_equal(-EINVAL, vmaf_sycl_state_init(&none, (VmafSyclConfiguration){ -2, 0 }));
    assert_int_equal(-EINVAL, vmaf_sycl_state_init(&none, (VmafSyclConfiguration){ 999, 0 }));
    assert_null(none);
    vmaf_sycl_state_free(NULL);
    vmaf_sycl_state_free(&none);
    assert_int_equal(-EINVAL, vmaf_sycl_import_state(vmaf, NULL));
    assert_int_equal(-EINVAL, vmaf_sycl_import_state(NULL, state()));
    /* A context without a state. */
    assert_int_equal(-EINVAL, vmaf_sycl_preallocate_pictures(vmaf, pool));
    assert_int_equal(-EINVAL, vmaf_sycl_init_frame_buffers(vmaf, W, H, 8));
    assert_int_equal(-EINVAL, vmaf_sycl_wait_compute(vmaf));
    assert_int_equal(-EINVAL, vmaf_flush_sycl(vmaf));
    assert_int_equal(0, vmaf_sycl_import_state(vmaf, state()));
    assert_int_equal(-EINVAL, vmaf_sycl_preallocate_pictures(vmaf, pool));
    assert_int_equal(-EINVAL, vmaf_sycl_picture_fetch(vmaf, NULL));
    assert_int_equal(-EINVAL, vmaf_sycl_picture_fetch(vmaf, &pic));
    assert_int_equal(-EINVAL, vmaf_sycl_dmabuf_import(state(), -1, 4096, &ptr));
    assert_null(ptr);
    const int file = open("/dev/null", O_RDWR); /* a file without memory behind it */
    assert_int_equal(-EIO, vmaf_sycl_dmabuf_import(state(), file, 4096, &ptr));
    assert_null(ptr);
    close(file);
    vmaf_sycl_dmabuf_free(state(), NULL);
#ifdef HAVE_VA
    assert_int_equal(-EINVAL, vmaf_sycl_import_va_surface(state(), NULL, 1, 1, W, H, 8));
#else
    assert_int_equal(-EIO, vmaf_sycl_import_va_surface(state(), NULL, 1, 1, W, H, 8));
#endif
    assert_int_equal(-EINVAL, vmaf_sycl_profiling_enable(NULL));
    assert_int_equal(-EINVAL, vmaf_sycl_profiling_get_string(NULL, &text));
    assert_null(text);
    vmaf_sycl_profiling_disable(NULL);
    vmaf_sycl_profiling_print(NULL);
    vmaf_close(vmaf);
    log_set_level(VMAF_LOG_LEVEL_WARNING);
}

static void test_states(void **unused)
{
    VmafSyclState *own;
    const int count = vmaf_sycl_list_devices();
    assert_true(count > 0);
    char last[16];
    snprintf(last, sizeof(last), "%d", count - 1);
    VmafSyclOptions options = {
        .size = sizeof(options), .device = last, .allow_software = 1, .enable_profiling = 1
    };
    assert_int_equal(0, vmaf_sycl_state_init_with_options(&own, &options));
    assert_non_null(own);
    vmaf_sycl_state_free(&own);
    assert_null(own);
    options.size--;
    assert_int_equal(-EINVAL, vmaf_sycl_state_init_with_options(&own, &options));
    /* A CPU is refused, also by its index. */
    VmafDeviceInfo info = { .size = sizeof(info) };
    assert_int_equal(0, vmaf_device_info("sycl", (unsigned)count - 1, &info));
    const VmafSyclConfiguration indexed = { count - 1, 1 };
    log_set_level(VMAF_LOG_LEVEL_NONE);
    assert_int_equal(info.type == VMAF_DEVICE_SOFTWARE ? -ENODEV : 0,
                     vmaf_sycl_state_init(&own, indexed));
    vmaf_sycl_state_free(&own);
    log_set_level(VMAF_LOG_LEVEL_WARNING);
}

TEST_MAIN(sycl)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pools),      cmocka_unit_test(test_frame_buffers),
        cmocka_unit_test(test_own_copies), cmocka_unit_test(test_geometry),
#ifdef HAVE_VA
        cmocka_unit_test(test_surfaces),
#endif
        cmocka_unit_test(test_profiling),  cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_states),
    };
    return RIG_RUN(argc, argv, tests);
}
