/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/mem.h"
#include "feature/cambi/cambi.h"

#ifdef _WIN32
#include <direct.h>
#define make_folder(path) _mkdir(path)
#define seek(file, at) _fseeki64(file, (long long)(at), SEEK_SET)
#else
#define make_folder(path) mkdir(path, 0770)
#define seek(file, at) fseeko(file, (off_t)(at), SEEK_SET)
#endif

struct CambiHeatmaps {
    FILE *file[CAMBI_SCALES];
    double scaling;
    pthread_mutex_t lock;
    uint16_t *row;
};

/* The folder with its parents. A path that is there already is fine. */
static int make_folders(const char *path)
{
    char *copy = mem_strdup(path);
    if (!copy)
        return -ENOMEM;
    for (char *c = copy + 1; *copy && *c; c++) {
        if (*c != '/')
            continue;
        *c = '\0';
        make_folder(copy);
        *c = '/';
    }
    make_folder(copy);
    mem_free(copy);
    struct stat info;
    if (stat(path, &info) || !S_ISDIR(info.st_mode)) {
        log_error("cambi: could not make the folder heatmaps_path: %s", path);
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
        maps->file[s] = fopen(path, "wb");
        if (!maps->file[s]) {
            log_error("cambi: could not open heatmaps_path: %s", path);
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
    maps->row = mem_array(target->w, sizeof(*maps->row));
    int err = maps->row ? make_folders(folder) : -ENOMEM;
    if (!err)
        err = open_files(maps, folder, target);
    if (err) {
        cambi_heatmaps_destroy(maps);
        return err;
    }
    *out = maps;
    return 0;
}

void cambi_heatmaps_destroy(CambiHeatmaps *maps)
{
    if (!maps)
        return;
    for (unsigned s = 0; s < CAMBI_SCALES; s++) {
        if (maps->file[s] && fclose(maps->file[s]))
            log_error("cambi: a heatmap could not be written in full");
    }
    pthread_mutex_destroy(&maps->lock);
    mem_free(maps->row);
    mem_free(maps);
}

/* The low 16 bits: at some settings the largest contrasts wrap, as they do in the reference. */
static int write_rows(CambiHeatmaps *maps, FILE *file, const float *map, unsigned w, unsigned h)
{
    for (unsigned y = 0; y < h; y++) {
        for (unsigned x = 0; x < w; x++)
            maps->row[x] = (uint16_t)(int)(maps->scaling * map[(size_t)y * w + x]);
        if (fwrite(maps->row, sizeof(*maps->row), w, file) != w)
            return -EIO;
    }
    return 0;
}

int cambi_heatmaps_write(CambiHeatmaps *maps, unsigned scale, uint64_t picture, const float *map,
                         unsigned w, unsigned h)
{
    pthread_mutex_lock(&maps->lock);
    int err = -EIO;
    if (!seek(maps->file[scale], picture * w * h * sizeof(uint16_t)))
        err = write_rows(maps, maps->file[scale], map, w, h);
    pthread_mutex_unlock(&maps->lock);
    if (err)
        log_error("cambi: writing a heatmap failed");
    return err;
}
