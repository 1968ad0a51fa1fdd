/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Questions about the cards and nodes that the operating system lists. */
#include "doctor.h"

#include <string.h>

const char *machine_maker(const char *vendor)
{
    static const struct {
        const char *vendor, *name;
    } makers[] = {
        { "10de", "NVIDIA" }, { "1002", "AMD" },    { "8086", "Intel" },
        { "1af4", "virtio" }, { "15ad", "VMware" }, { "1414", "Microsoft" },
    };
    for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++)
        if (!strcmp(makers[i].vendor, vendor))
            return makers[i].name;
    return "another maker";
}

int machine_node_state(const json_t *nodes, const char *prefix)
{
    size_t i;
    json_t *node;
    int state = -1;
    json_array_foreach(nodes, i, node)
    {
        const char *const path = json_string_value(json_object_get(node, "path"));
        if (strncmp(path, prefix, strlen(prefix)))
            continue;
        if (json_is_true(json_object_get(node, "usable")))
            return 1;
        state = 0;
    }
    return state;
}

bool machine_has_card(const json_t *cards, const char *vendor)
{
    size_t i;
    json_t *card;
    json_array_foreach(cards, i, card)
    {
        if (!strcmp(json_string_value(json_object_get(card, "vendor")), vendor))
            return true;
    }
    return false;
}
