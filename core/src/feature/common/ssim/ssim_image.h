/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How kernels read images: planes of samples, or of floats (IMAGE_F32) once they were shrunk. Parameters
 * have the `step` from one sample value to the next. Row y begins at element y * pitch, in images of floats from
 * element `first` on. */
#ifdef IMAGE_F32
#define IMAGE(slot, name) IN(slot, f32, name)
#define PIXEL(image, first, pitch, x, y) ((image)[(first) + (y) * (pitch) + (x)])
#else
#define IMAGE(slot, name) IN(slot, u32, name)
#define PIXEL(image, first, pitch, x, y) (f32(SAMPLE(image, (y) * (pitch), x)) * step)
#endif
