/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "wide.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <windows.h>

static wchar_t *convert(unsigned page, unsigned long flags, const char *text)
{
    const int length = MultiByteToWideChar(page, flags, text, -1, NULL, 0);
    if (!length) {
        errno = EILSEQ;
        return NULL;
    }
    wchar_t *const wide = malloc((size_t)length * sizeof(*wide));
    if (wide)
        MultiByteToWideChar(page, flags, text, -1, wide, length);
    return wide;
}

wchar_t *wide_from_text(const char *text)
{
    wchar_t *const wide = convert(CP_UTF8, MB_ERR_INVALID_CHARS, text);
    return wide || errno != EILSEQ ? wide : convert(CP_ACP, 0, text);
}

char *wide_to_text(const wchar_t *wide)
{
    const int size = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *const text = malloc((size_t)size + 1);
    if (text && size)
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, size, NULL, NULL);
    if (text)
        text[size] = '\0';
    return text;
}

/* Paths of more characters than this get the prefix. The limit of files is 260, that of folders is
 * 248. */
#define SHORT_PATH 240

wchar_t *wide_path(const char *path)
{
    wchar_t *const wide = wide_from_text(path);
    if (!wide || wcslen(wide) < SHORT_PATH || !wcsncmp(wide, L"\\\\?\\", 4))
        return wide;
    /* With the prefix, the system takes whole paths with backslashes only. */
    const unsigned long room = GetFullPathNameW(wide, 0, NULL, NULL);
    wchar_t *const whole = malloc((room + 8) * sizeof(*whole));
    const unsigned long length = whole ? GetFullPathNameW(wide, room, whole + 8, NULL) : 0;
    free(wide);
    if (!length || length >= room) {
        free(whole);
        errno = ENOENT;
        return NULL;
    }
    const bool shared = !wcsncmp(whole + 8, L"\\\\", 2);
    const wchar_t *const prefix = shared ? L"\\\\?\\UNC" : L"\\\\?\\";
    const wchar_t *const rest = whole + 8 + (shared ? 1 : 0);
    const size_t used = wcslen(prefix);
    wmemcpy(whole, prefix, used);
    wmemmove(whole + used, rest, wcslen(rest) + 1);
    return whole;
}

char *path_without_prefix(wchar_t *wide)
{
    const wchar_t *from = wide;
    if (!wcsncmp(wide, L"\\\\?\\UNC\\", 8)) {
        wide[6] = L'\\';
        from = wide + 6;
    } else if (!wcsncmp(wide, L"\\\\?\\", 4)) {
        from = wide + 4;
    }
    char *const text = wide_to_text(from);
    for (char *c = text; c && *c; c++)
        if (*c == '\\')
            *c = '/';
    return text;
}
