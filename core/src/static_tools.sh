#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# static_tools.sh WORKDIR OBJCOPY AR CC...: prints an objcopy and an ar, on a line each, with which
# merge_static.sh can merge the compiler's objects. These are the compiler's own tools if it has
# any, else the given ones. (If a cross file names no tools, Meson finds those of the building
# machine, which cannot read the objects.) Fails if neither work.
set -e
merge=$(dirname "$0")/merge_static.sh
work=$1 found_objcopy=$2 found_ar=$3
shift 3
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
cat > "$work/part.c" << 'END'
__attribute__((visibility("hidden"))) int hidden(int x) { return x + 1; }
int (*shown)(int) = hidden;
END
cat > "$work/main.c" << 'END'
extern int (*shown)(int);
int hidden(int x) { return x; }
int main(void) { return shown(1) + hidden(1) - 3; }
END
"$@" -c -fPIC -o "$work/part.o" "$work/part.c"

own_objcopy=$("$@" -print-prog-name=objcopy) || own_objcopy=
own_ar=$("$@" -print-prog-name=ar) || own_ar=
# The compiler prints a name without a folder if it has no such tool.
case $own_objcopy in */*) ;; *) own_objcopy=$found_objcopy ;; esac
case $own_ar in */*) ;; *) own_ar=$found_ar ;; esac

# The program has a function with the name of a hidden one, so it links only if that became local.
try() # OBJCOPY AR CC...
{
    objcopy=$1 ar=$2
    shift 2
    rm -f "$work"/*.a
    "$ar" rcs "$work/part.a" "$work/part.o" &&
        "$merge" "$work/merged.a" "$work/part.a" "$objcopy" "$ar" "$@" &&
        "$@" -o "$work/main" "$work/main.c" "$work/merged.a" || return 1
    printf '%s\n%s\n' "$objcopy" "$ar"
}
try "$own_objcopy" "$own_ar" "$@" || try "$found_objcopy" "$found_ar" "$@"
