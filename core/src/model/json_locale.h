/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* jansson reads numbers by the locale's decimal point, and gives up on one of several bytes. While
 * a file is read the calling thread, and no other, uses the C locale. */
#ifndef MODEL_JSON_LOCALE_H
#define MODEL_JSON_LOCALE_H

#ifdef _WIN32

/* Decimal points have one byte there, which jansson copes with. */
typedef int JsonLocale;
static inline JsonLocale json_locale_enter(void)
{
    return 0;
}
static inline void json_locale_leave(JsonLocale locale)
{
}

#else

#include <locale.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

typedef struct JsonLocale {
    locale_t c, before;
} JsonLocale;

static inline JsonLocale json_locale_enter(void)
{
    JsonLocale locale = { .c = newlocale(LC_ALL_MASK, "C", (locale_t)0) };
    if (locale.c)
        locale.before = uselocale(locale.c);
    return locale;
}

static inline void json_locale_leave(JsonLocale locale)
{
    if (!locale.c)
        return;
    uselocale(locale.before);
    freelocale(locale.c);
}

#endif
#endif
