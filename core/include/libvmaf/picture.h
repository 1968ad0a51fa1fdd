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
 * Copying the struct does not make another reference: of two copies only one may be given away or
 * unreferenced. Samples take one byte at 8 bits, else two in native order with the value in the low
 * bits. Rows of plane p begin `stride[p]` bytes apart; read it, it may be more than the width
 * needs.
 */
typedef struct VmafPicture {
    enum VmafPixelFormat pix_fmt;
    unsigned bpc;        /**< bits per sample, 8 to 16 */
    unsigned w[3], h[3]; /**< in samples; odd chroma sizes are rounded down */
    ptrdiff_t stride[3]; /**< in bytes, a multiple of 32 */
    void *data[3];       /**< 32-byte aligned; NULL for planes that are not there */
    VmafRef *ref;        /**< the library's */
    void *priv;          /**< the library's */
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
 * Makes another reference to the same picture, so that it can be given to several contexts, or to one
 * several times: each vmaf_read_pictures() takes one. Nothing is copied. From then on nobody may write to it.
 * Pictures of a context's pool are fine for other contexts of the same shape; on a GPU, for those on the same
 * device. Any thread may call it.
 *
 * @return 0; -EINVAL for NULL or a struct that holds no reference
 */
VMAF_EXPORT int vmaf_picture_ref(VmafPicture *out, const VmafPicture *pic);

/**
 * Drops the reference and zeroes the struct. The memory goes, or returns to its pool, with the last
 * reference. Any thread may call it.
 *
 * @return 0; -EINVAL for NULL or a struct that holds no reference
 */
VMAF_EXPORT int vmaf_picture_unref(VmafPicture *pic);

/**
 * Says that rows of a plane are written, from the top down to (but not including) row `rows`, so that
 * the library looks now, while they are in the cache, whether they hold samples above the picture's
 * depth. vmaf_read_pictures() refuses those and looks at all rows that nobody has spoken of: this only
 * moves that work to the thread that fills the picture. Rows that are changed afterwards must be
 * announced again. Like writing, it is for one thread at a time.
 *
 * @return 0; -EINVAL for NULL, no reference, or rows that the picture does not have
 */
VMAF_EXPORT int vmaf_picture_rows_written(const VmafPicture *pic, unsigned plane, unsigned rows);

#ifdef __cplusplus
}
#endif

#endif
