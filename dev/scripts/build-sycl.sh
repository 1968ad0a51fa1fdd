#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds the SYCL plugin of the image in /build and installs it to /stage, if a source of compiler
# packages is named. Leaves in /sycl what the image needs to install the runtime from that source.
#
# usage: build-sycl.sh SOURCE KEY PACKAGE COMPILER
#   SOURCE     a line of sources.list; empty: there will be no SYCL plugin
#   KEY        the file with the source's key, relative to this tree; empty: apt knows the key, or
#              SOURCE says [trusted=yes]
#   PACKAGE    the compiler's package
#   COMPILER   its program
# VMAF_SYCL_ROOT   another tree to work in (for tests)
set -eu
source=$1 key=$2 package=$3 compiler=$4
root=${VMAF_SYCL_ROOT:-}

mkdir -p "$root/sycl"
if [ -z "$source" ]; then
    echo 'SYCL is off: SYCL_SOURCE names no source of compiler packages. The image has no SYCL plugin.'
    exit 0
fi
case "$source" in
'deb '*) ;;
*)
    echo "SYCL_SOURCE is not a line of sources.list, which begins with 'deb ': $source" >&2
    exit 1
    ;;
esac
lists=etc/apt/sources.list.d keys=usr/share/keyrings
mkdir -p "$root/sycl/$lists" "$root/$lists"
if [ -n "$key" ]; then
    [ -f "$key" ] || { echo "SYCL_KEY is not a file of this tree: $key" >&2; exit 1; }
    case "$source" in
    *\[*) echo "SYCL_SOURCE has options in brackets: name the key there, or leave them to SYCL_KEY" >&2; exit 1 ;;
    esac
    mkdir -p "$root/sycl/$keys" "$root/$keys"
    cp "$key" "$root/sycl/$keys/sycl.asc"
    cp "$key" "$root/$keys/sycl.asc"
    source="deb [signed-by=/$keys/sycl.asc] ${source#deb }"
fi
export DEBIAN_FRONTEND=noninteractive
# A source over https needs the certificates before it can be read.
apt-get update -qq
apt-get install -qq -y --no-install-recommends ca-certificates > /dev/null
echo "$source" > "$root/sycl/$lists/sycl.list"
cp "$root/sycl/$lists/sycl.list" "$root/$lists/"
apt-get update -qq
apt-get install -qq -y --no-install-recommends "$package" > /dev/null
[ -x "$root$compiler" ] || { echo "$package has no $compiler: name its compiler with SYCL_COMPILER" >&2; exit 1; }
meson configure "$root/build" -Denable_sycl=enabled -Dsycl_compiler="$root$compiler"
ninja -C "$root/build"
DESTDIR=$root/sycl-stage meson install -C "$root/build" --no-rebuild > /dev/null
found=$(find "$root/sycl-stage" -name 'libvmaf-sycl.so*' | head -n 1)
[ -n "$found" ] || { echo 'the build made no libvmaf-sycl.so' >&2; exit 1; }
folder=${found%/*}
folder=$root/stage${folder#"$root/sycl-stage"}
mkdir -p "$folder"
cp -a "${found%/*}"/libvmaf-sycl.so* "$folder"
echo "The SYCL plugin was built by $compiler."
