/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A libva that has one surface, in plain memory: what a VADisplay of it points to. */
#ifndef TEST_GPU_FAKE_VA_H
#define TEST_GPU_FAKE_VA_H

typedef struct FakeVa {
    unsigned fourcc;
    unsigned w, h;
    unsigned offset, pitch; /* of luma in `data` */
    unsigned char *data;
    int cannot_derive;           /* as drivers whose surfaces are tiled */
    int images, mapped, is_copy; /* what is open */
} FakeVa;
#define FAKE_VA_SURFACE 7u

#endif
