/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which device is chosen, on a made-up machine. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/session.h"
#include "testing.h"

static const GpuBackend backend = { .name = "toy", .title = "Toy" },
                        hidden = { .name = "toy", .title = "Toy", .hidden = true };

static GpuDeviceInfo devices[] = {
    { .type = VMAF_DEVICE_DISCRETE,
      .name = "Big GPU 9000",
      .missing = "64-bit integers",
      .uuid = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 1, 2, 3, 4, 5, 6, 7, 8 },
      .pci = "0000:65:00.0" },
    { .type = VMAF_DEVICE_DISCRETE,
      .name = "Big GPU 9001",
      .uuid = { 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10, 8, 7, 6, 5, 4, 3, 2, 1 },
      .pci = "0000:b3:00.0" },
    { .type = VMAF_DEVICE_INTEGRATED, .name = "Little GPU" },
    { .type = VMAF_DEVICE_SOFTWARE, .name = "Software (llvm 15)" },
};

static char why[1024]; /* why no device was chosen */

static int choose_of(const GpuProbe *probe, const GpuWish *wish)
{
    unsigned index = 1000;
    const int err = gpu_choose(probe, wish, &index, why, sizeof(why));
    assert_int_equal(err != 0, why[0] != '\0');
    return err ? err : (int)index;
}

static int choose_on(const GpuBackend *on, unsigned first, unsigned count, const GpuWish *wish)
{
    return choose_of(&(GpuProbe){ .backend = on, .devices = devices + first, .count = count },
                     wish);
}

static int choose(const GpuWish *wish)
{
    return choose_on(&backend, 0, COUNT(devices), wish);
}

static int choose_named(const char *device)
{
    return choose(&(GpuWish){ .index = -1, .device = device });
}

static void test_any(void **unused)
{
    const GpuWish any = { .index = -1, .quiet = true },
                  software = { .index = -1, .allow_software = true };
    assert_int_equal(1, choose(&any)); /* the first usable one */
    assert_int_equal(1, choose(&software));
    assert_int_equal(-ENODEV, choose_on(&backend, 0, 1, &any));
    assert_int_equal(-ENODEV, choose_on(&backend, 3, 1, &any));
    assert_int_equal(0, choose_on(&backend, 3, 1, &software));
    assert_int_equal(0, choose_on(&hidden, 3, 1, &any)); /* the hidden backend was named */
    assert_int_equal(-ENODEV, choose_on(&backend, 0, 0, &any));
    assert_int_equal(-ENODEV, choose_on(&backend, 0, 0, &software));
}

static void test_index(void **unused)
{
    for (int i = 0; i < (int)COUNT(devices); i++) {
        assert_int_equal(i, choose(&(GpuWish){ .index = i, .allow_software = true }));
        assert_int_equal(i < 3 ? i : -ENODEV, choose(&(GpuWish){ .index = i }));
    }
    assert_int_equal(0, choose_on(&hidden, 3, 1, &(GpuWish){ .index = 0 }));
    assert_int_equal(-EINVAL, choose(&(GpuWish){ .index = COUNT(devices) }));
    assert_int_equal(-ENODEV, choose_on(&backend, 0, 0, &(GpuWish){ .index = 0 }));
}

static void test_number(void **unused)
{
    assert_int_equal(0, choose_named("0"));
    assert_int_equal(2, choose_named("2"));
    assert_int_equal(2, choose_named("002"));
    assert_int_equal(-ENODEV, choose_named("4"));
    assert_int_equal(-ENODEV, choose_named("4294967296"));
    assert_int_equal(-ENODEV, choose_named("-1"));
}

static void test_name(void **unused)
{
    assert_int_equal(1, choose_named("Big GPU 9001"));
    assert_int_equal(1, choose_named("gpu 9001"));
    assert_int_equal(2, choose_named("LITTLE"));
    /* A named device is used even if it is software. */
    assert_int_equal(3, choose_named("software"));
    assert_int_equal(0, choose_named("GPU 9000"));
    assert_int_equal(-ENODEV, choose_named("big"));   /* two match */
    assert_int_equal(-ENODEV, choose_named("large")); /* none matches */
    assert_int_equal(-ENODEV, choose_named(""));
    assert_int_equal(-ENODEV, choose_named("Little GPU and more"));
}

static void test_uuid(void **unused)
{
    assert_int_equal(0, choose_named("0123456789abcdef0102030405060708"));
    assert_int_equal(0, choose_named("01234567-89AB-CDEF-0102-030405060708"));
    assert_int_equal(1, choose_named("fedcba98-7654-3210-0807-060504030201"));
    assert_int_equal(-ENODEV, choose_named("fedcba98-7654-3210-0807-060504030200"));
    assert_int_equal(-ENODEV, choose_named("fedcba98-7654-3210-0807-06050403020"));
    assert_int_equal(-ENODEV, choose_named("fedcba98-7654-3210-0807-0605040302011"));
}

static void test_pci(void **unused)
{
    assert_int_equal(0, choose_named("0000:65:00.0"));
    assert_int_equal(1, choose_named("0000:B3:00.0"));
    assert_int_equal(1, choose_named("b3:00.0"));
    assert_int_equal(-ENODEV, choose_named("00:00.0"));
    assert_int_equal(-ENODEV, choose_named("1000:65:00.0"));
    assert_int_equal(-ENODEV, choose_named("00000:65:00.0"));
}

/* ---- software devices ---- */

/* Two makers of graphics cards also make CPUs, which SYCL lists as devices. */
static GpuDeviceInfo mixed[] = {
    { .type = VMAF_DEVICE_DISCRETE, .name = "Intel(R) Arc(TM) A770 Graphics", .uuid = { 1 } },
    { .type = VMAF_DEVICE_INTEGRATED, .name = "AMD Radeon 780M (RADV PHOENIX, LLVM 15)" },
    { .type = VMAF_DEVICE_SOFTWARE,
      .name = "Intel(R) Xeon(R) Platinum 8480",
      .uuid = { 2 },
      .pci = "0000:00:02.0" },
    { .type = VMAF_DEVICE_SOFTWARE, .name = "llvmpipe (LLVM 15.0.6, 256 bits)", .uuid = { 3 } },
};

static int choose_mixed(unsigned first, const char *device, bool allow_software)
{
    const GpuProbe probe = { .backend = &backend,
                             .devices = mixed + first,
                             .count = (unsigned)COUNT(mixed) - first };
    const int index = choose_of(
        &probe, &(GpuWish){ .index = -1, .device = device, .allow_software = allow_software });
    return index < 0 ? index : index + (int)first;
}

/* Neither a number nor a UUID, a PCI address, or a name that a graphics card may have, chooses a
 * software device. */
static void test_software(void **unused)
{
    static const struct {
        unsigned first;
        const char *device;
        int plain, allowed; /* the results without and with permission */
    } cases[] = {
        { 0, "3", -ENODEV, 3 },
        { 0, "0", 0, 0 },
        { 2, "0", -ENODEV, 2 },
        { 2, "00", -ENODEV, 2 },
        { 2, "02000000000000000000000000000000", -ENODEV, 2 },
        { 0, "01000000000000000000000000000000", 0, 0 },
        { 0, "0000:00:02.0", -ENODEV, 2 },
        { 2, NULL, -ENODEV, 2 },
        { 2, "xeon", -ENODEV, 2 },
        { 2, "256 bits", -ENODEV, 3 },
        { 2, "p", -ENODEV, -ENODEV }, /* both names contain a p */
        { 0, "intel", 0, 0 },         /* means the GPU */
        { 2, "intel", -ENODEV, 2 },
        { 2, "Intel(R) Xeon(R)", -ENODEV, 2 },
        { 2, "intel(r) xeon(r) platinum 8480", 2, 2 }, /* the whole name */
        { 0, "llvmpipe", 3, 3 },
        { 0, "LLVMpipe (LLVM", 3, 3 },
        { 0, "llvm", -ENODEV, -ENODEV }, /* a GPU and a software device have this name */
        { 2, "llvm", 3, 3 },
        { 0, "llvmpipes", -ENODEV, -ENODEV },
    };
    for (unsigned i = 0; i < COUNT(cases); i++) {
        assert_int_equal(cases[i].plain, choose_mixed(cases[i].first, cases[i].device, false));
        assert_int_equal(cases[i].allowed, choose_mixed(cases[i].first, cases[i].device, true));
    }
}

/* The reason names the device and what the user can do. */
static void test_reasons(void **unused)
{
    assert_int_equal(-ENODEV, choose_mixed(0, "3", false));
    assert_non_null(strstr(why, "\"3\" is llvmpipe (LLVM 15.0.6, 256 bits), a software device"));
    assert_non_null(strstr(why, "if it is named (\"llvmpipe\")"));
    assert_non_null(strstr(why, "--allow_software, VMAF_ALLOW_SOFTWARE=1"));
    assert_int_equal(-ENODEV, choose_mixed(2, "intel", false));
    assert_non_null(strstr(why, "if it is named (\"Intel(R) Xeon(R) Platinum 8480\")"));
    assert_int_equal(-ENODEV, choose_mixed(2, NULL, false));
    assert_non_null(strstr(why, "--allow_software, VMAF_ALLOW_SOFTWARE=1"));
    assert_int_equal(-ENODEV, choose_mixed(0, "llvm", false));
    assert_non_null(strstr(why, "2 devices are called \"llvm\""));
    assert_int_equal(-ENODEV, choose_mixed(0, "large", false));
    assert_non_null(strstr(why, "no device is called \"large\""));
    assert_int_equal(-ENODEV, choose_mixed(0, "9", false));
    assert_non_null(strstr(why, "no device 9; 4 devices were found"));
}

/* ---- backends ---- */

static void test_registry(void **unused)
{
    static const char *const names[] = { "cuda", "hip", "vulkan", "sycl" };
    for (unsigned i = 0; i < COUNT(names); i++) {
        assert_string_equal(names[i], gpu_backends[i]->name);
        assert_ptr_equal(gpu_backends[i], gpu_backend_find(names[i]));
    }
    assert_null(gpu_backend_find("toy"));
    assert_null(gpu_backend_find(""));
    assert_int_equal(strlen("vif"), gpu_backend_strip("vif_vulkan"));
    assert_int_equal(strlen("psnr_hvs"), gpu_backend_strip("psnr_hvs"));
    assert_int_equal(strlen("psnr_hvs"), gpu_backend_strip("psnr_hvs_cuda"));
    assert_int_equal(strlen("_cuda"), gpu_backend_strip("_cuda"));
}

static void check_several(const char *device, bool allow_software, const char *wanted)
{
    const GpuProbe probe = { .backend = &backend, .devices = devices, .count = COUNT(devices) };
    const GpuWish wish = { .index = -1,
                           .device = device,
                           .several = true,
                           .allow_software = allow_software,
                           .quiet = true };
    unsigned *indices, count;
    char text[32] = "";
    const int err = gpu_choose_all(&probe, &wish, &indices, &count, why, sizeof(why));
    for (unsigned i = 0; !err && i < count; i++)
        sprintf(text + strlen(text), "%u", indices[i]);
    assert_string_equal(wanted, err ? "none" : text);
    mem_free(indices);
}

static void test_several(void **unused)
{
    check_several("0,2", false, "02");
    check_several("2,2,1", false, "221");
    check_several("little,gpu 9001,3", true, "213");
    check_several("little,gpu 9001,3", false, "none"); /* 3 is software, and a number is no name */
    check_several("little,gpu 9001,software", false, "213");
    check_several("3,software", false, "none");
    check_several("0000:b3:00.0,2", false, "12");
    check_several("all", false, "12"); /* usable and real */
    check_several("all", true, "123");
    check_several(NULL, false, "1");
    check_several("2", false, "2");
    check_several("2,9", false, "none");
    check_several("2,", false, "none");
    check_several("gpu,2", false, "none"); /* three match */
    check_several("2,all", false, "none");
    strcpy(devices[3].name, "Software (llvm 15, 256 bits)");
    check_several("llvm 15, 256", false, "3"); /* a name that contains a comma */
    const GpuWish one = { .index = -1, .device = "0,2", .quiet = true };
    assert_int_equal(-ENODEV, choose(&one)); /* a wish for one device never gets two */
}

/* ---- the expected work of a device ---- */

static GpuExpected told[4];
static unsigned opened;

static int toy_probe(const GpuBackend *on, bool validation, GpuProbe **out)
{
    static GpuProbe probe;
    probe = (GpuProbe){ .backend = on, .devices = devices, .count = COUNT(devices) };
    *out = &probe;
    return 0;
}

static void toy_probe_end(GpuProbe *probe)
{
}

static int toy_open(GpuProbe *probe, unsigned index, GpuDevice **out)
{
    told[opened++] = probe->expected;
    *out = NULL;
    return -EIO; /* the test needs no device */
}

/* A backend learns the expected work before it opens a device. Several devices share the work
 * equally. */
static void test_expected(void **unused)
{
    static const GpuBackend toy = { .name = "toy",
                                    .title = "Toy",
                                    .probe = toy_probe,
                                    .probe_end = toy_probe_end,
                                    .open = toy_open };
    static const struct {
        const char *device;
        uint64_t pairs, share;
    } cases[] = { { "1", 7, 7 }, { "1,2", 7, 4 }, { "1,2,1", 1, 1 }, { "1,2", 0, 0 } };
    for (unsigned i = 0; i < COUNT(cases); i++) {
        GpuSession *session;
        const GpuWish wish = { .index = -1,
                               .device = cases[i].device,
                               .several = true,
                               .expected = { cases[i].pairs, 4096 } };
        opened = 0;
        assert_int_equal(-EIO, session_open(&session, &toy, &wish));
        assert_null(session);
        assert_int_equal(1, opened);
        assert_int_equal(cases[i].share, told[0].pairs);
        assert_int_equal(4096, told[0].pair_bytes);
    }
}

/* ---- the device that a backend opens ---- */

static GpuDevice real;
static unsigned destroyed;
static bool opens_the_wrong_one, at_the_wrong_address;

static void real_destroy(GpuDevice *device)
{
    destroyed++;
}

static int real_drain(GpuDevice *device)
{
    return 0;
}

static const GpuOps real_ops = { .destroy = real_destroy, .drain = real_drain };

static int real_open(GpuProbe *probe, unsigned index, GpuDevice **out)
{
    const GpuDeviceInfo *const info = &probe->devices[opens_the_wrong_one ? 3 - index : index];
    gpu_device_init(&real, &real_ops, "toy");
    memcpy(real.uuid, info->uuid, sizeof(real.uuid));
    snprintf(real.pci, sizeof(real.pci), "%s", at_the_wrong_address ? "0000:01:00.0" : info->pci);
    *out = &real;
    return 0;
}

/* Two equal cards have one name: a session never takes the other one. */
static void test_opened(void **unused)
{
    static const GpuBackend toy = { .name = "toy",
                                    .title = "Toy",
                                    .probe = toy_probe,
                                    .probe_end = toy_probe_end,
                                    .open = real_open };
    const GpuWish wish = { .index = -1, .device = "1" };
    GpuSession *session;
    destroyed = 0;
    for (unsigned wrong = 1; wrong < 3; wrong++) {
        opens_the_wrong_one = wrong == 1;
        at_the_wrong_address = wrong == 2;
        assert_int_equal(-EIO, session_open(&session, &toy, &wish));
        assert_null(session);
        assert_int_equal(wrong, destroyed);
    }
    at_the_wrong_address = false;
    assert_int_equal(0, session_open(&session, &toy, &wish));
    assert_string_equal(devices[1].pci, session->identity.pci);
    assert_int_equal(1, session->identity.index);
    session_close(session);
    assert_int_equal(3, destroyed);
}

TEST_MAIN(choose)
{
    log_set_level(VMAF_LOG_LEVEL_NONE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any),      cmocka_unit_test(test_index),
        cmocka_unit_test(test_number),   cmocka_unit_test(test_name),
        cmocka_unit_test(test_uuid),     cmocka_unit_test(test_pci),
        cmocka_unit_test(test_registry), cmocka_unit_test(test_several),
        cmocka_unit_test(test_expected), cmocka_unit_test(test_software),
        cmocka_unit_test(test_reasons),  cmocka_unit_test(test_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
