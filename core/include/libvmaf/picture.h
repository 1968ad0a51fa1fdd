/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PICTURE_H
#define VMAF_PICTURE_H

#include <stddef.h>

#include "macros.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Planar formats: luma, then two chroma planes (none for YUV400P). */
enum VmafPixelFormat {
    VMAF_PIX_FMT_UNKNOWN,
    VMAF_PIX_FMT_YUV420P,
    VMAF_PIX_FMT_YUV422P,
    VMAF_PIX_FMT_YUV444P,
    VMAF_PIX_FMT_YUV400P
};

typedef struct VmafRef VmafRef;

/**
 * A picture and one reference to it.
 *
 * Copying the struct does not make another reference: only one of two copies may be given to the
 * library or unreferenced. Samples take one byte at 8 bits, else two in native byte order with the
 * value in the low bits. Rows of plane p begin `stride[p]` bytes apart, which may be more than the
 * width needs.
 */
typedef struct VmafPicture {
    enum VmafPixelFormat pix_fmt;
    unsigned bpc;        /**< bits per sample, 8 to 16 */
    unsigned w[3], h[3]; /**< in samples; odd chroma sizes are rounded down */
    ptrdiff_t stride[3]; /**< in bytes, a multiple of 32 */
    void *data[3];       /**< 32-byte aligned; NULL for planes that do not exist */
    VmafRef *ref;        /**< for the library only */
    void *priv;          /**< for the library only */
} VmafPicture;

/**
 * Allocates a picture. Its memory is zeroed and the caller holds its only reference.
 *
 * @return 0; -EINVAL for NULL, an unknown format, a depth outside 8 to 16, or a side that is 0 or
 *         above 65536; -ENOMEM
 */
VMAF_EXPORT int vmaf_picture_alloc(VmafPicture *pic, enum VmafPixelFormat pix_fmt, unsigned bpc,
                                   unsigned w, unsigned h);

/**
 * Makes another reference to the same picture, so that it can be given to several contexts, or to
 * one context several times: each vmaf_read_pictures() takes one reference. No samples are copied,
 * and nobody may write to the picture from then on. Other contexts may read pictures of a context's
 * pool if they have the same shape and, on a GPU, the same device. Any thread may call it.
 *
 * @return 0; -EINVAL for NULL or a struct that holds no reference
 */
VMAF_EXPORT int vmaf_picture_ref(VmafPicture *out, const VmafPicture *pic);

/**
 * Drops the reference and zeroes the struct. With the last reference, the memory is freed or
 * returns to its pool. Any thread may call it.
 *
 * @return 0; -EINVAL for NULL or a struct that holds no reference
 */
VMAF_EXPORT int vmaf_picture_unref(VmafPicture *pic);

/**
 * Checks rows of a plane for samples above the picture's depth now, while they are in the cache:
 * rows from the top down to (but not including) row `rows`, which are written. vmaf_read_pictures()
 * refuses pictures with such samples and checks the rows that were not checked before: this
 * function only moves that work to the thread that fills the picture. Call it again for rows that
 * are changed afterwards. Like writing, it is for one thread at a time.
 *
 * @return 0; -EINVAL for NULL, no reference, or rows that the picture does not have
 */
VMAF_EXPORT int vmaf_picture_rows_written(const VmafPicture *pic, unsigned plane, unsigned rows);

#ifdef __cplusplus
}
#endif

#endif
