/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Surfaces of another API, as a decoder hands them over: in dma-bufs with a modifier, linear and
 * tiled, in layers and objects of several kinds. The scores equal the CPU's to the last bit, or the
 * surface is refused. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "modifier_driver.h"
#include "score.h"
#include "rig.h"
#include "vulkan_owner.h"

#define W 97
#define H 61
#define SURFACE_W 112 /* a decoder allocates more than the picture */
#define SURFACE_H 68
#define FRAMES 4
#define OBJECT_BYTES (1u << 19)

static const ClipFeature features[] = { { "psnr", { 0 } }, { "vif", { 0 } }, { "motion", { 0 } } };

#define FOURCC(a, b, c, d)                                                                         \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define R8 FOURCC('R', '8', ' ', ' ')
#define GR88 FOURCC('G', 'R', '8', '8')
#define R16 FOURCC('R', '1', '6', ' ')
#define GR1616 FOURCC('G', 'R', '3', '2')
#define NV12 FOURCC('N', 'V', '1', '2')
#define PIX(fmt, bits) .pix_fmt = VMAF_PIX_FMT_YUV##fmt##P, .bpc = bits

typedef struct Kind {
    const char *name;
    enum VmafPixelFormat pix_fmt;
    unsigned bpc, shift;
    unsigned layers;
    uint32_t format[3];
    unsigned planes;  /* planes of a picture: 1: grey; 2: Cb and Cr share a plane; 3 */
    unsigned objects; /* planes are dealt to objects in turn */
    uint64_t modifier;
    unsigned x, y; /* position of the picture in the surface */
} Kind;

static const Kind kinds[] = {
    { "nv12", PIX(420, 8), 0, 1, { NV12 }, 2, 1, MODIFIER_LINEAR, 0, 0 },
    { "nv12, tiled, cropped", PIX(420, 8), 0, 1, { NV12 }, 2, 1, MODIFIER_TILED, 6, 4 },
    { "nv12, compressed", PIX(420, 8), 0, 1, { NV12 }, 2, 1, MODIFIER_COMPRESSED, 0, 0 },
    { "nv12 in two objects", PIX(420, 8), 0, 1, { NV12 }, 2, 2, MODIFIER_TILED, 0, 0 },
    { "nv12 in layers", PIX(420, 8), 0, 2, { R8, GR88 }, 2, 1, MODIFIER_TILED, 0, 0 },
    { "p010 in layers", PIX(420, 10), 6, 2, { R16, GR1616 }, 2, 1, MODIFIER_TILED, 2, 2 },
    { "p016 in layers and objects",
      PIX(420, 16),
      0,
      2,
      { R16, GR1616 },
      2,
      2,
      MODIFIER_LINEAR,
      0,
      0 },
    { "yuv420p in layers and objects",
      PIX(420, 8),
      0,
      3,
      { R8, R8, R8 },
      3,
      3,
      MODIFIER_TILED,
      0,
      0 },
    { "yuv444p in layers", PIX(444, 8), 0, 3, { R8, R8, R8 }, 3, 1, MODIFIER_LINEAR, 3, 5 },
    { "nv16", PIX(422, 8), 0, 1, { FOURCC('N', 'V', '1', '6') }, 2, 1, MODIFIER_TILED, 4, 1 },
    { "gray", PIX(400, 8), 0, 1, { R8 }, 1, 1, MODIFIER_TILED, 0, 7 },
};

/* A kind that every driver supports. */
#define LAYERED 4

static Owner owner;
static VmafVulkanState *state;

/* ---- a decoder ---- */

/* A surface as the decoder sees it. */
typedef struct Decoded {
    const Kind *kind;
    VmafVulkanSurfaceInfo info;
    uint8_t *object[4];
    VmafVulkanSurface *surface;
    atomic_uint released;
} Decoded;

static unsigned plane_w(const Kind *kind, unsigned p)
{
    return p && kind->pix_fmt != VMAF_PIX_FMT_YUV444P ? SURFACE_W / 2 : SURFACE_W;
}

static unsigned plane_h(const Kind *kind, unsigned p)
{
    return p && kind->pix_fmt == VMAF_PIX_FMT_YUV420P ? SURFACE_H / 2 : SURFACE_H;
}

static void describe(const Kind *kind, VmafVulkanSurfaceInfo *info)
{
    const unsigned in_layer = kind->planes / kind->layers;
    size_t used[4] = { 64, 128, 192, 0 }; /* planes do not begin with their objects */
    *info = (VmafVulkanSurfaceInfo){
        .size = sizeof(*info),
        .type = VMAF_VULKAN_SURFACE_DMABUF,
        .w = SURFACE_W,
        .h = SURFACE_H,
        .pix_fmt = kind->pix_fmt,
        .objects = kind->objects,
        .modifier = kind->modifier,
        .layers = kind->layers,
    };
    for (unsigned p = 0; p < kind->planes; p++) {
        const unsigned layer = p / in_layer, object = p % kind->objects;
        const unsigned texel = (kind->bpc > 8 ? 2 : 1) * (p && kind->planes == 2 ? 2 : 1);
        const size_t stride = (plane_w(kind, p) * texel + 31) / 16 * 16;
        info->layer[layer].format = kind->format[layer];
        info->layer[layer].plane[p % in_layer].object = object;
        info->layer[layer].plane[p % in_layer].offset = used[object];
        info->layer[layer].plane[p % in_layer].stride = stride;
        info->layer[layer].planes = p % in_layer + 1;
        used[object] += stride * ((plane_h(kind, p) + TILE_ROWS - 1) / TILE_ROWS * TILE_ROWS) + 48;
    }
    if (kind->modifier == MODIFIER_COMPRESSED)
        info->layer[0].plane[info->layer[0].planes++].offset = used[0];
}

static void decoder_open(Decoded *decoded, const Kind *kind)
{
    *decoded = (Decoded){ .kind = kind };
    describe(kind, &decoded->info);
    for (unsigned i = 0; i < kind->objects; i++) {
        const int fd = memfd_create("object", MFD_CLOEXEC);
        assert_true(fd >= 0);
        assert_int_equal(0, ftruncate(fd, OBJECT_BYTES));
        decoded->object[i] = mmap(NULL, OBJECT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        assert_true(decoded->object[i] != MAP_FAILED);
        decoded->info.object[i].handle = fd;
    }
    assert_int_equal(0, vmaf_vulkan_surface_open(&decoded->surface, state, &decoded->info));
    for (unsigned i = 0; i < kind->objects; i++) /* the library keeps what it needs */
        close((int)decoded->info.object[i].handle);
}

static void decoder_close(Decoded *decoded)
{
    vmaf_vulkan_surface_close(&decoded->surface);
    assert_null(decoded->surface);
    for (unsigned i = 0; i < decoded->kind->objects; i++)
        munmap(decoded->object[i], OBJECT_BYTES);
}

/* Writes one sample, with noise in the unused bits below it. */
static void put(Decoded *decoded, unsigned p, unsigned part, unsigned x, unsigned y, unsigned value)
{
    const Kind *kind = decoded->kind;
    const unsigned in_layer = kind->planes / kind->layers, bytes = kind->bpc > 8 ? 2 : 1;
    const unsigned parts = p && kind->planes == 2 ? 2 : 1;
    const unsigned word = value << kind->shift | ((x + y) & ((1u << kind->shift) - 1));
    const size_t stride = decoded->info.layer[p / in_layer].plane[p % in_layer].stride;
    uint8_t *const plane =
        decoded->object[decoded->info.layer[p / in_layer].plane[p % in_layer].object] +
        decoded->info.layer[p / in_layer].plane[p % in_layer].offset;
    for (unsigned b = 0; b < bytes; b++)
        plane[modifier_position(kind->modifier, stride, (x * parts + part) * bytes + b, y)] =
            (uint8_t)(word >> 8 * b);
}

static void decode(Decoded *decoded, const VmafPicture *pic)
{
    const Kind *kind = decoded->kind;
    for (unsigned i = 0; i < kind->objects; i++)
        memset(decoded->object[i], 0xa5, OBJECT_BYTES);
    for (unsigned c = 0; c < (kind->planes == 1 ? 1 : 3); c++) {
        const unsigned p = kind->planes == 2 && c ? 1 : c, part = kind->planes == 2 && c == 2;
        const unsigned x0 = plane_w(kind, p) == SURFACE_W ? kind->x : kind->x / 2;
        const unsigned y0 = plane_h(kind, p) == SURFACE_H ? kind->y : kind->y / 2;
        for (unsigned y = 0; y < pic->h[c]; y++)
            for (unsigned x = 0; x < pic->w[c]; x++) {
                const char *row = (const char *)pic->data[c] + (size_t)y * pic->stride[c];
                put(decoded, p, part, x0 + x, y0 + y,
                    kind->bpc > 8 ? ((const uint16_t *)row)[x] : ((const uint8_t *)row)[x]);
            }
    }
}

/* ---- a filter ---- */

static void count_release(void *opaque)
{
    atomic_fetch_add(&((Decoded *)opaque)->released, 1);
}

static VmafVulkanFrame frame_of(Decoded *decoded)
{
    const Kind *kind = decoded->kind;
    VmafVulkanFrame frame = {
        .size = sizeof(frame),
        .w = W,
        .h = H,
        .bpc = kind->bpc,
        .pix_fmt = kind->pix_fmt,
        .x = kind->x,
        .y = kind->y,
        .shift = kind->shift,
        .release = count_release,
        .release_opaque = decoded,
    };
    assert_int_equal(0, vmaf_vulkan_surface_fill(decoded->surface, &frame));
    return frame;
}

static char *cpu_scores(const SynthClip *clip)
{
    const ScoreRun run = { .clip = clip, .features = features, .feature_count = COUNT(features) };
    char *scores;
    assert_int_equal(0, score_run(&run, &scores));
    return scores;
}

/* False for images of several planes on a driver that has none. */
static bool is_supported(const Kind *kind)
{
    VkFormatProperties properties;
    owner.instance->vki.GetPhysicalDeviceFormatProperties(
        owner.physical, VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, &properties);
    return kind->planes == kind->layers ||
           properties.optimalTilingFeatures & VK_FORMAT_FEATURE_TRANSFER_SRC_BIT;
}

/* Returns the scores of a clip. Each surface is written again for every frame, after its
 * release. */
static char *surface_scores(const Kind *kind, const SynthClip *clip)
{
    Decoded decoded[2];
    VmafContext *vmaf;
    char *scores;
    for (unsigned side = 0; side < 2; side++)
        decoder_open(&decoded[side], kind);
    assert_int_equal(0, vmaf_init(&vmaf, (VmafConfiguration){ 0 }));
    assert_int_equal(0, vmaf_vulkan_import_state(vmaf, state));
    for (unsigned i = 0; i < COUNT(features); i++)
        assert_int_equal(0, vmaf_use_feature(vmaf, features[i].name, NULL));
    for (unsigned t = 0; t < FRAMES; t++) {
        VmafVulkanFrame frame[2];
        for (unsigned side = 0; side < 2; side++) {
            VmafPicture pic;
            assert_int_equal(0, synth_picture(clip, side, t, &pic));
            decode(&decoded[side], &pic);
            vmaf_picture_unref(&pic);
            frame[side] = frame_of(&decoded[side]);
        }
        assert_int_equal(0,
                         vmaf_vulkan_read_frames(vmaf, &frame[SYNTH_REF], &frame[SYNTH_DIST], t));
        assert_int_equal(0, vmaf_vulkan_wait_compute(state));
    }
    assert_int_equal(0, score_close(vmaf, &scores));
    for (unsigned side = 0; side < 2; side++) {
        assert_int_equal(FRAMES, atomic_load(&decoded[side].released));
        decoder_close(&decoded[side]);
    }
    return scores;
}

/* ---- tests ---- */

static void test_scores(void **unused)
{
    for (unsigned i = 0; i < COUNT(kinds); i++) {
        const Kind *kind = &kinds[i];
        if (!is_supported(kind)) {
            print_message("%s: this driver has no images of several planes\n", kind->name);
            continue;
        }
        const SynthClip clip = { kind->name, SYNTH_MIX, W, H, kind->pix_fmt, kind->bpc, FRAMES };
        const unsigned before = modifier_driver_acquired();
        char *wanted = cpu_scores(&clip), *scores = surface_scores(kind, &clip);
        if (!score_same(wanted, scores))
            fail_msg("%s", kind->name);
        assert_int_equal(before + 2 * FRAMES * kind->layers, modifier_driver_acquired());
        assert_int_equal(modifier_driver_acquired(), modifier_driver_released());
        free(wanted);
        free(scores);
    }
    modifier_driver_end();
}

/* Planes of 4:2:0 do not hold a picture of 4:2:2. */
static void test_wrong_chroma(void **unused)
{
    VmafVulkanSurface *surface;
    VmafVulkanSurfaceInfo info;
    describe(&kinds[0], &info);
    info.pix_fmt = VMAF_PIX_FMT_YUV422P;
    const int fd = memfd_create("object", MFD_CLOEXEC);
    info.object[0].handle = fd;
    assert_int_equal(-EINVAL, vmaf_vulkan_surface_open(&surface, state, &info));
    close(fd);
}

static void refuse(const VmafVulkanSurfaceInfo *info, int wanted)
{
    VmafVulkanSurface *surface = (VmafVulkanSurface *)1;
    assert_int_equal(wanted, vmaf_vulkan_surface_open(&surface, state, info));
    assert_null(surface);
    modifier_driver_end(); /* nothing is left */
}

static void test_refused(void **unused)
{
    VmafVulkanSurfaceInfo good, bad;
    describe(&kinds[LAYERED], &good);
    const int fd = memfd_create("object", MFD_CLOEXEC);
    assert_int_equal(0, ftruncate(fd, OBJECT_BYTES));
    good.object[0].handle = fd;
    VmafVulkanSurface *surface;
    assert_int_equal(0, vmaf_vulkan_surface_open(&surface, state, &good));
    VmafVulkanFrame frame = { .size = sizeof(frame) - 1 };
    assert_int_equal(-EINVAL, vmaf_vulkan_surface_fill(surface, &frame));
    assert_int_equal(-EINVAL, vmaf_vulkan_surface_fill(surface, NULL));
    assert_int_equal(-EINVAL, vmaf_vulkan_surface_fill(NULL, &frame));
    vmaf_vulkan_surface_close(&surface);
    vmaf_vulkan_surface_close(&surface);
    vmaf_vulkan_surface_close(NULL);
    assert_int_equal(-EINVAL, vmaf_vulkan_surface_open(NULL, state, &good));
    assert_int_equal(-EINVAL, vmaf_vulkan_surface_open(&surface, NULL, &good));
    refuse(NULL, -EINVAL);
#define REFUSE(error, ...)                                                                         \
    bad = good;                                                                                    \
    __VA_ARGS__;                                                                                   \
    refuse(&bad, error)
    REFUSE(-EINVAL, bad.size--);
    REFUSE(-EINVAL, bad.w = 0);
    REFUSE(-EINVAL, bad.h = 1u << 20);
    REFUSE(-EINVAL, bad.objects = 0);
    REFUSE(-EINVAL, bad.objects = 5);
    REFUSE(-EINVAL, bad.layers = 0);
    REFUSE(-EINVAL, bad.layers = 4);
    REFUSE(-EINVAL, bad.array_size = 2);
    REFUSE(-EINVAL, bad.layer[0].planes = 0);
    REFUSE(-EINVAL, bad.layer[0].planes = 5);
    REFUSE(-EINVAL, bad.layer[1].planes = 2); /* one plane too many for the modifier */
    REFUSE(-EINVAL, bad.layer[1].plane[0].object = 1);
    REFUSE(-EINVAL, bad.pix_fmt = VMAF_PIX_FMT_YUV400P);
    REFUSE(-EINVAL, bad.layers = 1);
    REFUSE(-EINVAL, bad.object[0].bytes = 4096); /* smaller than the image */
    REFUSE(-EINVAL, bad.layer[1].plane[0].offset = OBJECT_BYTES);
    REFUSE(-EBADF, bad.object[0].handle = -1);
    REFUSE(-ENOTSUP, bad.modifier = 0x0123456789abcdefull);
    REFUSE(-ENOTSUP, bad.layer[0].format = FOURCC('A', 'B', 'C', 'D'));
    REFUSE(-ENOTSUP, bad.layer[0].format = 61); /* R8 as Direct3D writes it */
    REFUSE(-ENOTSUP, bad.type = VMAF_VULKAN_SURFACE_D3D11);
    REFUSE(-ENOTSUP, bad.type = 0);
    close(fd);
}

/* The library's own device, which may lack modifiers. */
static void test_without_modifiers(void **unused)
{
    VmafVulkanState *own;
    VmafVulkanSurface *surface;
    VmafVulkanSurfaceInfo info;
    describe(&kinds[0], &info);
    info.object[0].handle = -1;
    const VmafVulkanOptions options = { .size = sizeof(options), .allow_software = 1 };
    assert_int_equal(0, vmaf_vulkan_state_init_with_options(&own, &options));
    const VulkanDevice *dev = (const VulkanDevice *)rig_session((VmafDevice *)own)->device;
    assert_int_equal(dev->imports_tiled ? -EBADF : -ENOTSUP,
                     vmaf_vulkan_surface_open(&surface, own, &info));
    vmaf_vulkan_state_free(&own);
}

TEST_MAIN(vulkan_surfaces)
{
    log_set_level(VMAF_LOG_LEVEL_NONE);
    const char *why = owner_open(&owner, NULL);
    if (why) {
        print_message("%s\n", why);
        return 77;
    }
    VmafVulkanExternalDevice device = owner_tells(&owner);
    device.get_instance_proc_addr =
        (uintptr_t)modifier_driver_begin(owner.instance, owner.physical, owner.device);
    device.lock_queue = NULL;
    device.unlock_queue = NULL;
    device.extensions = modifier_driver_extensions;
    device.extension_count = COUNT(modifier_driver_extensions);
    const int err = vmaf_vulkan_state_init_external_device(&state, &device);
    if (err) {
        print_message("no state: %d\n", err);
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_wrong_chroma),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_without_modifiers),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vmaf_vulkan_state_free(&state);
    if (!failed)
        owner_close(&owner); /* this fails if the validation layers complained */
    return failed;
}
