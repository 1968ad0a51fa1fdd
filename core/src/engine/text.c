/* Numbers as text, whatever locale the host program has set. Declared in engine/dict.h. */
#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__APPLE__)
#include <xlocale.h>
#endif

#include "engine/dict.h"

#ifdef _WIN32

double text_to_double(const char *text, char **end)
{
    static _locale_t c;
    if (!c)
        c = _create_locale(LC_ALL, "C");
    return _strtod_l(text, end, c);
}

float text_to_float(const char *text, char **end)
{
    static _locale_t c;
    if (!c)
        c = _create_locale(LC_ALL, "C");
    return _strtof_l(text, end, c);
}

int text_print_double(char *out, size_t size, const char *format, double value)
{
    const int length = snprintf(out, size, format, value);
    /* printf of this platform has no thread-local locale worth the name: mend its decimal point. */
    const char point = localeconv()->decimal_point[0];
    for (char *c = out; size && *c; c++)
        if (*c == point && point != '.')
            *c = '.';
    return length;
}

#else

/* glibc, musl and macOS hand out their constant C locale here: nothing to free. */
static locale_t c_locale(void)
{
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

double text_to_double(const char *text, char **end)
{
    const locale_t host = uselocale(c_locale());
    const double value = strtod(text, end);
    uselocale(host);
    return value;
}

float text_to_float(const char *text, char **end)
{
    const locale_t host = uselocale(c_locale());
    const float value = strtof(text, end);
    uselocale(host);
    return value;
}

int text_print_double(char *out, size_t size, const char *format, double value)
{
    const locale_t host = uselocale(c_locale());
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int length = snprintf(out, size, format, value);
#pragma GCC diagnostic pop
    uselocale(host);
    return length;
}

#endif

int dict_normalise_number(const char *text, char *out, size_t size)
{
    char *end;
    const float value = text_to_float(text, &end);
    if (end == text)
        return 0;
    while (isspace((unsigned char)*end))
        end++;
    if (*end)
        return 0;
    text_print_double(out, size, "%g", value);
    return 1;
}
