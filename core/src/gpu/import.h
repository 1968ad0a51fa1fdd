/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Imports: pictures that already lie on the device, in memory of the caller, and are copied when
 * the caller asks for it.
 *
 * Each context has its own. A slot holds one side of a pair from its import until it is scored; the
 * slot is the frame's index modulo the ring's depth. Several threads may import at once: each slot
 * is filled by one thread at a time. */
#ifndef GPU_IMPORT_H
#define GPU_IMPORT_H

#include "engine/picture.h"
#include "gpu/device.h"

typedef struct GpuImports GpuImports;
typedef struct ImportTarget ImportTarget;
typedef struct ImportScratch ImportScratch;

/* The description of a picture that every import needs. */
typedef struct GpuIncoming {
    unsigned w, h, bpc;
    enum VmafPixelFormat pix_fmt;
    bool is_ref;
    unsigned index;
    const GpuForeign *waits; /* to wait for before the picture is read */
    unsigned wait_count;
    const GpuForeign *signals; /* to signal when it is no longer needed */
    unsigned signal_count;
} GpuIncoming;

/* The destination of a recorded copy. */
struct ImportTarget {
    GpuDevice *device;
    const FrameShape *shape;
    GpuCommands *commands; /* being recorded */
    GpuBuffer *picture;    /* receives the planes, at the strides of the shape */
    size_t offset[3];      /* of each plane in `picture` */
    unsigned planes;       /* bit p: plane p is wanted */
    bool is_fixed;         /* the next picture with this scratch goes to the same buffer */
    /* Set by the recorder: no sample can exceed the depth, so no check is needed. */
    bool in_range;
    ImportScratch *scratch;
};
/* The offset of a plane when planes follow one another without a gap. */
size_t import_plane_offset(const FrameShape *shape, unsigned plane);
static inline bool import_wants(const ImportTarget *target, unsigned plane)
{
    return target->planes >> plane & 1;
}

/* Records the copies out of `source`. The memory they read must live until `signals`, or until the
 * pair is read. */
typedef int (*ImportRecord)(ImportTarget *target, const void *source);

int imports_create(GpuImports **out, GpuDevice *device, unsigned depth);
void imports_destroy(GpuImports *imports); /* waits for copies under way; NULL is fine */

/* Copies a picture into the slot of in->index. -EINVAL: its shape differs from the first
 * picture's. */
int imports_add(GpuImports *imports, const GpuIncoming *in, ImportRecord record,
                const void *source);

/* Planes of rows in memory that the device can import. Samples are in the low bits. */
typedef struct GpuForeignPicture {
    GpuHandle memory;
    uint64_t offset[3], stride[3];
} GpuForeignPicture;
/* Same as imports_add, for such memory. -ENOTSUP (logged): the device cannot import it. */
int imports_add_memory(GpuImports *imports, const GpuIncoming *in,
                       const GpuForeignPicture *picture);

/* Takes both sides of a pair out of their slots. It waits for the copies, so the caller's memory is
 * no longer used afterwards. The caller releases the pictures. -EINVAL: one of them was not
 * imported under this index. */
int imports_take(GpuImports *imports, unsigned index, VmafPicture *ref, VmafPicture *dist);

/* ---- unpacking: interleaved planes, and samples in the high bits ---- */

/* The packing of plane p: its samples lie `step` apart, the first one at `first`. `with_cb`: they
 * were copied together with Cb. */
typedef struct ImportPacking {
    unsigned step, first;
    bool with_cb;
} ImportPacking;

/* The packing of plane p, where bits in `planes` say which planes are copied. `is_paired`: Cb and
 * Cr are interleaved in one plane, which is copied once. */
static inline ImportPacking import_packing(unsigned planes, unsigned p, bool is_paired)
{
    const bool is_cr = is_paired && p == 2;
    return (ImportPacking){ .step = is_paired ? 2 : 1,
                            .first = is_cr,
                            .with_cb = is_cr && (planes >> 1 & 1) };
}

/* Returns scratch memory for planes as they are stored at the source: plane p at import_raw_offset,
 * with rows `step` times its stride apart. The target's scratch owns it. */
int import_unpack_begin(ImportTarget *target, GpuBuffer **raw);
size_t import_raw_offset(const FrameShape *shape, unsigned plane);
/* Records the kernels that write these planes (by bits) to the picture, with values shifted down by
 * `shift`. */
void import_unpack(ImportTarget *target, unsigned planes, const ImportPacking packing[3],
                   unsigned shift);

/* Objects that unpacking reuses for the next picture. */
typedef struct ImportUnpacking {
    GpuKernel *kernel;
    GpuBuffer *raw; /* the planes as copied */
    GpuBindings *bindings;
} ImportUnpacking;
void import_unpacking_destroy(GpuDevice *device, ImportUnpacking *unpacking);

/* ---- the check for samples above the depth ---- */

/* Objects that the check reuses for the next picture. */
typedef struct ImportRange {
    bool recorded; /* the device checks the picture */
    bool in_range; /* no check is needed */
    GpuKernel *kernel;
    /* A word per plane; not 0: the plane has a sample above the depth. */
    GpuBuffer *counts, *readback;
    GpuBindings *bindings;
} ImportRange;
void import_range_destroy(GpuDevice *device, ImportRange *range);

/* Records a check of the target's picture, if the depth leaves room for larger values. A picture
 * that the device cannot bind is not checked; the host must check it. */
int import_range_record(const ImportTarget *target, ImportRange *range);
/* Stores the finding in the picture (engine/picture.h), once the commands are done. */
void import_range_note(const ImportRange *range, const VmafPicture *pic);

/* Objects that copies need while they are under way, reused by the next copies. */

struct ImportScratch {
    ImportUnpacking unpacking;
    ImportRange range;
    GpuBuffer *foreign; /* imported memory that the copies read */
};
void import_scratch_destroy(GpuDevice *device, ImportScratch *scratch);

#endif
