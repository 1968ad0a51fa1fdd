/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Files of contrast maps, one per scale. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "feature/cambi/cambi.h"

struct CambiHeatmaps {
    Outfile *file[CAMBI_SCALES];
    double scaling;
    pthread_mutex_t lock; /* guards the fields below and the files */
    /* A map on its way into its file: the low byte first, on every machine. */
    uint8_t (*samples)[2];
    bool failed; /* a write error was logged */
};

/* Creates a folder and its parents. Folders that exist already are fine. */
static int make_folders(const char *path)
{
    char *copy = mem_strdup(path);
    if (!copy)
        return -ENOMEM;
    for (char *c = copy + 1; *copy && *c; c++) {
        if (*c != '/')
            continue;
        *c = '\0';
        mkdir(copy, 0770);
        *c = '/';
    }
    mkdir(copy, 0770);
    mem_free(copy);
    struct stat info;
    if (stat(path, &info) || !S_ISDIR(info.st_mode)) {
        log_error("cambi: could not create the folder of heatmaps_path: %s", path);
        return -EINVAL;
    }
    return 0;
}

static int open_files(CambiHeatmaps *maps, const char *folder, const CambiTarget *target)
{
    unsigned w = target->w, h = target->h;
    const size_t size = strlen(folder) + 100;
    char *path = mem_alloc(size);
    if (!path)
        return -ENOMEM;
    int err = 0;
    for (unsigned s = 0; s < CAMBI_SCALES && !err; s++) {
        snprintf(path, size, "%s/cambi_heatmap_scale_%u_%ux%u_16b.gray", folder, s, w, h);
        err = outfile_open(&maps->file[s], path, OUTFILE_IN_PLACE);
        if (err && err != -ENOMEM) {
            log_error("cambi: could not open the heat map %s: %s", path, strerror(-err));
            err = -EINVAL;
        }
        w = (w + 1) / 2;
        h = (h + 1) / 2;
    }
    mem_free(path);
    return err;
}

int cambi_heatmaps_create(CambiHeatmaps **out, const char *folder, const CambiSetup *setup)
{
    const CambiTarget *target = &setup->target[0];
    *out = NULL;
    CambiHeatmaps *maps = mem_zalloc(sizeof(*maps));
    if (!maps)
        return -ENOMEM;
    pthread_mutex_init(&maps->lock, NULL);
    const unsigned window = target->window;
    maps->scaling = 65535.0 / (cambi_step_weight[setup->steps] * window * window / 4);
    maps->samples = mem_array((size_t)target->w * target->h, sizeof(*maps->samples));
    int err = maps->samples ? make_folders(folder) : -ENOMEM;
    if (!err)
        err = open_files(maps, folder, target);
    if (err) {
        cambi_heatmaps_destroy(maps);
        return err;
    }
    *out = maps;
    return 0;
}

int cambi_heatmaps_finish(CambiHeatmaps *maps)
{
    int err = 0;
    for (unsigned s = 0; s < CAMBI_SCALES; s++) {
        if (!maps->file[s])
            continue;
        const int lost = outfile_commit(maps->file[s]);
        maps->file[s] = NULL;
        if (!lost)
            continue;
        log_error("cambi: the heat map of scale %u could not be written in full: %s", s,
                  strerror(-lost));
        err = -EIO;
    }
    return err;
}

void cambi_heatmaps_destroy(CambiHeatmaps *maps)
{
    if (!maps)
        return;
    cambi_heatmaps_finish(maps);
    pthread_mutex_destroy(&maps->lock);
    mem_free(maps->samples);
    mem_free(maps);
}

/* Converts a map to 16-bit samples. With some settings the largest contrasts overflow 16 bits, as
 * they do in the reference. */
static void scale_map(CambiHeatmaps *maps, const float *map, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint16_t sample = (uint16_t)(int)(maps->scaling * map[i]);
        maps->samples[i][0] = (uint8_t)sample;
        maps->samples[i][1] = (uint8_t)(sample >> 8);
    }
}

int cambi_heatmaps_write(CambiHeatmaps *maps, unsigned scale, uint64_t picture, const float *map,
                         unsigned w, unsigned h)
{
    const size_t count = (size_t)w * h, size = count * sizeof(*maps->samples);
    pthread_mutex_lock(&maps->lock);
    const bool told = maps->failed;
    scale_map(maps, map, count);
    const int err = outfile_write_at(maps->file[scale], maps->samples, size, picture * size);
    maps->failed = maps->failed || err;
    pthread_mutex_unlock(&maps->lock);
    if (err && !told)
        log_error("cambi: could not write to a heat map: %s", strerror(-err));
    return err ? -EIO : 0;
}
