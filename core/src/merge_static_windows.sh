#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# merge_static_windows.sh OUTPUT ARCHIVE OBJCOPY AR LIBRARIES CC...: links the archive, and what it needs of these
# libraries, into one object, makes all its names local but those of the API and archives it again. Windows has no hidden names: those of the API are the ones that the
# objects tell the linker to export. Without being told: a program, or a DLL of others, would export them in its turn.
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
