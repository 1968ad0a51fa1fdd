/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Copies VA-API surfaces into the frame buffers. libva is opened at run time. Only the driver knows
 * how a surface is tiled, so it copies the plane to host memory, and we upload it from there. */
#include <errno.h>

#include "base/log.h"
#include "libvmaf/libvmaf_sycl.h"

#ifdef HAVE_VA
#include <pthread.h>
#include <va/va.h>

#include "gpu/backend/sycl/device.h"
#include "base/library.h"

#define VA_FUNCTIONS(X)                                                                            \
    X(CreateImage)                                                                                 \
    X(DeriveImage) X(DestroyImage) X(GetImage) X(MapBuffer) X(SyncSurface) X(UnmapBuffer)

typedef struct VaTable {
#define X(name) __typeof__(&va##name) name;
    VA_FUNCTIONS(X)
#undef X
} VaTable;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static VaTable table;
static bool loaded;

static void load(void)
{
    static const char *const names[] = { "libva.so.2", NULL };
    void *library = library_open(names);
    loaded = library != NULL;
#define X(name)                                                                                    \
    loaded = loaded && (table.name = (__typeof__(&va##name))library_function(library, "va" #name));
    VA_FUNCTIONS(X)
#undef X
}

/* Gets a mappable image of the surface: the surface itself or a copy. */
static VAStatus get_image(VADisplay display, VASurfaceID surface, const SyclPlane *plane,
                          VAImage *image)
{
    VAStatus status = table.SyncSurface(display, surface);
    if (status != VA_STATUS_SUCCESS ||
        table.DeriveImage(display, surface, image) == VA_STATUS_SUCCESS)
        return status;
    VAImageFormat format = { .fourcc = plane->bpc == 8 ? VA_FOURCC_NV12 : VA_FOURCC_P010,
                             .byte_order = VA_LSB_FIRST,
                             .bits_per_pixel = plane->bpc == 8 ? 12 : 24 };
    status = table.CreateImage(display, &format, (int)plane->w, (int)plane->h, image);
    if (status != VA_STATUS_SUCCESS)
        return status;
    status = table.GetImage(display, surface, 0, 0, plane->w, plane->h, image->image_id);
    if (status != VA_STATUS_SUCCESS)
        table.DestroyImage(display, image->image_id);
    return status;
}

/* Checks that the format has a luma plane of the right depth, and sets plane->shift. */
static int check_format(const VAImage *image, SyclPlane *plane)
{
    switch (image->format.fourcc) {
    case VA_FOURCC_NV12:
    case VA_FOURCC_I420:
    case VA_FOURCC_YV12:
    case VA_FOURCC_Y800:
        if (plane->bpc == 8)
            return 0;
        break;
    case VA_FOURCC_P010:
    case VA_FOURCC_P012:
    case VA_FOURCC_P016:
        plane->shift = 16 - plane->bpc;
        if (plane->bpc > 8)
            return 0;
        break;
    }
    log_error("sycl: VA format 0x%08x has no luma plane of %u bits", image->format.fourcc,
              plane->bpc);
    return -EINVAL;
}

static int fill_from(VmafSyclState *state, bool is_ref, VADisplay display, const VAImage *image,
                     SyclPlane *plane)
{
    void *data;
    int err = check_format(image, plane);
    if (!err && (image->width < plane->w || image->height < plane->h)) {
        log_error("sycl: the VA surface has %ux%u samples, fewer than %ux%u", image->width,
                  image->height, plane->w, plane->h);
        err = -EINVAL;
    }
    if (err)
        return err;
    if (table.MapBuffer(display, image->buf, &data) != VA_STATUS_SUCCESS)
        return -EIO;
    plane->data = (const char *)data + image->offsets[0];
    plane->pitch = image->pitches[0];
    err = sycl_frames_fill(state, is_ref, plane);
    table.UnmapBuffer(display, image->buf);
    return err;
}

int vmaf_sycl_import_va_surface(VmafSyclState *state, void *va_display, unsigned surface,
                                int is_ref, unsigned w, unsigned h, unsigned bpc)
{
    if (!state || !va_display || !w || !h || bpc < 8 || bpc > 16)
        return -EINVAL;
    pthread_once(&once, load);
    if (!loaded) {
        log_error("sycl: no VA-API (libva.so.2) on this machine");
        return -EIO;
    }
    SyclPlane plane = { .w = w, .h = h, .bpc = bpc };
    VAImage image;
    const VAStatus status = get_image(va_display, surface, &plane, &image);
    if (status != VA_STATUS_SUCCESS) {
        log_error("sycl: cannot read VA surface %u (VA status %d)", surface, status);
        return -EIO;
    }
    const int err = fill_from(state, is_ref != 0, va_display, &image, &plane);
    table.DestroyImage(va_display, image.image_id);
    return err;
}

#else
int vmaf_sycl_import_va_surface(VmafSyclState *state, void *va_display, unsigned surface,
                                int is_ref, unsigned w, unsigned h, unsigned bpc)
{
    log_error("this libvmaf was built without VA-API; upload the plane with "
              "vmaf_sycl_upload_plane instead");
    return -EIO;
}
#endif
