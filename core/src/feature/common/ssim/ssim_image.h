/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How kernels read images: planes of samples, or of floats (IMAGE_F32) once they were shrunk. Parameters
 * have the `step` from one sample value to the next. Row y begins at element y * pitch, in images of floats from
 * element `first` on. STORED() is what lies there, bits of a float or a sample; STORED_SIZE() its magnitude. */
#ifdef IMAGE_F32
#define IMAGE(slot, name) IN(slot, f32, name)
#define PIXEL(image, first, pitch, x, y) ((image)[(first) + (y) * (pitch) + (x)])
#define STORED(image, first, pitch, x, y) bits_of_f32(PIXEL(image, first, pitch, x, y))
#define STORED_SIZE(stored) ((stored)&0x7fffffffu)
#else
#define IMAGE(slot, name) IN(slot, u32, name)
#define PIXEL(image, first, pitch, x, y) (f32(SAMPLE(image, (y) * (pitch), x)) * step)
#define STORED(image, first, pitch, x, y) SAMPLE(image, (y) * (pitch), x)
#define STORED_SIZE(stored) (stored)
#endif
