/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf_feature_info tells where each feature runs. */
#include "libvmaf/inspect.h"
#include "rig.h"

static void assert_place(const VmafContext *vmaf, unsigned index, const char *extractor,
                         const char *backend, const char *device)
{
    VmafFeatureInfo info = { .size = sizeof(info) };
    assert_int_equal(vmaf_feature_info(vmaf, index, &info), 0);
    assert_string_equal(info.extractor, extractor);
    assert_string_equal(info.backend, backend);
    if (device)
        assert_string_equal(info.device, device);
    else
        assert_null(info.device);
}

static void read_pair(VmafContext *vmaf)
{
    VmafPicture ref, dist;
    assert_int_equal(vmaf_picture_alloc(&ref, VMAF_PIX_FMT_YUV420P, 8, 64, 48), 0);
    assert_int_equal(vmaf_picture_alloc(&dist, VMAF_PIX_FMT_YUV420P, 8, 64, 48), 0);
    assert_int_equal(vmaf_read_pictures(vmaf, &ref, &dist, 0), 0);
}

static void features_say_where_they_run(void **state)
{
    VmafDeviceInfo about = { .size = sizeof(about) };
    VmafContext *vmaf;
    assert_int_equal(vmaf_device_get_info(rig_device(), &about), 0);
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ 0 }), 0);
    assert_int_equal(vmaf_use_device(vmaf, rig_device()), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "float_psnr", NULL), 0);
    assert_place(vmaf, 0, "psnr", "cpu", NULL); /* nobody has moved yet */
    read_pair(vmaf);
    assert_place(vmaf, 0, "psnr", about.backend, about.name);
    assert_place(vmaf, 1, "float_psnr", "cpu", NULL);
    assert_int_equal(vmaf_close(vmaf), 0);
}

static void backends_have_titles(void **state)
{
    const char *name;
    for (unsigned i = 0; (name = vmaf_backend_name(i)); i++)
        assert_true(*vmaf_backend_title(name));
    name = rig_gpu()->backend;
    assert_string_equal(vmaf_backend_title(name), gpu_backend_find(name)->title);
    assert_null(vmaf_backend_title("nope"));
    assert_null(vmaf_backend_title(NULL));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_say_where_they_run),
        cmocka_unit_test(backends_have_titles),
    };
    return RIG_RUN(argc, argv, tests);
}
