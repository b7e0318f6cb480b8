#!/usr/bin/env bash
# The one list of Debian packages. Installs those of the named sets that are missing:
#   deploy/packages.sh [build] [test] [lint] [fuzz] [package] [coverage] [image] [manifests]
# Needs root or sudo only when something is missing. Knows Debian 12 and 13.
set -euo pipefail

boost=libboost1.81-dev
if [ "$(. /etc/os-release && echo "${VERSION_ID:-12}")" -ge 13 ]; then
    boost=libboost1.83-dev
fi

build="g++ cmake ninja-build ccache pkg-config git ca-certificates curl python3
       $boost libssl-dev libhiredis-dev nlohmann-json3-dev libspdlog-dev libyaml-cpp-dev libsqlite3-dev libre2-dev libcli11-dev"
test="catch2 redis-server prometheus python3-yaml python3-jsonschema"
lint="clang-format-14 clang-tidy-14"
fuzz="clang-14 libclang-rt-14-dev llvm-14"
package="dpkg-dev binutils gzip adduser man-db lintian"
coverage="gcovr"
image="buildah podman runc mmdebstrap uidmap catatonit fuse-overlayfs ca-certificates python3-yaml redis-server"
manifests="docker-compose python3-yaml"

wanted=""
for set in "${@:-build}"; do
    case "$set" in
        build | test | lint | fuzz | package | coverage | image | manifests) wanted="$wanted ${!set}" ;;
        *) echo "$0: unknown set '$set' (build, test, lint, fuzz, package, coverage, image, manifests)" >&2; exit 2 ;;
    esac
done

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

missing=""
for package in $wanted; do
    is_installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "$0: needs root or sudo to install:$missing" >&2; exit 1; }
    as_root=sudo
fi

# Packages that bring a service. It must not start: the tests run their own servers, and of prometheus only promtool is used.
services=""
for package in redis-server prometheus; do
    [[ "$missing" != *" $package"* ]] || services="$services $package.service"
done

# policy-rc.d is Debian's way to say so; one that is already there is the administrator's and stays.
policy=/usr/sbin/policy-rc.d
if [ -n "$services" ] && [ ! -e "$policy" ]; then
    trap '$as_root rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' | $as_root tee "$policy" >/dev/null
    $as_root chmod 755 "$policy"
fi

echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing </dev/null

if [ -n "$services" ] && [ -d /run/systemd/system ]; then
    # shellcheck disable=SC2086
    $as_root systemctl disable --quiet $services || true
fi
