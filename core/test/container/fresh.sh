# SPDX-License-Identifier: BSD-2-Clause-Patent
# shellcheck shell=sh disable=SC2154
# Makes a fresh image of the Debian release of this machine, with buildah and mmdebstrap and without
# a daemon. Tests read this file with `.`.
#
# Set before: $work, a folder that is emptied now and removed at the end, and $what, the words with
# which a message about a skipped test begins.
# Defines: `skip WHY`, `fail WHY`, `b` (buildah with its own storage below $work), and `fresh_base`,
# which makes the image localhost/base.
skip()
{
    echo "skipped: $what: $*"
    exit 77
}

fail()
{
    echo "$*"
    exit 1
}

b()
{
    buildah --storage-driver vfs --root "$work/storage" --runroot "$work/run" "$@"
}

clean_up()
{
    b rm --all > /dev/null 2>&1 || :
    b rmi --all --force > /dev/null 2>&1 || :
    rm -rf "$work"
}

fresh_base()
{
    mkdir "$work/base"
    mmdebstrap --quiet --variant=apt "$suite" "$work/base/base.tar" "$sources" || skip 'no packages to be had'
    printf 'FROM scratch\nADD base.tar /\n' > "$work/base/Containerfile"
    b bud --quiet --isolation chroot -t base "$work/base" > /dev/null
    rm -r "$work/base"
}

[ "$(id -u)" = 0 ] || skip 'needs root'
for command in buildah mmdebstrap; do
    command -v "$command" > /dev/null || skip "needs $command"
done
# Use the same sources of Debian packages as this machine.
for sources in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
    [ -s "$sources" ] && break
done
[ -s "$sources" ] || skip 'needs a list of package sources'
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
rm -rf "$work"
mkdir -p "$work/clips"
trap clean_up EXIT
