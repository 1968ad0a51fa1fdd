/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/**
 * Facts for reports besides scores. The library sees pictures, not where they come from: a program
 * that wants its reports to name the videos and its own settings passes them to these functions, at
 * any time before vmaf_write_output(). The library knows models and features by itself.
 *
 * XML, JSON, CSV and SUB look as in libvmaf 3.2.0. Of these facts they print only those of
 * vmaf_report_places() and vmaf_report_partial(), unless vmaf_report_details() asks for all.
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
    const char *path;   /**< or another name that users know */
    const char *kind;   /**< how it was read: `y4m`, `raw` and so on; NULL: not given */
    unsigned w, h, bpc; /**< the video's own, before any processing */
    enum VmafPixelFormat pix_fmt;
    uint64_t skipped; /**< frames before the one that was read first */

    /* Added later: programs built before give the smaller size, and these fields count as 0. */
    unsigned rate_num, rate_den; /**< frames a second; 0: not known */
    uint64_t frames;             /**< in the whole video; 0: not known */
    const char *codec;           /**< its codec: `h264`; NULL: none, or not given */
    /** Processing of its pictures before scoring: `scaled from 640x360 to 1920x1080 (bicubic)`;
     * NULL: none. */
    const char *filters;
    const char *warnings; /**< properties that may harm its scores: `interlaced`; NULL: none */
    /** For the distorted video: how its frames were paired with the reference's: `by time, 2
     * repeated`; NULL: not given. */
    const char *pairing;

    /* Added later still. */
    uint64_t bytes;        /**< size of the file; 0: not known */
    uint64_t bit_rate;     /**< bits a second of the video in the file; 0: not known */
    uint64_t frames_found; /**< frames found in it, including skipped ones; 0: not known */
    int ended;             /**< not 0: the video has no frames after these */
} VmafReportInput;

/**
 * Describes the reference (`is_ref` not 0) or the distorted video. Everything is copied; a second
 * call replaces the description.
 *
 * @return 0; -EINVAL when an argument or the path is NULL or the size is not set; -ENOMEM
 */
VMAF_EXPORT int vmaf_report_input(VmafContext *vmaf, int is_ref, const VmafReportInput *input);

/**
 * Adds a setting of the program, as its user knows it: `threads`, `4`. Both are copied. Reports
 * list settings in the order of the calls; one that was added twice is listed twice.
 *
 * @param value NULL: the setting takes no value
 * @return 0; -EINVAL when context or name is NULL; -ENOMEM
 */
VMAF_EXPORT int vmaf_report_option(VmafContext *vmaf, const char *name, const char *value);

/**
 * Says how the program chose a model that the context uses, or set it up: `chosen for 1920x1080 at
 * 24 fps`. JSON reports show the note beside the model (see vmaf_report_details()). A second call
 * replaces it. The text is copied.
 *
 * @param metric the name of the model's scores, as in VmafModelConfig
 * @return 0; -EINVAL when a pointer is NULL; -ENOENT when the context uses no such model; -ENOMEM
 */
VMAF_EXPORT int vmaf_report_model(VmafContext *vmaf, const char *metric, const char *note);

/** The video that a warning is about. */
enum VmafReportSide {
    VMAF_REPORT_RUN = 0, /**< neither: the run as a whole */
    VMAF_REPORT_REFERENCE,
    VMAF_REPORT_DISTORTED
};

/**
 * Adds a warning: a reason to doubt the scores, or to read them with care. Programs tell warnings
 * apart by the code, people read the text. JSON reports list warnings in the order of the calls
 * (see vmaf_report_details()); one that was added twice is listed once. Both texts are copied.
 *
 * @param code lower-case letters, digits and underscores, beginning with a letter: `interlaced`
 * @param text one line
 * @return 0; -EINVAL when a pointer is NULL, the code has other characters or `side` is none of
 *         the three; -ENOMEM
 */
VMAF_EXPORT int vmaf_report_warning(VmafContext *vmaf, const char *code, enum VmafReportSide side,
                                    const char *text);

/** A pair of frames, as their files have them. */
typedef struct VmafReportFrame {
    size_t size;        /**< sizeof(VmafReportFrame) */
    double time;        /**< when the reference's frame is shown, in seconds; NaN: not known */
    uint64_t ref, dist; /**< the frames' numbers in their videos, from 0 */

    /* Added later: programs built before give the smaller size, and this field counts as 0. */
    int shot; /**< not 0: a shot begins with this pair */
} VmafReportFrame;

/**
 * Says which frames of the two videos a pair consists of, and when they are shown. JSON reports of
 * vmaf_report_details() list the times if they are known for all frames of the report, and the
 * numbers where they do not simply follow one another from `skipped` on. If shots begin with some
 * of the pairs, they list the figures of each shot. A second call for a pair replaces the first.
 *
 * @param index of the pair, as given to vmaf_read_pictures()
 * @return 0; -EINVAL when a pointer is NULL or the size is not set; -ENOMEM
 */
VMAF_EXPORT int vmaf_report_frame(VmafContext *vmaf, unsigned index, const VmafReportFrame *frame);

/**
 * XML and JSON reports end with a list of where each feature ran if one of them ran on a GPU. After
 * this call they always have that list; a feature on the CPU then shows the instruction set of its
 * vector code.
 *
 * @return 0; -EINVAL when the context is NULL
 */
VMAF_EXPORT int vmaf_report_places(VmafContext *vmaf);

/**
 * JSON reports end with the object `vmaf_turbo`: videos, warnings, models, features and where they
 * ran, settings, speed, and for each metric its standard deviation and percentiles.
 * docs/report.schema.json describes it; its field `schema` is raised when a field changes its
 * meaning or is removed. Without this call JSON is what libvmaf 3.2.0 writes.
 *
 * @return 0; -EINVAL when the context is NULL
 */
VMAF_EXPORT int vmaf_report_details(VmafContext *vmaf);

/** Statistics of a list of scores, as in reports. */
typedef struct VmafStatistics {
    size_t size; /**< sizeof(VmafStatistics) */
    double min, max, mean;
    double harmonic_mean; /**< see VMAF_POOL_METHOD_HARMONIC_MEAN */
    double stddev;        /**< deviation of these scores, not an estimate for more of them */
    /** [N]: N percent of the scores lie below it, interpolated linearly between the two scores
     * nearest to that rank; [50] is the median, [0] the smallest score, [100] the largest. */
    double percentile[101];
} VmafStatistics;

/**
 * Computes statistics of scores, given in the order of their frames: the first four figures are
 * then, to the last bit, those of vmaf_score_pooled(). If a score is NaN, most figures are NaN.
 *
 * @return 0; -EINVAL when a pointer is NULL, there is no score or the size is not set; -ENOMEM
 */
VMAF_EXPORT int vmaf_statistics(const double *scores, size_t count, VmafStatistics *statistics);

/**
 * Marks reports as partial from now on, with the reason: `stopped by SIGINT`. XML has it in the
 * attribute `partial` of its first element, JSON in the field `partial`, CSV and SUB in a line of
 * their own at the end. The text is copied.
 *
 * @param reason NULL: reports are complete again
 * @return 0; -EINVAL when the context is NULL; -ENOMEM
 */
VMAF_EXPORT int vmaf_report_partial(VmafContext *vmaf, const char *reason);

/**
 * Says whether all frames were scored that the program's user asked for. JSON reports of
 * vmaf_report_details() show it in the fields `complete` and `incomplete_reason`; without this call
 * they have neither. The text is copied.
 *
 * @param reason why frames are missing: `the distorted video ended before the reference: 10 of 150
 *               frames were scored`; NULL if `complete` is not 0
 * @return 0; -EINVAL when the context is NULL, when `complete` is 0 without a reason, or when it is
 *         not 0 and there is one; -ENOMEM
 */
VMAF_EXPORT int vmaf_report_complete(VmafContext *vmaf, int complete, const char *reason);

/**
 * The name of a report format: `xml`, `json`, `csv`, `sub`. The library owns the string. NULL for
 * VMAF_OUTPUT_FORMAT_NONE and for unknown values.
 */
VMAF_EXPORT const char *vmaf_output_format_name(enum VmafOutputFormat fmt);

#ifdef __cplusplus
}
#endif

#endif
