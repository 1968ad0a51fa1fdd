/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Each packed image unpacks to the bytes that the compiler made, and damaged packs are refused.
 *
 * usage: kernel_image FOLDER     the build folder with the images: KERNEL.spv, KERNEL.gfx1030, … */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/kernel_image.h"
#include "gpu/kernels.h"
#include "testing.h"

static const char *folder;

static const struct {
    const ImagePack *const *packs;
    const char *extension;
} tables[] = {
#ifdef HAVE_SPIRV_PACKS
    { spirv_packs, ".spv" },
#endif
#ifdef HAVE_PTX_PACKS
    { ptx_packs, ".ptx" },
#endif
#ifdef HAVE_HIP_PACKS
    { hip_packs, ".hip" },
#endif
};

/* "KERNEL gfx1030" lies in KERNEL.gfx1030. The caller frees the bytes. */
static char *read_image(const char *name, const char *extension, size_t *size)
{
    char path[1024];
    const int n =
        snprintf(path, sizeof(path), "%s/%s%s", folder, name, strchr(name, ' ') ? "" : extension);
    char *space = strchr(path + strlen(folder), ' ');
    if (space)
        *space = '.';
    assert_in_range(n, 1, sizeof(path) - 1);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("no file %s", path);
    assert_int_equal(0, fseek(file, 0, SEEK_END));
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(*size, fread(bytes, 1, *size, file));
    fclose(file);
    return bytes;
}

static unsigned check_pack(const ImagePack *pack, const char *extension)
{
    unsigned count = 0;
    for (const char *name = pack->names; *name; name += strlen(name) + 1, count++) {
        KernelImage image = { pack, name, pack->images[count] };
        size_t size;
        void *code;
        char *wanted = read_image(name, extension, &size);
        if (size != image.packed.size || kernel_image_unpack(&image, &code) ||
            memcmp(wanted, code, size))
            fail_msg("%s%s is not what the compiler made", name, extension);
        assert_int_equal('\0', ((const char *)code)[size]);
        mem_free(code);
        free(wanted);
    }
    return count;
}

static void unpacks_all(void **state)
{
    for (unsigned i = 0; i < COUNT(tables); i++) {
        unsigned count = 0, kernels = 0;
        KernelImage image;
        for (const ImagePack *const *packs = tables[i].packs; *packs; packs++)
            for (const ImagePack *pack = *packs; pack->names; pack++)
                count += check_pack(pack, tables[i].extension);
        for (const KernelInfo *info = kernel_infos; info->name; info++, kernels++) {
            assert_true(kernel_image_find(tables[i].packs, info->name, &image));
            assert_string_equal(info->name, image.name);
        }
        assert_in_range(count, kernels, 100 * kernels);
        assert_false(kernel_image_find(tables[i].packs, "import", &image));
        assert_false(kernel_image_find(tables[i].packs, "", &image));
    }
}

/* The last image of the smallest pack with several, so that all of its data is read. */
static KernelImage last_image(const ImagePack *const *packs)
{
    KernelImage image = { .pack = NULL };
    for (; *packs; packs++) {
        for (const ImagePack *pack = *packs; pack->names; pack++) {
            const char *name = pack->names;
            const PackedImage *packed = pack->images;
            for (; name[strlen(name) + 1]; name += strlen(name) + 1)
                packed++;
            if (packed > pack->images && (!image.pack || pack->size < image.pack->size))
                image = (KernelImage){ pack, name, *packed };
        }
    }
    assert_non_null(image.pack);
    return image;
}

/* Unpacks `size` bytes of data as if they were the image's pack. They lie in a block of their own,
 * for the sanitizers. Returns true if the pack is refused; if it is not, the code must be the true
 * one. */
static bool is_refused(KernelImage image, const uint8_t *data, size_t size, const void *wanted)
{
    ImagePack damaged = *image.pack;
    uint8_t *copy = malloc(size ? size : 1);
    void *code;
    assert_non_null(copy);
    memcpy(copy, data, size);
    damaged.data = copy;
    damaged.size = size;
    image.pack = &damaged;
    const int err = kernel_image_unpack(&image, &code);
    if (err) {
        assert_int_equal(-EIO, err);
        assert_null(code);
    } else {
        assert_memory_equal(wanted, code, image.packed.size);
    }
    mem_free(code);
    free(copy);
    return err;
}

static void refuses_damage(void **state)
{
    enum {
        UNREAD = 12
    }; /* bytes at the end: a mark of the end, which the size makes unnecessary */
    if (!COUNT(tables))
        skip();
    const KernelImage image = last_image(tables[0].packs);
    const size_t size = image.pack->size;
    const long live = mem_live();
    uint8_t *data = malloc(size);
    void *wanted;
    assert_non_null(data);
    assert_int_equal(0, kernel_image_unpack(&image, &wanted));
    memcpy(data, image.pack->data, size);
    log_set_level(VMAF_LOG_LEVEL_NONE);
    for (size_t i = 0; i < size; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            data[i] ^= 1u << bit;
            /* The first byte is always 0 and says nothing. */
            assert_true(is_refused(image, data, size, wanted) || i == 0 || i + UNREAD >= size);
            data[i] ^= 1u << bit;
        }
        assert_true(is_refused(image, data, i, wanted) || i + UNREAD >= size);
    }
    KernelImage other = image;
    other.packed.offset--;
    assert_true(is_refused(other, data, size, wanted));
    other = image;
    other.packed.hash ^= 1;
    assert_true(is_refused(other, data, size, wanted));
    log_set_level(VMAF_LOG_LEVEL_WARNING);
    mem_free(wanted);
    free(data);
    assert_int_equal(live, mem_live());
}

static void survives_lack_of_memory(void **state)
{
    if (!COUNT(tables))
        skip();
    const KernelImage image = last_image(tables[0].packs);
    void *code = "not NULL";
    mem_fail_after(1);
    assert_int_equal(-ENOMEM, kernel_image_unpack(&image, &code));
    assert_null(code);
    mem_fail_after(0);
}

/* A byte that changes anywhere changes the hash. */
static void hashes_all_bytes(void **state)
{
    uint8_t bytes[20] = { 0 };
    for (size_t size = 0; size < sizeof(bytes); size++) {
        const uint64_t hash = kernel_image_hash(bytes, size);
        assert_true(hash != kernel_image_hash(bytes, size + 1));
        for (size_t i = 0; i < size; i++) {
            bytes[i] = 0x80;
            assert_true(hash != kernel_image_hash(bytes, size));
            bytes[i] = 0;
        }
    }
}

TEST_MAIN(kernel_image)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unpacks_all),
        cmocka_unit_test(refuses_damage),
        cmocka_unit_test(survives_lack_of_memory),
        cmocka_unit_test(hashes_all_bytes),
    };
    if (argc != 2)
        return 2;
    folder = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
