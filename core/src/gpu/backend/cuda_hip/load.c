/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <assert.h>
#include <string.h>

#include "base/library.h"
#include "base/log.h"
#include "gpu/backend/cuda_hip/api.h"

static_assert(sizeof(DriverCalls) == DRIVER_FUNCTION_COUNT * sizeof(LibraryFunction),
              "the table is filled by number");

bool driver_load(DriverApi *api, void *library, const char *remedy)
{
    for (unsigned i = 0; i < DRIVER_FUNCTION_COUNT; i++) {
        const LibraryFunction function = library_function(library, api->names[i]);
        if (!function) {
            log_warning("%s: the driver has no function %s: %s", api->name, api->names[i], remedy);
            return false;
        }
        memcpy((char *)&api->call + i * sizeof(function), &function, sizeof(function));
    }
    return true;
}
