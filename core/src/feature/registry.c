#include <string.h>

#include "engine/feature.h"

extern const FeatureDef feature_float_motion;

/* In lookup order: the first feature that lists a metric provides it to a model. */
const FeatureDef *const feature_registry[] = {
    &feature_float_motion,
    NULL,
};
