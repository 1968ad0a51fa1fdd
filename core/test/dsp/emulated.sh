#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Runs a program on an emulated CPU with AVX2, even if this CPU lacks it. Debian's emulator has no
# AVX-512.
#
# usage: emulated.sh PROGRAM [ARGUMENT]...
if ! command -v qemu-x86_64 > /dev/null; then
    echo "SKIP: AVX2 not checked by emulation: needs qemu-x86_64 (Debian's qemu-user)"
    exit 77
fi
if ! qemu-x86_64 -cpu max /bin/true 2> /dev/null; then
    echo "SKIP: AVX2 not checked by emulation: qemu-x86_64 does not run programs here"
    exit 77
fi
exec qemu-x86_64 -cpu max "$@"
