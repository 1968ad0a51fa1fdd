/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* FFmpeg's functions. The libraries are opened when the first video needs them: they load more than
 * a hundred other libraries, and a run that only reads Y4M should not wait for that. With
 * LIBAV_LINKED they are linked as usual.
 *
 * The functions keep their names, so code calls them as in any other program, once
 * libav_api_open has succeeded. To use a new function, add it to its library's list and to the
 * #defines below. */
#ifndef TOOLS_INPUT_LIBAV_API_H
#define TOOLS_INPUT_LIBAV_API_H

/* All headers of FFmpeg that the command uses: their declarations must come before the #defines. */
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/dict.h>
#include <libavutil/display.h>
#include <libavutil/hwcontext.h>
#include <libavutil/imgutils.h>
#include <libavutil/intreadwrite.h>
#include <libavutil/log.h>
#include <libavutil/mem.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

/* Opens the libraries; any thread may call it, repeatedly. Returns NULL, or a message that says
 * what is missing and how to install it: then no other function may be called. */
const char *libav_api_open(void);

#ifndef LIBAV_LINKED

/* Side data of streams is found by another function since FFmpeg 6.1. */
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102)
#define LIBAVCODEC_SIDE_DATA(X) X(av_packet_side_data_get)
#define LIBAVFORMAT_SIDE_DATA(X)
#else
#define LIBAVCODEC_SIDE_DATA(X)
#define LIBAVFORMAT_SIDE_DATA(X) X(av_stream_get_side_data)
#endif

#define LIBAVFORMAT_FUNCTIONS(X)                                                                   \
    X(av_demuxer_iterate)                                                                          \
    X(av_guess_frame_rate)                                                                         \
    X(av_guess_sample_aspect_ratio)                                                                \
    X(av_probe_input_buffer2)                                                                      \
    X(av_read_frame)                                                                               \
    X(avformat_alloc_context)                                                                      \
    X(avformat_close_input)                                                                        \
    X(avformat_find_stream_info)                                                                   \
    X(avformat_open_input)                                                                         \
    X(avformat_seek_file)                                                                          \
    X(avformat_version)                                                                            \
    X(avio_alloc_context)                                                                          \
    X(avio_context_free)                                                                           \
    LIBAVFORMAT_SIDE_DATA(X)

#define LIBAVCODEC_FUNCTIONS(X)                                                                    \
    X(av_codec_is_decoder)                                                                         \
    X(av_codec_iterate)                                                                            \
    X(av_new_packet)                                                                               \
    X(av_packet_alloc)                                                                             \
    X(av_packet_clone)                                                                             \
    X(av_packet_free)                                                                              \
    X(av_packet_unref)                                                                             \
    X(avcodec_alloc_context3)                                                                      \
    X(avcodec_default_get_buffer2)                                                                 \
    X(avcodec_default_get_format)                                                                  \
    X(avcodec_find_decoder)                                                                        \
    X(avcodec_flush_buffers)                                                                       \
    X(avcodec_free_context)                                                                        \
    X(avcodec_get_hw_config)                                                                       \
    X(avcodec_get_name)                                                                            \
    X(avcodec_open2)                                                                               \
    X(avcodec_parameters_to_context)                                                               \
    X(avcodec_receive_frame)                                                                       \
    X(avcodec_send_packet)                                                                         \
    X(avcodec_version)                                                                             \
    LIBAVCODEC_SIDE_DATA(X)

#define LIBAVUTIL_FUNCTIONS(X)                                                                     \
    X(av_buffer_ref)                                                                               \
    X(av_buffer_unref)                                                                             \
    X(av_color_primaries_name)                                                                     \
    X(av_color_space_from_name)                                                                    \
    X(av_color_space_name)                                                                         \
    X(av_color_transfer_name)                                                                      \
    X(av_dict_free)                                                                                \
    X(av_dict_get)                                                                                 \
    X(av_dict_set)                                                                                 \
    X(av_display_rotation_get)                                                                     \
    X(av_frame_alloc)                                                                              \
    X(av_frame_apply_cropping)                                                                     \
    X(av_frame_clone)                                                                              \
    X(av_frame_copy_props)                                                                         \
    X(av_frame_free)                                                                               \
    X(av_frame_get_buffer)                                                                         \
    X(av_frame_make_writable)                                                                      \
    X(av_frame_move_ref)                                                                           \
    X(av_frame_unref)                                                                              \
    X(av_free)                                                                                     \
    X(av_freep)                                                                                    \
    X(av_get_media_type_string)                                                                    \
    X(av_get_pix_fmt_name)                                                                         \
    X(av_hwdevice_ctx_create)                                                                      \
    X(av_hwdevice_find_type_by_name)                                                               \
    X(av_hwframe_ctx_alloc)                                                                        \
    X(av_hwframe_ctx_init)                                                                         \
    X(av_hwframe_get_buffer)                                                                       \
    X(av_hwframe_transfer_data)                                                                    \
    X(av_log_set_callback)                                                                         \
    X(av_malloc)                                                                                   \
    X(av_mallocz)                                                                                  \
    X(av_pix_fmt_desc_get)                                                                         \
    X(av_rescale_q)                                                                                \
    X(av_strerror)                                                                                 \
    X(av_version_info)                                                                             \
    X(avutil_version)

#define LIBSWSCALE_FUNCTIONS(X)                                                                    \
    X(sws_freeContext)                                                                             \
    X(sws_getCoefficients)                                                                         \
    X(sws_getContext)                                                                              \
    X(sws_scale)                                                                                   \
    X(sws_setColorspaceDetails)                                                                    \
    X(swscale_version)

#define LIBAV_MEMBER(name) __typeof__(name) *name;
typedef struct LibavApi {
    LIBAVFORMAT_FUNCTIONS(LIBAV_MEMBER)
    LIBAVCODEC_FUNCTIONS(LIBAV_MEMBER)
    LIBAVUTIL_FUNCTIONS(LIBAV_MEMBER)
    LIBSWSCALE_FUNCTIONS(LIBAV_MEMBER)
} LibavApi;
#undef LIBAV_MEMBER

extern LibavApi libav_api;

#define av_buffer_ref libav_api.av_buffer_ref
#define av_buffer_unref libav_api.av_buffer_unref
#define av_codec_is_decoder libav_api.av_codec_is_decoder
#define av_codec_iterate libav_api.av_codec_iterate
#define av_color_primaries_name libav_api.av_color_primaries_name
#define av_color_space_from_name libav_api.av_color_space_from_name
#define av_color_space_name libav_api.av_color_space_name
#define av_color_transfer_name libav_api.av_color_transfer_name
#define av_dict_free libav_api.av_dict_free
#define av_dict_get libav_api.av_dict_get
#define av_dict_set libav_api.av_dict_set
#define av_demuxer_iterate libav_api.av_demuxer_iterate
#define av_display_rotation_get libav_api.av_display_rotation_get
#define av_frame_alloc libav_api.av_frame_alloc
#define av_frame_apply_cropping libav_api.av_frame_apply_cropping
#define av_frame_clone libav_api.av_frame_clone
#define av_frame_copy_props libav_api.av_frame_copy_props
#define av_frame_free libav_api.av_frame_free
#define av_frame_get_buffer libav_api.av_frame_get_buffer
#define av_frame_make_writable libav_api.av_frame_make_writable
#define av_frame_move_ref libav_api.av_frame_move_ref
#define av_frame_unref libav_api.av_frame_unref
#define av_free libav_api.av_free
#define av_freep libav_api.av_freep
#define av_get_media_type_string libav_api.av_get_media_type_string
#define av_get_pix_fmt_name libav_api.av_get_pix_fmt_name
#define av_guess_frame_rate libav_api.av_guess_frame_rate
#define av_guess_sample_aspect_ratio libav_api.av_guess_sample_aspect_ratio
#define av_hwdevice_ctx_create libav_api.av_hwdevice_ctx_create
#define av_hwdevice_find_type_by_name libav_api.av_hwdevice_find_type_by_name
#define av_hwframe_ctx_alloc libav_api.av_hwframe_ctx_alloc
#define av_hwframe_ctx_init libav_api.av_hwframe_ctx_init
#define av_hwframe_get_buffer libav_api.av_hwframe_get_buffer
#define av_hwframe_transfer_data libav_api.av_hwframe_transfer_data
#define av_log_set_callback libav_api.av_log_set_callback
#define av_malloc libav_api.av_malloc
#define av_mallocz libav_api.av_mallocz
#define av_new_packet libav_api.av_new_packet
#define av_packet_alloc libav_api.av_packet_alloc
#define av_packet_clone libav_api.av_packet_clone
#define av_packet_free libav_api.av_packet_free
#define av_packet_side_data_get libav_api.av_packet_side_data_get
#define av_packet_unref libav_api.av_packet_unref
#define av_pix_fmt_desc_get libav_api.av_pix_fmt_desc_get
#define av_probe_input_buffer2 libav_api.av_probe_input_buffer2
#define av_read_frame libav_api.av_read_frame
#define av_rescale_q libav_api.av_rescale_q
#define av_stream_get_side_data libav_api.av_stream_get_side_data
#define av_strerror libav_api.av_strerror
#define av_version_info libav_api.av_version_info
#define avcodec_alloc_context3 libav_api.avcodec_alloc_context3
#define avcodec_default_get_buffer2 libav_api.avcodec_default_get_buffer2
#define avcodec_default_get_format libav_api.avcodec_default_get_format
#define avcodec_find_decoder libav_api.avcodec_find_decoder
#define avcodec_flush_buffers libav_api.avcodec_flush_buffers
#define avcodec_free_context libav_api.avcodec_free_context
#define avcodec_get_hw_config libav_api.avcodec_get_hw_config
#define avcodec_get_name libav_api.avcodec_get_name
#define avcodec_open2 libav_api.avcodec_open2
#define avcodec_parameters_to_context libav_api.avcodec_parameters_to_context
#define avcodec_receive_frame libav_api.avcodec_receive_frame
#define avcodec_send_packet libav_api.avcodec_send_packet
#define avcodec_version libav_api.avcodec_version
#define avformat_alloc_context libav_api.avformat_alloc_context
#define avformat_close_input libav_api.avformat_close_input
#define avformat_find_stream_info libav_api.avformat_find_stream_info
#define avformat_open_input libav_api.avformat_open_input
#define avformat_seek_file libav_api.avformat_seek_file
#define avformat_version libav_api.avformat_version
#define avio_alloc_context libav_api.avio_alloc_context
#define avio_context_free libav_api.avio_context_free
#define avutil_version libav_api.avutil_version
#define sws_freeContext libav_api.sws_freeContext
#define sws_getCoefficients libav_api.sws_getCoefficients
#define sws_getContext libav_api.sws_getContext
#define sws_scale libav_api.sws_scale
#define sws_setColorspaceDetails libav_api.sws_setColorspaceDetails
#define swscale_version libav_api.swscale_version

#endif /* LIBAV_LINKED */

#endif
