/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/upload.h"

#include <errno.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/pages.h"

struct GpuUpload {
    GpuUpload *next;
    GpuBuffer *source; /* the device copies from it */
    /* The host reads or writes it; the same buffer as `source` or a second one; NULL: none yet. */
    GpuBuffer *mapped;
    uintptr_t base; /* the address of the block that pictures in it hold */
    void *pages;    /* memory of our own under the block; NULL: the driver allocated it */
    size_t pages_size;
    GpuDevice **peers; /* devices that share the block */
    unsigned peer_count;
};

/* The block that holds an address, and the offset in it. The block is copied, which is safe: a
 * block in use is not freed. */
typedef struct Found {
    GpuUpload upload;
    size_t offset;
    bool device; /* the address was the device's */
} Found;

static void destroy_block(GpuDevice *device, GpuUpload *upload)
{
    if (upload->mapped != upload->source)
        device->ops->buffer_destroy(device, upload->mapped);
    device->ops->buffer_destroy(device, upload->source);
    pages_free(upload->pages, upload->pages_size);
    mem_free(upload->peers);
    mem_free(upload);
}

static int add_block(GpuDevice *device, GpuUpload *upload, void **block)
{
    if (!upload->base)
        upload->base = (uintptr_t)upload->mapped->host;
    gpu_device_retain(device);
    pthread_mutex_lock(&device->uploads_lock);
    upload->next = device->uploads;
    device->uploads = upload;
    pthread_mutex_unlock(&device->uploads_lock);
    *block = (void *)upload->base;
    return 0;
}

static int import_buffer(GpuDevice *device, enum GpuHandleType type, void *at, size_t size,
                         GpuBuffer **buffer)
{
    if (!device->ops->buffer_import)
        return -ENOTSUP;
    return device->ops->buffer_import(device, &(GpuHandle){ type, (intptr_t)at, size }, buffer);
}

/* Allocates an upload block. A large block that several devices copy from lies in pages of our own,
 * if the driver accepts these. Any other block lies in memory of the driver's, which is available
 * sooner. */
static int alloc_mapped(GpuDevice *device, size_t size, GpuUpload *upload)
{
    const size_t whole = (size + PAGES_ALIGN - 1) / PAGES_ALIGN * PAGES_ALIGN;
    if (device->peer_count && size >= PAGES_ALIGN / 2)
        upload->pages = pages_alloc(whole);
    upload->pages_size = whole;
    if (upload->pages &&
        !import_buffer(device, GPU_HANDLE_PAGES, upload->pages, whole, &upload->source))
        return 0;
    if (upload->pages)
        log_debug("%s: %s cannot copy from our pages; using memory of its driver", device->backend,
                  device->name);
    pages_free(upload->pages, whole);
    upload->pages = NULL;
    upload->source = NULL;
    return device->ops->buffer_create(device, GPU_UPLOAD, size, &upload->source);
}

/* Imports the block for another device. If that fails, the other device stages the pictures. */
static int share_with(GpuDevice *peer, const GpuUpload *upload)
{
    GpuUpload *own = mem_zalloc(sizeof(*own));
    if (!own)
        return -ENOMEM;
    int err = upload->pages ? import_buffer(peer, GPU_HANDLE_PAGES, upload->pages,
                                            upload->pages_size, &own->source)
                            : -ENOTSUP;
    /* Some drivers pin the pages for all devices at once, and then refuse to pin them for a second
     * device. */
    if (err)
        err = import_buffer(peer, GPU_HANDLE_UPLOAD, upload->source->host, upload->source->size,
                            &own->source);
    own->mapped = own->source;
    if (err) {
        log_debug("%s: %s cannot copy from memory of another device; staging pictures",
                  peer->backend, peer->name);
        mem_free(own);
        return err;
    }
    void *block;
    return add_block(peer, own, &block);
}

static void share_with_peers(GpuDevice *device, GpuUpload *upload)
{
    upload->peers = device->peer_count ? mem_array(device->peer_count, sizeof(GpuDevice *)) : NULL;
    for (unsigned i = 0; upload->peers && i < device->peer_count; i++)
        if (!share_with(device->peers[i], upload))
            upload->peers[upload->peer_count++] = device->peers[i];
}

/* ---- blocks in the reserve (pages.h) ---- */

/* Imports the reserve when it is first used. Drops it if the driver refuses, since the driver has
 * memory of its own. */
static bool open_reserve_locked(GpuDevice *device)
{
    GpuReserve *reserve = device->reserve;
    if (!reserve || reserve->upload)
        return reserve != NULL;
    GpuUpload *upload = mem_zalloc(sizeof(*upload));
    reserve_wait(reserve);
    if (!upload ||
        import_buffer(device, GPU_HANDLE_PAGES, reserve->pages, reserve->size, &upload->source)) {
        mem_free(upload);
        reserve_destroy(reserve, false);
        device->reserve = NULL;
        return false;
    }
    upload->mapped = upload->source;
    upload->base = (uintptr_t)reserve->pages;
    upload->next = device->uploads;
    device->uploads = reserve->upload = upload;
    return true;
}

static void *take_reserved(GpuDevice *device, size_t size)
{
    const size_t page = 4096;
    char *block = NULL;
    pthread_mutex_lock(&device->uploads_lock);
    GpuReserve *reserve = open_reserve_locked(device) ? device->reserve : NULL;
    if (reserve && size <= reserve->size - reserve->used) {
        block = reserve->pages + reserve->used;
        /* Whole pages; the reserve is whole pages too. */
        reserve->used += (size + page - 1) / page * page;
        reserve->blocks++;
        gpu_device_retain(device);
    }
    pthread_mutex_unlock(&device->uploads_lock);
    return block;
}

/* Frees a block of the reserve and returns true, or returns false if the block lies elsewhere. The
 * space is used again when the last block is freed: pools come and go as a whole. */
static bool free_reserved(GpuDevice *device, const void *block)
{
    pthread_mutex_lock(&device->uploads_lock);
    GpuReserve *reserve = device->reserve;
    const bool is =
        reserve && reserve->upload && (uintptr_t)block - (uintptr_t)reserve->pages < reserve->size;
    if (is && !--reserve->blocks)
        reserve->used = 0;
    pthread_mutex_unlock(&device->uploads_lock);
    if (is)
        gpu_device_release(device);
    return is;
}

void upload_end(GpuDevice *device)
{
    GpuReserve *reserve = device->reserve;
    if (!reserve)
        return;
    if (reserve->upload)
        device->ops->buffer_destroy(device, reserve->upload->source);
    mem_free(reserve->upload);
    reserve_destroy(reserve, gpu_device_is_abandoned(device));
    device->reserve = NULL;
}

/* ---- blocks ---- */

int upload_alloc(GpuDevice *device, size_t size, void **block)
{
    *block = take_reserved(device, size);
    if (*block)
        return 0;
    GpuUpload *upload = mem_zalloc(sizeof(*upload));
    if (!upload)
        return -ENOMEM;
    const int err = alloc_mapped(device, size, upload);
    upload->mapped = upload->source;
    if (err) {
        destroy_block(device, upload);
        return err;
    }
    share_with_peers(device, upload);
    return add_block(device, upload, block);
}

int upload_alloc_mirror(GpuDevice *device, size_t size, void **block)
{
    GpuUpload *upload = mem_zalloc(sizeof(*upload));
    if (!upload)
        return -ENOMEM;
    int err = device->ops->buffer_create(device, GPU_DEVICE, size, &upload->source);
    if (!err)
        err = device->ops->buffer_create(device, GPU_READBACK, size, &upload->mapped);
    /* The gaps between rows are copied with the rows and never used. They are cleared for tools
     * that look for reads of uninitialised memory. Test devices with `undefine` keep them undefined
     * on purpose. */
    if (!err && !device->ops->undefine)
        err = gpu_device_fill(device, &(GpuRange){ upload->source, 0, upload->source->size }, 0);
    if (err) {
        destroy_block(device, upload);
        return err;
    }
    return add_block(device, upload, block);
}

int upload_alloc_device(GpuDevice *device, size_t size, uintptr_t (*address)(const GpuBuffer *),
                        void **block)
{
    GpuUpload *upload = mem_zalloc(sizeof(*upload));
    if (!upload)
        return -ENOMEM;
    int err = device->ops->buffer_create(device, GPU_DEVICE, size, &upload->source);
    if (!err)
        err = gpu_device_fill(device, &(GpuRange){ upload->source, 0, upload->source->size },
                              UPLOAD_UNWRITTEN);
    if (err) {
        destroy_block(device, upload);
        return err;
    }
    upload->base = address(upload->source);
    return add_block(device, upload, block);
}

void upload_free(GpuDevice *device, void *block)
{
    if (free_reserved(device, block))
        return;
    pthread_mutex_lock(&device->uploads_lock);
    GpuUpload **link = &device->uploads;
    while (*link && (*link)->base != (uintptr_t)block)
        link = &(*link)->next;
    GpuUpload *upload = *link;
    if (upload)
        *link = upload->next;
    pthread_mutex_unlock(&device->uploads_lock);
    if (!upload)
        return;
    bool held = gpu_device_is_abandoned(device);
    for (unsigned i = 0; i < upload->peer_count; i++) {
        held |= gpu_device_is_abandoned(upload->peers[i]);
        upload_free(upload->peers[i], block);
    }
    /* A device that was given up may still copy from the block. So the block stays, and so does its
     * device. */
    if (held)
        return;
    destroy_block(device, upload);
    gpu_device_release(device);
}

static bool lies_in(uintptr_t at, size_t size, uintptr_t base, size_t block, size_t *offset)
{
    *offset = at - base;
    return at >= base && *offset + size <= block;
}

/* Finds the block that holds `size` bytes at `at`. */
static bool find_block(GpuDevice *device, const void *at, size_t size, Found *found)
{
    bool is = false;
    pthread_mutex_lock(&device->uploads_lock);
    for (const GpuUpload *u = device->uploads; u && !is; u = u->next) {
        const uintptr_t host = u->mapped ? (uintptr_t)u->mapped->host : 0;
        is = host && lies_in((uintptr_t)at, size, host, u->mapped->size, &found->offset);
        found->device = !is;
        if (!is && u->base != host)
            is = lies_in((uintptr_t)at, size, u->base, u->source->size, &found->offset);
        if (is)
            found->upload = *u;
    }
    pthread_mutex_unlock(&device->uploads_lock);
    return is;
}

bool upload_find(GpuDevice *device, const VmafPicture *pic, unsigned p, size_t size, GpuRange *from)
{
    FrameShape shape;
    shape_of_picture(&shape, pic);
    Found found;
    if (pic->stride[p] != (ptrdiff_t)picture_stride(&shape, p) ||
        !find_block(device, pic->data[p], size, &found))
        return false;
    *from = (GpuRange){ found.upload.source, found.offset, size };
    return true;
}

GpuBuffer *upload_source(GpuDevice *device, const VmafPicture *pic)
{
    Found found;
    const bool apart =
        find_block(device, pic->data[0], 1, &found) && found.upload.source != found.upload.mapped;
    return apart ? found.upload.source : NULL;
}

/* ---- reading on the host ---- */

static GpuBuffer *set_mapped(GpuDevice *device, uintptr_t base, GpuBuffer *mapped)
{
    pthread_mutex_lock(&device->uploads_lock);
    GpuUpload *u = device->uploads;
    while (u->base != base)
        u = u->next;
    if (!u->mapped)
        u->mapped = mapped;
    mapped = u->mapped;
    pthread_mutex_unlock(&device->uploads_lock);
    return mapped;
}

/* Creates the mapped memory. Two threads may do so at once; the first one's is kept. */
static int make_mapped(GpuDevice *device, GpuUpload *upload)
{
    GpuBuffer *mapped;
    const int err = device->ops->buffer_create(device, GPU_READBACK, upload->source->size, &mapped);
    if (err)
        return err;
    upload->mapped = set_mapped(device, upload->base, mapped);
    if (upload->mapped != mapped)
        device->ops->buffer_destroy(device, mapped);
    return 0;
}

static int copy_to_host(GpuDevice *device, GpuUpload *upload)
{
    const int err = upload->mapped ? 0 : make_mapped(device, upload);
    return err ? err
               : gpu_device_copy(device, &(GpuRange){ upload->source, 0, upload->source->size },
                                 &(GpuRange){ upload->mapped, 0, upload->mapped->size });
}

int upload_fetch(GpuDevice *device, const VmafPicture *pic)
{
    VmafPicture view;
    return upload_view(device, pic, &view);
}

bool upload_is_device(GpuDevice *device, const VmafPicture *pic)
{
    Found found;
    return find_block(device, pic->data[0], 1, &found) && found.device;
}

int upload_view(GpuDevice *device, const VmafPicture *pic, VmafPicture *view)
{
    *view = *pic;
    Found found;
    if (!find_block(device, pic->data[0], 1, &found) || found.upload.source == found.upload.mapped)
        return 0;
    const int err = copy_to_host(device, &found.upload);
    for (unsigned p = 0; !err && found.device && p < 3; p++)
        if (pic->data[p])
            view->data[p] =
                (char *)found.upload.mapped->host + ((uintptr_t)pic->data[p] - found.upload.base);
    return err;
}
