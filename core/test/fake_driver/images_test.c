/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The fake driver can parse each image of this build, for each of its architectures. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "fake_driver.h"
#include "gpu/backend/cuda_hip/api.h"
#include "gpu/kernel_image.h"
#include "gpu/kernels.h"
#include "testing.h"

#if defined(HAVE_PTX_PACKS) || defined(HAVE_HIP_PACKS)
static void check(const KernelInfo *info, int err, const Entry *entry, const char *why)
{
    if (err)
        print_error("%s: %s\n", info->name, why);
    assert_int_equal(0, err);
    assert_string_equal(info->name, entry->name);
    assert_true(entry->arguments_size >= 8 * info->buffer_count + info->params_size);
}

/* The caller frees the code with mem_free. */
static void *unpack(const ImagePack *const *packs, const char *name)
{
    KernelImage image;
    void *code;
    assert_true(kernel_image_find(packs, name, &image));
    assert_int_equal(0, kernel_image_unpack(&image, &code));
    return code;
}
#endif

static void test_ptx(void **unused)
{
#ifdef HAVE_PTX_PACKS
    unsigned count = 0;
    for (const KernelInfo *info = kernel_infos; info->name; info++, count++) {
        Entry entries[ENTRIES_MAX];
        unsigned read;
        char why[160], *text = unpack(ptx_packs, info->name);
        const int err = image_read_ptx(text, entries, &read, why, sizeof(why));
        assert_int_equal(1, read);
        check(info, err, &entries[0], why);
        assert_int_equal(info->workgroup[0] * info->workgroup[1], entries[0].max_threads);
        mem_free(text);
    }
    assert_true(count > 40);
#else
    skip();
#endif
}

/* Joins all texts into one, which works as long as their names do not clash. */
static void test_joined_ptx(void **unused)
{
#ifdef HAVE_PTX_PACKS
    char *texts[ENTRIES_MAX] = { NULL }, why[160];
    Entry entries[ENTRIES_MAX];
    unsigned count = 0, read;
    for (const KernelInfo *info = kernel_infos; info->name; info++)
        texts[count++] = unpack(ptx_packs, info->name);
    char *text = cuda_join((const char *const *)texts, count);
    assert_non_null(text);
    const int err = image_read_ptx(text, entries, &read, why, sizeof(why));
    if (err)
        print_error("%s\n", why);
    assert_int_equal(0, err);
    assert_int_equal(count, read);
    for (unsigned i = 0; i < count; i++) {
        check(&kernel_infos[i], err, &entries[i], why);
        mem_free(texts[i]);
    }
    mem_free(text);
#else
    skip();
#endif
}

static void test_code_objects(void **unused)
{
#ifdef HAVE_HIP_PACKS
    const char *archs = HIP_ARCHS;
    for (; *archs; archs += strcspn(archs, ","), archs += *archs == ',') {
        char arch[16], why[160], name[96];
        Entry entry;
        snprintf(arch, sizeof(arch), "%.*s", (int)strcspn(archs, ","), archs);
        for (const KernelInfo *info = kernel_infos; info->name; info++) {
            snprintf(name, sizeof(name), "%s %s", info->name, arch);
            void *object = unpack(hip_packs, name);
            const int err = image_read_object(object, arch, &entry, why, sizeof(why));
            check(info, err, &entry, why);
            assert_int_equal(NO_BINARY_FOR_GPU,
                             image_read_object(object, "gfx906", &entry, why, sizeof(why)));
            mem_free(object);
        }
    }
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ptx),
        cmocka_unit_test(test_joined_ptx),
        cmocka_unit_test(test_code_objects),
    };
    return cmocka_run_group_tests_name("images", tests, NULL, NULL);
}
