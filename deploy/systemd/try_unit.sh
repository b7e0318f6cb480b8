#!/usr/bin/env bash
# Runs onceward.service under a real systemd, in a container: starts, reloads, kills and stops it.
#   deploy/systemd/try_unit.sh BINARY         installs the binary, the unit and its files as deploy/README.md tells
#   deploy/systemd/try_unit.sh PACKAGE.deb    installs the package
# Needs root, and `deploy/packages.sh image`. Exits 77, and says why, where this machine can't.
set -euo pipefail
what=$(realpath "${1:-}") || { sed -n '2,5s/^# //p' "$0" >&2; exit 2; }
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# shellcheck source=deploy/containers.sh
. deploy/containers.sh
require "the unit is not tried" buildah podman runc mmdebstrap
find_python "the unit is not tried"

# The packages of the libraries that a binary needs. dpkg knows some of them by the path before /usr was merged.
library_packages() {
    ldd "$1" | grep -o '/[^ ]*' | while read -r library; do
        dpkg -S "$library" 2>/dev/null || dpkg -S "/usr$library" 2>/dev/null || dpkg -S "${library#/usr}"
    done | sed 's/:.*//' | sort -u | tr '\n' ' '
}

find_base
mkdir "$work/context"
cp deploy/systemd/onceward.* "$work/context/"
{
    echo "FROM $base"
    case "$what" in
        *.deb)
            cp "$what" "$work/context/onceward.deb"
            echo 'RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends systemd perl-base'
            echo 'COPY onceward.deb /onceward.deb'
            echo 'RUN apt-get install -y -qq --no-install-recommends /onceward.deb'
            ;;
        *)
            cp "$what" "$work/context/onceward"
            strip "$work/context/onceward"
            echo "RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends systemd perl-base $(library_packages "$what")"
            echo 'COPY onceward /usr/bin/onceward'
            echo 'COPY onceward.yaml /etc/onceward/onceward.yaml'
            echo 'COPY onceward.sysusers /usr/lib/sysusers.d/onceward.conf'
            echo 'COPY onceward.service /etc/systemd/system/onceward.service'
            ;;
    esac
} >"$work/context/Dockerfile"
bud -t localhost/onceward-unit:check "$work/context"
require_run "the unit is not tried" localhost/onceward-unit:check /usr/bin/onceward version

"$python" -B deploy/systemd/try_unit.py localhost/onceward-unit:check
