/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Submits work and waits for it. */
#include <algorithm>
#include <chrono>
#include <thread>

#include "gpu/backend/sycl/plugin/kernel.h"
#include "gpu/backend/sycl/plugin/plugin.h"

/* ---- commands ---- */

/* Copies rows with a kernel, since SYCL has no function for that. Uses the widest words that all
 * addresses, strides and sizes allow. */
template <typename Word> struct CopyRows;

template <typename Word>
static sycl::event copy_words(sycl::queue &queue, const SyclCommand &command, const Events &after)
{
    const char *from = command.from;
    char *to = command.to;
    const size_t from_stride = command.from_stride, to_stride = command.to_stride;
    const sycl::range<2> range(command.rows, command.row / sizeof(Word));
    return queue.submit([&](sycl::handler &handler) {
        handler.depends_on(after);
        handler.parallel_for<CopyRows<Word>>(range, [=](sycl::id<2> at) {
            reinterpret_cast<Word *>(to + at[0] * to_stride)[at[1]] =
                reinterpret_cast<const Word *>(from + at[0] * from_stride)[at[1]];
        });
    });
}

static sycl::event copy(sycl::queue &queue, const SyclCommand &command, const Events &after)
{
    if (command.rows == 1)
        return queue.memcpy(command.to, command.from, command.row, after);
    const uint64_t all = reinterpret_cast<uintptr_t>(command.from) |
                         reinterpret_cast<uintptr_t>(command.to) | command.from_stride |
                         command.to_stride | command.row;
    if (all % sizeof(uint64_t) == 0)
        return copy_words<uint64_t>(queue, command, after);
    if (all % sizeof(uint32_t) == 0)
        return copy_words<uint32_t>(queue, command, after);
    return copy_words<uint8_t>(queue, command, after);
}

static sycl::event run(sycl::queue &queue, const SyclCommand &command, const Events &after)
{
    switch (command.kind) {
    case SYCL_COPY:
        return copy(queue, command, after);
    case SYCL_FILL:
        return queue.fill(reinterpret_cast<uint32_t *>(command.to), command.word,
                          command.row / sizeof(uint32_t), after);
    default:
        return sycl_kernels[command.number]->launch(queue, command.args, command.groups, after);
    }
}

/* ---- submitting ---- */

/* Stamp 0 is the start of the command after it; every other stamp is the end of the command before
 * it. */
struct Stamper {
    SyclPluginStamps *waiting = nullptr; /* stamp 0 of these waits for the next command */
    std::optional<sycl::event> last;

    void stamp(const SyclCommand &command)
    {
        std::vector<SyclPluginStamps::Mark> &marks = command.stamps->marks;
        if (command.number == 0) {
            for (SyclPluginStamps::Mark &mark : marks)
                mark = { std::nullopt, false };
            waiting = command.stamps;
            last.reset();
        } else {
            marks[command.number] = { last, false };
        }
    }

    void ran(const sycl::event &event)
    {
        if (waiting)
            waiting->marks[0] = { event, true };
        waiting = nullptr;
        last = event;
    }
};

static void run_list(SyclPluginDevice *device, Line &line, const SyclCommandList &list)
{
    Stamper stamper;
    for (size_t i = 0; i < list.count; i++) {
        const SyclCommand &command = list.commands[i];
        if (command.kind == SYCL_STAMP) {
            stamper.stamp(command);
            continue;
        }
        const sycl::event event = run(line.queue, command, line.pending);
        line.pending.clear();
        line.last = event;
        stamper.ran(event);
        if (command.kind == SYCL_LAUNCH && device->profiling)
            line.timed.emplace_back(command.number, event);
    }
}

bool is_done(const sycl::event &event)
{
    return event.get_info<sycl::info::event::command_execution_status>() ==
           sycl::info::event_command_status::complete;
}

static bool all_done(const Events &events)
{
    for (const sycl::event &event : events)
        if (!is_done(event))
            return false;
    return true;
}

/* Removes points that are reached. The caller holds the lock. */
static void retire(Line &line)
{
    while (!line.ahead.empty() && all_done(line.ahead.front().events))
        line.ahead.pop_front();
}

/* Returns the events of a point, none if it is reached. */
static Events events_of(Line &line, uint64_t value)
{
    const std::lock_guard<std::mutex> guard(line.lock);
    for (const Line::Point &point : line.ahead)
        if (point.value == value)
            return point.events;
    return {};
}

/* AdaptiveCpp would not start the work until a thread waits for it. */
static void start()
{
#ifdef SYCL_IS_ADAPTIVECPP
    hipsycl::rt::runtime_keep_alive_token{}.get()->dag().flush_async();
#endif
}

static void submit_to(SyclPluginDevice *device, Line &line, const SyclCommandList *lists,
                      unsigned list_count, const Events &waits, uint64_t *value)
{
    const std::lock_guard<std::mutex> guard(line.lock);
    retire(line);
    line.pending.insert(line.pending.end(), waits.begin(), waits.end());
    for (unsigned i = 0; i < list_count; i++)
        run_list(device, line, lists[i]);
    if (line.timed.size() > 1024)
        profile_collect(device, line);
    Events events = line.pending;
    if (line.last)
        events.push_back(*line.last);
    line.ahead.push_back({ ++line.submitted, std::move(events) });
    *value = line.submitted;
}

int submit_lists(SyclPluginDevice *device, unsigned queue, const SyclCommandList *lists,
                 unsigned list_count, const SyclPoint *waits, unsigned wait_count, uint64_t *value)
{
    if (device->health->lost) {
        note_error("the device is lost");
        return -EIO;
    }
    const int err = guarded([&] {
        Events events;
        for (unsigned i = 0; i < wait_count; i++) {
            const Events more = events_of(*device->lines[waits[i].queue], waits[i].value);
            events.insert(events.end(), more.begin(), more.end());
        }
        submit_to(device, *device->lines[queue], lists, list_count, events, value);
        start();
        return 0;
    });
    if (!err)
        return 0;
    device->health->lost = true; /* a part of it may be running, with no event to wait for */
    return -EIO;
}

/* ---- waiting ---- */

/* SYCL has no wait with a timeout, so poll, less often the longer it takes. */
static bool wait_until(const Events &events, std::chrono::steady_clock::time_point deadline)
{
    std::chrono::microseconds pause(20);
    while (!all_done(events)) {
        if (std::chrono::steady_clock::now() >= deadline)
            return false;
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::microseconds(200));
    }
    return true;
}

int wait_point(SyclPluginDevice *device, SyclPoint point, uint64_t timeout_ns)
{
    constexpr uint64_t longest = UINT64_C(1) << 60; /* fits in a time_point */
    bool reached = true;
    const int err = guarded([&] {
        Line &line = *device->lines[point.queue];
        Events events = events_of(line, point.value);
        if (timeout_ns < longest)
            reached = wait_until(events, std::chrono::steady_clock::now() +
                                             std::chrono::nanoseconds(timeout_ns));
        if (!reached)
            return 0;
        for (sycl::event &event : events)
            event.wait_and_throw();
        const std::lock_guard<std::mutex> guard(line.lock);
        retire(line);
        return 0;
    });
    if (err)
        device->health->lost = true;
    if (device->health->lost)
        return -EIO;
    return reached;
}
