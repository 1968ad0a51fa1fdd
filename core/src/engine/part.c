/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/part.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/context_struct.h"

/* All results of a frame in one block. A byte before each result tells whether it exists. */
typedef struct Row {
    unsigned index;
    uint8_t *results;
} Row;

/* The device on which other contexts measured a feature, set by vmaf_part_place. */
typedef struct MeasuredOn {
    bool told;
    char *backend, *device, *instruction_set, *type, *uuid, *pci;
    VmafFeatureInfo info;
} MeasuredOn;

struct Part {
    /* recording */
    bool records;
    unsigned first;
    Row *rows;
    size_t row_count, row_capacity;
    size_t row_size;
    bool begun;        /* with its own pairs */
    unsigned next;     /* the index of the pair that must come next, once one was read */
    GpuTally *earlier; /* tally of each feature for the pairs before `first` */

    char **kinds; /* for each feature that part_kinds was called for */
    size_t kinds_count;

    /* replaying */
    void **results; /* one for each feature, filled by part_replay */
    size_t result_count;
    MeasuredOn *places;
    size_t place_count;
    bool has_speed;
    unsigned threads;
    double seconds;
};

static int make(VmafContext *ctx)
{
    if (!ctx->part)
        ctx->part = mem_zalloc(sizeof(*ctx->part));
    return ctx->part ? 0 : -ENOMEM;
}

static void clear_measured_on(MeasuredOn *place)
{
    mem_free(place->backend);
    mem_free(place->device);
    mem_free(place->instruction_set);
    mem_free(place->type);
    mem_free(place->uuid);
    mem_free(place->pci);
    *place = (MeasuredOn){ 0 };
}

void part_destroy(Part *part)
{
    if (!part)
        return;
    for (size_t i = 0; i < part->row_count; i++)
        mem_free(part->rows[i].results);
    for (size_t i = 0; i < part->kinds_count; i++)
        mem_free(part->kinds[i]);
    for (size_t i = 0; i < part->result_count; i++)
        mem_aligned_free(part->results[i]);
    for (size_t i = 0; i < part->place_count; i++)
        clear_measured_on(&part->places[i]);
    mem_free(part->rows);
    mem_free(part->earlier);
    mem_free(part->kinds);
    mem_free(part->results);
    mem_free(part->places);
    mem_free(part);
}

/* ---- converting results to numbers and back ---- */

static size_t type_size(enum FieldType type)
{
    return type == FIELD_BOOL ? sizeof(bool) : type == FIELD_FLOAT ? sizeof(float) : 8;
}

static bool is_real(enum FieldType type)
{
    return type == FIELD_DOUBLE || type == FIELD_FLOAT;
}

static size_t value_count(const FeatureDef *def)
{
    size_t count = 0;
    for (const ResultField *field = def->fields; field && field->size; field++)
        count += field->size / type_size(field->type);
    return count;
}

/* Converting a float to double and back loses nothing, not even the sign of a NaN. */
static VmafPartValue load(enum FieldType type, const uint8_t *at)
{
    VmafPartValue value = { 0 };
    float single;
    bool flag;
    switch (type) {
    case FIELD_FLOAT:
        memcpy(&single, at, sizeof(single));
        value.real = (double)single;
        break;
    case FIELD_BOOL:
        memcpy(&flag, at, sizeof(flag));
        value.integer = flag;
        break;
    default:
        memcpy(&value, at, 8);
    }
    return value;
}

static void store(enum FieldType type, uint8_t *at, VmafPartValue value)
{
    const float single = type == FIELD_FLOAT ? (float)value.real : 0.0f;
    const bool flag = value.integer != 0;
    if (type == FIELD_FLOAT)
        memcpy(at, &single, sizeof(single));
    else if (type == FIELD_BOOL)
        memcpy(at, &flag, sizeof(flag));
    else
        memcpy(at, &value, 8);
}

static void unpack(const FeatureDef *def, const uint8_t *result, VmafPartValue *values)
{
    for (const ResultField *field = def->fields; field && field->size; field++) {
        const size_t size = type_size(field->type);
        for (size_t at = 0; at < field->size; at += size)
            *values++ = load(field->type, result + field->offset + at);
    }
}

static void pack(const FeatureDef *def, uint8_t *result, const VmafPartValue *values)
{
    for (const ResultField *field = def->fields; field && field->size; field++) {
        const size_t size = type_size(field->type);
        for (size_t at = 0; at < field->size; at += size)
            store(field->type, result + field->offset + at, *values++);
    }
}

static const FeatureDef *def_of(const VmafContext *ctx, unsigned feature)
{
    return scheduler_feature(ctx->scheduler, feature)->def;
}

int part_kinds(VmafContext *ctx, unsigned feature, const char **kinds)
{
    if (feature >= scheduler_feature_count(ctx->scheduler))
        return -ENOENT;
    if (make(ctx) ||
        mem_grow_to(&ctx->part->kinds, feature, &ctx->part->kinds_count, sizeof(*ctx->part->kinds)))
        return -ENOMEM;
    char **const own = &ctx->part->kinds[feature];
    const FeatureDef *const def = def_of(ctx, feature);
    if (!*own) {
        *own = mem_zalloc(value_count(def) + 1);
        if (!*own)
            return -ENOMEM;
        char *at = *own;
        for (const ResultField *field = def->fields; field && field->size; field++)
            for (size_t i = 0; i < field->size / type_size(field->type); i++)
                *at++ = is_real(field->type) ? 'r' : 'i';
    }
    *kinds = *own;
    return 0;
}

/* ---- recording ---- */

unsigned part_reach(const VmafContext *ctx)
{
    unsigned reach = 0;
    for (unsigned i = 0; i < scheduler_feature_count(ctx->scheduler); i++)
        if (def_of(ctx, i)->reach > reach)
            reach = def_of(ctx, i)->reach;
    return reach;
}

/* The position of a feature's byte and result in a row. Features keep their numbers. */
static size_t row_offset(const VmafContext *ctx, unsigned feature)
{
    size_t offset = 0;
    for (unsigned i = 0; i < feature; i++)
        offset += 1 + def_of(ctx, i)->result_size;
    return offset;
}

static int keep(void *arg, const FrameId *id, const Measured *measured, unsigned count,
                const Feature **failed)
{
    const VmafContext *const ctx = arg;
    Part *const part = ctx->part;
    for (unsigned i = 0; i < count; i++) {
        *failed = measured[i].feature;
        if (measured[i].err)
            return measured[i].err;
    }
    if (id->index < part->first || !count)
        return 0;
    if (mem_grow(&part->rows, part->row_count, &part->row_capacity, sizeof(*part->rows)))
        return -ENOMEM;
    uint8_t *const results = mem_zalloc(part->row_size);
    if (!results)
        return -ENOMEM;
    for (unsigned i = 0; i < count; i++) {
        uint8_t *const at = results + row_offset(ctx, measured[i].feature->order);
        *at = 1;
        memcpy(at + 1, measured[i].result, measured[i].feature->def->result_size);
    }
    part->rows[part->row_count++] = (Row){ id->index, results };
    return 0;
}

int part_record(VmafContext *ctx, unsigned first)
{
    const unsigned count = scheduler_feature_count(ctx->scheduler);
    if (ctx->pairs || ctx->flushed || scheduler_has_begun(ctx->scheduler)) {
        log_error("vmaf_part_record() must be called before the first pair");
        return -EINVAL;
    }
    if (make(ctx))
        return -ENOMEM;
    Part *const part = ctx->part;
    mem_free(part->earlier);
    part->earlier = mem_array(count + 1, sizeof(*part->earlier));
    if (!part->earlier)
        return -ENOMEM;
    part->records = true;
    part->first = first;
    part->row_size = row_offset(ctx, count) + 1;
    scheduler_keep(ctx->scheduler, keep, ctx);
    return 0;
}

bool part_has_fixed_features(const Part *part)
{
    return part && (part->records || part->results);
}

int part_check_read(const VmafContext *ctx, unsigned index)
{
    const Part *const part = ctx->part;
    if (part && part->results) {
        log_error("pair %u cannot be read: the context replays parts, so use a new context for "
                  "pictures",
                  index);
        return -EINVAL;
    }
    if (!part || !part->records || !ctx->pairs || index == part->next)
        return 0;
    log_error("pair %u cannot be read: vmaf_part_record() was called, so pairs must come in their "
              "order, and the next one is %u",
              index, part->next);
    return -EINVAL;
}

void part_note_read(VmafContext *ctx, unsigned index)
{
    Part *const part = ctx->part;
    if (!part || !part->records)
        return;
    part->next = index + 1;
    if (part->begun || index < part->first)
        return;
    part->begun = true;
    if (!ctx->pairs)
        return;
    scheduler_wait(ctx->scheduler);
    for (unsigned i = 0; i < scheduler_feature_count(ctx->scheduler); i++) {
        FeatureDevice device;
        scheduler_device(ctx->scheduler, i, &device);
        part->earlier[i] = device.tally;
    }
}

/* Pairs come in order. */
static const Row *find_row(const Part *part, unsigned index)
{
    size_t low = 0, high = part->row_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (part->rows[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low < part->row_count && part->rows[low].index == index ? &part->rows[low] : NULL;
}

int part_values(const VmafContext *ctx, unsigned feature, unsigned index, VmafPartValue *values)
{
    if (!ctx->part || !ctx->part->records || !ctx->flushed)
        return -EINVAL;
    const Row *const row = find_row(ctx->part, index);
    if (!row || feature >= scheduler_feature_count(ctx->scheduler))
        return -ENOENT;
    const uint8_t *const at = row->results + row_offset(ctx, feature);
    if (!*at)
        return -ENOENT;
    unpack(def_of(ctx, feature), at + 1, values);
    return 0;
}

/* ---- replaying ---- */

static int make_results(VmafContext *ctx)
{
    Part *const part = ctx->part;
    const unsigned count = scheduler_feature_count(ctx->scheduler);
    if (part->results)
        return 0;
    part->results = mem_array(count + 1, sizeof(*part->results));
    if (!part->results)
        return -ENOMEM;
    for (; part->result_count < count; part->result_count++) {
        const size_t size = def_of(ctx, (unsigned)part->result_count)->result_size;
        void *const result = mem_aligned_alloc(size + 1);
        if (!result)
            return -ENOMEM;
        memset(result, 0, size + 1);
        part->results[part->result_count] = result;
    }
    return 0;
}

static int prepare_replay(VmafContext *ctx, const FrameShape *shape, unsigned index)
{
    if (ctx->flushed || index != ctx->pairs || (ctx->part && ctx->part->records) ||
        (ctx->pairs && !(ctx->part && ctx->part->results)) ||
        (ctx->has_shape && memcmp(shape, &ctx->shape, sizeof(*shape)) != 0)) {
        log_error("pair %u cannot be replayed: it is not the next one, has another shape, or the "
                  "context has read pictures",
                  index);
        return -EINVAL;
    }
    int err = make(ctx);
    if (!err)
        err = make_results(ctx);
    if (err)
        return err;
    ctx->shape = *shape;
    ctx->has_shape = true;
    return scheduler_prepare(ctx->scheduler, shape);
}

int part_replay(VmafContext *ctx, const FrameShape *shape, unsigned index,
                const VmafPartValue *const *values)
{
    int err = prepare_replay(ctx, shape, index);
    if (err)
        return err;
    const Part *const part = ctx->part;
    void **const given = mem_array(part->result_count + 1, sizeof(*given));
    if (!given)
        return -ENOMEM;
    for (unsigned i = 0; i < part->result_count; i++) {
        if (!values[i])
            continue;
        pack(def_of(ctx, i), part->results[i], values[i]);
        given[i] = part->results[i];
    }
    scores_set_step(ctx->scores, ctx->pairs + 1);
    err = scheduler_replay(ctx->scheduler, &(FrameId){ ctx->pairs, index }, given);
    ctx->pairs++;
    mem_free(given);
    return err;
}

/* ---- figures for reports ---- */

static int copy_text(char **to, const char *from)
{
    *to = from ? mem_strdup(from) : NULL;
    return from && !*to ? -ENOMEM : 0;
}

int part_set_place(VmafContext *ctx, unsigned feature, const VmafFeatureInfo *info)
{
    if (feature >= scheduler_feature_count(ctx->scheduler))
        return -ENOENT;
    if (make(ctx) || mem_grow_to(&ctx->part->places, feature, &ctx->part->place_count,
                                 sizeof(*ctx->part->places)))
        return -ENOMEM;
    MeasuredOn place = { .told = true, .info = *info };
    if (copy_text(&place.backend, info->backend) || copy_text(&place.device, info->device) ||
        copy_text(&place.instruction_set, info->instruction_set) ||
        copy_text(&place.type, info->device_type) || copy_text(&place.uuid, info->device_uuid) ||
        copy_text(&place.pci, info->device_pci)) {
        clear_measured_on(&place);
        return -ENOMEM;
    }
    clear_measured_on(&ctx->part->places[feature]);
    ctx->part->places[feature] = place;
    return 0;
}

int part_set_speed(VmafContext *ctx, unsigned threads, double seconds)
{
    if (make(ctx))
        return -ENOMEM;
    ctx->part->has_speed = true;
    ctx->part->threads = threads;
    ctx->part->seconds = seconds;
    return 0;
}

void part_feature(const Part *part, unsigned feature, VmafFeatureInfo *info)
{
    if (part && part->records && part->begun) {
        const GpuTally *const earlier = &part->earlier[feature];
        info->frames -= earlier->frames;
        info->launches -= earlier->launches;
        info->frames_on_cpu -= earlier->frames_again;
    }
    if (!part || feature >= part->place_count || !part->places[feature].told)
        return;
    const MeasuredOn *const place = &part->places[feature];
    info->backend = place->backend;
    info->device = place->device;
    info->instruction_set = place->instruction_set;
    info->passes = place->info.passes;
    info->frames = place->info.frames;
    info->launches = place->info.launches;
    info->frames_on_cpu = place->info.frames_on_cpu;
    info->device_us = place->info.device_us;
    info->device_type = place->type;
    info->device_uuid = place->uuid;
    info->device_pci = place->pci;
    info->device_index = place->info.device_index;
}

void part_speed(const Part *part, ContextSpeed *speed)
{
    if (!part || !part->has_speed)
        return;
    speed->threads = part->threads;
    speed->seconds = part->seconds;
}
