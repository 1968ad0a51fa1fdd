/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The calls that the Vulkan backend makes to a queue, with a fake driver that only listens.
 * Software drivers run everything in order, so they would not notice a missing wait. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "testing.h"
#include "gpu/backend/vulkan/vk.h"

/* ---- a fake driver that only listens ---- */

#define HEARD_MAX 8

typedef struct Heard {
    VkQueue queue;
    unsigned wait_count, signal_count, command_count;
    VkSemaphore waits[HEARD_MAX], signals[HEARD_MAX];
    uint64_t wait_values[HEARD_MAX], signal_values[HEARD_MAX];
} Heard;

static Heard heard;
static VkResult submit_result;

static VkResult VKAPI_CALL queue_submit(VkQueue queue, uint32_t count, const VkSubmitInfo *info,
                                        VkFence fence)
{
    const VkTimelineSemaphoreSubmitInfo *values = info->pNext;
    assert_int_equal(1, count);
    assert_int_equal(VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, values->sType);
    assert_int_equal(info->waitSemaphoreCount, values->waitSemaphoreValueCount);
    assert_int_equal(info->signalSemaphoreCount, values->signalSemaphoreValueCount);
    assert_true(info->waitSemaphoreCount <= HEARD_MAX && info->signalSemaphoreCount <= HEARD_MAX);
    heard = (Heard){ .queue = queue,
                     .wait_count = info->waitSemaphoreCount,
                     .signal_count = info->signalSemaphoreCount,
                     .command_count = info->commandBufferCount };
    for (unsigned i = 0; i < heard.wait_count; i++) {
        heard.waits[i] = info->pWaitSemaphores[i];
        heard.wait_values[i] = values->pWaitSemaphoreValues[i];
        assert_int_equal(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, info->pWaitDstStageMask[i]);
    }
    for (unsigned i = 0; i < heard.signal_count; i++) {
        heard.signals[i] = info->pSignalSemaphores[i];
        heard.signal_values[i] = values->pSignalSemaphoreValues[i];
    }
    return submit_result;
}

static VkSemaphore waited[HEARD_MAX];
static uint64_t waited_values[HEARD_MAX];
static unsigned waited_count;
static VkResult wait_result;
static unsigned wait_failures; /* so many waits fail first, for lack of memory */

static VkResult VKAPI_CALL wait_semaphores(VkDevice handle, const VkSemaphoreWaitInfo *info,
                                           uint64_t timeout_ns)
{
    assert_int_equal(1, info->semaphoreCount);
    if (wait_failures && wait_failures--)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    assert_true(waited_count < HEARD_MAX);
    waited[waited_count] = info->pSemaphores[0];
    waited_values[waited_count++] = info->pValues[0];
    return wait_result;
}

static unsigned idle_waits[2]; /* by queue */
static unsigned idle_failures;
static VkResult idle_result;

static VkResult VKAPI_CALL queue_wait_idle(VkQueue queue)
{
    if (idle_failures && idle_failures--)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    idle_waits[(uintptr_t)queue & 1]++;
    return idle_result;
}

#define QUEUE(q) ((VkQueue)(uintptr_t)(0x100 + (q)))
#define TIMELINE(q) ((VkSemaphore)(uintptr_t)(0x200 + (q)))
#define FOREIGN(i) ((uintptr_t)(0x300 + (i)))

static VulkanDevice device;

static int set_up(void **unused)
{
    log_set_level(VMAF_LOG_LEVEL_NONE);
    device = (VulkanDevice){ .gpu.name = "a driver that only listens",
                             .vkd = { .QueueSubmit = queue_submit,
                                      .QueueWaitIdle = queue_wait_idle,
                                      .WaitSemaphores = wait_semaphores } };
    for (unsigned q = 0; q < 2; q++) {
        pthread_mutex_init(&device.queue_locks[q], NULL);
        device.queues[q] = (VulkanQueue){ .handle = QUEUE(q),
                                          .timeline = TIMELINE(q),
                                          .lock = &device.queue_locks[q] };
    }
    submit_result = wait_result = idle_result = VK_SUCCESS;
    waited_count = wait_failures = idle_failures = idle_waits[0] = idle_waits[1] = 0;
    return 0;
}

static int submit(GpuSubmit what, GpuPoint *done)
{
    return vulkan_submit(&device.gpu, &what, done);
}

/* ---- submissions ---- */

static void test_points(void **unused)
{
    GpuPoint done;
    for (unsigned i = 1; i <= 3; i++) {
        assert_int_equal(0, submit((GpuSubmit){ .queue = GPU_TRANSFER }, &done));
        assert_ptr_equal(QUEUE(GPU_TRANSFER), heard.queue);
        assert_int_equal(0, heard.wait_count);
        assert_int_equal(1, heard.signal_count);
        assert_ptr_equal(TIMELINE(GPU_TRANSFER), heard.signals[0]);
        assert_int_equal(i, heard.signal_values[0]);
        assert_int_equal(GPU_TRANSFER, done.queue);
        assert_int_equal(i, done.value);
    }
    assert_int_equal(0, submit((GpuSubmit){ .queue = GPU_COMPUTE }, &done));
    assert_ptr_equal(QUEUE(GPU_COMPUTE), heard.queue);
    assert_int_equal(1, done.value); /* each queue counts its own points */
}

static void test_waits(void **unused)
{
    const GpuPoint waits[] = { { GPU_TRANSFER, 7 }, { GPU_COMPUTE, 3 } };
    const GpuForeign foreign[] = { { FOREIGN(0), 11 }, { FOREIGN(1), 12 } },
                     signals[] = { { FOREIGN(2), 21 }, { FOREIGN(3), 22 } };
    GpuPoint done;
    assert_int_equal(0, submit((GpuSubmit){ .queue = GPU_COMPUTE,
                                            .waits = waits,
                                            .wait_count = 2,
                                            .foreign_waits = foreign,
                                            .foreign_wait_count = 2,
                                            .foreign_signals = signals,
                                            .foreign_signal_count = 2 },
                               &done));
    assert_int_equal(4, heard.wait_count);
    for (unsigned i = 0; i < 2; i++) {
        assert_ptr_equal(TIMELINE(waits[i].queue), heard.waits[i]);
        assert_int_equal(waits[i].value, heard.wait_values[i]);
        assert_ptr_equal((VkSemaphore)foreign[i].handle, heard.waits[2 + i]);
        assert_int_equal(foreign[i].value, heard.wait_values[2 + i]);
        assert_ptr_equal((VkSemaphore)signals[i].handle, heard.signals[1 + i]);
        assert_int_equal(signals[i].value, heard.signal_values[1 + i]);
    }
    assert_int_equal(3, heard.signal_count);
}

/* A failed submission moves no time line, and a lost device accepts none. */
static void test_failures(void **unused)
{
    GpuPoint done;
    submit_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    assert_int_equal(-ENOMEM, submit((GpuSubmit){ .queue = GPU_COMPUTE }, &done));
    submit_result = VK_SUCCESS;
    assert_int_equal(0, submit((GpuSubmit){ .queue = GPU_COMPUTE }, &done));
    assert_int_equal(1, done.value);
    submit_result = VK_ERROR_DEVICE_LOST;
    assert_int_equal(-EIO, submit((GpuSubmit){ .queue = GPU_COMPUTE }, &done));
    submit_result = VK_SUCCESS;
    assert_int_equal(-EIO, submit((GpuSubmit){ .queue = GPU_COMPUTE }, &done));
    assert_int_equal(-EIO, vulkan_wait(&device.gpu, (GpuPoint){ GPU_COMPUTE, 1 }, 0));
    assert_int_equal(1, vulkan_wait(&device.gpu, (GpuPoint){ GPU_COMPUTE, 0 }, 0));
}

/* ---- waiting ---- */

static void test_waiting(void **unused)
{
    assert_int_equal(1, vulkan_wait(&device.gpu, (GpuPoint){ GPU_TRANSFER, 5 }, 0));
    assert_ptr_equal(TIMELINE(GPU_TRANSFER), waited[0]);
    assert_int_equal(5, waited_values[0]);
    wait_result = VK_TIMEOUT;
    assert_int_equal(0, vulkan_wait(&device.gpu, (GpuPoint){ GPU_TRANSFER, 6 }, 1));
    wait_result = VK_SUCCESS;
    wait_failures = 3;
    assert_int_equal(1, vulkan_wait(&device.gpu, (GpuPoint){ GPU_TRANSFER, 6 }, 1));
    assert_int_equal(0, wait_failures);
    wait_failures = UINT_MAX;
    assert_int_equal(-ENOMEM, vulkan_wait(&device.gpu, (GpuPoint){ GPU_TRANSFER, 6 }, 1));
    wait_result = VK_ERROR_DEVICE_LOST;
    wait_failures = 0;
    assert_int_equal(-EIO, vulkan_wait(&device.gpu, (GpuPoint){ GPU_TRANSFER, 6 }, 1));
}

/* Work that cannot be waited for may run for ever, so what it uses is not freed. */
static void test_waiting_in_vain(void **unused)
{
    static const GpuOps ops = { .wait = vulkan_wait };
    device.gpu.ops = &ops;
    wait_failures = UINT_MAX;
    assert_int_equal(-EIO, gpu_device_wait(&device.gpu, (GpuPoint){ GPU_COMPUTE, 1 }));
    assert_true(gpu_device_is_abandoned(&device.gpu));
    device.gpu.ops = &ops;
    wait_result = VK_ERROR_DEVICE_LOST;
    wait_failures = 0;
    assert_int_equal(-EIO, gpu_device_wait(&device.gpu, (GpuPoint){ GPU_COMPUTE, 1 }));
    assert_false(gpu_device_is_abandoned(&device.gpu));
}

static void test_draining(void **unused)
{
    GpuPoint done;
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(0,
                         submit((GpuSubmit){ .queue = i < 3 ? GPU_COMPUTE : GPU_TRANSFER }, &done));
    assert_int_equal(0, vulkan_drain(&device.gpu));
    assert_int_equal(2, waited_count);
    assert_ptr_equal(TIMELINE(GPU_COMPUTE), waited[0]);
    assert_int_equal(3, waited_values[0]);
    assert_ptr_equal(TIMELINE(GPU_TRANSFER), waited[1]);
    assert_int_equal(2, waited_values[1]);
    wait_result = VK_ERROR_DEVICE_LOST;
    assert_int_equal(-EIO, vulkan_drain(&device.gpu));
}

/* Lack of memory passes, or it lasts and is reported; a lost device is idle. */
static void test_idleness(void **unused)
{
    assert_int_equal(0, vulkan_await_idle(&device));
    assert_int_equal(1, idle_waits[0]);
    assert_int_equal(1, idle_waits[1]);
    idle_failures = 3;
    assert_int_equal(0, vulkan_await_idle(&device));
    assert_int_equal(0, idle_failures);
    assert_int_equal(2, idle_waits[0]);
    assert_int_equal(2, idle_waits[1]);
    idle_failures = UINT_MAX;
    assert_int_equal(-ENOMEM, vulkan_await_idle(&device));
    idle_failures = 0;
    idle_result = VK_ERROR_DEVICE_LOST;
    assert_int_equal(0, vulkan_await_idle(&device));
    assert_int_equal(3, idle_waits[0]);
    assert_int_equal(3, idle_waits[1]);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

TEST_MAIN(vulkan_queue)
{
    const struct CMUnitTest tests[] = {
        TEST(test_points),          TEST(test_waits),    TEST(test_failures), TEST(test_waiting),
        TEST(test_waiting_in_vain), TEST(test_draining), TEST(test_idleness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
