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

/* Reads a module whose one entry has this body. */
static int read_body(const char *body)
{
    Entry entries[ENTRIES_MAX];
    unsigned read;
    char text[1024], why[160];
    snprintf(text, sizeof(text),
             ".version 5.0\n.target sm_52\n.address_size 64\n"
             ".visible .entry one(\n.param .align 8 .b8 one_param_0[8]\n)\n{\n%s\n}\n",
             body);
    return image_read_ptx(text, entries, &read, why, sizeof(why));
}

/* Registers must be declared, one by one or with their count, in a block or around it. */
static void test_registers(void **unused)
{
    static const char *const right[] = {
        ".reg .b32 %r<2>;\nmov.u32 %r1, %tid.x;\nret;",
        ".reg .b64 %SP;\n.reg .b64 %SPL;\nmov.u64 %SPL, %SP;\nret;",
        ".reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n"
        "{ .reg .b32 tmp; mov.b64 {tmp, %r1}, %rd1; }\n"
        "{ .reg .b32 tmp; mov.b64 {%r1, tmp}, %rd1; }\nret;",
        ".reg .b32 %r<2>;\n{ { .reg .b32 a; mov.b32 %r1, %r0; } }\nret;",
    };
    static const char *const wrong[] = {
        ".reg .b32 %r<2>;\nmov.u32 %r2, %tid.x;\nret;",
        ".reg .b32 %r<2>;\nmov.u32 %r, %tid.x;\nret;",
        ".reg .b64 %SP;\nmov.u64 %SPL, %SP;\nret;",
        ".reg .b64 %SP;\nmov.u64 %SP1, %SP;\nret;",
        ".reg .b32 %r<2;\nret;",
        ".reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n{ mov.b64 {tmp, %r1}, %rd1; }\nret;",
        ".reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n{ .reg .b32 tmp; mov.b64 {tmp, %r1}, %rd1; }\n"
        "mov.b64 {tmp, %r1}, %rd1;\nret;",
        ".reg .b32 %r<2>;\n{ .reg .b32 %x<2>; mov.b32 %x1, %r1; }\nmov.b32 %r1, %x1;\nret;",
        ".reg .b32 %r<2>;\n{ mov.b32 %r1, %r0;\nret;",
        ".reg .b32 %r<2>;\n} mov.b32 %r1, %r0;\nret;",
    };
    for (unsigned i = 0; i < COUNT(right); i++)
        if (read_body(right[i]))
            fail_msg("refused: %s", right[i]);
    for (unsigned i = 0; i < COUNT(wrong); i++)
        if (!read_body(wrong[i]))
            fail_msg("taken: %s", wrong[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ptx),
        cmocka_unit_test(test_joined_ptx),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_code_objects),
    };
    return cmocka_run_group_tests_name("images", tests, NULL, NULL);
}
