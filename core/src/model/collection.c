/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "model/build.h"

static const char *const figure_suffixes[FIGURE_COUNT] = {
    [FIGURE_BAGGING] = "_bagging",
    [FIGURE_STDDEV] = "_stddev",
    [FIGURE_LO] = "_ci_p95_lo",
    [FIGURE_HI] = "_ci_p95_hi",
};

static char *concatenate(const char *name, const char *suffix)
{
    const size_t size = strlen(name) + strlen(suffix) + 1;
    char *both = mem_alloc(size);
    if (both)
        snprintf(both, size, "%s%s", name, suffix);
    return both;
}

int collection_create(VmafModelCollection **out, const char *name)
{
    if (!name)
        name = MODEL_DEFAULT_NAME;
    VmafModelCollection *c = mem_zalloc(sizeof(*c));
    if (!c)
        return -ENOMEM;
    c->name = mem_strdup(name);
    bool complete = c->name;
    for (unsigned i = 0; i < FIGURE_COUNT; i++) {
        c->figures[i] = concatenate(name, figure_suffixes[i]);
        complete &= c->figures[i] != NULL;
    }
    if (!complete) {
        collection_destroy(c);
        return -ENOMEM;
    }
    *out = c;
    return 0;
}

void collection_destroy(VmafModelCollection *c)
{
    if (!c)
        return;
    for (unsigned i = 0; i < c->count; i++)
        model_destroy(c->members[i]);
    for (unsigned i = 0; i < FIGURE_COUNT; i++)
        mem_free(c->figures[i]);
    mem_free(c->members);
    mem_free(c->name);
    mem_free(c);
}

char *collection_member_name(const VmafModelCollection *c)
{
    char suffix[16];
    snprintf(suffix, sizeof(suffix), "_%04u", c->count + 1);
    return concatenate(c->name, suffix);
}

int collection_add(VmafModelCollection *c, VmafModel *member)
{
    if (c->count && c->members[0]->type != member->type)
        return -EINVAL;
    if (mem_grow(&c->members, c->count, &c->capacity, sizeof(*c->members)))
        return -ENOMEM;
    c->members[c->count++] = member;
    return 0;
}
