/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The main function on Windows: converts the arguments to UTF-8, sets the streams to binary, and
 * sets up the console for UTF-8 and for the escape sequences of the progress display. */
#include <fcntl.h>
#include <io.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>
#include <windows.h>

#include "wide.h"

int utf8_main(int argc, char **argv);

static unsigned console_page;

static void restore_page(void)
{
    SetConsoleOutputCP(console_page);
}

static void prepare_console(void)
{
    bool any = false;
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        const HANDLE console = (HANDLE)_get_osfhandle(fd);
        unsigned long mode;
        if (!GetConsoleMode(console, &mode))
            continue;
        SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
        any = true;
    }
    console_page = any ? GetConsoleOutputCP() : 0;
    if (console_page && console_page != CP_UTF8 && SetConsoleOutputCP(CP_UTF8))
        atexit(restore_page);
}

int wmain(int argc, wchar_t **wide)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        _setmode(fd, _O_BINARY);
    prepare_console();
    char **const argv = calloc((size_t)argc + 1, sizeof(*argv));
    bool complete = argv != NULL;
    for (int i = 0; complete && i < argc; i++)
        complete = (argv[i] = wide_to_text(wide[i])) != NULL;
    const int result = complete ? utf8_main(argc, argv) : 255;
    for (int i = 0; argv && i < argc; i++)
        free(argv[i]);
    free(argv);
    return result;
}
