/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The functions of zimg, which is opened when it is first needed. Any thread may open it. */
#ifndef ENGINE_ZIMG_H
#define ENGINE_ZIMG_H

#include <zimg.h>

/* The functions by their names without `zimg_`. */
#define EACH_ZIMG_FUNCTION(F)                                                                      \
    F(get_api_version)                                                                             \
    F(get_version_info)                                                                            \
    F(get_last_error)                                                                              \
    F(image_format_default)                                                                        \
    F(graph_builder_params_default)                                                                \
    F(filter_graph_build)                                                                          \
    F(filter_graph_get_tmp_size)                                                                   \
    F(filter_graph_process)                                                                        \
    F(filter_graph_free)

typedef struct Zimg {
#define ZIMG_MEMBER(name) __typeof__(&zimg_##name) name;
    EACH_ZIMG_FUNCTION(ZIMG_MEMBER)
#undef ZIMG_MEMBER
} Zimg;

/* NULL (logged) when zimg is not installed, or older than the header that the library was built
 * with. */
const Zimg *zimg_open(void);

#endif
