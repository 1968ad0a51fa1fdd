/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The public functions of libvmaf/libvmaf.h, metadata.h, report.h and feature.h: they check their
 * arguments and call inward. */
#include "libvmaf/libvmaf.h"

#include <errno.h>
#include <string.h>

#include "engine/context_struct.h"
#include "base/dict.h"
#include "base/log.h"
#include "engine/picture.h"
#include "gpu/environment.h"
#include "libvmaf/metadata.h"
#include "libvmaf/report.h"
#include "model/model.h"
#include "output/sheet.h"
#include "model/pooling.h"

const char *vmaf_version(void)
{
    return VMAF_VERSION_STRING;
}

int vmaf_init(VmafContext **vmaf, VmafConfiguration cfg)
{
    if (!vmaf)
        return -EINVAL;
    const bool heard = cfg.log_level >= VMAF_LOG_LEVEL_ERROR || !environment_asks();
    log_set_level(heard ? cfg.log_level : VMAF_LOG_LEVEL_ERROR);
    VmafContext *ctx;
    int err = context_create(&ctx, &cfg);
    if (err)
        return err;
    err = environment_use(ctx);
    if (err)
        context_destroy(ctx);
    else
        *vmaf = ctx;
    return err;
}

/* Refuses calls that would wait for the frame that the handler is called for. */
static bool refused_in_handler(const VmafContext *vmaf, const char *function)
{
    if (!context_in_handler(vmaf))
        return false;
    log_error("%s() was called by a metadata handler of the same context: it would never return",
              function);
    return true;
}

int vmaf_share_threads(VmafContext *vmaf, VmafContext *other)
{
    if (!vmaf || !other || vmaf->flushed)
        return -EINVAL;
    return vmaf == other ? 0 : context_share_threads(vmaf, other);
}

int vmaf_close(VmafContext *vmaf)
{
    if (!vmaf || refused_in_handler(vmaf, "vmaf_close"))
        return -EINVAL;
    context_destroy(vmaf);
    return 0;
}

int vmaf_use_feature(VmafContext *vmaf, const char *feature_name, VmafFeatureDictionary *opts_dict)
{
    if (!vmaf || !feature_name)
        return -EINVAL;
    return context_use_feature(vmaf, feature_name, opts_dict);
}

int vmaf_use_features_from_model(VmafContext *vmaf, VmafModel *model)
{
    if (!vmaf || !model)
        return -EINVAL;
    const int err = model_use(model, vmaf);
    return err ? err : notes_add_model(&vmaf->notes, model->name, model->source, 0);
}

int vmaf_use_features_from_model_collection(VmafContext *vmaf,
                                            VmafModelCollection *model_collection)
{
    if (!vmaf || !model_collection)
        return -EINVAL;
    int err = 0;
    for (unsigned i = 0; i < model_collection->count && !err; i++)
        err = model_use(model_collection->members[i], vmaf);
    if (!err)
        err = model_collection_claim_names(model_collection, vmaf->scores);
    if (err || !model_collection->count)
        return err;
    return notes_add_model(&vmaf->notes, model_collection->name,
                           model_collection->members[0]->source, model_collection->count);
}

int vmaf_import_feature_score(VmafContext *vmaf, const char *feature_name, double value,
                              unsigned index)
{
    if (!vmaf || !feature_name || !context_enter(vmaf))
        return -EINVAL;
    const int err = context_import_score(vmaf, feature_name, index, value);
    context_leave(vmaf);
    return err;
}

int vmaf_set_input_colorimetry(VmafContext *vmaf, const VmafColor *ref, const VmafColor *dist)
{
    return vmaf ? conversion_set_source(&vmaf->conversion, ref, dist) : -EINVAL;
}

int vmaf_read_pictures(VmafContext *vmaf, VmafPicture *ref, VmafPicture *dist, unsigned index)
{
    if (!vmaf || vmaf->flushed || !ref != !dist || refused_in_handler(vmaf, "vmaf_read_pictures"))
        return -EINVAL;
    return ref ? context_read(vmaf, ref, dist, index) : context_flush(vmaf);
}

int vmaf_preallocate_pictures(VmafContext *vmaf, VmafPictureConfiguration cfg)
{
    FrameShape shape;
    if (!vmaf || !cfg.pic_cnt ||
        shape_init(&shape, cfg.pic_params.pix_fmt, cfg.pic_params.bpc, cfg.pic_params.w,
                   cfg.pic_params.h))
        return -EINVAL;
    return context_preallocate(vmaf, &shape, cfg.pic_cnt);
}

int vmaf_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic)
{
    return vmaf && pic ? context_fetch_pooled(vmaf, pic) : -EINVAL;
}

int vmaf_feature_score_at_index(VmafContext *vmaf, const char *feature_name, double *score,
                                unsigned index)
{
    if (!vmaf || !feature_name || !score || !context_enter(vmaf))
        return -EINVAL;
    context_settle(vmaf);
    const int err =
        scores_get(vmaf->scores, scores_resolve(vmaf->scores, feature_name), index, score);
    context_leave(vmaf);
    return err;
}

int vmaf_score_at_index(VmafContext *vmaf, VmafModel *model, double *score, unsigned index)
{
    if (!vmaf || !model || !score || !context_enter(vmaf))
        return -EINVAL;
    context_settle(vmaf);
    const int err = model_predict(model, vmaf->scores, index, false, score);
    context_leave(vmaf);
    return err;
}

int vmaf_score_at_index_model_collection(VmafContext *vmaf, VmafModelCollection *model_collection,
                                         VmafModelCollectionScore *score, unsigned index)
{
    if (!vmaf || !model_collection || !score || !context_enter(vmaf))
        return -EINVAL;
    context_settle(vmaf);
    const int err = model_collection_predict(model_collection, vmaf->scores, index, score);
    context_leave(vmaf);
    return err;
}

int vmaf_feature_score_pooled(VmafContext *vmaf, const char *feature_name,
                              enum VmafPoolingMethod pool_method, double *score, unsigned index_low,
                              unsigned index_high)
{
    if (!vmaf || !feature_name || !score || !context_enter(vmaf))
        return -EINVAL;
    context_settle(vmaf);
    const int err = score_pool(vmaf->scores, scores_resolve(vmaf->scores, feature_name),
                               pool_method, index_low, index_high, vmaf->cfg.n_subsample, score);
    context_leave(vmaf);
    return err;
}

int vmaf_score_pooled(VmafContext *vmaf, VmafModel *model, enum VmafPoolingMethod pool_method,
                      double *score, unsigned index_low, unsigned index_high)
{
    if (!vmaf || !model || !score || !context_enter(vmaf))
        return -EINVAL;
    context_settle(vmaf);
    const int err = model_pool(model, vmaf->scores, pool_method, index_low, index_high,
                               vmaf->cfg.n_subsample, score);
    context_leave(vmaf);
    return err;
}

int vmaf_score_pooled_model_collection(VmafContext *vmaf, VmafModelCollection *model_collection,
                                       enum VmafPoolingMethod pool_method,
                                       VmafModelCollectionScore *score, unsigned index_low,
                                       unsigned index_high)
{
    if (!vmaf || !model_collection || !score || !context_enter(vmaf))
        return -EINVAL;
    context_settle(vmaf);
    const int err = model_collection_pool(model_collection, vmaf->scores, pool_method, index_low,
                                          index_high, vmaf->cfg.n_subsample, score);
    context_leave(vmaf);
    return err;
}

int vmaf_write_output(VmafContext *vmaf, const char *output_path, enum VmafOutputFormat fmt)
{
    return vmaf_write_output_with_format(vmaf, output_path, fmt, NULL);
}

int vmaf_write_output_with_format(VmafContext *vmaf, const char *output_path,
                                  enum VmafOutputFormat fmt, const char *score_format)
{
    if (!vmaf || !output_path || !context_enter(vmaf))
        return -EINVAL;
    const int err = report_write_context(vmaf, output_path, fmt, score_format);
    context_leave(vmaf);
    return err;
}

int vmaf_report_input(VmafContext *vmaf, int is_ref, const VmafReportInput *input)
{
    if (!vmaf || !input || input->size < NOTES_INPUT_SIZE_MIN || !input->path)
        return -EINVAL;
    return notes_set_input(&vmaf->notes, is_ref, input);
}

int vmaf_report_option(VmafContext *vmaf, const char *name, const char *value)
{
    return vmaf && name ? notes_add_option(&vmaf->notes, name, value) : -EINVAL;
}

int vmaf_report_model(VmafContext *vmaf, const char *metric, const char *note)
{
    return vmaf && metric && note ? notes_set_model_note(&vmaf->notes, metric, note) : -EINVAL;
}

static bool is_code(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    static const char others[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    return *text && strchr(letters, *text) && !text[strspn(text, others)];
}

int vmaf_report_warning(VmafContext *vmaf, const char *code, enum VmafReportSide side,
                        const char *text)
{
    if (!vmaf || !code || !text || !is_code(code) || (unsigned)side > VMAF_REPORT_DISTORTED)
        return -EINVAL;
    return notes_add_warning(&vmaf->notes, code, side, text);
}

int vmaf_report_frame(VmafContext *vmaf, unsigned index, const VmafReportFrame *frame)
{
    if (!vmaf || !frame || frame->size < NOTES_FRAME_SIZE_MIN)
        return -EINVAL;
    return notes_set_frame(&vmaf->notes, index, frame);
}

int vmaf_report_places(VmafContext *vmaf)
{
    if (!vmaf)
        return -EINVAL;
    vmaf->notes.places = true;
    return 0;
}

int vmaf_report_details(VmafContext *vmaf)
{
    if (!vmaf)
        return -EINVAL;
    vmaf->notes.details = true;
    return 0;
}

int vmaf_statistics(const double *scores, size_t count, VmafStatistics *statistics)
{
    if (!scores || !count || !statistics || statistics->size < sizeof(*statistics))
        return -EINVAL;
    return statistics_take(scores, count, statistics);
}

int vmaf_report_partial(VmafContext *vmaf, const char *reason)
{
    return vmaf ? notes_set_partial(&vmaf->notes, reason) : -EINVAL;
}

int vmaf_report_complete(VmafContext *vmaf, int complete, const char *reason)
{
    return vmaf && !complete == !!reason ? notes_set_complete(&vmaf->notes, reason) : -EINVAL;
}

const char *vmaf_output_format_name(enum VmafOutputFormat fmt)
{
    const OutputFormat *const format = output_format_find(fmt);
    return format ? format->name : NULL;
}

int vmaf_register_metadata_handler(VmafContext *vmaf, VmafMetadataConfiguration cfg)
{
    if (!vmaf || !cfg.feature_name || !cfg.callback)
        return -EINVAL;
    return metadata_add_handler(vmaf->metadata, &cfg);
}

int vmaf_feature_dictionary_set(VmafFeatureDictionary **dict, const char *key, const char *val)
{
    return dict && key && val ? dict_set(dict, key, val) : -EINVAL;
}

int vmaf_feature_dictionary_free(VmafFeatureDictionary **dict)
{
    if (!dict)
        return -EINVAL;
    dict_destroy(*dict);
    *dict = NULL;
    return 0;
}
