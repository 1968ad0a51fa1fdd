/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* libvmaf_cuda.h and libvmaf_hip.h as programs use them, FFmpeg's libvmaf_cuda filter above all: in
 * a context of the caller's, with pictures that the caller fills by copies on the legacy stream
 * without waiting, and states that nobody frees. The scores equal the CPU's to the last bit. */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "gpu/backend/cuda_hip/device.h"
#include "engine/context_struct.h"
#include "libvmaf/libvmaf_cuda.h"
#include "libvmaf/libvmaf_hip.h"
#include "rig.h"
#include "score.h"

/* ---- one set of names for both headers ---- */

enum Method { NONE, DEVICE, HOST, HOST_PINNED, NO_STATE };

static bool is_cuda(void)
{
    return !strcmp(rig_gpu()->backend, "cuda");
}

static const CudaHipCalls *calls(void)
{
    return &((CudaHipDevice *)rig_gpu())->api->call;
}

static bool fallback; /* the states that are made let features run on the CPU */

static int state_init_with_options(void **state, void *context)
{
    const VmafCudaOptions cuda = { .size = sizeof(cuda),
                                   .cu_ctx = context,
                                   .fallback_cpu = fallback };
    const VmafHipOptions hip = {
        .size = sizeof(hip), .device_index = -1, .hip_ctx = context, .fallback_cpu = fallback
    };
    return is_cuda() ? vmaf_cuda_state_init_with_options((VmafCudaState **)state, &cuda)
                     : vmaf_hip_state_init_with_options((VmafHipState **)state, &hip);
}

static int state_init(void **state, void *context)
{
    if (fallback)
        return state_init_with_options(state, context);
    return is_cuda() ? vmaf_cuda_state_init((VmafCudaState **)state,
                                            (VmafCudaConfiguration){ .cu_ctx = context })
                     : vmaf_hip_state_init_external((VmafHipState **)state, context);
}

static void state_free(void *state)
{
    VmafHipState *hip = state;
    if (is_cuda())
        assert_int_equal(0, vmaf_cuda_state_free(state));
    else
        vmaf_hip_state_free(&hip);
}

static int import_state(VmafContext *vmaf, void *state)
{
    return is_cuda() ? vmaf_cuda_import_state(vmaf, state) : vmaf_hip_import_state(vmaf, state);
}

static int preallocate(VmafContext *vmaf, const SynthClip *clip, int method)
{
    const VmafCudaPictureConfiguration cuda = {
        .pic_params = { clip->width, clip->height, clip->bitdepth, clip->pix_fmt },
        .pic_prealloc_method = (enum VmafCudaPicturePreallocationMethod)method,
    };
    const VmafHipPictureConfiguration hip = {
        .pic_params = { clip->width, clip->height, clip->bitdepth, clip->pix_fmt },
        .pic_prealloc_method = (enum VmafHipPicturePreallocationMethod)method,
    };
    return is_cuda() ? vmaf_cuda_preallocate_pictures(vmaf, cuda)
                     : vmaf_hip_preallocate_pictures(vmaf, hip);
}

static int fetch(VmafContext *vmaf, VmafPicture *pic)
{
    return is_cuda() ? vmaf_cuda_fetch_preallocated_picture(vmaf, pic)
                     : vmaf_hip_fetch_preallocated_picture(vmaf, pic);
}

/* A function of the fake driver (test/fake_driver/control.h); NULL: this is a real driver. */
static void *emulator(const char *name)
{
    void *library = dlopen(is_cuda() ? "libcuda.so.1" : "libamdhip64.so.7", RTLD_NOW | RTLD_NOLOAD);
    return library ? dlsym(library, name) : NULL;
}

/* ---- the caller ---- */

/* Work on the legacy stream that takes a while and delays the copies behind it. */
#define DELAY_BYTES ((size_t)256 << 20)
#define DELAYS 8

typedef struct Caller {
    CudaHipHandle context;
    bool own;
    CudaHipAddress delay; /* 0: the driver is slow by itself */
    CudaHipAddress planes[2];
    size_t pitch;
} Caller;

static void *cuda_function(const char *name)
{
    void *library = is_cuda() ? dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) : NULL;
    return library ? dlsym(library, name) : NULL;
}

static void enter(const Caller *caller)
{
    assert_int_equal(0, calls()->CtxPushCurrent(caller->context));
}

static void leave(void)
{
    CudaHipHandle context;
    assert_int_equal(0, calls()->CtxPopCurrent(&context));
}

static void caller_open(Caller *caller, const SynthClip *clip)
{
    *caller = (Caller){ .pitch = 2 * clip->width + 96 };
    int (*create)(CudaHipHandle *, unsigned, int) =
        (int (*)(CudaHipHandle *, unsigned, int))cuda_function("cuCtxCreate_v2");
    caller->own = create != NULL;
    if (create) {
        CudaHipHandle popped;
        assert_int_equal(0, create(&caller->context, 0, 0));
        assert_int_equal(0, calls()->CtxPopCurrent(&popped));
    } else {
        assert_int_equal(0, calls()->DevicePrimaryCtxRetain(&caller->context, 0));
    }
    enter(caller);
    for (unsigned side = 0; side < 2; side++)
        assert_int_equal(
            0, calls()->MemAlloc(&caller->planes[side], 3 * caller->pitch * clip->height));
    if (!emulator("emulated_complaints"))
        assert_int_equal(0, calls()->MemAlloc(&caller->delay, DELAY_BYTES));
    leave();
}

static void caller_close(Caller *caller)
{
    enter(caller);
    for (unsigned side = 0; side < 2; side++)
        assert_int_equal(0, calls()->MemFree(caller->planes[side]));
    if (caller->delay)
        assert_int_equal(0, calls()->MemFree(caller->delay));
    leave();
    int (*destroy)(CudaHipHandle) = (int (*)(CudaHipHandle))cuda_function("cuCtxDestroy_v2");
    if (caller->own)
        assert_int_equal(0, destroy(caller->context));
    else
        assert_int_equal(0, calls()->DevicePrimaryCtxRelease(0));
}

static void copy_rows(const CudaHipSide *from, const CudaHipSide *to, const VmafPicture *shape,
                      unsigned p)
{
    const CudaHipCopy2D copy = {
        .from = *from,
        .to = *to,
        .width = shape->w[p] * (shape->bpc > 8 ? 2u : 1u),
        .height = shape->h[p],
    };
    assert_int_equal(0, calls()->Memcpy2DAsync(&copy, NULL));
}

static CudaHipSide decoded_plane(const Caller *caller, enum SynthSide side,
                                 const VmafPicture *shape, unsigned p)
{
    const CudaHipApi *api = ((CudaHipDevice *)rig_gpu())->api;
    return (CudaHipSide){ .memory = api->memory_device,
                          .device = caller->planes[side] + p * caller->pitch * shape->h[0],
                          .pitch = caller->pitch };
}

/* Fills a frame on the device, as a decoder would. */
static void decode(const Caller *caller, enum SynthSide side, const VmafPicture *frame)
{
    const CudaHipApi *api = ((CudaHipDevice *)rig_gpu())->api;
    enter(caller);
    for (unsigned p = 0; p < 3; p++) {
        if (!frame->data[p])
            continue;
        const CudaHipSide host = { .memory = api->memory_host,
                                   .host = frame->data[p],
                                   .pitch = (size_t)frame->stride[p] };
        const CudaHipSide plane = decoded_plane(caller, side, frame, p);
        copy_rows(&host, &plane, frame, p);
    }
    assert_int_equal(0, calls()->StreamSynchronize(NULL));
    leave();
}

/* Enqueues the copy of the first planes into a picture, and does not wait. */
static void hand_over(const Caller *caller, enum SynthSide side, VmafPicture *pic, unsigned planes)
{
    const CudaHipApi *api = ((CudaHipDevice *)rig_gpu())->api;
    enter(caller);
    for (unsigned i = 0; caller->delay && i < DELAYS; i++)
        assert_int_equal(0, calls()->MemsetD32Async(caller->delay, i, DELAY_BYTES / 4, NULL));
    for (unsigned p = 0; p < planes && pic->data[p]; p++) {
        const CudaHipSide picture = { .memory = api->memory_device,
                                      .device = (CudaHipAddress)pic->data[p],
                                      .pitch = (size_t)pic->stride[p] };
        const CudaHipSide plane = decoded_plane(caller, side, pic, p);
        copy_rows(&plane, &picture, pic, p);
    }
    leave();
}

/* ---- a run ---- */

enum Freeing { FREE_AFTER, FREE_BEFORE, FREE_NEVER };

typedef struct Run {
    const SynthClip *clip;
    const ClipFeature *features; /* NULL: those of `model` */
    unsigned feature_count;
    const char *model;
    unsigned threads;
    enum Method method;
    unsigned planes; /* planes to copy to the pictures on the device */
    enum Freeing freeing;
    bool in_doubt; /* the device decides no frame: each is measured again on the CPU */
} Run;

static int collect_in_doubt(const Feature *f, const void *readback, void *result)
{
    return -EAGAIN;
}

static void cast_doubt(VmafContext *vmaf)
{
    static FeatureDef defs[8];
    static FeatureGpu gpus[COUNT(defs)];
    const unsigned count = scheduler_feature_count(vmaf->scheduler);
    assert_true(count <= COUNT(defs));
    for (unsigned i = 0; i < count; i++) {
        Feature *f = scheduler_feature(vmaf->scheduler, i);
        gpus[i] = *f->def->gpu;
        gpus[i].collect = collect_in_doubt;
        defs[i] = *f->def;
        defs[i].gpu = &gpus[i];
        f->def = &defs[i];
    }
}

static int use_features(const Run *run, VmafContext *vmaf)
{
    for (unsigned i = 0; run->features && i < run->feature_count; i++) {
        VmafFeatureDictionary *options = NULL;
        for (const char *const *o = run->features[i].options; *o; o += 2)
            assert_int_equal(0, vmaf_feature_dictionary_set(&options, o[0], o[1]));
        assert_int_equal(0, vmaf_use_feature(vmaf, run->features[i].name, options));
    }
    if (!run->model)
        return 0;
    VmafModel *model;
    VmafModelConfig config = { .name = "vmaf" };
    assert_int_equal(0, vmaf_model_load(&model, &config, run->model));
    const int err = vmaf_use_features_from_model(vmaf, model);
    vmaf_model_destroy(model);
    return err;
}

static int make_picture(const Run *run, VmafContext *vmaf, const Caller *caller,
                        enum SynthSide side, unsigned t, VmafPicture *out)
{
    VmafPicture frame;
    assert_int_equal(0, synth_picture(run->clip, side, t, &frame));
    if (run->method == NO_STATE || run->method == NONE) {
        *out = frame;
        return 0;
    }
    const int err = fetch(vmaf, out);
    if (!err && run->method == DEVICE) {
        decode(caller, side, &frame);
        hand_over(caller, side, out, run->planes);
    } else if (!err) {
        clip_copy(out, &frame);
    }
    vmaf_picture_unref(&frame);
    return err;
}

static int read_pair(const Run *run, VmafContext *vmaf, const Caller *caller, unsigned t)
{
    VmafPicture ref = { 0 }, dist = { 0 };
    int err = make_picture(run, vmaf, caller, SYNTH_REF, t, &ref);
    if (!err)
        err = make_picture(run, vmaf, caller, SYNTH_DIST, t, &dist);
    if (!err)
        err = vmaf_read_pictures(vmaf, &ref, &dist, t);
    /* A failed read leaves the pictures with the caller. */
    assert_true(!ref.ref == !err);
    if (ref.ref)
        vmaf_picture_unref(&ref);
    if (dist.ref)
        vmaf_picture_unref(&dist);
    return err;
}

static int run_on(const Run *run, const Caller *caller, void *state, char **scores)
{
    VmafContext *vmaf;
    assert_int_equal(0, vmaf_init(&vmaf, (VmafConfiguration){ .log_level = VMAF_LOG_LEVEL_NONE,
                                                              .n_threads = run->threads }));
    if (state) {
        assert_int_equal(0, import_state(vmaf, state));
        assert_int_equal(0, preallocate(vmaf, run->clip, run->method));
    }
    assert_int_equal(0, use_features(run, vmaf));
    if (state && run->in_doubt)
        cast_doubt(vmaf);
    if (state && run->freeing == FREE_BEFORE)
        state_free(state);
    int err = 0;
    for (unsigned t = 0; !err && t < run->clip->frames; t++)
        err = read_pair(run, vmaf, caller, t);
    if (err) {
        vmaf_close(vmaf);
        *scores = NULL;
    } else {
        err = score_close(vmaf, scores);
    }
    if (state && run->freeing == FREE_AFTER)
        state_free(state);
    return err;
}

static char *scores_on_cpu(const Run *run)
{
    char *scores;
    Run plain = *run;
    plain.method = NO_STATE;
    assert_int_equal(0, run_on(&plain, NULL, NULL, &scores));
    return scores;
}

/* The number of objects of the device that are still held; a real driver does not tell. */
static long held(void)
{
    long (*leaks)(void) = (long (*)(void))emulator("emulated_leaks");
    return leaks ? leaks() : 0;
}

/* A leaked state is the only allocation of ours that may remain. */
static void *leaked[64];
static unsigned leaked_count;

static int run_in_context(const Run *run, char **scores)
{
    Caller caller;
    void *state;
    caller_open(&caller, run->clip);
    const long before = held();
    assert_int_equal(0, state_init(&state, caller.context));
    const int err = run_on(run, &caller, state, scores);
    assert_int_equal(before, held());
    if (run->freeing == FREE_NEVER)
        leaked[leaked_count++] = state;
    caller_close(&caller);
    return err;
}

static void check(const Run *run)
{
    char *wanted = scores_on_cpu(run), *scores;
    assert_int_equal(0, run_in_context(run, &scores));
    assert_true(score_same(wanted, scores));
    free(wanted);
    free(scores);
}

/* The context of a leaked state is gone, so freeing the state late must not touch the device. */
static void free_leaked(void)
{
    while (leaked_count)
        state_free(leaked[--leaked_count]);
}

/* ---- tests ---- */

static const SynthClip small = {
    .kind = SYNTH_MIX,
    .width = 176,
    .height = 144,
    .pix_fmt = VMAF_PIX_FMT_YUV420P,
    .bitdepth = 8,
    .frames = 10,
};

/* FFmpeg's two formats and default model. The filter fills luma alone and never frees the state. */
static void test_ffmpeg(void **unused)
{
    for (unsigned i = 0; i < 2; i++) {
        SynthClip clip = small;
        clip.pix_fmt = i ? VMAF_PIX_FMT_YUV444P : VMAF_PIX_FMT_YUV420P;
        clip.bitdepth = i ? 16 : 8;
        for (unsigned threads = 0; threads < 4; threads += 3)
            check(&(Run){ .clip = &clip,
                          .model = "vmaf_v0.6.1",
                          .threads = threads,
                          .method = DEVICE,
                          .planes = 1,
                          .freeing = FREE_NEVER });
    }
    free_leaked();
}

static const ClipFeature all_features[] = {
    { "psnr", { 0 } },   { "vif", { 0 } },        { "adm", { 0 } },
    { "motion", { 0 } }, { "float_ssim", { 0 } }, { "float_ms_ssim", { 0 } },
    { "cambi", { 0 } },  { "on_cpu", { 0 } },     { "psnr_hvs", { 0 } },
};

/* All planes are filled: tests every feature, including those on the CPU beside the device. */
static void test_formats(void **unused)
{
    static const struct {
        enum VmafPixelFormat pix_fmt;
        unsigned bitdepth, width, height;
    } cases[] = {
        { VMAF_PIX_FMT_YUV420P, 8, 217, 179 },  { VMAF_PIX_FMT_YUV422P, 10, 220, 176 },
        { VMAF_PIX_FMT_YUV444P, 12, 176, 216 }, { VMAF_PIX_FMT_YUV420P, 16, 178, 218 },
        { VMAF_PIX_FMT_YUV400P, 16, 224, 176 },
    };
    for (unsigned i = 0; i < COUNT(cases); i++) {
        SynthClip clip = small;
        clip.pix_fmt = cases[i].pix_fmt;
        clip.bitdepth = cases[i].bitdepth;
        clip.width = cases[i].width;
        clip.height = cases[i].height;
        clip.frames = 4;
        /* psnr_hvs needs chroma, and at most 12 bits. */
        const bool hvs = clip.bitdepth <= 12;
        const Run run = { .clip = &clip,
                          .features = all_features,
                          .feature_count = COUNT(all_features) - !hvs,
                          .method = DEVICE,
                          .planes = 3 };
        check(&run);
        /* Also with no feature on the CPU. */
        Run device_only = run;
        device_only.feature_count = 4;
        check(&device_only);
        device_only.in_doubt = true;
        check(&device_only);
    }
}

static void test_methods(void **unused)
{
    const Run run = { .clip = &small, .features = all_features, .feature_count = 4, .planes = 3 };
    for (enum Method method = NONE; method <= HOST_PINNED; method++)
        for (enum Freeing freeing = FREE_AFTER; freeing <= FREE_NEVER; freeing++) {
            Run one = run;
            one.method = method;
            one.freeing = freeing;
            check(&one);
        }
    free_leaked();
}

/* A state serves one context after another, and two at once. */
static void test_states(void **unused)
{
    Run run = { .clip = &small,
                .features = all_features,
                .feature_count = 4,
                .method = DEVICE,
                .planes = 3,
                .freeing = FREE_NEVER };
    char *wanted = scores_on_cpu(&run), *scores;
    void *state;
    Caller caller;
    caller_open(&caller, run.clip);
    assert_int_equal(0, state_init(&state, caller.context));
    VmafContext *other;
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(0, vmaf_init(&other, (VmafConfiguration){ 0 }));
        assert_int_equal(0, import_state(other, state));
        assert_int_equal(0, run_on(&run, &caller, state, &scores));
        assert_true(score_same(wanted, scores));
        free(scores);
        assert_int_equal(0, vmaf_close(other));
    }
    state_free(state);
    /* A state that no context imports. */
    assert_int_equal(0, state_init(&state, caller.context));
    state_free(state);
    caller_close(&caller);
    /* The primary context. */
    caller_open(&caller, run.clip);
    free(wanted);
    assert_int_equal(0, state_init(&state, NULL));
    run.method = HOST_PINNED;
    wanted = scores_on_cpu(&run);
    assert_int_equal(0, run_on(&run, &caller, state, &scores));
    assert_true(score_same(wanted, scores));
    free(wanted);
    free(scores);
    state_free(state);
    caller_close(&caller);
}

/* Chroma that nobody filled is not scored. */
static void test_luma_alone(void **unused)
{
    static const ClipFeature luma[] = { { "psnr", { "enable_chroma", "false", NULL } } };
    Run run = {
        .clip = &small, .features = all_features, .feature_count = 1, .method = DEVICE, .planes = 1
    };
    char *scores;
    assert_int_equal(-EINVAL, run_in_context(&run, &scores));
    run.planes = 2;
    assert_int_equal(-EINVAL, run_in_context(&run, &scores));
    run.planes = 1;
    run.features = luma;
    check(&run);
}

/* A feature with GPU code that cannot run on the state's device fails, unless the program allows
 * the CPU. One without GPU code runs on the CPU. */
static void test_fallback(void **unused)
{
    static const ClipFeature unfit[] = {
        { "psnr", { 0 } },
        { "float_adm", { "adm_norm_view_dist", "24", "adm_ref_display_height", "4320", NULL } }
    };
    static const ClipFeature no_kernels[] = { { "on_cpu", { 0 } } };
    Run run = { .clip = &small, .features = unfit, .feature_count = 2, .method = HOST };
    char *scores;
    assert_int_equal(-EINVAL, run_in_context(&run, &scores));
    fallback = true;
    check(&run);
    fallback = false;
    run.features = no_kernels;
    run.feature_count = 1;
    check(&run);
}

/* Both pictures of a pair must lie in the same kind of memory, and the host does not read device
 * memory. */
static void test_refusals(void **unused)
{
    SynthClip deep = small;
    deep.bitdepth = 10;
    VmafContext *vmaf;
    void *state;
    Caller caller;
    caller_open(&caller, &deep);
    assert_int_equal(0, state_init(&state, caller.context));
    assert_int_equal(0, vmaf_init(&vmaf, (VmafConfiguration){ 0 }));
    VmafPicture pics[4], host;
    assert_int_equal(-EINVAL, preallocate(vmaf, &deep, DEVICE));
    assert_int_equal(-EINVAL, fetch(vmaf, &host));
    assert_int_equal(0, import_state(vmaf, state));
    assert_int_equal(-EINVAL, fetch(vmaf, &host));
    assert_int_equal(0, preallocate(vmaf, &deep, NONE));
    assert_int_equal(-EINVAL, fetch(vmaf, &host));
    assert_int_equal(-EINVAL, preallocate(vmaf, &deep, 4));
    SynthClip bad = deep;
    bad.bitdepth = 7;
    assert_int_equal(-EINVAL, preallocate(vmaf, &bad, DEVICE));
    assert_int_equal(0, preallocate(vmaf, &deep, DEVICE));
    assert_int_equal(-EBUSY, preallocate(vmaf, &deep, DEVICE));
    assert_int_equal(-EINVAL, fetch(vmaf, NULL));
    assert_int_equal(-EINVAL, fetch(NULL, &host));
    assert_int_equal(0, vmaf_use_feature(vmaf, "motion", NULL));

    /* Pictures that are still held are not handed out again. */
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(0, fetch(vmaf, &pics[i]));
        for (unsigned j = 0; j < i; j++)
            assert_ptr_not_equal(pics[i].data[0], pics[j].data[0]);
    }
    assert_int_equal(0, synth_picture(&deep, SYNTH_REF, 0, &host));
    assert_int_equal(-EINVAL, vmaf_read_pictures(vmaf, &pics[0], &host, 0));
    assert_int_equal(-EINVAL, vmaf_read_pictures(vmaf, &host, &pics[0], 0));
    assert_non_null(host.ref);
    assert_non_null(pics[0].ref);
    /* Nothing was copied, and the fill pattern is no picture of 10 bits. */
    assert_int_equal(-ERANGE, vmaf_read_pictures(vmaf, &pics[0], &pics[1], 0));
    decode(&caller, SYNTH_REF, &host);
    for (unsigned i = 2; i < 4; i++)
        hand_over(&caller, SYNTH_REF, &pics[i], 1);
    assert_int_equal(0, vmaf_read_pictures(vmaf, &pics[2], &pics[3], 0));
    assert_int_equal(0, vmaf_read_pictures(vmaf, NULL, NULL, 0));
    /* Pictures may outlive their context. */
    assert_int_equal(0, vmaf_close(vmaf));
    for (unsigned i = 0; i < 2; i++)
        vmaf_picture_unref(&pics[i]);
    vmaf_picture_unref(&host);
    state_free(state);
    caller_close(&caller);
    if (is_cuda()) {
        assert_int_equal(-EINVAL, vmaf_cuda_state_init(NULL, (VmafCudaConfiguration){ 0 }));
        VmafCudaState *cuda = (VmafCudaState *)1;
        VmafCudaOptions options = { .size = sizeof(options) - 1 };
        assert_int_equal(-EINVAL, vmaf_cuda_state_init_with_options(&cuda, &options));
        assert_null(cuda);
        assert_int_equal(0, vmaf_cuda_state_free(NULL));
    } else {
        VmafHipState *hip;
        assert_int_equal(-EINVAL, vmaf_hip_state_init(NULL, (VmafHipConfiguration){ -1, 0 }));
        assert_int_equal(-EINVAL, vmaf_hip_state_init(&hip, (VmafHipConfiguration){ -2, 0 }));
        assert_int_equal(-EINVAL, vmaf_hip_state_init(&hip, (VmafHipConfiguration){ 99, 0 }));
        VmafHipOptions options = { .size = sizeof(options) - 1, .device_index = -1 };
        assert_int_equal(-EINVAL, vmaf_hip_state_init_with_options(&hip, &options));
        assert_null(hip);
        assert_null(hip);
        assert_int_equal(0, vmaf_hip_state_init(&hip, (VmafHipConfiguration){ -1, 0 }));
        vmaf_hip_state_free(&hip);
        assert_null(hip);
        vmaf_hip_state_free(NULL);
        assert_int_equal(1, vmaf_hip_available());
        assert_true(vmaf_hip_list_devices() > 0);
    }
}

/* ---- imports ---- */

/* A time line of another API. The fake driver accepts a counter in a file for one. */
typedef struct Clock {
    uintptr_t semaphore; /* 0: none */
    _Atomic uint64_t *counter;
} Clock;

static void clock_open(Clock *clock, VmafContext *vmaf)
{
    *clock = (Clock){ 0 };
    uintptr_t none;
    assert_int_equal(-EINVAL, is_cuda() ? vmaf_cuda_import_semaphore(vmaf, 0, NULL)
                                        : vmaf_hip_import_semaphore(vmaf, 0, NULL));
    assert_true((is_cuda() ? vmaf_cuda_import_semaphore(vmaf, -1, &none)
                           : vmaf_hip_import_semaphore(vmaf, -1, &none)) < 0);
    if (!emulator("emulated_complaints"))
        return;
    const int fd = memfd_create("clock", MFD_CLOEXEC);
    assert_true(fd >= 0 && !ftruncate(fd, 8));
    clock->counter = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(MAP_FAILED, clock->counter);
    assert_int_equal(0, is_cuda() ? vmaf_cuda_import_semaphore(vmaf, fd, &clock->semaphore)
                                  : vmaf_hip_import_semaphore(vmaf, fd, &clock->semaphore));
    assert_int_equal(0, close(fd));
}

static void clock_close(Clock *clock, VmafContext *vmaf)
{
    if (!clock->semaphore)
        return;
    assert_int_equal(0, is_cuda() ? vmaf_cuda_free_semaphore(vmaf, clock->semaphore)
                                  : vmaf_hip_free_semaphore(vmaf, clock->semaphore));
    munmap((void *)clock->counter, 8);
}

static void import_side(const Caller *caller, VmafContext *vmaf, enum SynthSide side,
                        const VmafPicture *shape, unsigned t, const Clock *clock)
{
    VmafSharedPicture shared = {
        .size = sizeof(shared),
        .type = VMAF_MEMORY_ADDRESS,
        .handle = (intptr_t)caller->planes[side],
        .bytes = 3 * caller->pitch * shape->h[0],
        .w = shape->w[0],
        .h = shape->h[0],
        .bpc = shape->bpc,
        .pix_fmt = shape->pix_fmt,
        .is_ref = side == SYNTH_REF,
        .index = t,
        .semaphore = clock->semaphore,
        .wait_value = 3 * t + 1,
        .signal_value = side == SYNTH_DIST ? 3 * t + 2 : 0,
    };
    for (unsigned p = 0; p < 3; p++) {
        shared.offset[p] = p * caller->pitch * shape->h[0];
        shared.stride[p] = caller->pitch;
    }
    assert_int_equal(0, vmaf_import_picture(vmaf, &shared));
    shared.bytes = caller->pitch;
    assert_int_equal(-EINVAL, vmaf_import_picture(NULL, &shared));
    shared.size--;
    assert_int_equal(-EINVAL, vmaf_import_picture(vmaf, &shared));
}

static void test_imports(void **unused)
{
    const Run run = { .clip = &small, .features = all_features, .feature_count = 4 };
    char *wanted = scores_on_cpu(&run), *scores;
    VmafContext *vmaf;
    void *state;
    Caller caller;
    caller_open(&caller, run.clip);
    assert_int_equal(0, state_init(&state, caller.context));
    assert_int_equal(0, vmaf_init(&vmaf, (VmafConfiguration){ 0 }));
    assert_int_equal(-EINVAL, vmaf_read_imported_pictures(vmaf, 0));
    assert_int_equal(0, import_state(vmaf, state));
    assert_int_equal(0, use_features(&run, vmaf));
    Clock clock;
    clock_open(&clock, vmaf);
    for (unsigned t = 0; t < run.clip->frames; t++) {
        assert_int_equal(-EINVAL, vmaf_read_imported_pictures(vmaf, t));
        for (enum SynthSide side = SYNTH_REF; side <= SYNTH_DIST; side++) {
            VmafPicture frame;
            assert_int_equal(0, synth_picture(run.clip, side, t, &frame));
            if (!clock.semaphore)
                decode(&caller, side, &frame);
            import_side(&caller, vmaf, side, &frame, t, &clock);
            if (clock.semaphore) /* without a semaphore it is in time as well */
                decode(&caller, side, &frame);
            vmaf_picture_unref(&frame);
        }
        if (clock.semaphore)
            atomic_store(clock.counter, 3 * t + 1);
        assert_int_equal(0, vmaf_read_imported_pictures(vmaf, t));
        if (clock.semaphore)
            assert_int_equal(3 * t + 2, atomic_load(clock.counter));
    }
    clock_close(&clock, vmaf);
    assert_int_equal(0, score_close(vmaf, &scores));
    assert_true(score_same(wanted, scores));
    free(wanted);
    free(scores);
    state_free(state);
    caller_close(&caller);
}

TEST_MAIN(states)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ffmpeg),     cmocka_unit_test(test_formats),
        cmocka_unit_test(test_methods),    cmocka_unit_test(test_states),
        cmocka_unit_test(test_luma_alone), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_imports),    cmocka_unit_test(test_fallback),
    };
    return RIG_RUN(argc, argv, tests);
}
