/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The plugin's table of kernels, and how a kernel is launched. The build generates the kernels, see
 * gpu/prelude/sycl.h. */
#ifndef SYCL_PLUGIN_KERNEL_H
#define SYCL_PLUGIN_KERNEL_H

#include <cstring>
#include <sycl/sycl.hpp>
#include <vector>

#include "gpu/backend/sycl/plugin/abi.h"

struct SyclKernel {
    SyclKernelDesc desc;
    sycl::event (*launch)(sycl::queue &queue, const void *args, const unsigned *groups,
                          const std::vector<sycl::event> &after);
};

extern const SyclKernel *const sycl_kernels[]; /* nullptr ends the table */
extern const char *const sycl_kernels_build;

template <typename Name, typename Arguments, typename Kernel, typename Shared, unsigned group_w,
          unsigned group_h>
sycl::event sycl_launch(sycl::queue &queue, const void *args, const unsigned *groups,
                        const std::vector<sycl::event> &after)
{
    Arguments arguments;
    std::memcpy(static_cast<void *>(&arguments), args, sizeof(arguments));
    const sycl::range<3> local(1, group_h, group_w);
    const sycl::range<3> global(groups[2], groups[1] * group_h, groups[0] * group_w);
    return queue.submit([&](sycl::handler &handler) {
        handler.depends_on(after);
        const sycl::local_accessor<Shared, 1> shared(1, handler);
        handler.parallel_for<Name>(sycl::nd_range<3>(global, local), [=](sycl::nd_item<3> item) {
            Kernel(arguments, item, shared[0]).run();
        });
    });
}

#endif
