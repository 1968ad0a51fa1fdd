/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures in memory of the caller on the device. A backend's record function copies their planes
 * into an ImportTarget. That target is
 * - a mirror block (upload.h) for imports: pictures that the caller passes one by one, and that are
 *   scored later as a pair, or whose pair a feature on the CPU reads too;
 * - the slot of the frame (slot.h) for arrivals: pairs that only kernels read. */
#ifndef GPU_IMPORT_H
#define GPU_IMPORT_H

#include "engine/picture.h"
#include "gpu/device.h"

typedef struct GpuImports GpuImports;
typedef struct ImportScratch ImportScratch;

/* ---- recording copies ---- */

/* The destination of a recorded copy. */
typedef struct ImportTarget {
    GpuDevice *device;
    const FrameShape *shape;
    GpuCommands *commands; /* being recorded */
    GpuBuffer *picture;    /* receives the planes, at the strides of the shape */
    size_t offset[3];      /* offset of each plane in `picture` */
    unsigned planes;       /* bit p: plane p is wanted */
    bool is_fixed;         /* the next picture with this scratch goes to the same buffer */
    /* Set by the recorder: no sample can exceed the depth, so no check is needed. */
    bool in_range;
    ImportScratch *scratch;
} ImportTarget;
/* Sets the target for all planes of a picture, one after the other in `picture`. */
void import_target_init(ImportTarget *target, GpuDevice *device, const FrameShape *shape,
                        GpuBuffer *picture);
/* The offset of a plane when planes follow one another without a gap. */
size_t import_plane_offset(const FrameShape *shape, unsigned plane);
static inline bool import_wants(const ImportTarget *target, unsigned plane)
{
    return target->planes >> plane & 1;
}

/* Records the copies out of `source`. The memory they read must live until `signals`, or until the
 * pair is read. */
typedef int (*ImportRecord)(ImportTarget *target, const void *source);

/* ---- imports ----
 *
 * Each context has its own. A slot holds one side of a pair from its import until it is scored; the
 * slot is the frame's index modulo the ring's depth. Several threads may import at once: each slot
 * is filled by one thread at a time. */

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

/* ---- arrivals ----
 *
 * An arrival is a pair that is copied straight into the slot of its frame, where the kernels read
 * it. To the engine its two pictures have no data, so no feature on the CPU may read them. Code
 * that measures such a frame again calls slot_view to read the slot's memory. References count who
 * holds an arrival; any thread may release one. */

typedef struct GpuArrival GpuArrival;

/* A callback that tells the owner of a frame that the device has read it. `call` NULL: none. */
typedef struct GpuRelease {
    void (*call)(void *opaque);
    void *opaque;
} GpuRelease;

/* The maker embeds this struct at the head of its own. */
struct GpuArrival {
    ImportRecord record;
    const void *source[2]; /* arguments for `record`: reference, distorted */
    GpuForeign waits[GPU_MAX_WAITS];
    unsigned wait_count;
    GpuForeign signals[GPU_MAX_WAITS];
    unsigned signal_count;
    unsigned index;                       /* index of the frame, for messages */
    GpuRelease release[2];                /* called once, when the device has read the pair */
    void (*destroy)(GpuArrival *arrival); /* called when the last reference is gone */

    /* The device has the waits and signals. Used by the thread that submits only. */
    bool submitted;
    atomic_bool has_left;
    atomic_int references;
};

/* Sets the members that the maker does not, with one reference. */
void arrival_init(GpuArrival *arrival);
/* Allocates the maker's struct of `size` bytes, zeroed, and initialises the arrival in it. It is
 * freed with the last reference. NULL: no memory, and the releases were called. */
void *arrival_create(size_t size, const GpuRelease release[2]);
void arrival_release(GpuArrival *arrival);
/* Makes the two pictures that the engine sees. Each holds a reference. */
int arrival_pictures(GpuArrival *arrival, const FrameShape *shape, VmafPicture *ref,
                     VmafPicture *dist);
GpuArrival *arrival_of(const VmafPicture *pic); /* NULL: an ordinary picture */
/* Call when the device has read the pair, or never will: calls the releases. A second call does
 * nothing. */
void arrival_leave(GpuArrival *arrival);

/* ---- kernels that imports and arrivals need (import_kernels.c) ---- */

/* A kernel bound to the picture of a target. */
typedef struct ImportKernel {
    GpuKernel *kernel;
    GpuBindings *bindings;
} ImportKernel;

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
    ImportKernel bound;
    GpuBuffer *raw; /* the planes as copied */
} ImportUnpacking;

/* Objects that the check for samples above the depth reuses for the next picture. */
typedef struct ImportRange {
    bool recorded; /* the device checks the picture */
    bool in_range; /* no check is needed */
    ImportKernel bound;
    GpuBuffer *counts,
        *readback; /* a word per plane; not 0: the plane has a sample above the depth */
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
