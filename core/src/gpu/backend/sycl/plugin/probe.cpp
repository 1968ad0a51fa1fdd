/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The build compiles this file to find out whether the compiler can make a plugin. */
#include <sycl/sycl.hpp>

struct Name;

sycl::event probe(sycl::queue &queue, unsigned *words)
{
    return queue.submit([&](sycl::handler &handler) {
        const sycl::local_accessor<unsigned, 1> shared(1, handler);
        handler.parallel_for<Name>(sycl::nd_range<1>(256, 256), [=](sycl::nd_item<1> item) {
            shared[0] = 1;
            sycl::group_barrier(item.get_group());
            words[item.get_local_id(0)] = shared[0];
        });
    });
}
