/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The fake driver can parse each image of this build, for each of its architectures. */
#include <stdio.h>
#include <string.h>

#include "fake_driver.h"
#include "gpu/kernels.h"
#include "testing.h"

#ifdef HAVE_CUDA
#include "base/mem.h"
#include "gpu/backend/cuda_hip/images.h"
#endif
#ifdef HAVE_HIP
#endif

#if defined(HAVE_CUDA) || defined(HAVE_HIP)
static void check(const KernelInfo *info, int err, const Entry *entry, const char *why)
{
    if (err)
        print_error("%s: %s\n", info->name, why);
    assert_int_equal(0, err);
    assert_string_equal(info->name, entry->name);
    assert_true(entry->arguments_size >= 8 * info->buffer_count + info->params_size);
}
#endif

static void test_ptx(void **unused)
{
#ifdef HAVE_CUDA
    unsigned count = 0;
    for (const KernelInfo *info = kernel_infos; info->name; info++, count++) {
        Entry entries[ENTRIES_MAX];
        unsigned read;
        char why[160];
        const KernelImage *image = kernel_image_find(cuda_images, info->name);
        assert_non_null(image);
        const int err = image_read_ptx(image->data, entries, &read, why, sizeof(why));
        assert_int_equal(1, read);
        check(info, err, &entries[0], why);
        assert_int_equal(info->workgroup[0] * info->workgroup[1], entries[0].max_threads);
    }
    assert_true(count > 40);
#else
    skip();
#endif
}

/* Joins all texts into one, which works as long as their names do not clash. */
static void test_joined_ptx(void **unused)
{
#ifdef HAVE_CUDA
    const KernelImage *images[ENTRIES_MAX] = { NULL };
    Entry entries[ENTRIES_MAX];
    unsigned count = 0, read;
    char why[160];
    for (const KernelInfo *info = kernel_infos; info->name; info++)
        images[count++] = kernel_image_find(cuda_images, info->name);
    char *text = cuda_join(images, count);
    assert_non_null(text);
    const int err = image_read_ptx(text, entries, &read, why, sizeof(why));
    if (err)
        print_error("%s\n", why);
    assert_int_equal(0, err);
    assert_int_equal(count, read);
    for (unsigned i = 0; i < count; i++)
        check(&kernel_infos[i], err, &entries[i], why);
    mem_free(text);
#else
    skip();
#endif
}

static void test_bundles(void **unused)
{
#ifdef HAVE_HIP
    const char *archs = HIP_ARCHS;
    for (; *archs; archs += strcspn(archs, ","), archs += *archs == ',') {
        char arch[16], why[160];
        snprintf(arch, sizeof(arch), "%.*s", (int)strcspn(archs, ","), archs);
        for (const KernelInfo *info = kernel_infos; info->name; info++) {
            Entry entry;
            const KernelImage *image = kernel_image_find(hip_images, info->name);
            assert_non_null(image);
            const int err = image_read_bundle(image->data, arch, &entry, why, sizeof(why));
            check(info, err, &entry, why);
        }
    }
    Entry entry;
    char why[160];
    assert_int_equal(NO_BINARY_FOR_GPU,
                     image_read_bundle(hip_images[0].data, "gfx803", &entry, why, sizeof(why)));
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ptx),
        cmocka_unit_test(test_joined_ptx),
        cmocka_unit_test(test_bundles),
    };
    return cmocka_run_group_tests_name("images", tests, NULL, NULL);
}
