/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The kernel dialect: one source for every GPU API.
 *
 * A kernel file, feature/NAME/NAME.kernel.h, holds the kernels of one feature. The build compiles
 * it once for each API and each entry of `kernels` in the folder's meson.build. It defines KERNEL_x
 * for the wanted kernel, and GPU_GLSL for GLSL, GPU_SYCL for SYCL, GPU_HIP for HIP or GPU_HOST for
 * the CPU; none of these means CUDA. NAME_tile.h holds what kernel and host must agree on: sizes,
 * the layout of results, parameters. It contains nothing but macros, such as
 *
 *     #define PSNR_GROUP_W 32
 *     #define PSNR_SSE_PARAMS ARG(u32, width) ARG(u32, height) ARG(u32, stride)
 *
 * GPU_PARAMS (gpu/feature_gpu.h) makes the host's struct of the latter. A kernel looks like this:
 *
 *     #if defined(KERNEL_psnr_sse)
 *     #define BUFFERS IN(0, u32, ref) IN(1, u32, dist) OUT(2, u32, sums)
 *     #define PARAMS PSNR_SSE_PARAMS
 *     #define SHARED_ARRAYS SHARED(u32, part, 256)    // optional
 *     #define GROUP_W PSNR_GROUP_W                    // threads of a workgroup, at most 256
 *     #define GROUP_H 8
 *     #define MIN_GROUPS 3                            // optional: CUDA limits the registers of a
 *                                                     // thread so that a multiprocessor holds
 *                                                     // this many workgroups
 *     #include "gpu/prelude/prelude.h"
 *
 *     TABLE_BEGIN(u32, taps, 3) 1u, 2u, 1u TABLE_END  // constants, if any, before KERNEL_BEGIN
 *     KERNEL_BEGIN
 *     DEVICE u32 square(u32 x) { return x * x; }      // may use buffers and params by name
 *     KERNEL_MAIN
 *     {
 *         ...
 *     }
 *     KERNEL_END
 *     #endif
 *
 * A kernel may use:
 *   types      u32 i32 u64 i64 f32 bool; u32x2 u32x4 (.x .y .z .w; made by U32X2() and U32X4()).
 *              Casts are written u32(x). Buffers hold these types, and no 8 or 16 bit elements.
 *   params     u32, i32 and f32 only, at most 128 bytes: host and kernel use the same plain struct.
 *   functions  DEVICE type name(args). Arguments are values or INOUT(type) name. No pointers, no
 *              recursion, no arrays as arguments.
 *   arrays     Local arrays of constant size; tables by TABLE_BEGIN ... TABLE_END.
 *   ids        GROUP_X GROUP_Y GROUP_Z, LOCAL_X LOCAL_Y, LOCAL_INDEX (x fastest), GROUP_SIZE; all
 *              u32.
 *   groups     BARRIER() orders accesses to shared arrays within a workgroup. All of its threads
 *              must reach it. GROUP_SUM(array, value) leaves in array[0] the sum over the
 *              workgroup; the array is shared and has GROUP_SIZE elements, a power of two.
 *   atomics    ATOMIC_ADD(buffer, index, u32 value) returns the value before. 32 bits only;
 *              `buffer` may be a shared array.
 *              ATOMIC_ADD_U64(buffer, index, u64 value) adds to the pair of words at index, low
 *              word first, and carries by hand. The sum is exact in any order, but must not be read
 *              before the pass ends.
 *   vectors    PUT_WORD(array, i, value) writes word i of a shared array of u32x4, which others
 *              then read four words at a time.
 *   loops      UNROLL before a `for` whose body indexes a local array by the loop's variable.
 *              COMPUTE_HERE(x), for a 32-bit integer, makes the compiler compute x here. Some
 *              compilers move the computation into a later branch that uses x, keep its operands
 *              until then, and run out of registers.
 *   helpers    mul_hi_u32, mul_hi_i32, mul_wide_i32 (an i64), top_bit_u32, top_bit_u64 (index of
 *              the highest set bit; x > 0), count_bits_u32, min_u32, max_u32, min_i32, max_i32,
 *              clamp_i32, abs_i32, and PRECISE before a float declaration whose steps must be
 *              rounded as written.
 *   floats     bits_of_f32, f32_of_bits, abs_f32, max_f32, floor_f32. Only +, - and * are rounded
 *              correctly everywhere. a / b, recip_near(x), a fast 1 / x for x from 2^-100 to 2^100,
 *              sqrt_near(x), and rsqrt_near(x), which is 1 / sqrt(x), may be off by some units in
 *              the last place, and tiny results may become 0. exact_float.h has exact functions.
 *              fma_f32(a, b, c) is a * b + c, rounded once by most devices. Unless FMA_FUSES is
 *              defined, a kernel must test that (as ciede does).
 *   doubles    f64, in a kernel named like another one with _f64 appended. It replaces the other
 *              one on devices that are fast at doubles. +, - and *; f32(x) and f64(x), which may be
 *              slow; abs_f64; fma_f64(a, b, c), rounded once or twice. f64_of_words(low, high)
 *              makes a double of its bits; low_word(x) and high_word(x) return them.
 *   samples    SAMPLE(plane, row, x): sample x of the row that begins at word `row` of a plane's
 *              buffer. Variants are compiled with HBD 0 (8 bits a sample) and HBD 1 (16 bits).
 *              SAMPLES_PER_WORD, and sample_of(word, x) for words already loaded.
 *   memory     LITTLE_SHARED, 0 or 1, from gpu/prelude/target.h, which must be included before
 *              SHARED_ARRAYS is defined: whether workgroups that run side by side have little
 *              shared memory between them.
 *
 * A kernel must not use 64-bit atomics; depend on a subgroup size; read beyond a buffer's bounds (a
 * plane's row may be read up to its stride); read a buffer or a table at an index less a constant,
 * as in taps[i - 1u], where a compiler for AMD's GPUs read 0 (start at the lowest index, and add);
 * overflow in signed arithmetic (u32 and u64 may wrap) or shift by as many bits as a value has or
 * more, whatever the samples hold; or compare a 32-bit value widened to 64 bits with a 64-bit
 * constant (lavapipe gets that wrong: compare in 32 bits). */
#ifndef SHARED_ARRAYS
#define SHARED_ARRAYS
#endif
#ifndef HBD
#define HBD 0
#endif
#ifndef GROUP_H
#define GROUP_H 1
#endif
#define GROUP_SIZE (GROUP_W * GROUP_H)
#ifndef MIN_GROUPS
#define MIN_GROUPS 0
#endif

#if defined(GPU_INFO)
/* The dialect reduced to what the preprocessor can tell about a kernel: its workgroup, buffers and
 * parameters. compile_kernel.py reads that; the rest of the output is not in any language. */
#define IN(slot, type, name) +1
#define OUT(slot, type, name) +1
#define ARG(type, name) +4
KERNEL_INFO[GROUP_W; GROUP_H; 0 BUFFERS; 0 PARAMS]
#elif defined(GPU_GLSL)
#include "gpu/prelude/glsl.h"
#elif defined(GPU_HOST)
#include "gpu/prelude/host.h"
#elif defined(GPU_SYCL)
#include "gpu/prelude/sycl.h"
#else
#include "gpu/prelude/cuda.h"
#endif

#if HBD
#define SAMPLES_PER_WORD 2u
#define SAMPLE(plane, row, x) (((plane)[(row) + ((x) >> 1)] >> (((x) & 1u) << 4)) & 0xffffu)
#define sample_of(word, x) (((word) >> (((x) & 1u) << 4)) & 0xffffu)
#else
#define SAMPLES_PER_WORD 4u
#define SAMPLE(plane, row, x) (((plane)[(row) + ((x) >> 2)] >> (((x) & 3u) << 3)) & 0xffu)
#define sample_of(word, x) (((word) >> (((x) & 3u) << 3)) & 0xffu)
#endif

#define GROUP_SUM(array, value)                                                                    \
    do {                                                                                           \
        BARRIER();                                                                                 \
        array[LOCAL_INDEX] = value;                                                                \
        BARRIER();                                                                                 \
        for (u32 half_ = GROUP_SIZE / 2u; half_ > 0u; half_ >>= 1) {                               \
            if (LOCAL_INDEX < half_)                                                               \
                array[LOCAL_INDEX] += array[LOCAL_INDEX + half_];                                  \
            BARRIER();                                                                             \
        }                                                                                          \
    } while (false)

#define ATOMIC_ADD_U64(buffer_, index, value)                                                      \
    do {                                                                                           \
        u64 value_ = value;                                                                        \
        u32 low_ = u32(value_), before_ = ATOMIC_ADD(buffer_, index, low_);                        \
        u32 high_ = u32(value_ >> 32) + (before_ + low_ < before_ ? 1u : 0u);                      \
        if (high_ != 0u)                                                                           \
            ATOMIC_ADD(buffer_, (index) + 1u, high_);                                              \
    } while (false)
