/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The declarations that cuda.h needs from the headers of a CUDA or HIP kit, made of clang's
 * builtins. With them clang alone compiles kernels for both, and no kit need be installed. The
 * build's command line includes this file ahead of a kernel. nvcc and hiprtc bring declarations of
 * their own. */
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define BARE static __device__ __forceinline__

/* The threads of a workgroup; for NVIDIA also how many workgroups should fit on a multiprocessor.
 * For AMD, clang ignores launch_bounds. */
#ifdef __HIP__
#define __launch_bounds__(count) __attribute__((amdgpu_flat_work_group_size(count, count)))
#else
#define __launch_bounds__(count, groups) __attribute__((launch_bounds(count, groups)))
#endif

struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
BARE uint2 make_uint2(unsigned x, unsigned y) { return uint2{x, y}; }
BARE uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return uint4{x, y, z, w}; }

BARE unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
BARE unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
BARE int min(int a, int b) { return a < b ? a : b; }
BARE int max(int a, int b) { return a > b ? a : b; }
BARE int abs(int x) { return x < 0 ? -x : x; }
BARE int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
BARE int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
BARE int __popc(unsigned x) { return __builtin_popcount(x); }
BARE unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }
BARE int __mulhi(int a, int b) { return int((long long)a * b >> 32); }

BARE unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
BARE float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
BARE double __hiloint2double(int high, int low)
{
    return __builtin_bit_cast(double, (unsigned long long)unsigned(high) << 32 | unsigned(low));
}
BARE int __double2loint(double x) { return int(__builtin_bit_cast(unsigned long long, x)); }
BARE int __double2hiint(double x) { return int(__builtin_bit_cast(unsigned long long, x) >> 32); }
BARE double fabs(double x) { return __builtin_fabs(x); }
BARE float fabsf(float x) { return __builtin_fabsf(x); }
BARE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
BARE float fminf(float a, float b) { return __builtin_fminf(a, b); }
BARE float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
BARE double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
BARE float floorf(float x) { return __builtin_floorf(x); }

/* Ids are read where they are used, as members of a temporary object. */
struct BareThread {
    unsigned x, y;
    __device__ BareThread();
};
struct BareGroup {
    unsigned x, y, z;
    __device__ BareGroup();
};
#define threadIdx BareThread()
#define blockIdx BareGroup()

#if defined(__NVPTX__)
__device__ __forceinline__ BareThread::BareThread()
    : x(unsigned(__nvvm_read_ptx_sreg_tid_x())), y(unsigned(__nvvm_read_ptx_sreg_tid_y()))
{
}
__device__ __forceinline__ BareGroup::BareGroup()
    : x(unsigned(__nvvm_read_ptx_sreg_ctaid_x())), y(unsigned(__nvvm_read_ptx_sreg_ctaid_y())),
      z(unsigned(__nvvm_read_ptx_sreg_ctaid_z()))
{
}
/* clang has __syncthreads as a builtin. */
BARE float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
BARE float rsqrtf(float x) { return __nvvm_rsqrt_approx_ftz_f(x); }
BARE float __fdividef(float a, float b) { return __nvvm_div_approx_ftz_f(a, b); }
BARE unsigned atomicAdd(unsigned *at, unsigned value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
#elif defined(__AMDGCN__)
__device__ __forceinline__ BareThread::BareThread()
    : x(__builtin_amdgcn_workitem_id_x()), y(__builtin_amdgcn_workitem_id_y())
{
}
__device__ __forceinline__ BareGroup::BareGroup()
    : x(__builtin_amdgcn_workgroup_id_x()), y(__builtin_amdgcn_workgroup_id_y()),
      z(__builtin_amdgcn_workgroup_id_z())
{
}
BARE float sqrtf(float x) { return __builtin_sqrtf(x); }
BARE float rsqrtf(float x) { return __builtin_amdgcn_rsqf(x); }
BARE float __fdividef(float a, float b) { return a * __builtin_amdgcn_rcpf(b); }
BARE void __syncthreads()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
BARE unsigned atomicAdd(unsigned *at, unsigned value)
{
    return __hip_atomic_fetch_add(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
#endif
