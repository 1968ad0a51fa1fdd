/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/notes.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"

/* Copies two texts, the second of which may be NULL. */
static int copy_texts(char **first, char **second, const char *from_first, const char *from_second)
{
    *first = mem_strdup(from_first);
    *second = from_second ? mem_strdup(from_second) : NULL;
    if (*first && (*second || !from_second))
        return 0;
    mem_free(*first);
    mem_free(*second);
    return -ENOMEM;
}

static void clear_input(NotedInput *input)
{
    mem_free(input->path);
    mem_free(input->kind);
    mem_free(input->codec);
    mem_free(input->filters);
    mem_free(input->warnings);
    mem_free(input->pairing);
    *input = (NotedInput){ 0 };
}

static bool copy_text(char **to, const char *from)
{
    *to = from ? mem_strdup(from) : NULL;
    return *to || !from;
}

static bool copy_more_texts(NotedInput *to, const VmafReportInput *from)
{
    return copy_text(&to->codec, from->codec) && copy_text(&to->filters, from->filters) &&
           copy_text(&to->warnings, from->warnings) && copy_text(&to->pairing, from->pairing);
}

int notes_set_input(Notes *notes, bool is_ref, const VmafReportInput *input)
{
    NotedInput *const noted = is_ref ? &notes->ref : &notes->dist;
    const bool has_more = input->size >= NOTES_INPUT_SIZE_2;
    NotedInput fresh = {
        .width = input->w,
        .height = input->h,
        .bitdepth = input->bpc,
        .pix_fmt = input->pix_fmt,
        .skipped = input->skipped,
    };
    if (has_more) {
        fresh.rate_num = input->rate_num;
        fresh.rate_den = input->rate_den;
        fresh.frames = input->frames;
    }
    if (input->size >= sizeof(*input)) {
        fresh.bytes = input->bytes;
        fresh.bit_rate = input->bit_rate;
        fresh.frames_found = input->frames_found;
        fresh.ended = input->ended;
    }
    const int err = copy_texts(&fresh.path, &fresh.kind, input->path, input->kind);
    if (err)
        return err;
    if (has_more && !copy_more_texts(&fresh, input)) {
        clear_input(&fresh);
        return -ENOMEM;
    }
    clear_input(noted);
    *noted = fresh;
    return 0;
}

int notes_add_model(Notes *notes, const char *name, const char *source, unsigned members)
{
    for (size_t i = 0; i < notes->model_count; i++) {
        const NotedModel *const there = &notes->models[i];
        if (!strcmp(there->name, name) && !strcmp(there->source, source) &&
            there->members == members)
            return 0;
    }
    int err = mem_grow(&notes->models, notes->model_count, &notes->model_capacity,
                       sizeof(*notes->models));
    if (err)
        return err;
    NotedModel *const noted = &notes->models[notes->model_count];
    err = copy_texts(&noted->name, &noted->source, name, source);
    if (err)
        return err;
    noted->members = members;
    noted->note = NULL;
    notes->model_count++;
    return 0;
}

int notes_add_option(Notes *notes, const char *name, const char *value)
{
    int err = mem_grow(&notes->options, notes->option_count, &notes->option_capacity,
                       sizeof(*notes->options));
    if (err)
        return err;
    NotedOption *const noted = &notes->options[notes->option_count];
    err = copy_texts(&noted->name, &noted->value, name, value);
    if (err)
        return err;
    notes->option_count++;
    return 0;
}

int notes_add_warning(Notes *notes, const char *code, enum VmafReportSide side, const char *text)
{
    for (size_t i = 0; i < notes->warning_count; i++) {
        const NotedWarning *const there = &notes->warnings[i];
        if (there->side == side && !strcmp(there->code, code) && !strcmp(there->text, text))
            return 0;
    }
    int err = mem_grow(&notes->warnings, notes->warning_count, &notes->warning_capacity,
                       sizeof(*notes->warnings));
    if (err)
        return err;
    NotedWarning *const noted = &notes->warnings[notes->warning_count];
    err = copy_texts(&noted->code, &noted->text, code, text);
    if (err)
        return err;
    noted->side = side;
    notes->warning_count++;
    return 0;
}

int notes_set_frame(Notes *notes, unsigned index, const VmafReportFrame *frame)
{
    const int err =
        mem_grow_to(&notes->frames, index, &notes->frame_capacity, sizeof(*notes->frames));
    if (!err)
        notes->frames[index] = (NotedFrame){ true, frame->time, frame->ref, frame->dist,
                                             frame->size > NOTES_FRAME_SIZE_MIN && frame->shot };
    return err;
}

static int replace_text(char **text, const char *from)
{
    char *const copy = from ? mem_strdup(from) : NULL;
    if (from && !copy)
        return -ENOMEM;
    mem_free(*text);
    *text = copy;
    return 0;
}

int notes_set_model_note(Notes *notes, const char *name, const char *note)
{
    int err = -ENOENT;
    for (size_t i = 0; i < notes->model_count; i++) {
        if (strcmp(notes->models[i].name, name) != 0)
            continue;
        err = replace_text(&notes->models[i].note, note);
        if (err)
            return err;
    }
    return err;
}

int notes_set_partial(Notes *notes, const char *reason)
{
    return replace_text(&notes->partial, reason);
}

int notes_set_complete(Notes *notes, const char *reason)
{
    const int err = replace_text(&notes->incomplete, reason);
    notes->complete_known |= !err;
    return err;
}

void notes_clear(Notes *notes)
{
    clear_input(&notes->ref);
    clear_input(&notes->dist);
    for (size_t i = 0; i < notes->model_count; i++) {
        mem_free(notes->models[i].name);
        mem_free(notes->models[i].source);
        mem_free(notes->models[i].note);
    }
    for (size_t i = 0; i < notes->option_count; i++) {
        mem_free(notes->options[i].name);
        mem_free(notes->options[i].value);
    }
    for (size_t i = 0; i < notes->warning_count; i++) {
        mem_free(notes->warnings[i].code);
        mem_free(notes->warnings[i].text);
    }
    mem_free(notes->frames);
    mem_free(notes->warnings);
    mem_free(notes->models);
    mem_free(notes->options);
    mem_free(notes->partial);
    mem_free(notes->incomplete);
    *notes = (Notes){ 0 };
}
