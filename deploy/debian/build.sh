#!/usr/bin/env bash
# Builds the Debian package and prints where it is.
#   deploy/debian/build.sh [--no-install]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

case "${1:-}" in
    "") deploy/packages.sh build package >&2 ;;
    --no-install) ;;
    -h | --help) sed -n '2,3s/^# //p' "$0"; exit 0 ;;
    *) echo "$0: unknown option '$1'; try --help" >&2; exit 2 ;;
esac

cmake --preset package >/dev/null
cmake --build --preset package --target onceward >&2
rm -f build/package/onceward_*.deb
cpack --preset deb >&2
ls build/package/onceward_*.deb
