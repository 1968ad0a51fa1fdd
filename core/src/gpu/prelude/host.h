/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The dialect as C++ for the CPU, in the struct form of cuda.h. See prelude.h, and host/kernel.h
 * for the code that runs it. Buffers know their size, and every access is checked. Shared arrays
 * are members, so each workgroup starts with undefined ones. */
#include "gpu/backend/host/kernel.h"

typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;
typedef float f32;
typedef double f64;
struct u32x2 {
    u32 x, y;
};
struct u32x4 {
    u32 x, y, z, w;
};
#define U32X2(a, b) u32x2{a, b}
#define U32X4(a, b, c, d) u32x4{a, b, c, d}

template <typename Type, u32 slot> struct HostView : HostArgument {
    Type &operator[](u64 i) const
    {
        if (__builtin_expect(i >= size / sizeof(Type), 0))
            host_out_of_bounds(runner, slot, i);
        return static_cast<Type *>(data)[i];
    }
};

#define IN(slot, type, name) +1
#define OUT(slot, type, name) +1
enum { HOST_BUFFER_COUNT = BUFFERS };
#undef IN
#undef OUT
#define IN(slot, type, name) const HostView<const type, slot> name;
#define OUT(slot, type, name) const HostView<type, slot> name;
#define ARG(type, name) const type name;
#define SHARED(type, name, count) type name[count];

#define TABLE_BEGIN(type, name, count) static const type name[count] = {
#define TABLE_END };
#define DEVICE inline
#define INOUT(type) type &
#define PRECISE
#define UNROLL
#define COMPUTE_HERE(x)
/* The namespace has no name; otherwise the linker would mix up the functions of different
 * kernels. */
#define KERNEL_BEGIN                                                                               \
    namespace {                                                                                    \
    struct Kernel {                                                                                \
        HostThread thread_;                                                                        \
        BUFFERS                                                                                    \
        PARAMS                                                                                     \
        u32 end_of_params_;                                                                        \
        SHARED_ARRAYS
#define KERNEL_MAIN void run()
#define KERNEL_END                                                                                 \
    };                                                                                             \
    void run_thread(void *object)                                                                  \
    {                                                                                              \
        static_cast<Kernel *>(object)->run();                                                      \
    }                                                                                              \
    }                                                                                              \
    extern "C" const HostKernel HOST_SYMBOL(KERNEL_NAME);                                          \
    const HostKernel HOST_SYMBOL(KERNEL_NAME) = {                                                  \
        HOST_TEXT(KERNEL_NAME),                                                                    \
        { GROUP_W, GROUP_H },                                                                      \
        HOST_BUFFER_COUNT,                                                                         \
        u32(offsetof(Kernel, end_of_params_) - sizeof(HostThread) -                                \
            HOST_BUFFER_COUNT * sizeof(HostArgument)),                                             \
        sizeof(Kernel),                                                                            \
        run_thread,                                                                                \
    };
#define HOST_SYMBOL(name) HOST_SYMBOL_(name)
#define HOST_SYMBOL_(name) host_kernel_##name
#define HOST_TEXT(name) HOST_TEXT_(name)
#define HOST_TEXT_(name) #name

#define GROUP_X thread_.group[0]
#define GROUP_Y thread_.group[1]
#define GROUP_Z thread_.group[2]
#define LOCAL_X thread_.local[0]
#define LOCAL_Y thread_.local[1]
#define LOCAL_INDEX (thread_.local[1] * GROUP_W + thread_.local[0])
#define PUT_WORD(array, i, value) (reinterpret_cast<u32 *>(array)[i] = (value))
#define BARRIER() host_barrier(thread_.runner, __LINE__)
/* The threads take turns, and only a barrier switches to another one. */
#define ATOMIC_ADD(buffer_, index, value) host_add(buffer_[index], value)
static inline u32 host_add(u32 &at, u32 value)
{
    const u32 before = at;
    at = before + value;
    return before;
}

static inline u32 min_u32(u32 a, u32 b) { return a < b ? a : b; }
static inline u32 max_u32(u32 a, u32 b) { return a > b ? a : b; }
static inline i32 min_i32(i32 a, i32 b) { return a < b ? a : b; }
static inline i32 max_i32(i32 a, i32 b) { return a > b ? a : b; }
static inline i32 clamp_i32(i32 x, i32 lo, i32 hi) { return min_i32(max_i32(x, lo), hi); }
static inline i32 abs_i32(i32 x) { return x < 0 ? -x : x; }
static inline u32 top_bit_u32(u32 x) { return 31u - u32(__builtin_clz(x)); }
static inline u32 top_bit_u64(u64 x) { return 63u - u32(__builtin_clzll(x)); }
static inline u32 count_bits_u32(u32 x) { return u32(__builtin_popcount(x)); }
static inline u32 mul_hi_u32(u32 a, u32 b) { return u32(u64(a) * b >> 32); }
static inline i32 mul_hi_i32(i32 a, i32 b) { return i32(i64(a) * b >> 32); }
static inline i64 mul_wide_i32(i32 a, i32 b) { return i64(a) * b; }
static inline u32 bits_of_f32(f32 x)
{
    u32 bits;
    __builtin_memcpy(&bits, &x, sizeof(bits));
    return bits;
}
static inline f32 f32_of_bits(u32 bits)
{
    f32 x;
    __builtin_memcpy(&x, &bits, sizeof(x));
    return x;
}
/* Rounded twice, as some devices do. */
static inline f64 fma_f64(f64 a, f64 b, f64 c) { return a * b + c; }
static inline f64 f64_of_words(u32 low, u32 high)
{
    const u64 bits = u64(high) << 32 | low;
    f64 x;
    __builtin_memcpy(&x, &bits, sizeof(x));
    return x;
}
static inline u64 bits_of_f64(f64 x)
{
    u64 bits;
    __builtin_memcpy(&bits, &x, sizeof(bits));
    return bits;
}
#define low_word(x) u32(bits_of_f64(x))
#define high_word(x) u32(bits_of_f64(x) >> 32)
#define abs_f64(x) __builtin_fabs(x)
#define abs_f32(x) __builtin_fabsf(x)
static inline f32 max_f32(f32 a, f32 b) { return a > b ? a : b; }
#define floor_f32(x) __builtin_floorf(x)
#define fma_f32(a, b, c) __builtin_fmaf(a, b, c)
/* Off by one unit in the last place, up or down, as on devices. */
static inline f32 sqrt_near(f32 x)
{
    const u32 root = bits_of_f32(__builtin_sqrtf(x));
    return f32_of_bits(root == 0u || root >= 0x7f800000u ? root : root + 1u - (root & 2u));
}
/* Off by two units, the most that Vulkan allows for a quotient and for an inverse root. */
static inline f32 rsqrt_near(f32 x)
{
    const u32 bits = bits_of_f32(1.0f / __builtin_sqrtf(x));
    return f32_of_bits(bits + 2u - (bits & 4u));
}
static inline f32 recip_near(f32 x)
{
    const u32 bits = bits_of_f32(1.0f / x);
    return f32_of_bits(bits + 2u - (bits & 4u));
}
