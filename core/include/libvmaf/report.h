/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/**
 * What a report can tell besides scores. The library sees pictures, not where they come from: a
 * program that wants its reports to name the videos and its own settings tells them here, at any
 * time before vmaf_write_output(). Models and features the library knows by itself.
 *
 * XML, JSON, CSV and SUB are what they are in libvmaf 3.2.0 and print nothing of this but the places of
 * vmaf_report_places() and the word of vmaf_report_partial(), unless vmaf_report_details() asks for it all.
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

    /* The next ones came later: a program built before them gives the smaller size, and they count as 0. */
    unsigned rate_num, rate_den; /**< frames a second; 0: not known */
    uint64_t frames;             /**< in the whole video; 0: not known */
    const char *codec;           /**< how it is coded: `h264`; NULL: not, or not told */
    const char *filters;  /**< what was done to its pictures before scoring: `scaled from 640x360
                                      to 1920x1080 (bicubic)`; NULL: nothing */
    const char *warnings; /**< what may harm its scores: `interlaced`; NULL: nothing */
    const char
        *pairing; /**< of the distorted video: how its frames were paired with the reference's:
                                      `by time, 2 repeated`; NULL: not told */
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
 * JSON reports end with the object `vmaf_turbo`: videos, models, features and where they ran, settings,
 * speed, and for each metric its standard deviation and percentiles. docs/report.schema.json describes it; its
 * field `schema` is raised when a field changes its meaning or goes away. Without this call JSON is what
 * libvmaf 3.2.0 writes.
 *
 * @return 0; -EINVAL when the context is NULL
 */
VMAF_EXPORT int vmaf_report_details(VmafContext *vmaf);

/** Figures of a list of scores, as reports have them. */
typedef struct VmafStatistics {
    size_t size; /**< sizeof(VmafStatistics) */
    double min, max, mean;
    double
        harmonic_mean; /**< as VMAF_POOL_METHOD_HARMONIC_MEAN: of the scores plus one, less one */
    double stddev;     /**< of these scores, not an estimate for more of them */
    /** [N]: N percent of the scores lie below it, with a straight line between the two scores nearest to
     * that rank; [50] is the median, [0] the least, [100] the largest. */
    double percentile[101];
} VmafStatistics;

/**
 * Takes the statistics of scores in the order of their frames: the first four figures are then, to the last
 * bit, those of vmaf_score_pooled(). With a score that is no number, most figures are none.
 *
 * @return 0; -EINVAL when a pointer is NULL, there is no score or the size is not set; -ENOMEM
 */
VMAF_EXPORT int vmaf_statistics(const double *scores, size_t count, VmafStatistics *statistics);

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
