/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Lists and describes the devices that the runtime knows. */
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include "gpu/backend/sycl/plugin/plugin.h"

/* Names what our kernels need and the device lacks, see docs/development/adding-a-backend.md. */
constexpr size_t GROUP_THREADS = 256;
constexpr uint64_t SHARED_BYTES = 32 << 10;

static SyclDeviceKind kind_of(const sycl::device &device)
{
    if (device.is_cpu())
        return SYCL_CPU;
    if (!device.is_gpu())
        return SYCL_ACCELERATOR;
    return device.get_info<sycl::info::device::host_unified_memory>() ? SYCL_INTEGRATED_GPU
                                                                      : SYCL_GPU;
}

static void find_missing(const sycl::device &device, char *out, size_t size)
{
    const char *what = "";
    if (!device.has(sycl::aspect::usm_device_allocations))
        what = "USM device allocations";
    else if (!device.has(sycl::aspect::usm_host_allocations))
        what = "USM host allocations";
    else if (device.get_info<sycl::info::device::max_work_group_size>() < GROUP_THREADS)
        what = "workgroups of 256 threads";
    else if (device.get_info<sycl::info::device::local_mem_size>() < SHARED_BYTES)
        what = "32 KiB of shared memory";
    std::snprintf(out, size, "%s", what);
}

/* Only Intel's runtime reports these. */
static void find_address(const sycl::device &device, SyclDeviceDesc *out)
{
#ifdef SYCL_EXT_INTEL_DEVICE_INFO
    if (device.has(sycl::aspect::ext_intel_device_info_uuid)) {
        const std::array<unsigned char, 16> uuid =
            device.get_info<sycl::ext::intel::info::device::uuid>();
        std::memcpy(out->uuid, uuid.data(), sizeof(out->uuid));
    }
    if (device.has(sycl::aspect::ext_intel_pci_address))
        std::snprintf(out->pci, sizeof(out->pci), "%s",
                      device.get_info<sycl::ext::intel::info::device::pci_address>().c_str());
#else
    (void)device;
    (void)out;
#endif
}

static void describe(const sycl::device &device, SyclDeviceDesc *out)
{
    const sycl::platform platform = device.get_platform();
    *out = {};
    out->kind = kind_of(device);
    std::snprintf(out->name, sizeof(out->name), "%s",
                  device.get_info<sycl::info::device::name>().c_str());
    std::snprintf(out->driver, sizeof(out->driver), "%s %s, driver %s",
                  platform.get_info<sycl::info::platform::name>().c_str(),
                  platform.get_info<sycl::info::platform::version>().c_str(),
                  device.get_info<sycl::info::device::driver_version>().c_str());
    std::snprintf(out->version, sizeof(out->version), "%d", SYCL_LANGUAGE_VERSION / 100);
    out->memory = device.get_info<sycl::info::device::global_mem_size>();
    out->max_allocation = device.get_info<sycl::info::device::max_mem_alloc_size>();
    find_address(device, out);
    find_missing(device, out->missing, sizeof(out->missing));
}

using Found = std::pair<sycl::device, SyclDeviceDesc>;

/* Sort key: the kind of device, then Level Zero before OpenCL. */
static unsigned rank_of(const sycl::device &device)
{
    const std::string platform = device.get_platform().get_info<sycl::info::platform::name>();
    return 2 * kind_of(device) + (platform.find("Level-Zero") == std::string::npos);
}
constexpr unsigned RANKS = 2 * SYCL_CPU + 2;

/* Lists a GPU once, even if two drivers show it. */
static bool is_known(const std::vector<Found> &known, const SyclDeviceDesc &desc)
{
    static const uint8_t none[sizeof(desc.uuid)] = {};
    if (!std::memcmp(desc.uuid, none, sizeof(none)))
        return false;
    return std::any_of(known.begin(), known.end(), [&](const Found &other) {
        return !std::memcmp(other.second.uuid, desc.uuid, sizeof(desc.uuid));
    });
}

static std::vector<Found> find_devices()
{
    std::vector<Found> found;
    const std::vector<sycl::device> devices = sycl::device::get_devices();
    for (unsigned rank = 0; rank < RANKS; rank++) {
        for (const sycl::device &device : devices) {
            SyclDeviceDesc desc;
            if (rank_of(device) != rank)
                continue;
            describe(device, &desc);
            if (!is_known(found, desc))
                found.emplace_back(device, desc);
        }
    }
    return found;
}

sycl::device nth_device(unsigned index)
{
    return find_devices().at(index).first;
}

int list_devices(SyclDeviceDesc *out, unsigned room)
{
    const std::vector<Found> found = find_devices();
    for (unsigned i = 0; i < found.size() && i < room; i++)
        out[i] = found[i].second;
    return static_cast<int>(found.size());
}
