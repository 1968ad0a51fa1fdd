/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Imports a score under each name that standard input holds, each ended by a 0 byte: score n for
 * the name that comes as number n. Writes out.xml, out.json and out.csv, and for each name a line:
 * 0, or the error. */
#include <stdio.h>

#include <libvmaf/libvmaf.h>

int main(void)
{
    VmafContext *vmaf;
    char name[4096];
    size_t length = 0;
    unsigned number = 0;
    if (vmaf_init(&vmaf, (VmafConfiguration){ .log_level = VMAF_LOG_LEVEL_NONE }))
        return 1;
    for (int c; (c = getchar()) != EOF && length < sizeof(name);) {
        name[length++] = (char)c;
        if (c)
            continue;
        printf("%d\n", vmaf_import_feature_score(vmaf, name, number++, 0));
        length = 0;
    }
    const int err = vmaf_write_output(vmaf, "out.xml", VMAF_OUTPUT_FORMAT_XML) ||
                    vmaf_write_output(vmaf, "out.json", VMAF_OUTPUT_FORMAT_JSON) ||
                    vmaf_write_output(vmaf, "out.csv", VMAF_OUTPUT_FORMAT_CSV);
    vmaf_close(vmaf);
    return err;
}
