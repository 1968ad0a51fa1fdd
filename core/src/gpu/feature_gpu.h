/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A feature's code for GPUs. The feature declares once, in a plan, what each frame needs (buffers,
 * kernel passes, a result) and reads the result back for each frame. It sees no device and no API:
 * gpu/stream.c runs the plans of all features of a context, one submission a frame. */
#ifndef GPU_FEATURE_GPU_H
#define GPU_FEATURE_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/feature.h"
#include "gpu/kernels.h"

typedef struct GpuPlan GpuPlan;
typedef struct GpuFrame GpuFrame; /* a frame whose kernels are done */

struct FeatureGpu {
    /* Declares the feature's passes for f->shape and its options. Called after init. Return
     * gpu_refuse(plan, why) to keep these options or this shape on the CPU. An error of the calls
     * below is kept in the plan, so plan() need not check them. */
    int (*plan)(const Feature *f, GpuPlan *plan);

    /* Declares one plan for features of which each can join all[0] (FeatureDef.can_join), and which
     * do most of their work once. gpu_result() then holds the results of all in this order, each as
     * large as plan() makes it, and collect gets its feature's own. NULL: features are never
     * planned together. */
    int (*plan_all)(const Feature *const *all, unsigned count, GpuPlan *plan);
    /* With plan_all: options (key, value, ..., NULL) of a feature that can join one with default
     * options. The self-test runs both together. */
    const char *const *joined_options;

    /* Turns the bytes of gpu_result() into the result that the CPU's measure would have given.
     * -EAGAIN: it did, except that a last bit depends on how the CPU rounds (the order of a sum, a
     * double). The frame is then measured on the CPU, so keep this rare. */
    int (*collect)(const Feature *f, const void *readback, void *result);

    /* Called when collect returned -EAGAIN; may be NULL. Decides the open bit from data that the
     * kernels left on the device (gpu_fetch) and from the result that collect filled. -EAGAIN: it
     * could not decide. */
    int (*settle)(const Feature *f, const GpuFrame *frame, const void *readback, void *result);

    /* True if two results are as equal as the feature promises. Used by the self-test. NULL:
     * compare result_size bytes, and then measure and collect must both write every byte. */
    bool (*same)(const Feature *f, const void *a, const void *b);

    /* A measurement that the self-test compares before the feature itself: a step that drivers are
     * known to compute wrongly. Users cannot choose it. NULL: there is none. */
    const FeatureDef *first_check;

    /* Width and height of the self-test's pictures, where the default ones are too small to show
     * errors; 0: the default. */
    unsigned test_w, test_h;
    /* The picture size of a second self-test, for features that run other kernels on large
     * pictures; 0: there is none. */
    unsigned large_w, large_h;
};

/* For plan() to return. `why` says what keeps the feature on the CPU, as the end of a sentence. It
 * must be a constant. */
int gpu_refuse(GpuPlan *plan, const char *why);

/* Names a buffer of a plan. */
typedef struct GpuBuf {
    unsigned id;
} GpuBuf;

/* Planes of the frame. A plane is uploaded only if a plan asks for it. Rows begin every
 * gpu_plane_stride() words. Above 8 bits a sample has two bytes, with the value in the low bits.
 * Bytes between the width and the stride are undefined but readable. */
GpuBuf gpu_ref(GpuPlan *plan, unsigned plane);
GpuBuf gpu_dist(GpuPlan *plan, unsigned plane);
/* The reference or distorted picture of `back` (1 or 2) frames earlier. At the start of a stream no
 * earlier picture exists and the passes run on undefined samples: collect still gets a result, and
 * report must ignore it. */
GpuBuf gpu_prev_ref(GpuPlan *plan, unsigned plane, unsigned back);
GpuBuf gpu_prev_dist(GpuPlan *plan, unsigned plane, unsigned back);
unsigned gpu_plane_stride(const GpuPlan *plan, unsigned plane); /* in 32-bit words */

/* Device memory of the frame. It is undefined at the first pass that uses it. */
GpuBuf gpu_scratch(GpuPlan *plan, size_t bytes);
/* Same as gpu_scratch, but filled with zeros before the first pass of each frame. */
GpuBuf gpu_scratch_zeroed(GpuPlan *plan, size_t bytes);
/* Lets settle() read this scratch buffer, under this number, after all passes. */
void gpu_keep(GpuPlan *plan, GpuBuf buf, unsigned number);
/* Copies to the host the first `bytes` of the buffer that gpu_keep gave this number. Waits. */
int gpu_fetch(const GpuFrame *frame, unsigned number, void *to, size_t bytes);
/* The frame's FramePair.position. */
uint64_t gpu_frame_position(const GpuFrame *frame);
/* Constants. They are copied to the device now and shared by all frames. */
GpuBuf gpu_table(GpuPlan *plan, const void *data, size_t bytes);
/* The buffer that collect will read. Call it once. `zeroed`: clear it before the first pass. */
GpuBuf gpu_result(GpuPlan *plan, size_t bytes, bool zeroed);

/* Declares the parameters of a kernel as a struct. They are listed once, in a _tile.h from which
 * the kernel also takes its PARAMS:
 * #define PSNR_SSE_PARAMS ARG(u32, width) ARG(u32, height)
 * GPU_PARAMS(PsnrSseParams, PSNR_SSE_PARAMS);
 * Fill the struct by member name, so that the order in the list does not matter. */
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
    const char *kernel;               /* its name in meson.build */
    GpuBuf buffers[GPU_MAX_BINDINGS]; /* in the order of binding numbers */
    unsigned buffer_count;
    const void *params; /* a struct made by GPU_PARAMS; copied */
    unsigned params_size;
    unsigned workgroups[3]; /* 0 means 1 */
} GpuPass;

/* Initialise a GpuPass: the buffers, in the order of the kernel's BUFFERS, with their count; and a
 * pointer to the struct of parameters, with its size. */
#define GPU_PASS_BUFFERS(...)                                                                      \
    .buffers = { __VA_ARGS__ }, .buffer_count = sizeof((GpuBuf[]){ __VA_ARGS__ }) / sizeof(GpuBuf)
#define GPU_PASS_PARAMS(pointer) .params = (pointer), .params_size = sizeof(*(pointer))

/* Adds a pass to the current stage. Passes of one stage may run at the same time and must not
 * depend on each other. A stage sees everything that earlier stages of the feature wrote. Stages of
 * the same number run side by side for all features, so prefer few stages to few passes. */
void gpu_pass(GpuPlan *plan, const GpuPass *pass);
void gpu_next_stage(GpuPlan *plan);

/* The number of workgroups that cover n columns or rows, `per_group` each. */
static inline unsigned gpu_workgroups(unsigned n, unsigned per_group)
{
    return (n + per_group - 1) / per_group;
}

/* The number of samples in a 32-bit word of a plane. */
static inline unsigned gpu_samples_per_word(const FrameShape *shape)
{
    return 4 / shape_sample_size(shape);
}

/* Reads a 64-bit number that ATOMIC_ADD_U64 left in a result: two words, the low one first. */
static inline uint64_t gpu_read_u64(const uint32_t *words)
{
    return words[0] | (uint64_t)words[1] << 32;
}

/* Picks the kernel for the sample size: gpu_by_depth(f, "vif_stats_8", "vif_stats_16"). */
static inline const char *gpu_by_depth(const Feature *f, const char *for8, const char *for16)
{
    return f->shape.bpc > 8 ? for16 : for8;
}

#endif
