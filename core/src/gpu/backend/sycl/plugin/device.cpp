/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Opens devices and allocates memory. */
#include "gpu/backend/sycl/plugin/kernel.h"
#include "gpu/backend/sycl/plugin/plugin.h"

static sycl::queue make_queue(const sycl::device &device, const sycl::context *context,
                              const std::shared_ptr<Health> &health, bool has_clock)
{
    /* Runs in the thread that waits, so it stores the error for that thread. */
    const auto handler = [health](const sycl::exception_list &errors) {
        for (const std::exception_ptr &error : errors) {
            health->lost = true;
            try {
                std::rethrow_exception(error);
            } catch (...) {
                translate_exception();
            }
        }
    };
    const sycl::property::queue::in_order in_order;
    const sycl::property::queue::enable_profiling timed;
    const sycl::property_list list =
        has_clock ? sycl::property_list{ in_order, timed } : sycl::property_list{ in_order };
    return context ? sycl::queue(*context, device, handler, list)
                   : sycl::queue(device, handler, list);
}

SyclPluginDevice::SyclPluginDevice(const sycl::device &device)
    : handle(device), health(std::make_shared<Health>()),
      has_clock(device.has(sycl::aspect::queue_profiling))
{
    unsigned kernels = 0;
    while (sycl_kernels[kernels])
        kernels++;
    times.resize(kernels);
    /* The first queue chooses the context, which is the runtime's default one if there is any. Then
     * the program's own queues can use our memory, too. */
    lines[0] = std::make_unique<Line>(make_queue(device, nullptr, health, has_clock));
    const sycl::context context = lines[0]->queue.get_context();
    for (unsigned i = 1; i < SYCL_QUEUES; i++)
        lines[i] = std::make_unique<Line>(make_queue(device, &context, health, has_clock));
}

int open_device(unsigned index, SyclPluginDevice **out)
{
    *out = nullptr;
    *out = new SyclPluginDevice(nth_device(index));
    return 0;
}

void close_device(SyclPluginDevice *device)
{
    /* Work on a lost device may never end, so do not wait for it. */
    for (const std::unique_ptr<Line> &line : device->lines)
        if (!device->health->lost)
            guarded([&] {
                line->queue.wait_and_throw();
                return 0;
            });
    delete device;
}

int alloc_memory(SyclPluginDevice *device, SyclMemory memory, size_t size, void **out)
{
    const sycl::queue &queue = device->lines[0]->queue;
    /* Round up: some runtimes allocate only multiples of this size. */
    constexpr size_t alignment = 64;
    size = (size + alignment - 1) / alignment * alignment;
    *out = memory == SYCL_DEVICE_MEMORY ? sycl::aligned_alloc_device(alignment, size, queue)
                                        : sycl::aligned_alloc_host(alignment, size, queue);
    if (!*out)
        note_error("out of memory");
    return *out ? 0 : -ENOMEM;
}

void free_memory(SyclPluginDevice *device, void *block)
{
    sycl::free(block, device->lines[0]->queue);
}

int can_read(SyclPluginDevice *device, const void *address)
{
    if (device->handle.is_cpu())
        return 1; /* a CPU device can read all memory */
    return sycl::get_pointer_type(address, device->lines[0]->queue.get_context()) !=
           sycl::usm::alloc::unknown;
}
