/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Helpers for tests of the public API. */
#ifndef TEST_API_USE_H
#define TEST_API_USE_H

#include <libvmaf/libvmaf.h>

#include "clip.h"
#include "testing.h"

#define W 64
#define H 48

static inline VmafContext *open_context(unsigned threads, unsigned subsample)
{
    VmafContext *vmaf = NULL;
    const VmafConfiguration cfg = { .n_threads = threads, .n_subsample = subsample };
    assert_int_equal(vmaf_init(&vmaf, cfg), 0);
    assert_non_null(vmaf);
    return vmaf;
}

static inline int read_pair(VmafContext *vmaf, unsigned frame, unsigned index)
{
    VmafPicture ref, dist;
    assert_int_equal(clip_alloc(&ref, W, H, frame, 0), 0);
    assert_int_equal(clip_alloc(&dist, W, H, frame, 1), 0);
    const int err = vmaf_read_pictures(vmaf, &ref, &dist, index);
    if (err) {
        /* A failed read leaves both with the caller. */
        assert_non_null(ref.ref);
        assert_int_equal(vmaf_picture_unref(&ref), 0);
        assert_int_equal(vmaf_picture_unref(&dist), 0);
    }
    assert_null(ref.ref);
    assert_null(ref.data[0]);
    assert_null(dist.ref);
    return err;
}

static inline int flush(VmafContext *vmaf)
{
    return vmaf_read_pictures(vmaf, NULL, NULL, 0);
}

static inline VmafModel *load(const char *version, const char *name)
{
    VmafModel *model = NULL;
    VmafModelConfig cfg = { .name = name };
    assert_int_equal(vmaf_model_load(&model, &cfg, version), 0);
    return model;
}

#endif
