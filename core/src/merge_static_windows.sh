#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# merge_static_windows.sh OUTPUT ARCHIVE OBJCOPY AR LIBRARIES CC...: links the archive, and the
# objects that it needs of the libraries, into one object, makes all its symbols local except those
# of the API, and makes an archive of it. Windows has no hidden symbols: the API is the set of
# symbols that directives in the objects (.drectve) tell the linker to export. The script removes
# these directives, because programs and DLLs that link the archive would export the API, too.
set -e
output=$1 archive=$2 objcopy=$3 ar=$4 libraries=$5
shift 5
# shellcheck disable=SC2086
"$@" -r -nostdlib -o "$output.o" -Wl,--whole-archive "$archive" -Wl,--no-whole-archive $libraries
"$objcopy" -O binary --only-section=.drectve "$output.o" "$output.exports"
tr ' ' '\n' < "$output.exports" | sed -n 's/^-export:"\{0,1\}\([A-Za-z0-9_]*\).*/\1/p' > "$output.names"
[ -s "$output.names" ] || { echo "no exported names in $archive" >&2; exit 1; }
"$objcopy" --keep-global-symbols="$output.names" --remove-section=.drectve "$output.o"
rm -f "$output"
"$ar" rcs "$output" "$output.o"
rm -f "$output.o" "$output.exports" "$output.names"
