/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The machine's own hiprtc, which needs no device, compiles our kernels for architectures that the
 * build has no code for, and reports errors in a source. Skipped where hiprtc is missing. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/backend/cuda_hip/images.h"
#include "gpu/backend/cuda_hip/api.h"
#include "testing.h"

#define ELF "\177ELF"

static void compiles(void **state)
{
    static const char *const archs[] = { "gfx1010", "gfx906:sramecc-:xnack-" };
    for (unsigned i = 0; i < COUNT(archs); i++) {
        const KernelImage *image = hip_api()->image(archs[i], "import_plane_8");
        void *code;
        assert_ptr_equal(kernel_image_find(hip_sources, "import_plane_8"), image);
        assert_int_equal(0, hip_api()->compile(archs[i], image, &code));
        assert_non_null(code);
        assert_memory_equal(ELF, code, sizeof(ELF) - 1);
        mem_free(code);
    }
}

/* Code that is in the bundle is used without compiling. */
static void needs_no_compiler(void **state)
{
    const KernelImage *image = hip_api()->image("gfx1030", "import_plane_8");
    void *code = NULL;
    assert_ptr_equal(kernel_image_find(hip_images, "import_plane_8"), image);
    assert_int_equal(0, hip_api()->compile("gfx1030", image, &code));
    assert_null(code);
}

static void refuses(void **state)
{
    const KernelImage nonsense = { "nonsense", "this is no kernel", 18 };
    const long live = mem_live();
    void *code;
    assert_int_equal(-EIO, hip_compile("gfx1010", &nonsense, &code));
    assert_null(code);
    assert_int_equal(live, mem_live());
}

TEST_MAIN(hip_compile)
{
    log_set_level(VMAF_LOG_LEVEL_NONE);
    if (!hip_api() || !hip_has_compiler())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiles),
        cmocka_unit_test(needs_no_compiler),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
