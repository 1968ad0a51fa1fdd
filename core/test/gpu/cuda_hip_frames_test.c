/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf_cuda_read_frames and vmaf_hip_read_frames as a decoder's caller uses them: frames in device
 * memory, in every layout that decoders use, filled on a stream that nobody waits for, and reused
 * once they are released. The scores equal the CPU's to the last bit, or the frames are refused. */
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "gpu/backend/cuda_hip/device.h"
#include "libvmaf/libvmaf_cuda.h"
#include "libvmaf/libvmaf_hip.h"
#include "rig.h"
#include "rig_cuda_hip.h"
#include "score.h"
#include "tap.h"

#define W 99
#define H 67
#define FRAMES 9
#define IN_HAND 3 /* pairs that the decoder has memory for */

static const ClipFeature every[] = {
    { "motion", { 0 } }, { "vif", { 0 } }, { "psnr", { 0 } }, { "on_cpu", { 0 } }
};
#define FEW 2    /* features that accept every depth */
#define DEVICE 3 /* features that run on the device */

typedef struct FrameKind {
    const char *name;
    enum VmafPixelFormat pix_fmt;
    unsigned bpc, shift;
    bool paired; /* Cb and Cr are interleaved */
    enum VmafPixelFormat take_fmt;
} FrameKind;

#define PIX(fmt, bits) .pix_fmt = VMAF_PIX_FMT_YUV##fmt##P, .bpc = bits
static const FrameKind kinds[] = {
    { .name = "nv12", PIX(420, 8), .paired = true },
    { .name = "p010", PIX(420, 10), .shift = 6, .paired = true },
    { .name = "yuv420p", PIX(420, 8) },
    { .name = "p012", PIX(420, 12), .shift = 4, .paired = true },
    { .name = "p016", PIX(420, 16), .paired = true },
    { .name = "yuv420p10", PIX(420, 10) },
    { .name = "nv16", PIX(422, 8), .paired = true },
    { .name = "p210", PIX(422, 10), .shift = 6, .paired = true },
    { .name = "yuv422p12", PIX(422, 12) },
    { .name = "yuv444p", PIX(444, 8) },
    { .name = "yuv444p10msb", PIX(444, 10), .shift = 6 },
    { .name = "yuv444p16", PIX(444, 16) },
    { .name = "p412", PIX(444, 12), .shift = 4, .paired = true },
    { .name = "gray", PIX(400, 8) },
    { .name = "gray12 above", PIX(400, 12), .shift = 4 },
    { .name = "yuv420p9", PIX(420, 9) },
    { .name = "14 bits above", PIX(420, 14), .shift = 2, .paired = true },
    { .name = "luma of nv12", PIX(420, 8), .paired = true, .take_fmt = VMAF_PIX_FMT_YUV400P },
};

/* ---- one set of names for both headers ---- */

static bool is_cuda(void)
{
    return !strcmp(rig_gpu()->backend, "cuda");
}

static VmafHipFrame in_hip(const VmafCudaFrame *frame)
{
    VmafHipFrame hip = { .size = frame->size - sizeof(*frame) + sizeof(hip),
                         .w = frame->w,
                         .h = frame->h,
                         .bpc = frame->bpc,
                         .pix_fmt = frame->pix_fmt,
                         .shift = frame->shift,
                         .hip_ctx = frame->cu_ctx,
                         .stream = frame->stream,
                         .release = frame->release,
                         .release_opaque = frame->release_opaque };
    memcpy(hip.plane, frame->plane, sizeof(hip.plane));
    memcpy(hip.pitch, frame->pitch, sizeof(hip.pitch));
    return hip;
}

static int read_frames(VmafContext *vmaf, const VmafCudaFrame *ref, const VmafCudaFrame *dist,
                       unsigned index)
{
    if (is_cuda())
        return vmaf_cuda_read_frames(vmaf, ref, dist, index);
    const VmafHipFrame hip[2] = { in_hip(ref), in_hip(dist) };
    return vmaf_hip_read_frames(vmaf, &hip[0], &hip[1], index);
}

static int can_read(VmafContext *vmaf, const VmafCudaFrame *frame, char *why, size_t size)
{
    if (is_cuda())
        return vmaf_cuda_can_read(vmaf, frame, why, size);
    const VmafHipFrame hip = in_hip(frame);
    return vmaf_hip_can_read(vmaf, &hip, why, size);
}

/* ---- a decoder ---- */

static const CudaHipCalls *calls(void)
{
    return &((CudaHipDevice *)rig_gpu())->api->call;
}

static CudaHipHandle context_of_device(void)
{
    return ((CudaHipDevice *)rig_gpu())->context;
}

static CudaHipHandle stream; /* the stream on which frames are filled */

static void enter(void)
{
    assert_int_equal(0, calls()->CtxPushCurrent(context_of_device()));
}

static void leave(void)
{
    CudaHipHandle context;
    assert_int_equal(0, calls()->CtxPopCurrent(&context));
}

/* A decoded frame, and the staging memory that it is copied from. */
typedef struct Decoded {
    VmafCudaFrame frame;
    const FrameKind *kind;
    size_t offset[3], size;
    CudaHipAddress memory;
    char *staging;
    unsigned read;        /* times it was read */
    atomic_uint released; /* times it was released */
} Decoded;

static void note_release(void *opaque)
{
    atomic_fetch_add(&((Decoded *)opaque)->released, 1);
}

static SynthClip clip_of(const FrameKind *kind)
{
    return (SynthClip){ kind->name, SYNTH_MIX, W, H, kind->pix_fmt, kind->bpc, FRAMES };
}

static void decoded_create(Decoded *decoded, const FrameKind *kind)
{
    const SynthClip clip = clip_of(kind);
    FrameShape shape;
    clip_shape(&clip, &shape);
    *decoded = (Decoded){ .kind = kind };
    const unsigned planes = kind->pix_fmt == VMAF_PIX_FMT_YUV400P ? 1 : kind->paired ? 2 : 3;
    const unsigned bytes = shape_sample_size(&shape);
    for (unsigned p = 0; p < planes; p++) {
        const size_t row = (size_t)shape.w[p] * bytes * (p && kind->paired ? 2 : 1);
        decoded->offset[p] = decoded->size + 6 * (p + 1);
        decoded->frame.pitch[p] = row + 10 * p + 14;
        decoded->size = decoded->offset[p] + decoded->frame.pitch[p] * shape.h[p];
    }
    enter();
    assert_int_equal(0, calls()->MemAlloc(&decoded->memory, decoded->size));
    assert_int_equal(0, calls()->MemHostAlloc((void **)&decoded->staging, decoded->size,
                                              CUDA_HIP_HOST_PORTABLE));
    leave();
    decoded->frame.size = sizeof(decoded->frame);
    decoded->frame.w = W;
    decoded->frame.h = H;
    decoded->frame.bpc = kind->bpc;
    decoded->frame.pix_fmt = kind->take_fmt ? kind->take_fmt : kind->pix_fmt;
    decoded->frame.shift = kind->shift;
    decoded->frame.cu_ctx = context_of_device();
    decoded->frame.stream = (uintptr_t)stream;
    decoded->frame.release = note_release;
    decoded->frame.release_opaque = decoded;
    for (unsigned p = 0; p < planes; p++)
        decoded->frame.plane[p] = decoded->memory + decoded->offset[p];
}

static void decoded_destroy(Decoded *decoded)
{
    enter();
    assert_int_equal(0, calls()->StreamSynchronize(stream));
    assert_int_equal(0, calls()->MemFree(decoded->memory));
    assert_int_equal(0, calls()->MemFreeHost(decoded->staging));
    leave();
}

static void await_release(Decoded *decoded)
{
    for (unsigned ms = 0; atomic_load(&decoded->released) < decoded->read && ms < 60000; ms++)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    assert_int_equal(decoded->read, atomic_load(&decoded->released));
}

static unsigned get_sample(const void *row, unsigned x, unsigned bytes)
{
    return bytes == 2 ? ((const uint16_t *)row)[x] : ((const uint8_t *)row)[x];
}

static void put_sample(char *at, unsigned bytes, unsigned value)
{
    if (bytes == 1)
        *(uint8_t *)at = (uint8_t)value;
    else
        memcpy(at, &(uint16_t){ (uint16_t)value }, 2);
}

/* Packs the picture, with noise in the unused bits and between the rows. */
static void pack(const Decoded *decoded, const VmafPicture *pic)
{
    const FrameKind *kind = decoded->kind;
    const unsigned bytes = kind->bpc > 8 ? 2 : 1, noise = (1u << kind->shift) - 1;
    for (size_t i = 0; i < decoded->size; i++)
        decoded->staging[i] = (char)(i * 2654435761u >> 11);
    for (unsigned p = 0; p < 3; p++) {
        const bool paired = p && kind->paired;
        const unsigned to = paired ? 1 : p, step = paired ? 2 : 1, first = paired ? p - 1 : 0;
        for (unsigned y = 0; y < pic->h[p]; y++) {
            const char *from = (const char *)pic->data[p] + (ptrdiff_t)y * pic->stride[p];
            char *row = decoded->staging + decoded->offset[to] + y * decoded->frame.pitch[to];
            for (unsigned x = 0; x < pic->w[p]; x++)
                put_sample(row + (size_t)(x * step + first) * bytes, bytes,
                           get_sample(from, x, bytes) << kind->shift | (x & noise));
        }
    }
}

/* Fills the frame once the stream gets there. */
static void decode(Decoded *decoded, enum SynthSide side, unsigned t)
{
    const SynthClip clip = clip_of(decoded->kind);
    VmafPicture pic;
    await_release(decoded);
    assert_int_equal(0, synth_picture(&clip, side, t, &pic));
    enter();
    assert_int_equal(0, calls()->StreamSynchronize(stream)); /* the staging memory is free again */
    pack(decoded, &pic);
    assert_int_equal(
        0, calls()->MemcpyHtoDAsync(decoded->memory, decoded->staging, decoded->size, stream));
    leave();
    vmaf_picture_unref(&pic);
}

static int read_pair(VmafContext *vmaf, Decoded pair[2], unsigned index)
{
    pair[SYNTH_REF].read++;
    pair[SYNTH_DIST].read++;
    return read_frames(vmaf, &pair[SYNTH_REF].frame, &pair[SYNTH_DIST].frame, index);
}

static void decode_pair(Decoded pair[2], unsigned t)
{
    decode(&pair[SYNTH_REF], SYNTH_REF, t);
    decode(&pair[SYNTH_DIST], SYNTH_DIST, t);
}

static int decode_and_read(VmafContext *vmaf, Decoded pair[2], unsigned t)
{
    decode_pair(pair, t);
    return read_pair(vmaf, pair, t);
}

static void pair_create(Decoded pair[2], const FrameKind *kind)
{
    decoded_create(&pair[0], kind);
    decoded_create(&pair[1], kind);
}

static void pair_destroy(Decoded pair[2])
{
    await_release(&pair[0]);
    await_release(&pair[1]);
    decoded_destroy(&pair[0]);
    decoded_destroy(&pair[1]);
}

/* ---- scores ---- */

static unsigned feature_count(const FrameKind *kind, bool on_cpu)
{
    const bool odd = kind->bpc == 9 || kind->bpc == 14;
    return odd ? FEW : on_cpu ? COUNT(every) : DEVICE;
}

static VmafContext *open_context(VmafDevice *device, unsigned count, unsigned threads)
{
    VmafContext *vmaf;
    assert_int_equal(0, vmaf_init(&vmaf, (VmafConfiguration){ .n_threads = threads }));
    if (device)
        assert_int_equal(0, vmaf_use_device(vmaf, device));
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(0, vmaf_use_feature(vmaf, every[i].name, NULL));
    return vmaf;
}

/* The CPU's scores of the clip. Luma alone is scored as a picture without chroma. */
static char *cpu_scores(const FrameKind *kind, unsigned count, unsigned frames)
{
    const SynthClip clip = clip_of(kind);
    VmafContext *vmaf = open_context(NULL, count, 0);
    char *scores;
    for (unsigned t = 0; t < frames; t++)
        score_read_as(&clip, kind->take_fmt ? kind->take_fmt : kind->pix_fmt, vmaf, t);
    assert_int_equal(0, score_close(vmaf, &scores));
    return scores;
}

/* Compares the scores, and closes the context. */
static void check_scores(VmafContext *vmaf, const FrameKind *kind, unsigned count, unsigned frames)
{
    char *scores, *wanted = cpu_scores(kind, count, frames);
    assert_int_equal(0, score_close(vmaf, &scores));
    if (!score_same(wanted, scores))
        fail_msg("%s", kind->name);
    free(scores);
    free(wanted);
}

static void check_kind(const FrameKind *kind, bool on_cpu, unsigned threads)
{
    const unsigned count = feature_count(kind, on_cpu);
    Decoded pairs[IN_HAND][2];
    char why[256];
    VmafContext *vmaf = open_context(rig_device(), count, threads);
    for (unsigned i = 0; i < IN_HAND; i++)
        pair_create(pairs[i], kind);
    assert_int_equal(0, can_read(vmaf, &pairs[0][0].frame, why, sizeof(why)));
    assert_string_equal("", why);
    for (unsigned t = 0; t < FRAMES; t++) {
        decode_pair(pairs[t % IN_HAND], t);
        const GpuUpload *const before = rig_gpu()->uploads;
        assert_int_equal(0, read_pair(vmaf, pairs[t % IN_HAND], t));
        /* Nothing is copied to the host unless a feature on the CPU reads the frames. Memory for
         * that is taken with the first pair. */
        assert_true(rig_gpu()->uploads == before || on_cpu);
        assert_true(rig_gpu()->uploads != before || !on_cpu || t);
    }
    check_scores(vmaf, kind, count, FRAMES);
    for (unsigned i = 0; i < IN_HAND; i++)
        pair_destroy(pairs[i]);
}

static void test_scores(void **unused)
{
    for (unsigned i = 0; i < COUNT(kinds); i++)
        check_kind(&kinds[i], false, i % 2 ? 2 : 0);
}

/* With a feature that reads the same frames on the CPU. */
static void test_beside_cpu(void **unused)
{
    check_kind(&kinds[0], true, 0);
    check_kind(&kinds[1], true, 2);
}

/* A shallow ring, and a ring that puts several frames in one submission. */
static void test_tunings(void **unused)
{
    const size_t bytes[] = { 0, SIZE_MAX };
    for (unsigned i = 0; i < COUNT(bytes); i++) {
        rig_tune(bytes[i], i ? GPU_MAX_BATCH : 1);
        check_kind(&kinds[1], false, 0);
    }
}

/* Two contexts on one device, with different formats, that take turns. */
static void test_two_contexts(void **unused)
{
    const FrameKind *two[2] = { &kinds[1], &kinds[8] };
    VmafContext *vmaf[2];
    Decoded pairs[2][2];
    for (unsigned c = 0; c < 2; c++) {
        vmaf[c] = open_context(rig_device(), DEVICE, c);
        pair_create(pairs[c], two[c]);
    }
    for (unsigned t = 0; t < FRAMES; t++)
        for (unsigned c = 0; c < 2; c++)
            assert_int_equal(0, decode_and_read(vmaf[c], pairs[c], t));
    for (unsigned c = 0; c < 2; c++) {
        check_scores(vmaf[c], two[c], DEVICE, FRAMES);
        pair_destroy(pairs[c]);
    }
}

static void test_same_frame(void **unused)
{
    Decoded frame;
    VmafContext *vmaf = open_context(rig_device(), DEVICE, 0);
    double psnr;
    decoded_create(&frame, &kinds[0]);
    decode(&frame, SYNTH_REF, 0);
    frame.read = 2;
    assert_int_equal(0, read_frames(vmaf, &frame.frame, &frame.frame, 0));
    assert_int_equal(0, vmaf_read_pictures(vmaf, NULL, NULL, 0));
    assert_int_equal(0, vmaf_feature_score_at_index(vmaf, "psnr_cb", &psnr, 0));
    assert_true(psnr == 60); /* the highest value at 8 bits */
    assert_int_equal(0, vmaf_close(vmaf));
    await_release(&frame);
    decoded_destroy(&frame);
}

/* ---- what is refused ---- */

/* P010 frames that do not say where their samples lie are never scored. */
static void test_unsaid_shift(void **unused)
{
    for (unsigned on_cpu = 0; on_cpu < 2; on_cpu++) {
        Decoded pair[2];
        double psnr;
        VmafContext *vmaf = open_context(rig_device(), feature_count(&kinds[1], on_cpu), 0);
        pair_create(pair, &kinds[1]);
        pair[0].frame.shift = pair[1].frame.shift = 0;
        int err = decode_and_read(vmaf, pair, 0);
        if (!err)
            err = vmaf_read_pictures(vmaf, NULL, NULL, 0);
        assert_int_equal(-ERANGE, err);
        assert_true(vmaf_feature_score_at_index(vmaf, "psnr_y", &psnr, 0) < 0);
        assert_int_equal(0, vmaf_close(vmaf));
        pair_destroy(pair);
    }
}

/* A frame of another size, depth or format within a stream is refused with a message, and the
 * scores of the others are right. */
static void test_changes(void **unused)
{
    const FrameKind *kind = &kinds[1];
    Decoded pair[2];
    VmafContext *vmaf = open_context(rig_device(), DEVICE, 0);
    pair_create(pair, kind);
    for (unsigned t = 0; t < FRAMES; t++) {
        assert_int_equal(0, decode_and_read(vmaf, pair, t));
        const VmafCudaFrame good[2] = { pair[0].frame, pair[1].frame };
        for (unsigned change = 0; change < 4; change++) {
            /* Change one picture of the pair, or both. */
            const unsigned sides = change == 3 ? 1u : 2u;
            for (unsigned side = 0; side < sides; side++) {
                VmafCudaFrame *frame = &pair[side].frame;
                frame->w -= change == 0 || change == 3 ? 2 : 0;
                frame->bpc -= change == 1;
                frame->pix_fmt = change == 2 ? VMAF_PIX_FMT_YUV400P : frame->pix_fmt;
            }
            assert_int_equal(-EINVAL, read_pair(vmaf, pair, t + 1));
            pair[0].frame = good[0];
            pair[1].frame = good[1];
        }
    }
    check_scores(vmaf, kind, DEVICE, FRAMES);
    pair_destroy(pair);
}

static void test_refusals(void **unused)
{
    Decoded decoded;
    char why[256];
    VmafContext *vmaf = open_context(rig_device(), DEVICE, 0), *plain = open_context(NULL, 1, 0);
    decoded_create(&decoded, &kinds[1]);
    const VmafCudaFrame good = decoded.frame;
    VmafCudaFrame bad[11];
    for (unsigned i = 0; i < COUNT(bad); i++)
        bad[i] = good;
    bad[0].w = 0;
    bad[1].bpc = 17;
    bad[2].shift = 7; /* past the end of the 16-bit sample */
    bad[3].pix_fmt = VMAF_PIX_FMT_UNKNOWN;
    bad[4].plane[0] = 0;
    bad[5].plane[1] = 0;
    bad[6].pitch[0] = W * 2 - 1;
    bad[7].pitch[1] = (W / 2) * 2 * 2 - 1; /* for both planes */
    bad[8].bpc = 8;                        /* and six bits above its samples are used */
    bad[9].cu_ctx = &why;
    bad[10].shift = UINT_MAX - 9; /* wraps to 0 with the 10 bits added */
    for (unsigned i = 0; i < COUNT(bad); i++) {
        const int wanted = i == 9 ? -ENOTSUP : -EINVAL;
        why[0] = '\0';
        assert_int_equal(wanted, can_read(vmaf, &bad[i], why, sizeof(why)));
        assert_true(why[0]);
        assert_int_equal(wanted, can_read(vmaf, &bad[i], NULL, 0));
        assert_int_equal(wanted, read_frames(vmaf, &good, &bad[i], 0));
        assert_int_equal(wanted, read_frames(vmaf, &bad[i], &good, 0));
        decoded.read += 4;
    }
    assert_int_equal(-EINVAL, can_read(plain, &good, why, sizeof(why)));
    assert_true(why[0]);
    assert_int_equal(-EINVAL, read_frames(plain, &good, &good, 0));
    decoded.read += 2;
    await_release(&decoded);
    /* A frame that is refused is not released. */
    VmafCudaFrame old = good;
    old.size--;
    assert_int_equal(-EINVAL, read_frames(vmaf, &good, &old, 0));
    assert_int_equal(-EINVAL, read_frames(vmaf, &old, &good, 0));
    assert_int_equal(-EINVAL, read_frames(NULL, &good, &good, 0));
    assert_int_equal(-EINVAL, can_read(vmaf, &old, why, sizeof(why)));
    assert_int_equal(-EINVAL, vmaf_cuda_read_frames(vmaf, NULL, &good, 0));
    assert_int_equal(-EINVAL, vmaf_cuda_read_frames(vmaf, &good, NULL, 0));
    await_release(&decoded);
    assert_int_equal(0, vmaf_close(plain));
    assert_int_equal(0, vmaf_close(vmaf));
    decoded_destroy(&decoded);
}

/* ---- failures ---- */

/* When operations of the device fail, the pair is released once, whatever the read returns. */
static void test_faults(void **unused)
{
    static const enum TapOperation operations[] = { TAP_BUFFER_CREATE, TAP_COMMANDS_CREATE, TAP_END,
                                                    TAP_SUBMIT, TAP_WAIT };
    for (unsigned o = 0; o < COUNT(operations); o++) {
        for (unsigned nth = 1; nth < 12; nth++) {
            Decoded pairs[4][2];
            VmafContext *vmaf = open_context(rig_device(), DEVICE, nth % 2);
            for (unsigned t = 0; t < COUNT(pairs); t++) {
                pair_create(pairs[t], &kinds[nth % 2]);
                decode(&pairs[t][SYNTH_REF], SYNTH_REF, t);
                decode(&pairs[t][SYNTH_DIST], SYNTH_DIST, t);
            }
            tap_open(rig_gpu());
            tap_fail(operations[o], nth, operations[o] == TAP_BUFFER_CREATE ? -ENOMEM : -EIO);
            for (unsigned t = 0; t < COUNT(pairs); t++)
                read_pair(vmaf, pairs[t], t);
            assert_int_equal(0, vmaf_close(vmaf));
            tap_close();
            for (unsigned t = 0; t < COUNT(pairs); t++)
                pair_destroy(pairs[t]);
        }
    }
}

/* ---- the decoder's stream ---- */

static int open_stream(void **unused)
{
    enter();
    const int err = CUDA_HIP_TRY((CudaHipDevice *)rig_gpu(), StreamCreate, &stream, 1);
    leave();
    return err;
}

static void with_stream(void (*test)(void **), void **state)
{
    assert_int_equal(0, open_stream(state));
    test(state);
    enter();
    assert_int_equal(0, calls()->StreamDestroy(stream));
    leave();
    stream = NULL;
}

/* Runs a test on the legacy stream, and on a stream of the decoder's that does not wait for the
 * legacy one. */
#define ON_A_STREAM(name)                                                                          \
    static void name##_on_a_stream(void **state)                                                   \
    {                                                                                              \
        with_stream(name, state);                                                                  \
    }
ON_A_STREAM(test_scores)
ON_A_STREAM(test_two_contexts)
ON_A_STREAM(test_beside_cpu)

TEST_MAIN(cuda_hip_frames)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_scores_on_a_stream),
        cmocka_unit_test(test_beside_cpu),
        cmocka_unit_test(test_beside_cpu_on_a_stream),
        cmocka_unit_test(test_tunings),
        cmocka_unit_test(test_two_contexts),
        cmocka_unit_test(test_two_contexts_on_a_stream),
        cmocka_unit_test(test_same_frame),
        cmocka_unit_test(test_unsaid_shift),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_faults),
    };
    return RIG_RUN(argc, argv, tests);
}
