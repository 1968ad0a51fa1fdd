#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# headers_test.sh INCLUDE COMPILER...: checks that every public header compiles on its own, included
# as <NAME> and as <libvmaf/NAME>.
include=$1
shift
for header in "$include"/libvmaf/*.h; do
    name=$(basename "$header")
    for path in "libvmaf/$name" "$name"; do
        printf '#include <%s>\nextern int not_empty;\n' "$path" | "$@" -Wall -Wextra -Werror -fsyntax-only -I"$include" \
            -I"$include/libvmaf" - || exit 1
    done
done
