/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "vulkan/choose.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int vulkan_choose_any(const VulkanCandidate *list, unsigned count, bool allow_software,
                      unsigned *index)
{
    /* Sorted: a software device comes first only when there is nothing else. One that cannot be
     * used is passed over, since it was not asked for. */
    for (unsigned i = 0; i < count; i++) {
        const bool software = list[i].type == VK_PHYSICAL_DEVICE_TYPE_CPU;
        if (list[i].missing[0] || (software && !allow_software))
            continue;
        *index = i;
        return 0;
    }
    return -ENODEV;
}

void vulkan_explain_none(const VulkanCandidate *list, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (list[i].missing[0])
            log_error("vulkan: %s cannot be used, it lacks: %s", list[i].name, list[i].missing);
        else
            log_error("vulkan: %s is a software device: it is used only when it is named or "
                      "software devices are allowed",
                      list[i].name);
    }
    if (!count)
        log_error("vulkan: no device found; is a driver installed?");
}

static bool contains(const char *text, const char *part)
{
    for (; *text; text++) {
        size_t i = 0;
        while (part[i] && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
            i++;
        if (!part[i])
            return true;
    }
    return false;
}

/* 32 hexadecimal digits, dashes anywhere. */
static bool parse_uuid(const char *text, uint8_t uuid[VK_UUID_SIZE])
{
    unsigned digits = 0;
    memset(uuid, 0, VK_UUID_SIZE);
    for (; *text; text++) {
        if (*text == '-')
            continue;
        if (!isxdigit((unsigned char)*text) || digits == 2 * VK_UUID_SIZE)
            return false;
        const int c = tolower((unsigned char)*text);
        const uint8_t value = (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
        uuid[digits / 2] |= digits % 2 ? value : (uint8_t)(value << 4);
        digits++;
    }
    return digits == 2 * VK_UUID_SIZE;
}

static int choose_index(unsigned count, const char *text, unsigned *index)
{
    const unsigned long number = strtoul(text, NULL, 10);
    if (strlen(text) > 9 || number >= count) {
        log_error("vulkan: no device %s: there %s %u", text, count == 1 ? "is" : "are", count);
        return -ENODEV;
    }
    *index = (unsigned)number;
    return 0;
}

int vulkan_choose_named(const VulkanCandidate *list, unsigned count, const char *text,
                        unsigned *index)
{
    if (text[0] && strspn(text, "0123456789") == strlen(text) && strlen(text) < 2 * VK_UUID_SIZE)
        return choose_index(count, text, index);

    uint8_t uuid[VK_UUID_SIZE];
    const bool by_uuid = parse_uuid(text, uuid);
    unsigned matches = 0;
    for (unsigned i = 0; i < count; i++) {
        const bool match = by_uuid ? !memcmp(list[i].uuid, uuid, sizeof(uuid))
                                   : text[0] && contains(list[i].name, text);
        if (match && matches++ == 0)
            *index = i;
    }
    if (matches == 1)
        return 0;
    if (matches)
        log_error("vulkan: %u devices are called \"%s\": give the index or the UUID", matches,
                  text);
    else
        log_error("vulkan: no device is called \"%s\"", text);
    return -ENODEV;
}
