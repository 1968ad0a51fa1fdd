/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <cstdio>

#include "gpu/backend/sycl/plugin/plugin.h"

static thread_local char text_of_error[512] = "";

void note_error(const char *text) noexcept
{
    std::snprintf(text_of_error, sizeof(text_of_error), "%s", text);
    /* Make it one line for the log. */
    for (char *at = text_of_error; *at; at++)
        if (*at == '\n' || *at == '\r')
            *at = ' ';
}

const char *last_error(void)
{
    return text_of_error;
}

int translate_exception() noexcept
{
    try {
        throw;
    } catch (const sycl::exception &e) {
        note_error(e.what());
        return e.code() == sycl::errc::memory_allocation ? -ENOMEM : -EIO;
    } catch (const std::bad_alloc &) {
        note_error("out of memory");
        return -ENOMEM;
    } catch (const std::exception &e) {
        note_error(e.what());
        return -EIO;
    } catch (...) {
        note_error("unknown exception");
        return -EIO;
    }
}
