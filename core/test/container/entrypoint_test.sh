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
    # The same libraries once more: by another file, by a name without a folder, and NVIDIA's other library.
    twins) driver etc/vulkan/icd.d a_radeon libvulkan_radeon.so; driver $icd b_radeon $lib/libvulkan_radeon.so ;;
    nvidia_twins) driver $icd nvidia_icd libGLX_nvidia.so.0; driver $icd nvidia_egl libEGL_nvidia.so.0 ;;
    local_icd) driver usr/local/share/vulkan/icd.d mine $lib/libvulkan_radeon.so ;;
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
# Each driver once, and the file that the loader finds first.
expect a_radeon mesa twins amd
expect lvp_icd.x86_64 mesa twins
expect nvidia_icd,intel_hasvk_icd.x86_64,intel_icd.x86_64 mesa nvidia_icd nvidia_twins nvidia intel
expect mine mesa local_icd amd
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

# ---- settings of AMD's runtime ----

# chip NUMBER VERSION: makes a node of AMD's driver for compute; version 0 is a CPU.
chip()
{
    mkdir -p "$work/sys/class/kfd/kfd/topology/nodes/$1"
    printf 'cpu_cores_count 0\nsimd_count 4\ngfx_target_version %s\nvendor_id 4098\n' "$2" \
        > "$work/sys/class/kfd/kfd/topology/nodes/$1/properties"
}

# amd_gets SETTINGS KFD [NAME=VALUE...] -- VERSION...: checks what the entrypoint sets on a machine with these nodes.
amd_gets()
{
    wanted=$1 kfd=$2
    shift 2
    count=$((count + 1))
    rm -rf "$work"
    mkdir -p "$work/dev"
    [ "$kfd" = no ] || : > "$work/dev/kfd"
    given=''
    while [ "$1" != -- ]; do
        given="$given $1"
        shift
    done
    shift
    number=0
    for version; do
        chip $number "$version"
        number=$((number + 1))
    done
    # shellcheck disable=SC2086,SC2016 # words; the variables are the entrypoint's
    got=$(env -u HSA_OVERRIDE_GFX_VERSION -u HSA_ENABLE_SDMA -u ROCR_VISIBLE_DEVICES $given VMAF_ENTRYPOINT_ROOT="$work" \
        "$entrypoint" sh -c 'echo "${HSA_OVERRIDE_GFX_VERSION-.} ${HSA_ENABLE_SDMA-.} ${ROCR_VISIBLE_DEVICES-.}"' 2> "$work/said")
    said=$(grep -c 'AMD APU' "$work/said") || :
    apu=0
    case " $* " in *' 100303 '* | *' 100305 '* | *' 100306 '*) [ "$kfd" = no ] || apu=1 ;; esac
    if [ "$got" != "$wanted" ] || [ "$said" -ne $apu ]; then
        echo "AMD nodes ($*)$given: $got, not $wanted; it says: $(cat "$work/said")"
        failed=1
    fi
}
amd_gets '10.3.0 0 0' kfd -- 0 100306
amd_gets '10.3.0 0 0' kfd -- 0 100303
amd_gets '10.3.0 0 0' kfd -- 0 100305
amd_gets '. . .' no -- 0 100306
amd_gets '. . .' kfd --
amd_gets '. . .' kfd -- 0
for version in 90000 90402 90012 90010 100100 100300 100301 100302 100304 110000 110003 120001; do
    amd_gets '. . .' kfd -- 0 "$version"
    amd_gets '. . .' kfd -- 0 100306 "$version"
done
amd_gets '11.0.0 0 0' kfd HSA_OVERRIDE_GFX_VERSION=11.0.0 -- 0 100306
amd_gets '10.3.0 1 0' kfd HSA_ENABLE_SDMA=1 -- 0 100306
amd_gets '10.3.0 0 1' kfd ROCR_VISIBLE_DEVICES=1 -- 0 100306
amd_gets '10.3.0 0 ' kfd ROCR_VISIBLE_DEVICES= -- 0 100306
amd_gets '9.0.0 1 GPU-1' kfd HSA_OVERRIDE_GFX_VERSION=9.0.0 HSA_ENABLE_SDMA=1 ROCR_VISIBLE_DEVICES=GPU-1 -- 0 100306

# Options and videos are for vmaf, programs are run, and their exit status is returned.
mkdir -p "$work/bin"
# shellcheck disable=SC2016
printf '#!/bin/sh\necho "vmaf $*"\nexit 7\n' > "$work/bin/vmaf"
chmod +x "$work/bin/vmaf"
cp "$work/bin/vmaf" "$work/script"
printf 'FTYPmp42' > "$work/film.mp4"
chmod +x "$work/film.mp4" # as on a mounted folder of Windows
runs()
{
    want=$1
    shift
    status=0
    got=$(cd "$work" && PATH="$work/bin:$PATH" VMAF_ENTRYPOINT_ROOT="$work" "$entrypoint" "$@" 2> /dev/null) || status=$?
    [ "$got $status" = "$want" ] || { echo "$*: $got $status, not $want"; failed=1; }
}
runs 'vmaf --doctor --json 7' --doctor --json
runs 'vmaf ref.mp4 dist.mp4 7' ref.mp4 dist.mp4
runs 'vmaf film.mp4 dist.mp4 7' film.mp4 dist.mp4
runs "vmaf $work/film.mp4 b 7" "$work/film.mp4" b
runs 'vmaf ./film.mp4 7' ./film.mp4
runs 'vmaf  7'
runs 'vmaf x 7' vmaf x
runs 'vmaf x 7' ./script x
runs 'hello 0' echo hello
runs ' 0' /bin/true

rm -rf "$work"
[ $failed -eq 0 ] && echo "$count machines, each with the right drivers and settings"
exit $failed
