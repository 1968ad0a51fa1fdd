/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/catalogue.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/argv.h"
#include "common/memfile.h"
#include "common/message.h"
#include "report/save.h"
#include "report/text.h"

/* ---- links ---- */

/* The absolute path of the folder that a file is in, without links; NULL: there is none, or out of
 * memory. */
static char *folder_of(const char *path)
{
    const char *const slash = path_separator(path);
    char *folder;
    if (asprintf(&folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".") < 0)
        return NULL;
    char *const whole = realpath(folder, NULL);
    free(folder);
    return whole;
}

static void put_address(FILE *file, const char *path)
{
    for (; *path; path++) {
        const unsigned char c = (unsigned char)*path;
        if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
            strchr("/-_.~", c))
            fputc(c, file);
        else
            fprintf(file, "%%%02X", c);
    }
}

/* Writes the path of a file as an address that is relative to the folder `from`, in quotes. */
static void put_link(FILE *file, const char *from, const char *path)
{
    char *const folder = folder_of(path);
    const char *const slash = path_separator(path), *const name = slash ? slash + 1 : path;
    fputc('"', file);
    if (from && folder) {
        size_t same = 0, at = 0; /* the length of the folders that both have */
        for (; from[at] && from[at] == folder[at]; at++)
            same = folder[at] == '/' ? at + 1 : same;
        if ((!from[at] || from[at] == '/') && (!folder[at] || folder[at] == '/'))
            same = at;
        for (const char *up = from + same; *up; up++)
            if (up[0] != '/' && (up == from || up[-1] == '/'))
                fputs("../", file);
        const char *const down = folder + same + (folder[same] == '/');
        put_address(file, down);
        fputs(*down ? "/" : "", file);
        put_address(file, name);
    }
    fputc('"', file);
    free(folder);
}

/* ---- data ---- */

static void put_value(FILE *file, double value)
{
    if (isfinite(value))
        fprintf(file, ",%.7g", value);
    else if (isinf(value)) /* no error at all, which JSON has no number for */
        fputs(",\"inf\"", file);
    else
        fputs(",null", file);
}

static void put_title(FILE *file, const Title *title, const char *from)
{
    fputc('[', file);
    put_script_string(file, title->name);
    fputc(',', file);
    put_script_string(file, title->key);
    fputc(',', file);
    put_link(file, from, title->page);
    fputc(',', file);
    put_script_string(file, title->metric);
    put_value(file, title->score);
    put_value(file, title->p5);
    put_value(file, title->low);
    put_value(file, title->low_time);
    put_value(file, title->baseline);
    put_value(file, title->baseline_p5);
    put_value(file, -title_drop(title));
    fputc(',', file);
    put_script_string(file, title->codec ? title->codec : "");
    fprintf(file, ",%u,%u", title->width, title->height);
    put_value(file, title->bit_rate);
    put_value(file, title->seconds);
    fprintf(file, ",%" PRIu64 ",%d,", title->frames, title->incomplete);
    put_script_string(file, title->codes);
    fputc(']', file);
}

/* Writes the data for catalogue.js. */
static void put_data(FILE *file, const Catalogue *catalogue, double drop, const char *from)
{
    fprintf(file,
            "<script type=application/json id=data>{\"baseline\":%s,\"drop\":%.9g,\"titles\":[",
            catalogue->has_baseline ? "true" : "false", drop);
    for (size_t i = 0; i < catalogue->count; i++) {
        fputs(i ? ",\n" : "\n", file);
        put_title(file, &catalogue->titles[i], from);
    }
    fputs("]}</script>\n", file);
}

static void put_page(FILE *file, const Catalogue *catalogue, double drop, const char *from)
{
    /* The policy keeps the page from loading anything, whatever the reports contain. */
    fputs("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>\n"
          "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
          "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=color-scheme content=\"light dark\">\n",
          file);
    fprintf(file, "<title>%zu titles · VMAF</title>\n<style>", catalogue->count);
    fputs(made_catalogue_style, file);
    fputs(
        "</style></head>\n<body>\n"
        "<header><h1>Catalogue</h1><p id=about></p></header>\n"
        "<dl id=totals></dl>\n"
        "<section id=distribution><h2>Distribution <small></small></h2><div id=bars></div></section>\n"
        "<form id=tools role=search>"
        "<input type=search id=find placeholder=\"find titles, codecs, sizes, warnings\" "
        "aria-label=\"find titles\">"
        "<select id=sort aria-label=\"order of the titles\"></select>"
        "<span id=kinds></span><output id=shown></output></form>\n"
        "<div id=list role=table aria-label=titles tabindex=0></div>\n"
        "<noscript><p>This page needs JavaScript, which it brings along.</p></noscript>\n",
        file);
    put_data(file, catalogue, drop, from);
    fputs("<script>", file);
    fputs(made_catalogue_script, file);
    fputs("</script>\n</body></html>\n", file);
}

int catalogue_write(const Catalogue *catalogue, double drop, const char *path)
{
    char *const from = folder_of(strcmp(path, "-") ? path : "./page.html");
    MemFile mem = { 0 };
    int err = memfile_open(&mem);
    if (!err) {
        put_page(mem.file, catalogue, drop, from);
        err = memfile_end(&mem);
    }
    if (!err)
        err = save_file(path, mem.text, mem.size);
    memfile_close(&mem);
    free(from);
    return err;
}
