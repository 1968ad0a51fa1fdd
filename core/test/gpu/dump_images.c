/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Writes the kernel images of this build to a folder, for images_test.py to examine, and prints
 * each kernel's needs. Fails if a kernel lacks an image. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/kernel_image.h"
#include "gpu/kernels.h"

/* "KERNEL gfx1030" goes to KERNEL.gfx1030, "KERNEL" to KERNEL with that extension. */
static void dump_image(const char *folder, const KernelImage *image, const char *extension)
{
    char path[1024], *space;
    void *code = NULL;
    snprintf(path, sizeof(path), "%s/%s%s", folder, image->name,
             strchr(image->name, ' ') ? "" : extension);
    if ((space = strchr(path + strlen(folder), ' ')))
        *space = '.';
    FILE *file = kernel_image_unpack(image, &code) ? NULL : fopen(path, "wb");
    if (!file || fwrite(code, 1, image->packed.size, file) != image->packed.size || fclose(file)) {
        fprintf(stderr, "cannot write the image %s\n", path);
        exit(1);
    }
    mem_free(code);
}

static void dump(const char *folder, const ImagePack *const *table, const char *extension)
{
    for (const KernelInfo *info = kernel_infos; info->name; info++) {
        KernelImage image;
        if (!kernel_image_find(table, info->name, &image)) {
            fprintf(stderr, "no image %s%s\n", info->name, extension);
            exit(1);
        }
    }
    for (; *table; table++) {
        for (const ImagePack *pack = *table; pack->names; pack++) {
            const PackedImage *packed = pack->images;
            for (const char *name = pack->names; *name; name += strlen(name) + 1, packed++)
                dump_image(folder, &(KernelImage){ pack, name, *packed }, extension);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    for (const KernelInfo *info = kernel_infos; info->name; info++)
        printf("%s %u %u %u %u\n", info->name, info->workgroup[0], info->workgroup[1],
               info->buffer_count, info->params_size);
#ifdef HAVE_SPIRV_PACKS
    dump(argv[1], spirv_packs, ".spv");
#endif
#ifdef HAVE_PTX_PACKS
    dump(argv[1], ptx_packs, ".ptx");
#endif
#ifdef HAVE_HIP_PACKS
    dump(argv[1], hip_packs, ".hip");
#endif
    return 0;
}
