/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "output/format.h"

void sheet_write_sub(FILE *file, const Sheet *sheet)
{
    for (size_t i = sheet_next_frame(sheet, 0); i < sheet->end;
         i = sheet_next_frame(sheet, i + 1)) {
        fprintf(file, "{%zu}{%zu}frame: %zu|", i, i + 1, i);
        for (size_t c = 0; c < sheet->column_count; c++) {
            if (!sheet_has(&sheet->columns[c], i))
                continue;
            put_sub_text(file, sheet->columns[c].name);
            fputs(": ", file);
            sheet_put_number(file, sheet, sheet->columns[c].scores.values[i]);
            fputc('|', file);
        }
        fputc('\n', file);
    }
    if (sheet_partial(sheet)) {
        const unsigned next = sheet->report->frames;
        fprintf(file, "{%u}{%u}partial: ", next, next + 1);
        put_sub_text(file, sheet_partial(sheet));
        fputs("|\n", file);
    }
}
