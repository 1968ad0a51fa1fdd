/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures that are on the device already, in memory of others.
 *
 * They belong to a context. A slot holds one side of a pair between its import and its scoring; slots
 * are found by index modulo the ring's depth. Several threads may import at once: each slot is filled
 * by one of them at a time. */
#ifndef GPU_IMPORT_H
#define GPU_IMPORT_H

#include "engine/picture.h"
#include "gpu/device.h"

typedef struct GpuImports GpuImports;
typedef struct ImportTarget ImportTarget;
typedef struct ImportScratch ImportScratch;

/* What every import says of the picture. */
typedef struct GpuIncoming {
    unsigned w, h, bpc;
    enum VmafPixelFormat pix_fmt;
    bool is_ref;
    unsigned index;
    const GpuForeign *waits; /* before the picture is read */
    unsigned wait_count;
    const GpuForeign *signals; /* when it is no longer needed */
    unsigned signal_count;
} GpuIncoming;

/* Where a recorded copy goes. */
struct ImportTarget {
    GpuDevice *device;
    const FrameShape *shape;
    GpuCommands *commands; /* being recorded */
    GpuBuffer *picture;    /* takes the planes, at the strides of the shape */
    size_t offset[3];      /* and at these places */
    unsigned planes;       /* that are wanted, by bits */
    bool is_fixed;         /* the next picture with this scratch goes to the same place */
    bool in_range;         /* out: no sample can be above the depth, nobody need look */
    ImportScratch *scratch;
};
/* Where planes lie that follow one another without a gap. */
size_t import_plane_offset(const FrameShape *shape, unsigned plane);
static inline bool import_wants(const ImportTarget *target, unsigned plane)
{
    return target->planes >> plane & 1;
}

/* Records the copies out of `source`. What they use must live until `signals`, or until the pair is
 * read. */
typedef int (*ImportRecord)(ImportTarget *target, const void *source);

int imports_create(GpuImports **out, GpuDevice *device, unsigned depth);
void imports_destroy(GpuImports *imports); /* waits for copies under way; NULL is fine */

/* Fills the slot of in->index. -EINVAL when the picture differs from the first one in shape. */
int imports_add(GpuImports *imports, const GpuIncoming *in, ImportRecord record,
                const void *source);

/* Planes of rows, samples in the low bits, in memory that the device can import. */
typedef struct GpuForeignPicture {
    GpuHandle memory;
    uint64_t offset[3], stride[3];
} GpuForeignPicture;
/* -ENOTSUP (logged) where the device cannot import such memory. */
int imports_add_memory(GpuImports *imports, const GpuIncoming *in,
                       const GpuForeignPicture *picture);

/* Takes both sides of a pair out of their slots, waiting for the copies: others' memory is no longer
 * used. -EINVAL when one of them was not imported under this index. */
int imports_take(GpuImports *imports, unsigned index, VmafPicture *ref, VmafPicture *dist);

/* ---- unpacking ---- */

/* Of plane p: samples lie `step` apart, the first of them at `first`; or were copied together with Cb. */
typedef struct ImportPacking {
    unsigned step, first;
    bool with_cb;
} ImportPacking;

/* How plane p comes, of those (by bits) that are copied; `is_paired`: Cb and Cr lie side by side in one plane, which is
 * copied once. */
static inline ImportPacking import_packing(unsigned planes, unsigned p, bool is_paired)
{
    const bool is_cr = is_paired && p == 2;
    return (ImportPacking){ .step = is_paired ? 2 : 1,
                            .first = is_cr,
                            .with_cb = is_cr && (planes >> 1 & 1) };
}

/* Memory for planes as they come: plane p at import_raw_offset, rows at `step` times its stride. */
int import_unpack_begin(ImportTarget *target, GpuBuffer **raw);
size_t import_raw_offset(const FrameShape *shape, unsigned plane);
/* Sorts these planes (by bits) into the picture, values shifted down by `shift`. */
void import_unpack(ImportTarget *target, unsigned planes, const ImportPacking packing[3],
                   unsigned shift);

/* What unpacking keeps from one picture to the next. */
typedef struct ImportUnpacking {
    GpuKernel *kernel;
    GpuBuffer *raw; /* as copied */
    GpuBindings *bindings;
} ImportUnpacking;
void import_unpacking_destroy(GpuDevice *device, ImportUnpacking *unpacking);

/* ---- samples above the depth ---- */

/* What looking for them keeps from one picture to the next. */
typedef struct ImportRange {
    bool recorded; /* the device looks at the picture */
    bool in_range; /* it need not */
    GpuKernel *kernel;
    GpuBuffer *counts, *readback; /* a word a plane; not 0: it has such samples */
    GpuBindings *bindings;
} ImportRange;
void import_range_destroy(GpuDevice *device, ImportRange *range);

/* Records a look at the picture of the target, where the depth leaves room for such samples. What the
 * device cannot bind it does not look at: then the host must. */
int import_range_record(const ImportTarget *target, ImportRange *range);
/* Passes on what was found, once the commands are done. */
void import_range_note(const ImportRange *range, const VmafPicture *pic);

/* ---- what copies need while they are under way, and the next ones again ---- */

struct ImportScratch {
    ImportUnpacking unpacking;
    ImportRange range;
    GpuBuffer *foreign; /* imported memory that the copies read */
};
void import_scratch_destroy(GpuDevice *device, ImportScratch *scratch);

#endif
