/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "output/format.h"

static const OutputFormat formats[] = {
    { VMAF_OUTPUT_FORMAT_XML, "xml", sheet_write_xml },
    { VMAF_OUTPUT_FORMAT_JSON, "json", sheet_write_json },
    { VMAF_OUTPUT_FORMAT_CSV, "csv", sheet_write_csv },
    { VMAF_OUTPUT_FORMAT_SUB, "sub", sheet_write_sub },
};

const OutputFormat *output_format_find(enum VmafOutputFormat id)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
        if (formats[i].id == id)
            return &formats[i];
    return NULL;
}
