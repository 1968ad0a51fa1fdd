/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_MACROS_H
#define VMAF_MACROS_H

/* Marks the functions that the shared library exports; all others are hidden. */
#if defined(_WIN32)
#if defined(VMAF_BUILDING)
#define VMAF_EXPORT __declspec(dllexport)
#else
#define VMAF_EXPORT
#endif
#elif defined(__GNUC__)
#define VMAF_EXPORT __attribute__((visibility("default")))
#else
#define VMAF_EXPORT
#endif

#endif
