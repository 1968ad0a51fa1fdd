/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How SSIM's kernels read images: planes of samples, or images of floats (IMAGE_F32) once they are
 * shrunk. The kernel has a parameter `step`, the difference between neighbouring sample values. Row
 * y begins at element y * pitch, in images of floats counted from element `first`. STORED() is the
 * stored number: the sample, or the bits of the float. STORED_SIZE() is its magnitude. */
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
