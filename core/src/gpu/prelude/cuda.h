/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The dialect as CUDA C++ (compile with -fmad=false). HIP compiles the same text. See prelude.h.
 *
 * Buffers and parameters are members of one struct, the kernel's only argument. The device
 * functions are member functions of it, so they use buffers by name, as in GLSL. */
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;
typedef float f32;
typedef double f64;
typedef uint2 u32x2;
typedef uint4 u32x4;
#define U32X2(a, b) make_uint2(a, b)
#define U32X4(a, b, c, d) make_uint4(a, b, c, d)

/* Everything but the entry point lies in a namespace of the kernel's own, because several kernels
 * may become one module. */
#define NAMESPACE_OF_(name) of_##name
#define NAMESPACE_OF(name) NAMESPACE_OF_(name)
namespace NAMESPACE_OF(KERNEL_NAME) {

#define SHARED(type, name, count) __shared__ type name[count];
SHARED_ARRAYS

#define IN(slot, type, name) const type *__restrict__ name;
#define OUT(slot, type, name) type *name;
#define ARG(type, name) type name;

#define TABLE_BEGIN(type, name, count) static __constant__ const type name[count] = {
#define TABLE_END };
#define DEVICE __device__ __forceinline__
#define INOUT(type) type &
#define PRECISE
#define UNROLL _Pragma("unroll")
#ifdef GPU_HIP
#define GROUP_BOUNDS __launch_bounds__(GROUP_SIZE)
#define COMPUTE_HERE(x)
#else
#define GROUP_BOUNDS __launch_bounds__(GROUP_SIZE, MIN_GROUPS)
#define COMPUTE_HERE(x) __asm__ volatile("" : "+r"(x))
#define FMA_FUSES
#endif
#define KERNEL_BEGIN                                                                               \
    struct Kernel {                                                                                \
        BUFFERS                                                                                    \
        PARAMS
#define KERNEL_MAIN __device__ __forceinline__ void run()
#define KERNEL_END                                                                                 \
    };                                                                                             \
    extern "C" __global__ void GROUP_BOUNDS KERNEL_NAME(Kernel kernel)                             \
    {                                                                                              \
        kernel.run();                                                                              \
    }                                                                                              \
    }

#define GROUP_X blockIdx.x
#define GROUP_Y blockIdx.y
#define GROUP_Z blockIdx.z
#define LOCAL_X threadIdx.x
#define LOCAL_Y threadIdx.y
#define LOCAL_INDEX (threadIdx.y * GROUP_W + threadIdx.x)
#define BARRIER() __syncthreads()
#define PUT_WORD(array, i, value) (reinterpret_cast<u32 *>(array)[i] = (value))
#define ATOMIC_ADD(buffer_, index, value) atomicAdd(&buffer_[index], u32(value))

#define min_u32(a, b) min(u32(a), u32(b))
#define max_u32(a, b) max(u32(a), u32(b))
#define min_i32(a, b) min(i32(a), i32(b))
#define max_i32(a, b) max(i32(a), i32(b))
#define clamp_i32(x, lo, hi) min(max(i32(x), i32(lo)), i32(hi))
#define abs_i32(x) abs(i32(x))
#define top_bit_u32(x) (31u - u32(__clz(i32(x))))
#define count_bits_u32(x) u32(__popc(x))
#define bits_of_f32(x) __float_as_uint(x)
#define f32_of_bits(x) __uint_as_float(x)
#define abs_f32(x) fabsf(x)
#define max_f32(a, b) fmaxf(a, b)
#define floor_f32(x) floorf(x)
#define sqrt_near(x) sqrtf(x)
#define rsqrt_near(x) rsqrtf(x)
#define recip_near(x) __fdividef(1.0f, x)
#define fma_f32(a, b, c) __fmaf_rn(a, b, c)
#define top_bit_u64(x) (63u - u32(__clzll(i64(x))))
#define mul_hi_u32(a, b) __umulhi(a, b)
#ifdef GPU_HIP
#define mul_wide_i32(a, b) (i64(a) * i64(b))
#else
/* mul.wide in assembly: where clang sees that a factor is not negative, it does not recognise a
 * product of 32-bit factors and computes a slower 64-bit one. */
static __device__ __forceinline__ i64 mul_wide_i32(i32 a, i32 b)
{
    i64 product;
    __asm__("mul.wide.s32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
    return product;
}
#endif
#define mul_hi_i32(a, b) __mulhi(a, b)
#define fma_f64(a, b, c) __fma_rn(a, b, c)
#define f64_of_words(low, high) __hiloint2double(i32(high), i32(low))
#define low_word(x) u32(__double2loint(x))
#define high_word(x) u32(__double2hiint(x))
#define abs_f64(x) fabs(x)
