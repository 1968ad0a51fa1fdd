#include <string.h>

#include "engine/feature.h"

/* In lookup order: the first feature that lists a metric provides it to a model. */
const FeatureDef *const feature_registry[] = {
    NULL,
};
