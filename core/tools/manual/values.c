/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What can stand behind an option. */
#include <string.h>

#include "libvmaf/device.h"
#include "libvmaf/inspect.h"
#include "manual.h"

static void add(Values *values, const char *word, size_t length)
{
    const size_t used = strlen(values->words);
    snprintf(values->words + used, sizeof(values->words) - used, "%s%.*s", used ? " " : "",
             (int)length, word);
}

static void add_models(Values *values)
{
    VmafBuiltinModelInfo info = { .size = sizeof(info) };
    for (unsigned i = 0; !vmaf_builtin_model_info(i, &info); i++)
        add(values, info.name, strlen(info.name));
    values->files = true;
}

static void add_features(Values *values)
{
    VmafExtractorInfo info = { .size = sizeof(info) };
    for (unsigned i = 0; !vmaf_extractor_info(i, &info); i++)
        add(values, info.name, strlen(info.name));
}

static void add_backends(Values *values)
{
    const char *name;
    add(values, "cpu", 3);
    add(values, "auto", 4);
    for (unsigned i = 0; (name = vmaf_backend_name(i)); i++)
        add(values, name, strlen(name));
}

void values_of(const char *complete, Values *values)
{
    *values = (Values){ 0 };
    if (!complete || !strcmp(complete, "device")) /* to ask drivers takes too long for a key */
        return;
    if (!strcmp(complete, "file"))
        values->files = true;
    else if (!strcmp(complete, "folder"))
        values->folders = true;
    else if (!strcmp(complete, "model"))
        add_models(values);
    else if (!strcmp(complete, "feature"))
        add_features(values);
    else if (!strcmp(complete, "backend"))
        add_backends(values);
    else
        for (const char *end; *complete; complete = end + (*end == '|')) {
            end = complete + strcspn(complete, "|");
            add(values, complete, (size_t)(end - complete));
        }
}

void short_help(const Arg *arg, char *text, size_t size)
{
    const char *at = arg->help;
    size_t used = 0;
    for (; *at && used + 1 < size; at++) {
        if (*at == ';' || *at == '(' || (*at == ':' && (at[1] == ' ' || at[1] == '\n')))
            break;
        text[used++] = *at == '\n' ? ' ' : *at;
    }
    while (used && ((unsigned char)*at & 0xC0) == 0x80) { /* never cut within a character */
        used--;
        at--;
    }
    while (used && text[used - 1] == ' ')
        used--;
    text[used] = '\0';
}
