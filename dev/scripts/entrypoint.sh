#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The container's entrypoint: chooses the Vulkan drivers that can serve a device of this container,
# sets what AMD's runtime needs for some APUs, prints a line about each choice, and runs the requested
# command.
#
# The image contains the drivers of all vendors, and the Vulkan loader opens every driver that it
# finds. One of them is lavapipe, which renders in software: it is useless beside a real GPU, but
# the only driver without one. So the choice depends on the device nodes in this container, not only
# on the drivers' names.
#
#   VK_DRIVER_FILES, VK_ICD_FILENAMES   set by the user: nothing is chosen
#   HSA_OVERRIDE_GFX_VERSION, HSA_ENABLE_SDMA, ROCR_VISIBLE_DEVICES   set by the user: kept
#   VMAF_ENTRYPOINT_ROOT                another tree to look in (for tests)
set -eu

root=${VMAF_ENTRYPOINT_ROOT:-}

say()
{
    echo "entrypoint: $*" >&2
}

# usable NODE: succeeds if the node exists and this user may read and write it.
usable()
{
    [ -e "$1" ] && [ -r "$1" ] && [ -w "$1" ]
}

# Prints " VENDOR:DRIVER", for example " 0x1002:amdgpu", for each render node that this user may
# use.
find_cards()
{
    for node in "$root"/dev/dri/renderD*; do
        usable "$node" || continue
        about=$root/sys/class/drm/${node##*/}/device
        vendor=
        driver=
        if [ -r "$about/vendor" ]; then
            read -r vendor < "$about/vendor" || :
        fi
        if [ -r "$about/uevent" ]; then
            driver=$(sed -n 's/^DRIVER=//p' "$about/uevent")
        fi
        printf ' %s:%s' "$vendor" "$driver"
    done
}

# has_card PATTERN: succeeds if a card matches the pattern.
has_card()
{
    for card in $cards; do
        # shellcheck disable=SC2254 # it is a pattern
        case "$card" in
        $1) return 0 ;;
        esac
    done
    return 1
}

# NVIDIA's own driver uses its own nodes. In WSL every GPU is /dev/dxg.
has_nvidia()
{
    usable "$root/dev/nvidiactl" || return 1
    for node in "$root"/dev/nvidia[0-9]*; do
        usable "$node" && return 0
    done
    return 1
}

# judge LIBRARY: prints whether the driver can serve a card of this machine (yes, no), or
# "software".
judge()
{
    case "$1" in
    *vulkan_lvp* | *vk_swiftshader*) echo software ;;
    *GLX_nvidia* | *EGL_nvidia* | *nvidia-vulkan*) has_nvidia && echo yes || echo no ;;
    *vulkan_radeon* | *amdvlk*) has_card '0x1002:*' && echo yes || echo no ;;
    *vulkan_intel*) has_card '0x8086:*' && echo yes || echo no ;;
    *vulkan_nouveau*) has_card '*:nouveau' && echo yes || echo no ;;
    *vulkan_virtio*) has_card '0x1af4:*' || has_card '*:virtio*' && echo yes || echo no ;;
    *vulkan_dzn*) usable "$root/dev/dxg" && echo yes || echo no ;;
    *vulkan_freedreno*) has_card '*:msm*' && echo yes || echo no ;;
    *vulkan_broadcom*) has_card '*:v3d*' || has_card '*:vc4*' && echo yes || echo no ;;
    *vulkan_panfrost*) has_card '*:pan*' && echo yes || echo no ;;
    *vulkan_asahi*) has_card '*:asahi*' && echo yes || echo no ;;
    # An unknown driver may serve any card.
    *) [ -n "$cards" ] && echo yes || echo no ;;
    esac
}

# driver_of LIBRARY: prints a word that is the same for all names of one driver. NVIDIA's has two
# libraries for the same cards.
driver_of()
{
    case "$1" in
    *GLX_nvidia* | *EGL_nvidia*) echo nvidia ;;
    "/usr/lib/$(uname -m)-linux-gnu"/* | /usr/lib64/*) echo "${1##*/}" ;;
    *) echo "$1" ;;
    esac
}

join()
{
    if [ -n "$1" ]; then
        echo "$1$3$2"
    else
        echo "$2"
    fi
}

choose_drivers()
{
    cards=$(find_cards)
    hardware='' hardware_names=''
    software='' software_names=''
    idle_names='' seen=' '
    for file in "$root"/etc/vulkan/icd.d/*.json "$root"/usr/local/share/vulkan/icd.d/*.json \
        "$root"/usr/share/vulkan/icd.d/*.json; do
        [ -r "$file" ] || continue
        library=$(tr -d '\n' < "$file" | sed -n 's/.*"library_path"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p')
        name=${file##*/}
        name=${name%.json}
        # A second file with the same library would show each of its devices twice.
        driver=$(driver_of "$library")
        case "$seen" in
        *" $driver "*) continue ;;
        esac
        [ -z "$driver" ] || seen="$seen$driver "
        case $(judge "$library") in
        yes)
            hardware=$(join "$hardware" "$file" :)
            hardware_names=$(join "$hardware_names" "$name" ', ')
            ;;
        software)
            software=$(join "$software" "$file" :)
            software_names=$(join "$software_names" "$name" ', ')
            ;;
        no) idle_names=$(join "$idle_names" "$name" ', ') ;;
        esac
    done
    if [ -n "$hardware" ]; then
        chosen=$hardware
        left=$(join "$idle_names" "$software_names" ', ')
        line="Vulkan drivers: $hardware_names"
    elif [ -n "$software" ]; then
        chosen=$software
        left=$idle_names
        line="no GPU that Vulkan could use; in software: $software_names"
    else
        say "no Vulkan driver serves a device here${idle_names:+ (there are: $idle_names)}"
        return
    fi
    VK_DRIVER_FILES=$chosen
    # Loaders before 1.3.207 know this name only.
    VK_ICD_FILENAMES=$chosen
    export VK_DRIVER_FILES VK_ICD_FILENAMES
    say "$line${left:+; left out: $left}"
}

if [ -n "${VK_DRIVER_FILES:-}${VK_ICD_FILENAMES:-}" ]; then
    say "Vulkan drivers as the environment names them: ${VK_DRIVER_FILES:-$VK_ICD_FILENAMES}"
else
    choose_drivers
fi

# AMD's runtime refuses the APUs gfx1033, gfx1035 and gfx1036. They run the code of gfx1030, but not with
# their copy engine. No other card gets these settings: where there is one beside the APU, nothing is
# set, since they would hold for both.
choose_amd()
{
    usable "$root/dev/kfd" || return 0
    apus='' others=''
    for file in "$root"/sys/class/kfd/kfd/topology/nodes/*/properties; do
        # Nodes of devices that are not in this container cannot be read.
        version=$(sed -n 's/^gfx_target_version //p' "$file" 2> /dev/null) || continue
        case "$version" in
        '' | 0) ;; # a CPU
        100303 | 100305 | 100306) apus="$apus gfx103${version#10030}" ;;
        *) others="$others $version" ;;
        esac
    done
    [ -n "$apus" ] || return 0
    if [ -n "$others" ]; then
        say "AMD APU$apus beside another card: to use it set HSA_OVERRIDE_GFX_VERSION=10.3.0, HSA_ENABLE_SDMA=0 and" \
            "ROCR_VISIBLE_DEVICES to it"
        return
    fi
    line=
    for setting in HSA_OVERRIDE_GFX_VERSION=10.3.0 HSA_ENABLE_SDMA=0 ROCR_VISIBLE_DEVICES=0; do
        name=${setting%%=*}
        if eval "[ -z \"\${$name+set}\" ]"; then
            export "${setting?}"
            line="$line $setting"
        fi
    done
    say "AMD APU$apus:${line:- settings as the environment has them}"
}

choose_amd

# is_program WORD: succeeds if the word is a command. A path is one if the file begins as programs do: on some mounted
# folders all files are executable, videos, too.
is_program()
{
    command -v "$1" > /dev/null 2>&1 || return 1
    case "$1" in
    */*)
        case "$(head -c 4 "$1" | tr -d '\0')" in
        '#!'* | ?ELF) return 0 ;;
        *) return 1 ;;
        esac
        ;;
    esac
}

# Arguments that name no program are vmaf's: options and videos.
case "${1:-}" in
'' | -*) set -- vmaf "$@" ;;
*) is_program "$1" || set -- vmaf "$@" ;;
esac
exec "$@"
