/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A support vector regression as model files hold it, and a prediction with it. The first byte is
 * the number of features. */
#include <stdlib.h>

#include "fuzz.h"
#include "model/model.h"

enum { FEATURES_MAX = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const double point[FEATURES_MAX] = { 0.5, -1, 2, 1e300, -1e300, 1e-300 };
    if (!size)
        return 0;
    const unsigned features = data[0] % FEATURES_MAX;
    char *const text = fuzz_text(data + 1, size - 1);
    Svr *svr;
    const char *why;
    if (!svr_create(&svr, text, features, &why)) {
        svr_predict(svr, point, features);
        svr_destroy(svr);
    }
    free(text);
    return 0;
}
