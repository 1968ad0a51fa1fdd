/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/outfile.h"
#include "output/format.h"
#include "output/report.h"
#include "output/sheet.h"

static bool is_valid(const char *format)
{
    if (format[0] != '%' || format[1] != '.')
        return false;
    const char *digit = format + 2;
    unsigned precision = 0, digits = 0;
    for (; *digit >= '0' && *digit <= '9' && digits < 3; digits++)
        precision = precision * 10 + (unsigned)(*digit++ - '0');
    return digits && precision <= 17 && *digit && strchr("feg", *digit) && !digit[1];
}

static int write_file(const Sheet *sheet, const char *path, const OutputFormat *format)
{
    Outfile *file;
    int err = outfile_open(&file, path, OUTFILE_REPLACE);
    if (err) {
        log_error("could not open file: %s: %s", path, strerror(-err));
        return err == -ENOMEM ? err : -EINVAL;
    }
    format->write(outfile_stream(file), sheet);
    err = outfile_commit(file);
    if (err) {
        log_error("could not write file: %s: %s", path, strerror(-err));
        return -EIO;
    }
    return 0;
}

int report_write(const Report *report, const char *path, enum VmafOutputFormat id)
{
    const OutputFormat *const format = output_format_find(id);
    if (!report || !path || !format) {
        log_error("no such output format");
        return -EINVAL;
    }
    if (report->score_format && !is_valid(report->score_format)) {
        log_error("bad score format \"%s\"; it should look like %%.6f (f, e or g, 0 to 17 digits)",
                  report->score_format);
        return -EINVAL;
    }
    Sheet sheet;
    int err = sheet_create(&sheet, report);
    if (!err)
        err = write_file(&sheet, path, format);
    sheet_destroy(&sheet);
    return err;
}
