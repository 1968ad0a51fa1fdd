/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Finds a scale in the buffers of cambi: `words`, the map and the masks of tiles each hold all
 * scales of a picture, one after the other. The kernel has the parameters width and height, of
 * scale 0. Include this after KERNEL_BEGIN. */
struct Scale {
    u32 w, h;
    u32 first, first_tile; /* number of samples and tiles of the scales before it */
};

DEVICE u32 tiles_across(Scale s)
{
    return (s.w + CAMBI_TILE_W - 1u) / CAMBI_TILE_W;
}

DEVICE u32 tile_count(Scale s)
{
    return tiles_across(s) * ((s.h + CAMBI_TILE_H - 1u) / CAMBI_TILE_H);
}

DEVICE Scale scale_first()
{
    Scale s;
    s.w = width;
    s.h = height;
    s.first = 0u;
    s.first_tile = 0u;
    return s;
}

DEVICE Scale scale_next(Scale s)
{
    s.first += s.w * s.h;
    s.first_tile += tile_count(s);
    s.w = (s.w + 1u) >> 1;
    s.h = (s.h + 1u) >> 1;
    return s;
}

DEVICE Scale scale_of(u32 number)
{
    Scale s = scale_first();
    for (u32 i = 0u; i < number; i++)
        s = scale_next(s);
    return s;
}
