#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Tests the optional SYCL stage of the image with programs that only write down how they are called:
# off by default, and with a source of packages it installs the compiler from there, builds the
# plugin with it, and leaves the source and its key for the image.
#
# usage: sycl_test.sh SCRIPT WORKDIR
set -eu
script=$1
work=$2/sycl
failed=0
fail()
{
    echo "$*"
    failed=1
}

fresh()
{
    rm -rf "$work"
    mkdir -p "$work/bin" "$work/root/build" "$work/root/opt" "$work/root/stage"
    for name in apt-get meson ninja; do
        # shellcheck disable=SC2016 # the variables are those of the script that is written
        printf '#!/bin/sh\necho "%s $*" >> "%s/calls"\n' $name "$work" > "$work/bin/$name"
    done
    # The false meson makes the plugin when it is asked to install; the false apt-get makes the compiler.
    # shellcheck disable=SC2016
    echo 'case "$*" in *install*) mkdir -p "$DESTDIR/usr/lib/x"; : > "$DESTDIR/usr/lib/x/libvmaf-sycl.so"; : > "$DESTDIR/usr/lib/x/other.so";; esac' \
        >> "$work/bin/meson"
    printf 'case "$*" in *comp*) : > "%s/root/opt/cc"; chmod +x "%s/root/opt/cc";; esac\n' "$work" "$work" >> "$work/bin/apt-get"
    chmod +x "$work"/bin/*
    echo key > "$work/key.asc"
    : > "$work/calls"
}
stage()
{
    (cd "$work" && PATH="$work/bin:$PATH" VMAF_SYCL_ROOT="$work/root" "$script" "$@") > "$work/said" 2>&1
}

fresh
stage '' '' comp /opt/cc || fail "off: $(cat "$work/said")"
grep -q '^SYCL is off' "$work/said" || fail "off, and it says: $(cat "$work/said")"
[ ! -s "$work/calls" ] || fail "off, and it calls: $(cat "$work/calls")"
[ -z "$(ls "$work/root/sycl")" ] || fail 'off, and it leaves something'

fresh
stage 'deb https://packages.example/one all main' key.asc comp /opt/cc || fail "on: $(cat "$work/said")"
line='deb [signed-by=/usr/share/keyrings/sycl.asc] https://packages.example/one all main'
for tree in "$work/root" "$work/root/sycl"; do
    [ "$(cat "$tree/etc/apt/sources.list.d/sycl.list")" = "$line" ] || fail "the source in $tree"
    [ "$(cat "$tree/usr/share/keyrings/sycl.asc")" = key ] || fail "the key in $tree"
done
grep -q "^meson configure .*-Denable_sycl=enabled -Dsycl_compiler=$work/root/opt/cc" "$work/calls" || fail "meson: $(cat "$work/calls")"
[ -f "$work/root/stage/usr/lib/x/libvmaf-sycl.so" ] || fail 'the plugin is not in the stage'
[ ! -f "$work/root/stage/usr/lib/x/other.so" ] || fail 'more than the plugin is in the stage'

# Arguments that cannot work are refused with the reason.
refused()
{
    words=$1
    shift
    fresh
    if stage "$@" || ! grep -q "$words" "$work/said"; then
        fail "not refused ($*): $(cat "$work/said")"
    fi
}
refused 'not a line of sources.list' 'https://packages.example/one' '' comp /opt/cc
refused 'not a file of this tree' 'deb https://packages.example/one all main' nowhere.asc comp /opt/cc
refused 'options in brackets' 'deb [trusted=yes] https://packages.example/one all main' key.asc comp /opt/cc
refused 'name its compiler with SYCL_COMPILER' 'deb https://packages.example/one all main' '' comp /opt/other

rm -rf "$work"
[ $failed -eq 0 ] && echo 'the SYCL stage does what its arguments say'
exit $failed
