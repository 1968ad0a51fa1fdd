#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Installs the runtime packages of the image: the libraries of the command, and Debian's drivers for
# the cards of all vendors. Packages that this Debian does not have are left out, with a message.
#
# usage: install-runtime.sh INTEL_VA_DRIVER SYCL_RUNTIME
#   SYCL_RUNTIME   installed if build-sycl.sh has left the source of its packages
set -eu
intel_va=$1 sycl_runtime=$2
export DEBIAN_FRONTEND=noninteractive

case "$intel_va" in
*-non-free)
    # Both forms of a list of sources.
    sed -i '/^Components:/{/non-free\b/!s/$/ non-free/}' /etc/apt/sources.list.d/*.sources 2> /dev/null || :
    sed -i '/^deb /{/ non-free\b/!s/$/ non-free/}' /etc/apt/sources.list 2> /dev/null || :
    ;;
esac
sycl_list=/etc/apt/sources.list.d/sycl.list
if [ -f "$sycl_list" ]; then
    # A source over https needs the certificates before it can be read.
    mv "$sycl_list" /tmp/sycl.list
    apt-get update -qq
    apt-get install -qq -y --no-install-recommends ca-certificates > /dev/null
    mv /tmp/sycl.list "$sycl_list"
fi
apt-get update -qq

# The command needs the libraries, vmaf-tune needs ffmpeg to encode, and the service that offers
# vmaf-mcp needs socat to listen. Names of packages that begin with libav, libsw and libpng differ
# between releases of Debian: those that exist here are installed, and the build stage uses the same
# release.
needed='libjansson4 libvulkan1 ffmpeg socat'
for library in libavformat libavcodec libavutil libswscale; do
    needed="$needed $(apt-cache pkgnames "$library" | grep -E "^${library}[0-9]+\$" | sort | tail -n 1)"
done
[ ! -f "$sycl_list" ] || needed="$needed $sycl_runtime"
# Packages with drivers. Intel's compute runtime has two interfaces: OpenCL, which every Debian since 11 has, and Level Zero,
# which has a driver since Debian 13.
wanted="mesa-vulkan-drivers mesa-va-drivers $intel_va libpng16-16 libamdhip64-5 libhiprtc-builtins5"
wanted="$wanted libze1 libze-intel-gpu1 intel-opencl-icd ocl-icd-libopencl1"

known=''
for package in $wanted; do
    if apt-cache show "$package" > /dev/null 2>&1; then
        known="$known $package"
    else
        echo "This Debian has no package $package; the image does without it."
    fi
done
# shellcheck disable=SC2086 # they are lists
apt-get install -qq -y --no-install-recommends $needed $known > /dev/null
# Compose adds the container's user to the groups that own device nodes; slim images lack this one.
getent group render > /dev/null || groupadd --system render
rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin
