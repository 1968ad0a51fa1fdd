/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Input of a vmaf-mcp client. Calls are accepted, queued and cancelled, but not run. */
#include <fcntl.h>
#include <stdlib.h>

#include "fuzz.h"
#include "extras/mcp/rpc.h"
#include "extras/mcp/server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const McpConfig config = { .allow = allow_create(), .max_bytes = 1, .timeout = 1, .queue = 4 };
    Out *const out = out_create(open("/dev/null", O_WRONLY | O_CLOEXEC));
    Server *server;
    if (!config.allow || !out || server_create(&server, &config, out))
        abort();
    Lines lines = { .handle = server_hear, .arg = server, .limit = 4096 };
    /* In two pieces, because lines can arrive in pieces. */
    if (!lines_feed(&lines, (const char *)data, size / 3) &&
        !lines_feed(&lines, (const char *)data + size / 3, size - size / 3))
        lines_end(&lines);
    lines_free(&lines);
    server_destroy(server);
    if (out_is_broken(out)) /* an answer could not be written */
        abort();
    out_destroy(out);
    allow_destroy(config.allow);
    return 0;
}
