#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# merge_static.sh OUTPUT ARCHIVE OBJCOPY AR CC...: links the archive into one object, makes its hidden
# symbols local and archives it again.
set -e
output=$1 archive=$2 objcopy=$3 ar=$4
shift 4
# Groups of sections, which i386 has for its position-independent code, do not survive that their names become local. Not
# every linker can dissolve them, and not every machine has them.
link()
{
    "$@" -r -nostdlib -o "$output.o" -Wl,--whole-archive "$archive" -Wl,--no-whole-archive
}
link "$@" -Wl,--force-group-allocation 2> /dev/null || link "$@"
"$objcopy" --localize-hidden "$output.o"
rm -f "$output"
"$ar" rcs "$output" "$output.o"
rm -f "$output.o"
