/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Measures time on the device: stamps, and the total time of each kernel. */
#include <algorithm>

#include "gpu/backend/sycl/plugin/plugin.h"

static double begin_of(const sycl::event &event)
{
    return static_cast<double>(
        event.get_profiling_info<sycl::info::event_profiling::command_start>());
}

static double end_of(const sycl::event &event)
{
    return static_cast<double>(
        event.get_profiling_info<sycl::info::event_profiling::command_end>());
}

int stamps_create(SyclPluginDevice *device, unsigned count, SyclPluginStamps **out)
{
    *out = nullptr;
    if (!device->has_clock)
        return -ENOTSUP;
    auto stamps = std::make_unique<SyclPluginStamps>();
    stamps->marks.resize(count);
    *out = stamps.release();
    return 0;
}

void stamps_destroy(SyclPluginStamps *stamps)
{
    delete stamps;
}

int stamps_read(SyclPluginDevice *, const SyclPluginStamps *stamps, double *microseconds)
{
    /* If no command follows stamp 0, all stamps are the same time. */
    double base = 0;
    if (stamps->marks[0].event)
        base = begin_of(*stamps->marks[0].event);
    for (size_t i = 0; i < stamps->marks.size(); i++) {
        const SyclPluginStamps::Mark &mark = stamps->marks[i];
        microseconds[i] = i && mark.event ? (end_of(*mark.event) - base) * 1e-3 : 0;
    }
    return 0;
}

/* ---- total time of each kernel ---- */

void profile_collect(SyclPluginDevice *device, Line &line)
{
    std::vector<std::pair<unsigned, sycl::event>> left;
    const std::lock_guard<std::mutex> guard(device->times_lock);
    for (const auto &[kernel, event] : line.timed) {
        if (!is_done(event)) {
            left.emplace_back(kernel, event);
            continue;
        }
        device->times[kernel].launches++;
        device->times[kernel].microseconds += (end_of(event) - begin_of(event)) * 1e-3;
    }
    line.timed = std::move(left);
}

int profile_switch(SyclPluginDevice *device, int on)
{
    if (on && !device->has_clock)
        return -ENOTSUP;
    device->profiling = on != 0;
    return 0;
}

int profile_read(SyclPluginDevice *device, SyclKernelTime *times)
{
    for (const std::unique_ptr<Line> &line : device->lines) {
        const std::lock_guard<std::mutex> guard(line->lock);
        profile_collect(device, *line);
    }
    const std::lock_guard<std::mutex> guard(device->times_lock);
    std::copy(device->times.begin(), device->times.end(), times);
    return 0;
}
