/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Shared by the files of the plugin. */
#ifndef SYCL_PLUGIN_PLUGIN_H
#define SYCL_PLUGIN_PLUGIN_H

#include <atomic>
#include <cerrno>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <sycl/sycl.hpp>
#include <utility>
#include <vector>

#include "gpu/backend/sycl/plugin/abi.h"

#if defined(__ADAPTIVECPP__) || defined(__ACPP__) || defined(__HIPSYCL__)
#define SYCL_IS_ADAPTIVECPP
#endif

/* ---- errors.cpp: turns exceptions into errnos ---- */

void note_error(
    const char *text) noexcept; /* stores the text that error() returns in this thread */
const char *last_error(void);
int translate_exception() noexcept; /* stores its text, returns an errno */

/* Returns the result of `function`, or the negative errno of an exception it throws. */
template <typename Function> int guarded(Function function) noexcept
{
    try {
        return function();
    } catch (...) {
        return translate_exception();
    }
}

/* ---- list.cpp ---- */

sycl::device nth_device(unsigned index); /* numbered as by list_devices */
int list_devices(SyclDeviceDesc *out, unsigned room);

/* ---- device.cpp, work.cpp, time.cpp ---- */

using Events = std::vector<sycl::event>;

/* An in-order queue and its time line. */
struct Line {
    struct Point {
        uint64_t value;
        Events events; /* the point is reached when all are done */
    };

    sycl::queue queue;
    std::mutex lock; /* guards the members below; taken before times_lock */
    uint64_t submitted = 0;
    std::deque<Point> ahead;         /* points not yet known to be reached, in order */
    Events pending;                  /* the next command waits for these */
    std::optional<sycl::event> last; /* event of the last command */
    std::vector<std::pair<unsigned, sycl::event>>
        timed; /* kernels whose time is not yet added up */

    explicit Line(const sycl::queue &queue) : queue(queue)
    {
    }
};

/* State shared by the device and its handler of asynchronous errors, which may outlive the
 * device. */
struct Health {
    std::atomic<bool> lost{ false };
};

struct SyclPluginDevice {
    sycl::device handle;
    std::shared_ptr<Health> health;
    bool has_clock;
    std::atomic<bool> profiling{ false };
    std::mutex times_lock;
    std::vector<SyclKernelTime> times;
    std::unique_ptr<Line> lines[SYCL_QUEUES];

    explicit SyclPluginDevice(const sycl::device &handle);
};

/* Each mark is the time when a command began or ended. */
struct SyclPluginStamps {
    struct Mark {
        std::optional<sycl::event> event;
        bool begin;
    };
    std::vector<Mark> marks;
};

int open_device(unsigned index, SyclPluginDevice **out);
void close_device(SyclPluginDevice *device);
int alloc_memory(SyclPluginDevice *device, SyclMemory memory, size_t size, void **out);
void free_memory(SyclPluginDevice *device, void *block);
int can_read(SyclPluginDevice *device, const void *address);

bool is_done(const sycl::event &event);
int submit_lists(SyclPluginDevice *device, unsigned queue, const SyclCommandList *lists,
                 unsigned list_count, const SyclPoint *waits, unsigned wait_count, uint64_t *value);
int wait_point(SyclPluginDevice *device, SyclPoint point, uint64_t timeout_ns);

int stamps_create(SyclPluginDevice *device, unsigned count, SyclPluginStamps **out);
void stamps_destroy(SyclPluginStamps *stamps);
int stamps_read(SyclPluginDevice *device, const SyclPluginStamps *stamps, double *microseconds);
int profile_switch(SyclPluginDevice *device, int on);
int profile_read(SyclPluginDevice *device, SyclKernelTime *times);
/* Adds up the times of the kernels that are done. The caller holds the line's lock. */
void profile_collect(SyclPluginDevice *device, Line &line);

/* ---- level_zero.cpp ---- */

int import_dmabuf(SyclPluginDevice *device, int fd, size_t size, void **out);
void release_dmabuf(SyclPluginDevice *device, void *block);

#endif
