/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Rounds of the ring between two timed frames. Timing makes a frame's passes run one by one; with
 * so many rounds the cost does not show. */
#define TIMED_ROUNDS 128

struct Profile {
    const Graph *graph;
    bool asked;            /* VMAF_GPU_PROFILE is set: time every frame, and print */
    bool by_frame;         /* time whole frames, not passes */
    double frame_sum;      /* in microseconds */
    uint64_t whole_frames; /* timed ones */
    unsigned pass_count;   /* passes of all features */
    double *sums;          /* in microseconds, in the order of pass_number() */
    double *stamps;        /* stamps of the last frame read */
    uint64_t *frames;      /* timed frames, by feature */
};

static unsigned plan_passes(const Graph *graph, FeatureSet owners, unsigned f)
{
    return owners >> f & 1 ? graph->features[f].plan->pass_count : 0;
}

static unsigned count_passes(const Graph *graph, FeatureSet owners)
{
    unsigned count = 0;
    for (unsigned f = 0; f < graph->feature_count; f++)
        count += plan_passes(graph, owners, f);
    return count;
}

/* The index of a pass among those of all features. */
static unsigned pass_number(const Profile *profile, unsigned feature, unsigned pass)
{
    const Graph *graph = profile->graph;
    const FeatureSet all = graph_owners(graph, graph->taken);
    unsigned number = pass;
    for (unsigned f = 0; f < feature; f++)
        number += plan_passes(graph, all, f);
    return number;
}

int profile_create(Profile **out, const Graph *graph)
{
    *out = NULL;
    const char *const value = getenv("VMAF_GPU_PROFILE"), *const asked = value ? value : "";
    Profile *profile = mem_zalloc(sizeof(*profile));
    if (!profile)
        return -ENOMEM;
    profile->graph = graph;
    profile->by_frame = strcmp(asked, "frames") == 0;
    profile->asked = profile->by_frame || asked[0] == '1';
    profile->pass_count = count_passes(graph, graph_owners(graph, graph->taken));
    profile->sums = mem_array(profile->pass_count + 1, sizeof(*profile->sums));
    profile->stamps = mem_array(profile->pass_count + 1, sizeof(*profile->stamps));
    profile->frames = mem_array(graph->feature_count, sizeof(*profile->frames));
    if (!profile->sums || !profile->stamps || !profile->frames) {
        profile_destroy(profile);
        return -ENOMEM;
    }
    *out = profile;
    return 0;
}

/* A walk over the passes in the order in which they are recorded: by stage, then by feature.
 * Initialise it with zeros. */
typedef struct PassWalk {
    unsigned stage, feature, pass;
    bool any; /* a pass of this stage or a later one was seen */
} PassWalk;

static const PlanPass *next_pass(const Graph *graph, FeatureSet owners, PassWalk *walk)
{
    for (;;) {
        for (; walk->feature < graph->feature_count; walk->feature++, walk->pass = 0) {
            while (walk->pass < plan_passes(graph, owners, walk->feature)) {
                const PlanPass *pass = &graph->features[walk->feature].plan->passes[walk->pass++];
                walk->any |= pass->stage >= walk->stage;
                if (pass->stage == walk->stage)
                    return pass;
            }
        }
        if (!walk->any)
            return NULL;
        *walk = (PassWalk){ .stage = walk->stage + 1 };
    }
}

static void print_frames(const Profile *profile)
{
    if (profile->whole_frames)
        fprintf(stderr, "gpu profile: %llu frames by themselves, %.2f us each\n",
                (unsigned long long)profile->whole_frames,
                profile->frame_sum / (double)profile->whole_frames);
}

static void print_passes(const Profile *profile)
{
    const Graph *graph = profile->graph;
    const FeatureSet owners = graph_owners(graph, graph->taken);
    uint64_t frames = 0;
    double total = 0;
    PassWalk walk = { 0 };
    for (const PlanPass *pass; (pass = next_pass(graph, owners, &walk));) {
        const uint64_t timed = profile->frames[walk.feature];
        const unsigned number = pass_number(profile, walk.feature, walk.pass - 1);
        const double mean = timed ? profile->sums[number] / (double)timed : 0;
        total += mean;
        frames = timed > frames ? timed : frames;
        if (timed)
            fprintf(stderr, "gpu profile: %-16s stage %u %-24s %10.2f us\n",
                    graph->features[walk.feature].feature->def->name, pass->stage,
                    gpu_kernel_for(graph->device, pass->kernel)->name, mean);
    }
    if (frames)
        fprintf(stderr, "gpu profile: %llu frames, %.2f us of kernels each\n",
                (unsigned long long)frames, total);
}

void profile_destroy(Profile *profile)
{
    if (!profile)
        return;
    if (profile->by_frame)
        print_frames(profile);
    else if (profile->asked && profile->sums && profile->frames)
        print_passes(profile);
    mem_free(profile->sums);
    mem_free(profile->stamps);
    mem_free(profile->frames);
    mem_free(profile);
}

bool profile_wants(const Profile *profile, uint64_t frame, unsigned slot_count)
{
    return profile->asked || frame % ((uint64_t)slot_count * TIMED_ROUNDS) == 0;
}

bool profile_by_frame(const Profile *profile)
{
    return profile->by_frame;
}

int profile_stamps(const Profile *profile, FeatureSet owners, GpuStamps **stamps)
{
    GpuDevice *dev = profile->graph->device;
    const unsigned count = profile->by_frame ? 1 : count_passes(profile->graph, owners);
    const int err = dev->ops->stamps_create(dev, count + 1, stamps);
    return err == -ENOTSUP ? 0 : err;
}

void profile_add(Profile *profile, GpuStamps *stamps, FeatureSet owners)
{
    const Graph *graph = profile->graph;
    if (!stamps || graph->device->ops->stamps_read(graph->device, stamps, profile->stamps))
        return;
    if (profile->by_frame) {
        profile->frame_sum += profile->stamps[1];
        profile->whole_frames++;
        return;
    }
    PassWalk walk = { 0 };
    for (unsigned i = 1; next_pass(graph, owners, &walk); i++)
        profile->sums[pass_number(profile, walk.feature, walk.pass - 1)] +=
            profile->stamps[i] - profile->stamps[i - 1];
    for (unsigned f = 0; f < graph->feature_count; f++)
        profile->frames[f] += owners >> f & 1;
}

double profile_time(const Profile *profile, unsigned feature, uint64_t *frames)
{
    double sum = 0;
    const unsigned first = pass_number(profile, feature, 0);
    for (unsigned p = 0; p < profile->graph->features[feature].plan->pass_count; p++)
        sum += profile->sums[first + p];
    *frames = profile->frames[feature];
    return sum;
}
