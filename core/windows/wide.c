/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "wide.h"

#include <errno.h>
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
