/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A fake libva with one surface, in plain memory, to which its VADisplay points. */
#ifndef TEST_GPU_FAKE_VA_H
#define TEST_GPU_FAKE_VA_H

typedef struct FakeVa {
    unsigned fourcc;
    unsigned w, h;
    unsigned offset, pitch; /* offset and pitch of luma in `data` */
    unsigned char *data;
    int cannot_derive;           /* set: like drivers whose surfaces are tiled */
    int images, mapped, is_copy; /* objects that are open */
} FakeVa;
#define FAKE_VA_SURFACE 7u

#endif
