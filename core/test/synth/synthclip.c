/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Writes test clips. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "synth.h"

static int usage(void)
{
    fprintf(stderr,
            "usage: synthclip NAME REF.yuv DIST.yuv\n"
            "       synthclip KIND WIDTH HEIGHT 420|422|444|400 BITDEPTH FRAMES REF.yuv DIST.yuv\n"
            "       synthclip --all FOLDER\n"
            "       synthclip --list\n"
            "kinds:");
    for (unsigned i = 0; i < SYNTH_KINDS; i++)
        fprintf(stderr, " %s", synth_kind_names[i]);
    fputc('\n', stderr);
    return 1;
}

static int write_pair(const SynthClip *clip, const char *ref, const char *dist)
{
    if (!synth_write(clip, SYNTH_REF, ref) && !synth_write(clip, SYNTH_DIST, dist))
        return 0;
    fprintf(stderr, "could not write %s and %s\n", ref, dist);
    return 1;
}

static int write_all(const char *folder)
{
    for (const SynthClip *clip = synth_clips; clip->name; clip++) {
        char ref[4096], dist[4096];
        snprintf(ref, sizeof(ref), "%s/%s_ref.yuv", folder, clip->name);
        snprintf(dist, sizeof(dist), "%s/%s_dist.yuv", folder, clip->name);
        if (write_pair(clip, ref, dist))
            return 1;
    }
    return 0;
}

static int write_custom(char **argv)
{
    static const char *const formats[] = { "420", "422", "444", "400" };
    SynthClip clip = { .name = "custom", .kind = SYNTH_KINDS };
    for (unsigned i = 0; i < SYNTH_KINDS; i++)
        if (!strcmp(argv[0], synth_kind_names[i]))
            clip.kind = (enum SynthKind)i;
    for (unsigned i = 0; i < 4; i++)
        if (!strcmp(argv[3], formats[i]))
            clip.pix_fmt = (enum VmafPixelFormat)(VMAF_PIX_FMT_YUV420P + i);
    clip.width = (unsigned)strtoul(argv[1], NULL, 10);
    clip.height = (unsigned)strtoul(argv[2], NULL, 10);
    clip.bitdepth = (unsigned)strtoul(argv[4], NULL, 10);
    clip.frames = (unsigned)strtoul(argv[5], NULL, 10);
    if (clip.kind == SYNTH_KINDS || !clip.pix_fmt || !clip.width || !clip.height ||
        clip.bitdepth < 8 || clip.bitdepth > 16 || !clip.frames)
        return usage();
    return write_pair(&clip, argv[6], argv[7]);
}

int main(int argc, char **argv)
{
    if (argc == 9)
        return write_custom(argv + 1);
    if (argc == 3 && !strcmp(argv[1], "--all"))
        return write_all(argv[2]);
    if (argc == 2 && !strcmp(argv[1], "--list")) {
        for (const SynthClip *clip = synth_clips; clip->name; clip++)
            printf("%s %u %u %u frames\n", clip->name, clip->width, clip->height, clip->frames);
        return 0;
    }
    const SynthClip *const clip = argc == 4 ? synth_find(argv[1]) : NULL;
    return clip ? write_pair(clip, argv[2], argv[3]) : usage();
}
