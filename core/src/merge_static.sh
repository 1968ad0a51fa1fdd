#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# merge_static.sh OUTPUT ARCHIVE OBJCOPY AR CC...: links the archive into one object, makes the
# object's hidden symbols local, and makes an archive of it.
set -e
output=$1 archive=$2 objcopy=$3 ar=$4
shift 4
# Section groups, which i386 uses for position-independent code, break if their symbols become
# local, so let the linker dissolve them. Not every linker can, and not every machine has groups.
link()
{
    "$@" -r -nostdlib -o "$output.o" -Wl,--whole-archive "$archive" -Wl,--no-whole-archive
}
link "$@" -Wl,--force-group-allocation 2> /dev/null || link "$@"
"$objcopy" --localize-hidden "$output.o"
rm -f "$output"
"$ar" rcs "$output" "$output.o"
rm -f "$output.o"
