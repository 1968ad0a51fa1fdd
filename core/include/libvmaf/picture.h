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

/** The samples that stand for black and white: at 8 bits 16 and 235 (limited), or 0 and 255
 * (full). */
enum VmafColorRange { VMAF_COLOR_RANGE_UNKNOWN, VMAF_COLOR_RANGE_LIMITED, VMAF_COLOR_RANGE_FULL };

enum VmafColorPrimaries {
    VMAF_COLOR_PRIMARIES_UNKNOWN,
    VMAF_COLOR_PRIMARIES_BT709,
    VMAF_COLOR_PRIMARIES_BT2020,
    VMAF_COLOR_PRIMARIES_SMPTE432 /**< Display P3 */
};

enum VmafColorTransferCharacteristic {
    VMAF_COLOR_TRC_UNKNOWN,
    VMAF_COLOR_TRC_BT709,
    VMAF_COLOR_TRC_SMPTE2084 /**< PQ */
};

enum VmafColorMatrixCoefficients {
    VMAF_COLOR_MATRIX_UNKNOWN,
    VMAF_COLOR_MATRIX_BT709,
    VMAF_COLOR_MATRIX_BT2020_NCL,
    VMAF_COLOR_MATRIX_ICTCP
};

/** The colours that samples stand for. All zeros: unknown. */
typedef struct VmafColor {
    enum VmafColorRange range;
    enum VmafColorPrimaries primaries;
    enum VmafColorTransferCharacteristic trc;
    enum VmafColorMatrixCoefficients matrix;
} VmafColor;

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
#ifdef VMAF_PICTURE_HAS_COLOR
    VmafColor color; /**< unknown until the caller sets it */
#endif
    VmafRef *ref; /**< for the library only */
    void *priv;   /**< for the library only */
} VmafPicture;

/**
 * Allocates a picture. Its memory is zeroed and the caller holds its only reference. While a
 * context exists, memory of released pictures is used again. Once a context scores on a GPU, new
 * pictures get memory that this GPU copies from directly.
 *
 * @return 0; -EINVAL for NULL, an unknown format, a depth outside 8 to 16, or a side that is 0 or
 *         above 65536; -ENOMEM; -EIO if the memory is taken from a GPU that has failed
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

/** Memory of the caller that becomes a picture. */
typedef struct VmafPictureWrapped {
    enum VmafPixelFormat pix_fmt;
    unsigned bpc;
    unsigned w, h;       /**< size of luma */
    void *data[3];       /**< chroma planes are ignored if the format has none */
    ptrdiff_t stride[3]; /**< bytes from one row to the next */
    void *cookie;        /**< passed to release_picture */
    /** Called once, by the thread that drops the last reference; NULL: nothing is called. Its
     *  result is ignored. */
    int (*release_picture)(VmafPicture *pic, void *cookie);
} VmafPictureWrapped;

/**
 * Makes a picture of the caller's memory, without a copy. The library reads the memory until
 * release_picture is called, which may be some frames after vmaf_read_pictures() took the picture.
 *
 * @return 0, and the caller holds the only reference; -EINVAL for NULL, an unknown format, a depth
 *         outside 8 to 16, a side that is 0 or above 65536, a plane that is missing, a stride that
 *         is shorter than a row, or samples of two bytes at an odd address; -ENOMEM. After a
 *         failure release_picture is not called.
 */
VMAF_EXPORT int vmaf_picture_wrap(VmafPicture *pic, VmafPictureWrapped wrapped);

enum VmafResampleFilter {
    VMAF_RESAMPLE_DEFAULT, /**< bicubic */
    VMAF_RESAMPLE_BILINEAR,
    VMAF_RESAMPLE_BICUBIC,
    VMAF_RESAMPLE_LANCZOS
};

/** The pictures that a conversion makes. */
typedef struct VmafPictureConvertTarget {
    enum VmafPixelFormat pix_fmt;
    unsigned bpc;
    unsigned w, h; /**< size of luma; 0: that of the source */
    VmafColor color;
    enum VmafResampleFilter resample_filter; /**< for luma; chroma is always bilinear */
} VmafPictureConvertTarget;

/**
 * Converts pictures of one format to another with zimg, which is opened when it is first needed.
 * For one thread at a time. If the library was built without zimg, or if zimg is not installed,
 * these functions return -ENOTSUP and log what to install.
 */
typedef struct VmafPictureConvertContext VmafPictureConvertContext;

#ifdef VMAF_PICTURE_HAS_COLOR
/**
 * Prepares conversions of pictures that have the format, depth, size and colours of `src`.
 *
 * @return 0; -EINVAL for NULL, for a colour that is unknown on either side, and for a conversion
 *         that zimg does not have (odd sides with 4:2:0, for example); -ENOMEM; -ENOTSUP
 */
VMAF_EXPORT int vmaf_picture_convert_context_init(VmafPictureConvertContext **ctx,
                                                  const VmafPicture *src,
                                                  const VmafPictureConvertTarget *target);

#endif
/**
 * Prepares conversions of pictures that have the format, depth and size of `src`, and these
 * colours. Only the geometry of `src` is read.
 *
 * @return 0; -EINVAL for NULL, for a colour that is unknown on either side, and for a conversion
 *         that zimg does not have (odd sides with 4:2:0, for example); -ENOMEM; -ENOTSUP
 */
VMAF_EXPORT int
vmaf_picture_convert_context_init_with_color(VmafPictureConvertContext **ctx,
                                             const VmafPicture *src, const VmafColor *src_color,
                                             const VmafPictureConvertTarget *target);

/**
 * Allocates `dst` as vmaf_picture_alloc() does, and converts `src` into it.
 *
 * @return 0; -EINVAL for NULL or a picture that differs from the one that the context was made for;
 *         -ENOTSUP; the errors of vmaf_picture_alloc(). After a failure `dst` is unchanged.
 */
VMAF_EXPORT int vmaf_picture_convert(VmafPictureConvertContext *ctx, VmafPicture *dst,
                                     const VmafPicture *src);

/**
 * Frees the context, not the pictures that it made.
 *
 * @return 0; -EINVAL for NULL; -ENOTSUP
 */
VMAF_EXPORT int vmaf_picture_convert_context_close(VmafPictureConvertContext *ctx);

#ifdef __cplusplus
}
#endif

#endif
