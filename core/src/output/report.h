/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Report files in several formats (output/sheet.h). The bytes equal the reference's except for
 * version and fps; docs/usage.md lists the errors of the reference that we correct. */
#ifndef OUTPUT_REPORT_H
#define OUTPUT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/dict.h"
#include "engine/scores.h"
#include "libvmaf/libvmaf.h"
#include "engine/context.h"
#include "engine/notes.h"

/* The device on which a registered feature was measured. */
typedef struct ReportFeature {
    const char *extractor;
    const char *backend;         /* "cpu", "vulkan", …; NULL means "cpu" */
    const char *instruction_set; /* instruction set of the CPU's vector code; NULL: not known */
    const Dict *options;         /* as given by the caller; NULL: all defaults */

    /* For a device: the proof that the feature ran there. */
    const char *device;     /* the driver's name for it; NULL: the CPU */
    const char *type;       /* VmafFeatureInfo.device_type; NULL: not known */
    const char *uuid, *pci; /* NULL: not known */
    int index;              /* in the backend's list; -1: not known */
    unsigned passes;        /* kernels that a frame takes */
    uint64_t frames;        /* measured there */
    uint64_t launches;      /* kernels started: frames * passes */
    uint64_t frames_on_cpu; /* frames measured again on the CPU to settle a last bit */
    double device_us;       /* time of its kernels in a frame, by the device's clock; 0: no clock */
} ReportFeature;

typedef struct Report {
    ScoreStore *scores;
    const char *version;
    unsigned width, height;
    double fps;               /* pairs per second of wall time */
    double elapsed;           /* seconds, from the first pair to the last */
    unsigned threads;         /* workers of the context; 0: the caller did the work */
    unsigned subsample;       /* every Nth frame; 0 and 1: every frame */
    unsigned frames;          /* pairs read: pooled figures cover 0 … frames - 1 */
    const char *score_format; /* `%.N` and f, e or g, N from 0 to 17; NULL: the reference's rule */
    /* In registration order. XML and JSON list them when one ran on a device, or when the notes ask
     * for it; without the list, every feature ran on the CPU. CSV and SUB cannot show it. */
    ReportFeature *features;
    size_t feature_count;
    /* Videos, models and settings; NULL: none. The reference's formats do not show them. */
    const Notes *notes;
} Report;

/* Writes the report to `path`, replacing the old file as a whole (base/outfile.h). -EINVAL for
 * NULL, an unknown output format or a bad score format (the file is then untouched), and when the
 * file cannot be opened; -EIO when it cannot be written completely; -ENOMEM. Errors are logged. */
int report_write(const Report *report, const char *path, enum VmafOutputFormat id);

/* Fills a report from a context, after waiting for frames under way (unless called inside a
 * handler). The caller frees report->features. -ENOMEM. */
int report_fill(Report *report, VmafContext *ctx);
/* Fills and writes a report. `score_format` NULL: the reference's rule. */
int report_write_context(VmafContext *ctx, const char *path, enum VmafOutputFormat id,
                         const char *score_format);

#endif
