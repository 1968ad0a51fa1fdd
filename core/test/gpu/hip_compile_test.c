/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The backend finds the code of the device's architecture. For architectures that the build has no
 * code for, the machine's own hiprtc, which needs no device, compiles our kernels, and reports
 * errors in a source. Skipped where hiprtc is missing. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/backend/cuda_hip/api.h"
#include "testing.h"

#define ELF "\177ELF"

static KernelImage find(const char *arch)
{
    KernelImage image;
    assert_true(hip_api()->image(arch, "import_plane_8", &image));
    return image;
}

static void finds_architectures(void **state)
{
    KernelImage image;
    assert_string_equal("import_plane_8 gfx1030", find("gfx1030").name);
    assert_string_equal("import_plane_8 gfx1030", find("gfx1030:sramecc+:xnack-").name);
    assert_string_equal("import_plane_8", find("gfx103").name);
    assert_string_equal("import_plane_8", find("gfx10300").name);
    assert_string_equal("import_plane_8", find(":gfx1030").name);
    assert_false(hip_api()->image("gfx1030", "import_plane", &image));
}

static void compiles(void **state)
{
    static const char *const archs[] = { "gfx1010", "gfx906:sramecc-:xnack-" };
    for (unsigned i = 0; i < COUNT(archs); i++) {
        const KernelImage image = find(archs[i]);
        void *text, *code;
        assert_int_equal(0, kernel_image_unpack(&image, &text));
        assert_int_equal(0, hip_api()->compile(archs[i], image.name, text, &code));
        assert_non_null(code);
        assert_memory_equal(ELF, code, sizeof(ELF) - 1);
        mem_free(code);
        mem_free(text);
    }
}

/* Code that is built in is used without compiling. */
static void needs_no_compiler(void **state)
{
    const KernelImage image = find("gfx1030");
    void *object, *code;
    assert_int_equal(0, kernel_image_unpack(&image, &object));
    assert_memory_equal(ELF, object, sizeof(ELF) - 1);
    assert_int_equal(0, hip_api()->compile("gfx1030", "import_plane_8", object, &code));
    assert_null(code);
    mem_free(object);
}

static void refuses(void **state)
{
    const long live = mem_live();
    void *code;
    assert_int_equal(-EIO, hip_compile("gfx1010", "nonsense", "this is no kernel", &code));
    assert_null(code);
    assert_int_equal(live, mem_live());
}

TEST_MAIN(hip_compile)
{
    log_set_level(VMAF_LOG_LEVEL_NONE);
    if (!hip_api() || !hip_has_compiler())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_architectures),
        cmocka_unit_test(compiles),
        cmocka_unit_test(needs_no_compiler),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
