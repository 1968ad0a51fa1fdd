/* The public API: checks arguments and calls inward. */
#include "libvmaf/libvmaf.h"

#include <errno.h>

#include "engine/dict.h"
#include "engine/picture.h"

const char *vmaf_version(void)
{
    return VMAF_VERSION_STRING;
}

int vmaf_picture_alloc(VmafPicture *pic, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w,
                       unsigned h)
{
    FrameShape shape;
    if (!pic || shape_init(&shape, pix_fmt, bpc, w, h))
        return -EINVAL;
    return picture_alloc(pic, &shape);
}

int vmaf_picture_unref(VmafPicture *pic)
{
    if (!pic || !pic->ref)
        return -EINVAL;
    picture_drop(pic);
    return 0;
}

int vmaf_feature_dictionary_set(VmafFeatureDictionary **dict, const char *key, const char *val)
{
    return dict && key && val ? dict_set(dict, key, val) : -EINVAL;
}

int vmaf_feature_dictionary_free(VmafFeatureDictionary **dict)
{
    if (!dict)
        return -EINVAL;
    dict_destroy(*dict);
    *dict = NULL;
    return 0;
}
