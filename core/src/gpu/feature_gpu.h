/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A feature on the GPU: it declares, once, what a frame costs it (buffers, passes, result), and
 * reads the result back. It sees no device and no API; the frame graph (gpu/stream.c) runs the
 * plans of all features of a context as one submission a frame. */
#ifndef GPU_FEATURE_GPU_H
#define GPU_FEATURE_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/feature.h"
#include "gpu/kernels.h"

typedef struct GpuPlan GpuPlan;
typedef struct GpuFrame GpuFrame; /* one whose kernels are done */

struct FeatureGpu {
    /* Declares the feature's passes for f->shape and its options. Called after init. gpu_refuse()'s
     * result means that these options or this shape stay on the CPU. Failures of the calls below stick to the
     * plan, so plan() need not check them. */
    int (*plan)(const Feature *f, GpuPlan *plan);

    /* Turns the bytes of gpu_result() into the result that the CPU's measure would have given.
     * -EAGAIN: it did, but for a last bit that hangs on how the CPU rounds (the order of a sum, a
     * double). The frame is then measured on the CPU: keep it rare. */
    int (*collect)(const Feature *f, const void *readback, void *result);

    /* Asked when collect gave -EAGAIN, if it is not NULL: settles the matter with what the kernels left on the device
     * (gpu_fetch), and with what collect left in the result. -EAGAIN: it could not. */
    int (*settle)(const Feature *f, const GpuFrame *frame, const void *readback, void *result);

    /* Whether two results are as equal as the feature promises; NULL compares result_size bytes
     * (then measure and collect must both write every byte). Used by the self-test. */
    bool (*same)(const Feature *f, const void *a, const void *b);

    /* The sides of the self-test's pictures, where the usual ones are too small to tell anything; 0: the usual. */
    unsigned test_w, test_h;
};

/* For plan() to return: what keeps the feature on the CPU, as the end of a sentence. A constant. */
int gpu_refuse(GpuPlan *plan, const char *why);

/* A buffer as a plan names it. */
typedef struct GpuBuf {
    unsigned id;
} GpuBuf;

/* Planes of the frame. Rows begin every gpu_plane_stride() words; two bytes a sample above 8 bits,
 * samples in the low bits; bytes between the width and the stride are undefined but readable.
 * Asking for a plane is what makes it uploaded. */
GpuBuf gpu_ref(GpuPlan *plan, unsigned plane);
GpuBuf gpu_dist(GpuPlan *plan, unsigned plane);
/* The reference, or the distorted picture, of `back` (1 or 2) reads before. At the start of a stream, where there is none, the
 * passes run on undefined samples: collect still gets a result, and report must ignore it. */
GpuBuf gpu_prev_ref(GpuPlan *plan, unsigned plane, unsigned back);
GpuBuf gpu_prev_dist(GpuPlan *plan, unsigned plane, unsigned back);
unsigned gpu_plane_stride(const GpuPlan *plan, unsigned plane); /* in 32-bit words */

/* Device memory of the frame: undefined at the first pass that uses it. */
GpuBuf gpu_scratch(GpuPlan *plan, size_t bytes);
/* The same, filled with zeros before the first pass of each frame. */
GpuBuf gpu_scratch_zeroed(GpuPlan *plan, size_t bytes);
/* Lets settle() ask for a buffer of scratch memory under this number, after all passes. */
void gpu_keep(GpuPlan *plan, GpuBuf buf, unsigned number);
/* Copies what the frame's kernels left in the buffer of that number: its first `bytes`. */
int gpu_fetch(const GpuFrame *frame, unsigned number, void *to, size_t bytes);
/* Its FramePair.position. */
uint64_t gpu_frame_position(const GpuFrame *frame);
/* Constants, copied now to the device and shared by all frames. */
GpuBuf gpu_table(GpuPlan *plan, const void *data, size_t bytes);
/* What collect will read: call it once. `zeroed` clears it before the first pass. */
GpuBuf gpu_result(GpuPlan *plan, size_t bytes, bool zeroed);

/* The parameters of a kernel as a struct. They are listed once, in a _tile.h that the kernel takes
 * its PARAMS from, too:
 *     #define PSNR_SSE_PARAMS ARG(u32, width) ARG(u32, height)
 *     GPU_PARAMS(PsnrSseParams, PSNR_SSE_PARAMS);
 * Fill it by name, so that the order in the list does not matter. */
#define GPU_PARAMS(name, list)                                                                     \
    typedef struct name {                                                                          \
        list                                                                                       \
    } name;                                                                                        \
    _Static_assert(sizeof(name) <= GPU_MAX_PARAMS, "too many parameters: " #list)
#define ARG(type, name) GPU_ARG_##type name;
#define GPU_ARG_u32 uint32_t
#define GPU_ARG_i32 int32_t
#define GPU_ARG_f32 float

typedef struct GpuPass {
    const char *kernel;               /* its name in a meson.build */
    GpuBuf buffers[GPU_MAX_BINDINGS]; /* by binding number */
    unsigned buffer_count;
    const void *params; /* copied; a struct made by GPU_PARAMS */
    unsigned params_size;
    unsigned workgroups[3]; /* 0 means 1 */
} GpuPass;

/* Members of a GpuPass with their sizes: buffers in the order of the kernel's BUFFERS, and a pointer
 * to the struct of parameters. */
#define GPU_PASS_BUFFERS(...)                                                                      \
    .buffers = { __VA_ARGS__ }, .buffer_count = sizeof((GpuBuf[]){ __VA_ARGS__ }) / sizeof(GpuBuf)
#define GPU_PASS_PARAMS(pointer) .params = (pointer), .params_size = sizeof(*(pointer))

/* Adds a pass to the current stage. Passes of one stage may run at the same time and must not
 * depend on each other; a stage sees all that earlier stages of the feature wrote. Same-numbered
 * stages of different features run side by side, so few stages are worth more than few passes. */
void gpu_pass(GpuPlan *plan, const GpuPass *pass);
void gpu_next_stage(GpuPlan *plan);

/* Workgroups that cover n columns or rows, each of them `per_group`. */
static inline unsigned gpu_workgroups(unsigned n, unsigned per_group)
{
    return (n + per_group - 1) / per_group;
}

/* Samples that a 32-bit word of a plane holds. */
static inline unsigned gpu_samples_per_word(const FrameShape *shape)
{
    return 4 / shape_sample_size(shape);
}

/* A 64-bit number out of a result's words, low word first: as ATOMIC_ADD_U64 leaves it. */
static inline uint64_t gpu_read_u64(const uint32_t *words)
{
    return words[0] | (uint64_t)words[1] << 32;
}

/* Picks the variant of a kernel: gpu_by_depth(f, "vif_stats_8", "vif_stats_16"). */
static inline const char *gpu_by_depth(const Feature *f, const char *for8, const char *for16)
{
    return f->shape.bpc > 8 ? for16 : for8;
}

#endif
