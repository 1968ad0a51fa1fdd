/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The layout that programs built against libvmaf 3.x rely on. Most of these structs travel by
 * value. */
#include <stddef.h>
#include <stdio.h>

#include <libvmaf/inspect.h>
#include <libvmaf/libvmaf.h>
#include <libvmaf/libvmaf_cuda.h>
#include <libvmaf/libvmaf_hip.h>
#include <libvmaf/libvmaf_sycl.h>
#include <libvmaf/libvmaf_vulkan.h>
#include <libvmaf/metadata.h>
#include <libvmaf/report.h>
#include <libvmaf/version.h>

#include "testing.h"

#if UINTPTR_MAX == UINT64_MAX
#define SIZE(type, size) _Static_assert(sizeof(type) == (size), #type)
#define AT(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field)
#define VALUE(name, value) _Static_assert((int)(name) == (value), #name)

SIZE(enum VmafLogLevel, 4);
SIZE(enum VmafPixelFormat, 4);

SIZE(VmafConfiguration, 32);
AT(VmafConfiguration, log_level, 0);
AT(VmafConfiguration, n_threads, 4);
AT(VmafConfiguration, n_subsample, 8);
AT(VmafConfiguration, cpumask, 16);
AT(VmafConfiguration, gpumask, 24);

#ifdef VMAF_PICTURE_HAS_COLOR
SIZE(VmafPicture, 112);
AT(VmafPicture, color, 80);
AT(VmafPicture, ref, 96);
AT(VmafPicture, priv, 104);
#else
SIZE(VmafPicture, 96);
AT(VmafPicture, ref, 80);
AT(VmafPicture, priv, 88);
#endif
AT(VmafPicture, pix_fmt, 0);
AT(VmafPicture, bpc, 4);
AT(VmafPicture, w, 8);
AT(VmafPicture, h, 20);
AT(VmafPicture, stride, 32);
AT(VmafPicture, data, 56);

SIZE(VmafColor, 16);
AT(VmafColor, range, 0);
AT(VmafColor, primaries, 4);
AT(VmafColor, trc, 8);
AT(VmafColor, matrix, 12);
VALUE(VMAF_COLOR_RANGE_FULL, 2);
VALUE(VMAF_COLOR_PRIMARIES_BT2020, 2);
VALUE(VMAF_COLOR_PRIMARIES_SMPTE432, 3);
VALUE(VMAF_COLOR_TRC_SMPTE2084, 2);
VALUE(VMAF_COLOR_MATRIX_BT2020_NCL, 2);
VALUE(VMAF_COLOR_MATRIX_ICTCP, 3);
VALUE(VMAF_RESAMPLE_BICUBIC, 2);
VALUE(VMAF_RESAMPLE_LANCZOS, 3);

SIZE(VmafPictureConvertTarget, 36);
AT(VmafPictureConvertTarget, pix_fmt, 0);
AT(VmafPictureConvertTarget, bpc, 4);
AT(VmafPictureConvertTarget, w, 8);
AT(VmafPictureConvertTarget, h, 12);
AT(VmafPictureConvertTarget, color, 16);
AT(VmafPictureConvertTarget, resample_filter, 32);

SIZE(VmafPictureWrapped, 80);
AT(VmafPictureWrapped, pix_fmt, 0);
AT(VmafPictureWrapped, bpc, 4);
AT(VmafPictureWrapped, w, 8);
AT(VmafPictureWrapped, h, 12);
AT(VmafPictureWrapped, data, 16);
AT(VmafPictureWrapped, stride, 40);
AT(VmafPictureWrapped, cookie, 64);
AT(VmafPictureWrapped, release_picture, 72);

SIZE(VmafModelConfig, 16);
AT(VmafModelConfig, name, 0);
AT(VmafModelConfig, flags, 8);

SIZE(VmafModelCollectionScore, 40);
AT(VmafModelCollectionScore, type, 0);
AT(VmafModelCollectionScore, bootstrap.bagging_score, 8);
AT(VmafModelCollectionScore, bootstrap.stddev, 16);
AT(VmafModelCollectionScore, bootstrap.ci.p95.lo, 24);
AT(VmafModelCollectionScore, bootstrap.ci.p95.hi, 32);

SIZE(VmafPictureConfiguration, 20);
AT(VmafPictureConfiguration, pic_params.w, 0);
AT(VmafPictureConfiguration, pic_params.h, 4);
AT(VmafPictureConfiguration, pic_params.bpc, 8);
AT(VmafPictureConfiguration, pic_params.pix_fmt, 12);
AT(VmafPictureConfiguration, pic_cnt, 16);

SIZE(VmafMetadataConfiguration, 24);
AT(VmafMetadataConfiguration, feature_name, 0);
AT(VmafMetadataConfiguration, callback, 8);
AT(VmafMetadataConfiguration, data, 16);
SIZE(VmafMetadata, 24);
AT(VmafMetadata, feature_name, 0);
AT(VmafMetadata, picture_index, 8);
AT(VmafMetadata, score, 16);

SIZE(VmafVulkanConfiguration, 12);
AT(VmafVulkanConfiguration, device_index, 0);
AT(VmafVulkanConfiguration, enable_validation, 4);
AT(VmafVulkanConfiguration, max_outstanding_frames, 8);
SIZE(VmafVulkanExternalHandles, 40);
AT(VmafVulkanExternalHandles, instance, 0);
AT(VmafVulkanExternalHandles, physical_device, 8);
AT(VmafVulkanExternalHandles, device, 16);
AT(VmafVulkanExternalHandles, queue, 24);
AT(VmafVulkanExternalHandles, queue_family_index, 32);
AT(VmafVulkanExternalHandles, api_version, 36);
SIZE(VmafVulkanPictureConfiguration, 20);
AT(VmafVulkanPictureConfiguration, pic_prealloc_method, 16);
VALUE(VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_NONE, 0);
VALUE(VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_HOST, 1);
VALUE(VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_DEVICE, 2);

SIZE(VmafCudaConfiguration, 8);
SIZE(VmafCudaPictureConfiguration, 20);
AT(VmafCudaPictureConfiguration, pic_prealloc_method, 16);
VALUE(VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE, 0);
VALUE(VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE, 1);
VALUE(VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST, 2);
VALUE(VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED, 3);

SIZE(VmafHipConfiguration, 8);
SIZE(VmafSyclConfiguration, 8);
SIZE(VmafSyclPictureConfiguration, 20);
VALUE(VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_NONE, 0);
VALUE(VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_DEVICE, 1);
VALUE(VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_HOST, 2);

/* Structs that may grow begin with their size. */
AT(VmafExtractorInfo, size, 0);
AT(VmafOptionInfo, size, 0);
AT(VmafMetricInfo, size, 0);
AT(VmafBuiltinModelInfo, size, 0);
AT(VmafModelInfo, size, 0);
AT(VmafModelFeatureInfo, size, 0);
AT(VmafFeatureInfo, size, 0);
AT(VmafReportInput, size, 0);
VALUE(VMAF_OPTION_BOOL, 0);
VALUE(VMAF_OPTION_INT, 1);
VALUE(VMAF_OPTION_DOUBLE, 2);
VALUE(VMAF_OPTION_STRING, 3);

VALUE(VMAF_LOG_LEVEL_NONE, 0);
VALUE(VMAF_LOG_LEVEL_ERROR, 1);
VALUE(VMAF_LOG_LEVEL_WARNING, 2);
VALUE(VMAF_LOG_LEVEL_INFO, 3);
VALUE(VMAF_LOG_LEVEL_DEBUG, 4);
VALUE(VMAF_OUTPUT_FORMAT_NONE, 0);
VALUE(VMAF_OUTPUT_FORMAT_XML, 1);
VALUE(VMAF_OUTPUT_FORMAT_JSON, 2);
VALUE(VMAF_OUTPUT_FORMAT_CSV, 3);
VALUE(VMAF_OUTPUT_FORMAT_SUB, 4);
VALUE(VMAF_POOL_METHOD_UNKNOWN, 0);
VALUE(VMAF_POOL_METHOD_MIN, 1);
VALUE(VMAF_POOL_METHOD_MAX, 2);
VALUE(VMAF_POOL_METHOD_MEAN, 3);
VALUE(VMAF_POOL_METHOD_HARMONIC_MEAN, 4);
VALUE(VMAF_POOL_METHOD_NB, 5);
VALUE(VMAF_PIX_FMT_UNKNOWN, 0);
VALUE(VMAF_PIX_FMT_YUV420P, 1);
VALUE(VMAF_PIX_FMT_YUV422P, 2);
VALUE(VMAF_PIX_FMT_YUV444P, 3);
VALUE(VMAF_PIX_FMT_YUV400P, 4);
VALUE(VMAF_MODEL_FLAGS_DEFAULT, 0);
VALUE(VMAF_MODEL_FLAG_DISABLE_CLIP, 1);
VALUE(VMAF_MODEL_FLAG_ENABLE_TRANSFORM, 2);
VALUE(VMAF_MODEL_FLAG_DISABLE_TRANSFORM, 4);
VALUE(VMAF_MODEL_COLLECTION_SCORE_UNKNOWN, 0);
VALUE(VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP, 1);
VALUE(VMAF_API_VERSION_MAJOR, 3);
VALUE(VMAF_API_VERSION_MINOR, 2);
VALUE(VMAF_API_VERSION_PATCH, 0);
#endif

/* The compiler did the work. What is left: the version of the headers is the library's. */
TEST_MAIN(abi)
{
    char version[32];
    snprintf(version, sizeof(version), "%d.%d.%d", VMAF_API_VERSION_MAJOR, VMAF_API_VERSION_MINOR,
             VMAF_API_VERSION_PATCH);
    for (unsigned i = 0; version[i] || vmaf_version()[i]; i++)
        if (version[i] != vmaf_version()[i])
            return 1;
    return 0;
}
