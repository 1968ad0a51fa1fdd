#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Tests which Vulkan drivers the container's entrypoint chooses on made-up machines: folders with
# driver files and device nodes.
#
# usage: entrypoint_test.sh ENTRYPOINT WORKDIR
set -eu
entrypoint=$1
work=$2/tree
failed=0
count=0

# driver FOLDER NAME LIBRARY: makes a Vulkan driver file that names the library.
driver()
{
    mkdir -p "$work/$1"
    printf '{\n  "ICD": {\n    "api_version": "1.3.0",\n    "library_path": "%s"\n  },\n  "file_format_version": "1.0.0"\n}\n' \
        "$3" > "$work/$1/$2.json"
}

# card NUMBER VENDOR DRIVER: makes a render node of a graphics card. A plain file stands for the
# node.
card()
{
    mkdir -p "$work/dev/dri" "$work/sys/class/drm/renderD$1/device"
    : > "$work/dev/dri/renderD$1"
    [ -z "$2" ] || echo "$2" > "$work/sys/class/drm/renderD$1/device/vendor"
    [ -z "$3" ] || echo "DRIVER=$3" > "$work/sys/class/drm/renderD$1/device/uevent"
}

# put THING: adds one thing, such as a driver or a card, to the made-up machine.
put()
{
    icd=usr/share/vulkan/icd.d
    lib=/usr/lib/x86_64-linux-gnu
    case "$1" in
    mesa)
        driver $icd radeon_icd.x86_64 $lib/libvulkan_radeon.so
        driver $icd intel_icd.x86_64 $lib/libvulkan_intel.so
        driver $icd intel_hasvk_icd.x86_64 $lib/libvulkan_intel_hasvk.so
        driver $icd lvp_icd.x86_64 $lib/libvulkan_lvp.so
        ;;
    lvp) driver $icd lvp_icd.x86_64 $lib/libvulkan_lvp.so ;;
    radeon) driver $icd radeon_icd.x86_64 $lib/libvulkan_radeon.so ;;
    nouveau_icd) driver $icd nouveau_icd.x86_64 libvulkan_nouveau.so ;;
    nvidia_icd) driver etc/vulkan/icd.d nvidia_icd libGLX_nvidia.so.0 ;;
    stranger_icd) driver etc/vulkan/icd.d stranger libvulkan_of_tomorrow.so ;;
    # The file has lavapipe's name, but names the library of another driver.
    liar_icd) driver $icd lvp_like $lib/libvulkan_radeon.so ;;
    broken_icd) mkdir -p "$work/$icd"; echo '{' > "$work/$icd/broken.json" ;;
    amd) card 128 0x1002 amdgpu ;;
    intel) card 129 0x8086 i915 ;;
    nvidia_open) card 130 0x10de nvidia-drm ;;
    nouveau) card 130 0x10de nouveau ;;
    virtio) card 131 0x1af4 virtio-pci ;;
    soc) card 132 '' panfrost ;;
    nvidia) mkdir -p "$work/dev"; : > "$work/dev/nvidiactl"; : > "$work/dev/nvidia0" ;;
    # Only the control node, which a container without a GPU may have.
    nvidia_control) mkdir -p "$work/dev"; : > "$work/dev/nvidiactl" ;;
    locked_amd) card 128 0x1002 amdgpu; chmod 0 "$work/dev/dri/renderD128" ;;
    esac
}

# expect NAMES THING...: checks that on a machine with these things the entrypoint chooses these
# drivers, in this order. NAMES is separated by commas; "-" means that it makes no choice.
expect()
{
    wanted=$1
    shift
    count=$((count + 1))
    rm -rf "$work"
    mkdir -p "$work"
    for thing; do
        put "$thing"
    done
    # Root may use locked nodes, so run as a user without rights. Return if that is impossible.
    as=''
    case "$*" in
    *locked*)
        as='setpriv --reuid=65534 --regid=65534 --clear-groups'
        $as test -x "$entrypoint" -a -r "$work/usr/share" 2> /dev/null || return 0
        ;;
    esac
    # shellcheck disable=SC2086,SC2016 # the words of $as; the variables are the entrypoint's
    got=$(env -u VK_DRIVER_FILES -u VK_ICD_FILENAMES VMAF_ENTRYPOINT_ROOT="$work" $as \
        "$entrypoint" sh -c 'echo "${VK_DRIVER_FILES:--}"; [ "${VK_DRIVER_FILES:-}" = "${VK_ICD_FILENAMES:-}" ]' \
        2> "$work/said") || got="failed: $got"
    names=$(echo "$got" | tr ':' '\n' | sed 's,.*/,,; s,\.json$,,' | paste -sd, -)
    if [ "$names" != "$wanted" ] || [ "$(wc -l < "$work/said")" -ne 1 ]; then
        echo "on ($*): $names, not $wanted; it says: $(cat "$work/said")"
        failed=1
    fi
}

expect lvp_icd.x86_64 mesa
expect radeon_icd.x86_64 mesa amd
expect intel_hasvk_icd.x86_64,intel_icd.x86_64 mesa intel
expect intel_hasvk_icd.x86_64,intel_icd.x86_64,radeon_icd.x86_64 mesa intel amd
expect nvidia_icd mesa nvidia_icd nvidia
expect nvidia_icd,radeon_icd.x86_64 mesa nvidia_icd nvidia amd
expect nvidia_icd,intel_hasvk_icd.x86_64,intel_icd.x86_64,radeon_icd.x86_64 mesa nvidia_icd nvidia amd intel
expect lvp_icd.x86_64 mesa nvidia_icd
expect lvp_icd.x86_64 mesa nvidia_icd nvidia_control
# For a card whose driver is not in the image, the choice is lavapipe.
expect lvp_icd.x86_64 mesa nvidia
expect lvp_icd.x86_64 mesa nvidia_open
expect lvp_icd.x86_64 lvp amd
expect nouveau_icd.x86_64 mesa nouveau_icd nouveau
expect lvp_icd.x86_64 mesa nouveau_icd nvidia_open
expect radeon_icd.x86_64 radeon amd
expect - radeon
expect -
expect - amd
expect stranger mesa stranger_icd soc
expect lvp_icd.x86_64 mesa stranger_icd
expect lvp_like liar_icd lvp amd
expect lvp_icd.x86_64 liar_icd lvp
expect lvp_icd.x86_64 lvp broken_icd
expect lvp_icd.x86_64 mesa locked_amd
expect lvp_icd.x86_64 mesa virtio

# Drivers that the user names in the environment are kept.
rm -rf "$work"
put mesa
put amd
for name in VK_DRIVER_FILES VK_ICD_FILENAMES; do
    got=$(env -u VK_DRIVER_FILES -u VK_ICD_FILENAMES "$name=/mine.json" VMAF_ENTRYPOINT_ROOT="$work" \
        "$entrypoint" printenv $name 2> /dev/null)
    [ "$got" = /mine.json ] || { echo "$name was not kept: $got"; failed=1; }
done

# If there are only options, the entrypoint passes them to vmaf and returns its exit status.
mkdir -p "$work/bin"
# shellcheck disable=SC2016
printf '#!/bin/sh\necho "vmaf $*"\nexit 7\n' > "$work/bin/vmaf"
chmod +x "$work/bin/vmaf"
status=0
got=$(PATH="$work/bin:$PATH" VMAF_ENTRYPOINT_ROOT="$work" "$entrypoint" --doctor --json 2> /dev/null) || status=$?
[ "$got $status" = 'vmaf --doctor --json 7' ] || { echo "options: $got $status"; failed=1; }

rm -rf "$work"
[ $failed -eq 0 ] && echo "$count machines, each with the right drivers"
exit $failed
