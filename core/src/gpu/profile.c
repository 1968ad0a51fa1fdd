/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

struct Profile {
    const Graph *graph;
    unsigned pass_count; /* of all features */
    unsigned frames;
    double *sums, *last; /* in microseconds, by pass in recorded order */
};

static unsigned count_passes(const Graph *graph)
{
    unsigned count = 0;
    for (unsigned f = 0; f < graph->feature_count; f++)
        if (graph->features[f].plan && graph->features[f].owner == f)
            count += graph->features[f].plan->pass_count;
    return count;
}

int profile_create(Profile **out, const Graph *graph)
{
    *out = NULL;
    const char *asked = getenv("VMAF_GPU_PROFILE");
    if (!asked || asked[0] != '1')
        return 0;
    Profile *profile = mem_zalloc(sizeof(*profile));
    if (!profile)
        return -ENOMEM;
    profile->graph = graph;
    profile->pass_count = count_passes(graph);
    profile->sums = mem_array(profile->pass_count + 1, sizeof(*profile->sums));
    profile->last = mem_array(profile->pass_count + 1, sizeof(*profile->last));
    if (!profile->sums || !profile->last) {
        profile_destroy(profile);
        return -ENOMEM;
    }
    *out = profile;
    return 0;
}

/* Passes in the order in which they are recorded: by stage, then by feature. */
static const PlanPass *pass_at(const Graph *graph, unsigned number, const Feature **feature)
{
    for (unsigned stage = 0, at = 0; stage < 1000; stage++) {
        for (unsigned f = 0; f < graph->feature_count; f++) {
            const GraphFeature *gf = &graph->features[f];
            for (unsigned p = 0; gf->plan && gf->owner == f && p < gf->plan->pass_count; p++) {
                if (gf->plan->passes[p].stage != stage || at++ != number)
                    continue;
                *feature = gf->feature;
                return &gf->plan->passes[p];
            }
        }
    }
    return NULL;
}

static void print(const Profile *profile)
{
    double total = 0;
    for (unsigned i = 1; i <= profile->pass_count; i++) {
        const Feature *feature;
        const PlanPass *pass = pass_at(profile->graph, i - 1, &feature);
        const double mean = profile->sums[i] / profile->frames;
        total += mean;
        if (pass)
            fprintf(stderr, "gpu profile: %-16s stage %u %-24s %10.2f us\n", feature->def->name,
                    pass->stage, pass->kernel, mean);
    }
    fprintf(stderr, "gpu profile: %u frames, %.2f us of kernels each\n", profile->frames, total);
}

void profile_destroy(Profile *profile)
{
    if (!profile)
        return;
    if (profile->frames)
        print(profile);
    mem_free(profile->sums);
    mem_free(profile->last);
    mem_free(profile);
}

int profile_stamps(const Profile *profile, GpuStamps **stamps)
{
    *stamps = NULL;
    if (!profile)
        return 0;
    GpuDevice *dev = profile->graph->device;
    const int err = dev->ops->stamps_create(dev, profile->pass_count + 1, stamps);
    return err == -ENOTSUP ? 0 : err;
}

void profile_add(Profile *profile, GpuStamps *stamps, FeatureSet owners)
{
    /* Frames that skip features are left out of the average. */
    if (!profile || !stamps || owners != graph_owners(profile->graph, profile->graph->taken) ||
        profile->graph->device->ops->stamps_read(profile->graph->device, stamps, profile->last))
        return;
    profile->frames++;
    for (unsigned i = 1; i <= profile->pass_count; i++)
        profile->sums[i] += profile->last[i] - profile->last[i - 1];
}
