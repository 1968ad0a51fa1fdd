/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The compiled code of the kernels, as the library holds it: compressed. A pack holds the images of
 * kernels that differ little, one behind the other: those for 8 and for 16 bits, with floats and
 * with doubles, and for AMD those of related architectures (compile_kernel.py). A device unpacks an
 * image when it makes the kernel. Any thread may call these functions at any time. */
#ifndef GPU_KERNEL_IMAGE_H
#define GPU_KERNEL_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct PackedImage {
    uint32_t offset, size; /* bytes; the offset is that in the unpacked pack */
    uint64_t hash;         /* see kernel_image_hash */
} PackedImage;

typedef struct ImagePack {
    const char
        *names; /* names of the images; each ends with a 0 byte, and an empty name ends the list */
    const PackedImage *images; /* in the order of the names */
    const uint8_t *data;       /* LZMA without a header, see kernel_image.c */
    size_t size;               /* bytes */
} ImagePack;

/* The tables of the build, one for each API that needs images. An element is the array of the packs
 * that were made from one source file, or of the pack of all texts for hiprtc. An element without
 * names ends the array, NULL ends the table. */

/* An image has the name of its kernel. */
extern const ImagePack *const spirv_packs[];
/* Text for cuModuleLoadData. The entry has the name of the kernel and takes one struct: addresses
 * by binding number, then the parameters. Its size is rounded up to 8 bytes. */
extern const ImagePack *const ptx_packs[];
/* Under the kernel's name there is C++ text, which hiprtc compiles with -O3 and -ffp-contract=off.
 * "KERNEL gfx1030" is a code object for that architecture, if hip_archs names it. The struct is
 * that of PTX. */
extern const ImagePack *const hip_packs[];

typedef struct KernelImage {
    const ImagePack *pack;
    const char *name;
    PackedImage packed;
} KernelImage;

/* Finds the image of that name in a table. False: it has none. */
bool kernel_image_find(const ImagePack *const *table, const char *name, KernelImage *image);

/* Unpacks an image into memory that the caller frees with mem_free. A 0 byte follows it, which
 * makes a string of a text. -ENOMEM; -EIO (logged): the data in the library is damaged. */
int kernel_image_unpack(const KernelImage *image, void **code);

/* Identifies the unpacked bytes: the build and the check after unpacking use the same function. */
uint64_t kernel_image_hash(const uint8_t *bytes, size_t size);

#endif
