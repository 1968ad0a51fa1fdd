/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How kernels read images: planes of samples, or of floats (IMAGE_F32) once they were shrunk. Their
 * parameters have the image's `stride`, and the `step` from one sample value to the next. */
#ifdef IMAGE_F32
#define IMAGE(slot, name) IN(slot, f32, name)
#define PIXEL(image, x, y) ((image)[(y)*stride + (x)])
#else
#define IMAGE(slot, name) IN(slot, u32, name)
#define PIXEL(image, x, y) (f32(SAMPLE(image, (y)*stride, x)) * step)
#endif
