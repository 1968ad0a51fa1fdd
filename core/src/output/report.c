/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
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
    FILE *const file = fopen(path, "wb");
    if (!file) {
        log_error("could not open file: %s: %s", path, strerror(errno));
        return -EINVAL;
    }
    errno = 0;
    format->write(file, sheet);
    /* A full disk may show only now. Note the first reason: closing can bring a second one. */
    const bool lost = fflush(file) || ferror(file);
    const int reason = errno;
    if (fclose(file) || lost) {
        log_error("could not write file: %s: %s", path, strerror(lost && reason ? reason : errno));
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
