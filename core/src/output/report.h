/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Report files: what was scored, in one of several formats (output/sheet.h). The bytes are those of
 * the reference except for version and fps; docs/usage.md says where we mend its slips. */
#ifndef OUTPUT_REPORT_H
#define OUTPUT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/dict.h"
#include "engine/scores.h"
#include "libvmaf/libvmaf.h"
#include "engine/context.h"
#include "engine/notes.h"

/* Where one registered feature was measured. */
typedef struct ReportFeature {
    const char *extractor;
    const char *backend;         /* "cpu", "vulkan", …; NULL means "cpu" */
    const char *instruction_set; /* of the CPU's vector code; NULL: not told */
    const Dict *options;         /* as given; NULL: all defaults */

    /* On a device: the proof that it ran there. */
    const char *device;     /* as its driver names it; NULL: it ran on the CPU */
    unsigned passes;        /* kernels that a frame takes */
    uint64_t frames;        /* measured there */
    uint64_t launches;      /* of kernels: frames * passes */
    uint64_t frames_on_cpu; /* of these, measured once more on the CPU to settle a last bit */
    double device_us;       /* of kernels in a frame, by the device's clock; 0: it has none */
} ReportFeature;

typedef struct Report {
    ScoreStore *scores;
    const char *version;
    unsigned width, height;
    double fps;               /* pairs per second of wall time */
    double elapsed;           /* seconds, from the first pair to the last */
    unsigned threads;         /* workers of the context; 0: its caller did the work */
    unsigned subsample;       /* every Nth frame; 0 and 1: every frame */
    unsigned frames;          /* pairs read: pooled figures cover 0 … frames - 1 */
    const char *score_format; /* `%.N` and f, e or g, N from 0 to 17; NULL: the reference's rule */
    /* In registration order. Listed in XML and JSON when one of them left the CPU, or the notes
     * want it so; no such list in a file means that every feature ran on the CPU. CSV and SUB have
     * no place for it. */
    ReportFeature *features;
    size_t feature_count;
    /* Videos, models and settings; NULL: nothing is known of them. The reference's formats have no
     * place for them. */
    const Notes *notes;
} Report;

/* Writes the report to `path`, replacing what is there as a whole (base/outfile.h). -EINVAL for
 * NULL, an unknown output format or a bad score format (before the file is touched), and when the
 * file cannot be opened; -EIO when it cannot be written to its end; -ENOMEM. Logged. */
int report_write(const Report *report, const char *path, enum VmafOutputFormat id);

/* Fills a report from a context, after waiting for frames under way (unless called inside a
 * handler). The caller frees report->features. -ENOMEM. */
int report_fill(Report *report, VmafContext *ctx);
/* Fills and writes a report. `score_format` NULL: the reference's rule. */
int report_write_context(VmafContext *ctx, const char *path, enum VmafOutputFormat id,
                         const char *score_format);

#endif
