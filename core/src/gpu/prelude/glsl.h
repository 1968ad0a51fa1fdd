/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The dialect as GLSL 4.60, for SPIR-V 1.3 (Vulkan 1.1). See prelude.h. */
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require

#define u32 uint
#define i32 int
#define u64 uint64_t
#define i64 int64_t
#define f32 float
#define f64 double
#define u32x2 uvec2
#define u32x4 uvec4
#define U32X2(a, b) uvec2(a, b)
#define U32X4(a, b, c, d) uvec4(a, b, c, d)

#define IN(slot, type, name) \
    layout(std430, set = 0, binding = slot) restrict readonly buffer Buffer_##name { type name[]; };
#define OUT(slot, type, name) \
    layout(std430, set = 0, binding = slot) restrict buffer Buffer_##name { type name[]; };
#define ARG(type, name) type name;
#define SHARED(type, name, count) shared type name[count];

BUFFERS
layout(push_constant) uniform Params { PARAMS };
layout(local_size_x = GROUP_W, local_size_y = GROUP_H) in;
SHARED_ARRAYS

#define TABLE_BEGIN(type, name, count) const type name[count] = type[count](
#define TABLE_END );
#define DEVICE
#define INOUT(type) inout type
#define PRECISE precise
#define UNROLL [[unroll]]
#define COMPUTE_HERE(x)
#define KERNEL_BEGIN
#define KERNEL_MAIN void main()
#define KERNEL_END

#define GROUP_X gl_WorkGroupID.x
#define GROUP_Y gl_WorkGroupID.y
#define GROUP_Z gl_WorkGroupID.z
#define LOCAL_X gl_LocalInvocationID.x
#define LOCAL_Y gl_LocalInvocationID.y
#define LOCAL_INDEX gl_LocalInvocationIndex
#define BARRIER() barrier()
#define PUT_WORD(array, i, value) array[(i) >> 2][(i) & 3u] = value
#define ATOMIC_ADD(buffer_, index, value) atomicAdd(buffer_[index], value)

#define min_u32(a, b) min(u32(a), u32(b))
#define max_u32(a, b) max(u32(a), u32(b))
#define min_i32(a, b) min(i32(a), i32(b))
#define max_i32(a, b) max(i32(a), i32(b))
#define clamp_i32(x, lo, hi) clamp(i32(x), i32(lo), i32(hi))
#define abs_i32(x) abs(i32(x))
#define top_bit_u32(x) u32(findMSB(u32(x)))
#define count_bits_u32(x) u32(bitCount(u32(x)))
#define bits_of_f32(x) floatBitsToUint(x)
#define f32_of_bits(x) uintBitsToFloat(x)
#define abs_f32(x) abs(f32(x))
#define max_f32(a, b) max(f32(a), f32(b))
#define floor_f32(x) floor(f32(x))
#define sqrt_near(x) sqrt(f32(x))
#define rsqrt_near(x) inversesqrt(f32(x))
#define recip_near(x) (1.0 / f32(x))
#define fma_f32(a, b, c) fma(f32(a), f32(b), f32(c))
#define fma_f64(a, b, c) fma(f64(a), f64(b), f64(c))
#define f64_of_words(low, high) packDouble2x32(uvec2(low, high))
#define low_word(value) unpackDouble2x32(value).x
#define high_word(value) unpackDouble2x32(value).y
#define abs_f64(x) abs(f64(x))
#define mul_wide_i32(a, b) (i64(a) * i64(b))

u32 mul_hi_u32(u32 a, u32 b)
{
    u32 hi, lo;
    umulExtended(a, b, hi, lo);
    return hi;
}

i32 mul_hi_i32(i32 a, i32 b)
{
    i32 hi, lo;
    imulExtended(a, b, hi, lo);
    return hi;
}

u32 top_bit_u64(u64 x)
{
    u32 hi = u32(x >> 32);
    return hi != 0u ? 32u + top_bit_u32(hi) : top_bit_u32(u32(x));
}
