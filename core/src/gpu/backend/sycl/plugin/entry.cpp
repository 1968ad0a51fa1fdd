/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The plugin's entry function and its table. No function of the table throws. */
#include "gpu/backend/sycl/plugin/kernel.h"
#include "gpu/backend/sycl/plugin/plugin.h"

#ifdef SYCL_IS_ADAPTIVECPP
#define COMPILER "AdaptiveCpp"
#else
#define COMPILER "DPC++"
#endif

/* Functions callable from C, which turn exceptions into errnos. */
template <auto function> struct Guard;
template <typename... Arguments, int (*function)(Arguments...)> struct Guard<function> {
    static int call(Arguments... arguments) noexcept
    {
        return guarded([&] { return function(arguments...); });
    }
};
template <typename... Arguments, void (*function)(Arguments...)> struct Guard<function> {
    static void call(Arguments... arguments) noexcept
    {
        guarded([&] {
            function(arguments...);
            return 0;
        });
    }
};

static std::vector<SyclKernelDesc> describe_kernels()
{
    std::vector<SyclKernelDesc> descs;
    for (const SyclKernel *const *kernel = sycl_kernels; *kernel; kernel++)
        descs.push_back((*kernel)->desc);
    return descs;
}

static SyclPlugin make_table()
{
    static const std::vector<SyclKernelDesc> descs = describe_kernels();
    SyclPlugin table = {};
    table.abi = SYCL_PLUGIN_ABI;
    table.build = sycl_kernels_build;
    table.compiler = COMPILER " (clang " __clang_version__ ")";
    table.kernels = descs.data();
    table.kernel_count = static_cast<unsigned>(descs.size());
    table.error = last_error;
    table.list = Guard<list_devices>::call;
    table.open = Guard<open_device>::call;
    table.close = Guard<close_device>::call;
    table.alloc = Guard<alloc_memory>::call;
    table.free = Guard<free_memory>::call;
    table.can_read = Guard<can_read>::call;
    table.import_dmabuf = Guard<import_dmabuf>::call;
    table.release_dmabuf = Guard<release_dmabuf>::call;
    table.submit = Guard<submit_lists>::call;
    table.wait = Guard<wait_point>::call;
    table.stamps_create = Guard<stamps_create>::call;
    table.stamps_destroy = Guard<stamps_destroy>::call;
    table.stamps_read = Guard<stamps_read>::call;
    table.profile = Guard<profile_switch>::call;
    table.profile_read = Guard<profile_read>::call;
    return table;
}

extern "C" __attribute__((visibility("default"))) const SyclPlugin *vmaf_sycl_plugin(unsigned abi)
{
    const SyclPlugin *table = nullptr;
    guarded([&] {
        static const SyclPlugin made = make_table();
        table = &made;
        return 0;
    });
    return abi == SYCL_PLUGIN_ABI ? table : nullptr;
}
