/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Writes the kernel images of this build to a folder, for images_test.py to examine, and prints
 * each kernel's needs. Fails if a kernel lacks an image. */
#include <stdio.h>
#include <stdlib.h>

#include "gpu/kernels.h"
#ifdef HAVE_CUDA
#include "gpu/backend/cuda_hip/images.h"
#endif
#ifdef HAVE_HIP
#endif

static void dump(const char *folder, const KernelImage *table, const char *kind, size_t drop)
{
    for (const KernelInfo *info = kernel_infos; info->name; info++) {
        const KernelImage *image = kernel_image_find(table, info->name);
        char path[1024];
        snprintf(path, sizeof(path), "%s/%s.%s", folder, info->name, kind);
        FILE *file = image ? fopen(path, "wb") : NULL;
        if (!file || fwrite(image->data, 1, image->size - drop, file) != image->size - drop ||
            fclose(file)) {
            fprintf(stderr, "no image %s\n", path);
            exit(1);
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
#ifdef HAVE_CUDA
    dump(argv[1], cuda_images, "ptx", 1);
#endif
#ifdef HAVE_HIP
    dump(argv[1], hip_images, "bundle", 0);
    dump(argv[1], hip_sources, "hip", 1);
#endif
    return 0;
}
