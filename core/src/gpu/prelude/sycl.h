/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The dialect as SYCL, in the struct form of cuda.h. See prelude.h, and sycl/plugin/kernel.h for
 * the code that launches it. The build preprocesses each kernel by itself and puts several of them
 * into one file, each in a namespace of its own, so nothing here includes anything.
 *
 * The shared arrays are one struct in local memory, and members of the kernel refer to them. */
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;
typedef float f32;
typedef double f64;
struct u32x2 {
    u32 x, y;
};
struct alignas(16) u32x4 {
    u32 x, y, z, w;
};
#define U32X2(a, b) u32x2{a, b}
#define U32X4(a, b, c, d) u32x4{a, b, c, d}

#define SHARED(type, name, count) type name[count];
struct Shared {
    SHARED_ARRAYS
    char end_;
};
#undef SHARED
#define SHARED(type, name, count) type (&name)[count] = shared_.name;

#define IN(slot, type, name) const type *__restrict__ name;
#define OUT(slot, type, name) type *name;
#define ARG(type, name) type name;

#define TABLE_BEGIN(type, name, count) static constexpr type name[count] = {
#define TABLE_END };
#define SYCL_INLINE inline __attribute__((always_inline))
#define DEVICE SYCL_INLINE
#define INOUT(type) type &
#define PRECISE
#define UNROLL _Pragma("unroll")
#define COMPUTE_HERE(x)
#define KERNEL_BEGIN                                                                               \
    struct Arguments {                                                                             \
        BUFFERS                                                                                    \
        PARAMS                                                                                     \
    };                                                                                             \
    struct Kernel : Arguments {                                                                    \
        const sycl::nd_item<3> item_;                                                              \
        Shared &shared_;                                                                           \
        SHARED_ARRAYS                                                                              \
        SYCL_INLINE Kernel(const Arguments &arguments, const sycl::nd_item<3> &item,               \
                           Shared &shared)                                                         \
            : Arguments(arguments), item_(item), shared_(shared)                                   \
        {                                                                                          \
        }
#define KERNEL_MAIN SYCL_INLINE void run()
#define KERNEL_END                                                                                 \
    };                                                                                             \
    struct Name; /* SYCL requires a name for each kernel */                                        \
    static sycl::event launch(sycl::queue &queue, const void *args, const unsigned *groups,        \
                              const std::vector<sycl::event> &after)                               \
    {                                                                                              \
        return sycl_launch<Name, Arguments, Kernel, Shared, GROUP_W, GROUP_H>(queue, args, groups, \
                                                                              after);              \
    }                                                                                              \
    extern const SyclKernel kernel;                                                                \
    const SyclKernel kernel = { { SYCL_TEXT(KERNEL_NAME), { GROUP_W, GROUP_H },                    \
                                  sizeof(Arguments) },                                             \
                                launch };
#define SYCL_TEXT(name) SYCL_TEXT_(name)
#define SYCL_TEXT_(name) #name

/* SYCL numbers the fastest dimension last. */
#define GROUP_X u32(item_.get_group(2))
#define GROUP_Y u32(item_.get_group(1))
#define GROUP_Z u32(item_.get_group(0))
#define LOCAL_X u32(item_.get_local_id(2))
#define LOCAL_Y u32(item_.get_local_id(1))
#define LOCAL_INDEX (LOCAL_Y * GROUP_W + LOCAL_X)
#define PUT_WORD(array, i, value) (reinterpret_cast<u32 *>(array)[i] = (value))
#define BARRIER() sycl::group_barrier(item_.get_group())
#define ATOMIC_ADD(buffer_, index, value)                                                          \
    sycl::atomic_ref<u32, sycl::memory_order::relaxed, sycl::memory_scope::device,                 \
                     sycl::access::address_space::generic_space>(buffer_[index])                   \
        .fetch_add(u32(value))

static inline u32 min_u32(u32 a, u32 b) { return a < b ? a : b; }
static inline u32 max_u32(u32 a, u32 b) { return a > b ? a : b; }
static inline i32 min_i32(i32 a, i32 b) { return a < b ? a : b; }
static inline i32 max_i32(i32 a, i32 b) { return a > b ? a : b; }
static inline i32 clamp_i32(i32 x, i32 lo, i32 hi) { return min_i32(max_i32(x, lo), hi); }
static inline i32 abs_i32(i32 x) { return x < 0 ? -x : x; }
#define count_bits_u32(x) u32(sycl::popcount(u32(x)))
#define top_bit_u32(x) (31u - u32(sycl::clz(u32(x))))
#define top_bit_u64(x) (63u - u32(sycl::clz(u64(x))))
static inline u32 mul_hi_u32(u32 a, u32 b) { return u32(u64(a) * b >> 32); }
static inline i32 mul_hi_i32(i32 a, i32 b) { return i32(i64(a) * b >> 32); }
static inline i64 mul_wide_i32(i32 a, i32 b) { return i64(a) * b; }
#define bits_of_f32(x) sycl::bit_cast<u32>(f32(x))
#define f32_of_bits(x) sycl::bit_cast<f32>(u32(x))
#define fma_f64(a, b, c) sycl::fma(f64(a), f64(b), f64(c))
#define f64_of_words(low, high) sycl::bit_cast<f64>(u64(u32(high)) << 32 | u32(low))
#define low_word(x) u32(sycl::bit_cast<u64>(f64(x)))
#define high_word(x) u32(sycl::bit_cast<u64>(f64(x)) >> 32)
#define abs_f64(x) sycl::fabs(f64(x))
#define abs_f32(x) sycl::fabs(f32(x))
static inline f32 max_f32(f32 a, f32 b) { return a > b ? a : b; }
#define floor_f32(x) sycl::floor(f32(x))
#define sqrt_near(x) sycl::sqrt(f32(x))
#define rsqrt_near(x) sycl::rsqrt(f32(x))
#define recip_near(x) (1.0f / f32(x))
#define fma_f32(a, b, c) sycl::fma(f32(a), f32(b), f32(c))
