#!/usr/bin/env bash
# Builds the Debian package and prints where it is.
#   deploy/debian/build.sh [--no-install] [--build-type Debug]     (RelWithDebInfo, stripped)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

install=yes
build_type=RelWithDebInfo
while [ $# -gt 0 ]; do
    case "$1" in
        --no-install) install=no; shift ;;
        --build-type) build_type=$2; shift 2 ;;
        -h | --help) sed -n '2,3s/^# //p' "$0"; exit 0 ;;
        *) echo "$0: unknown option '$1'; try --help" >&2; exit 2 ;;
    esac
done

[ "$install" = no ] || deploy/packages.sh build package >&2
cmake --preset package -DCMAKE_BUILD_TYPE="$build_type" >/dev/null
cmake --build --preset package --target onceward >&2
rm -f build/package/onceward_*.deb
cpack --preset deb >&2
ls build/package/onceward_*.deb
