/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/**
 * What a report can tell besides scores. The library sees pictures, not where they come from: a
 * program that wants its reports to name the videos and its own settings tells them here, at any
 * time before vmaf_write_output(). Models and features the library knows by itself.
 *
 * XML, JSON, CSV and SUB are what they are in libvmaf 3.2.0 and print nothing of this but the places of
 * vmaf_report_places() and the word of vmaf_report_partial().
 */
#ifndef VMAF_REPORT_H
#define VMAF_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "libvmaf.h"
#include "macros.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One of the two videos. */
typedef struct VmafReportInput {
    size_t size;        /**< sizeof(VmafReportInput) */
    const char *path;   /**< or whatever its users know it by */
    const char *kind;   /**< how it was read: `y4m`, `raw` and so on; NULL: not told */
    unsigned w, h, bpc; /**< of the video itself, before anything was done to it */
    enum VmafPixelFormat pix_fmt;
    uint64_t skipped; /**< frames before the one that was read first */
} VmafReportInput;

/**
 * Notes where the reference (`is_ref` not 0) or the distorted video comes from. Everything is
 * copied; told again, the last word counts.
 *
 * @return 0; -EINVAL when an argument or the path is NULL or the size is not set; -ENOMEM
 */
VMAF_EXPORT int vmaf_report_input(VmafContext *vmaf, int is_ref, const VmafReportInput *input);

/**
 * Notes a setting of the program, as its user knows it: `threads`, `4`. Both are copied. Reports list
 * settings in the order they were told; one that was given twice is told twice.
 *
 * @param value NULL: the setting takes none
 * @return 0; -EINVAL when context or name is NULL; -ENOMEM
 */
VMAF_EXPORT int vmaf_report_option(VmafContext *vmaf, const char *name, const char *value);

/**
 * XML and JSON reports end with a list of where each feature ran when one of them left the CPU. After this
 * call they have it in any case; a run on the CPU then says so, and which instruction set its vector
 * code used.
 *
 * @return 0; -EINVAL when the context is NULL
 */
VMAF_EXPORT int vmaf_report_places(VmafContext *vmaf);

/**
 * Says that reports from now on do not cover all pairs there were, and why: `stopped by SIGINT`. XML then
 * has it in the attribute `partial` of its first element, JSON in the field `partial`, CSV and SUB in a line
 * of its own at the end. The text is copied.
 *
 * @param reason NULL: reports are whole again
 * @return 0; -EINVAL when the context is NULL; -ENOMEM
 */
VMAF_EXPORT int vmaf_report_partial(VmafContext *vmaf, const char *reason);

/**
 * The name of a report format: `xml`, `json`, `csv`, `sub`. A string of the library's; NULL for
 * VMAF_OUTPUT_FORMAT_NONE and for values that are no format.
 */
VMAF_EXPORT const char *vmaf_output_format_name(enum VmafOutputFormat fmt);

#ifdef __cplusplus
}
#endif

#endif
