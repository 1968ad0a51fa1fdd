/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "output/format.h"

/* Every line ends with a comma, as in the reference. */
void sheet_write_csv(FILE *file, const Sheet *sheet)
{
    fputs("Frame,", file);
    for (size_t c = 0; c < sheet->column_count; c++) {
        put_csv_text(file, sheet->columns[c].name);
        fputc(',', file);
    }
    fputc('\n', file);
    for (size_t i = sheet_next_frame(sheet, 0); i < sheet->end;
         i = sheet_next_frame(sheet, i + 1)) {
        fprintf(file, "%zu,", i);
        for (size_t c = 0; c < sheet->column_count; c++) {
            if (sheet_has(&sheet->columns[c], i))
                sheet_put_number(file, sheet, sheet->columns[c].scores.values[i]);
            fputc(',', file);
        }
        fputc('\n', file);
    }
    if (sheet_partial(sheet)) {
        fputs("# partial: ", file);
        put_csv_text(file, sheet_partial(sheet));
        fputs(",\n", file);
    }
}
