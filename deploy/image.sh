#!/usr/bin/env bash
# Builds the image with buildah, without an engine and without a registry, and tries it as a Pod.
#   deploy/image.sh [--tag NAME] [--base IMAGE] [--binary FILE] [--check | --check-only]
#     --tag NAME      name of the image (default localhost/onceward:VERSION)
#     --base IMAGE    Debian image to build in (default: debian:SUITE-slim, made with mmdebstrap where it can't be pulled)
#     --binary FILE   takes this binary instead of compiling one
#     --check         afterwards starts the Pods of deploy/kubernetes, sends duplicates through them and measures
#     --check-only    the same with the image that is there
# Needs root, and `deploy/packages.sh image` for what it runs. Exits 77, and says why, where this machine can't.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=$(sed -n 's/^project(onceward VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
tag=localhost/onceward:$version
base=""
binary=""
build=yes
check=no
while [ $# -gt 0 ]; do
    case "$1" in
        --tag) tag=$2; shift 2 ;;
        --base) base=$2; shift 2 ;;
        --binary) binary=$2; shift 2 ;;
        --check) check=yes; shift ;;
        --check-only) check=yes; build=no; shift ;;
        -h | --help) sed -n '2,9s/^# //p' "$0"; exit 0 ;;
        *) echo "$0: unknown option '$1'; try --help" >&2; exit 2 ;;
    esac
done

# shellcheck source=deploy/containers.sh
. deploy/containers.sh
require "the image is not built" buildah mmdebstrap

commit=$(git rev-parse --short=12 HEAD 2>/dev/null || true)
labels=(--build-arg "VERSION=$version" --build-arg "COMMIT=$commit")

build_all() {
    find_base
    local volume=()
    local cache
    cache=$(ccache --get-config cache_dir 2>/dev/null || true)
    if [ -n "$cache" ] && mkdir -p "$cache"; then
        volume=(--volume "$cache:/ccache" --build-arg CCACHE_DIR=/ccache)
    fi
    echo "building $tag in $base"
    bud --build-arg "BASE=$base" "${labels[@]}" "${volume[@]}" -t "$tag" .
}

# The last stage alone, over a binary that is there.
build_from_binary() {
    echo "building $tag from $binary"
    mkdir "$work/context"
    deploy/image_root.sh "$binary" "$work/context/image"
    sed -n '/^FROM scratch/,$p' Dockerfile | sed 's#--from=build \(.*\)/image#\1image#' >"$work/context/Dockerfile"
    bud "${labels[@]}" -t "$tag" "$work/context"
}

if [ "$build" = yes ]; then
    if [ -n "$binary" ]; then
        build_from_binary
    else
        build_all
    fi
    buildah images --format '{{.Name}}:{{.Tag}} {{.Size}}' "$tag"
fi

[ "$check" = yes ] || exit 0

require "the image is not tried" podman runc redis-server
find_python "the image is not tried"
buildah inspect --type image "$tag" >/dev/null || { echo "$0: there is no image $tag" >&2; exit 1; }
require_run "the image is not tried" "$tag" version

find_base
bud --build-arg "BASE=$base" -t localhost/orders:check deploy/demo
# Redis as the manifests run it, of this machine's package.
mkdir "$work/redis"
deploy/image_root.sh "$(command -v redis-server)" "$work/redis/image"
printf 'FROM scratch\nCOPY image /\n' >"$work/redis/Dockerfile"
bud -t localhost/redis:check "$work/redis"

"$python" -B deploy/kubernetes/try_pod.py --onceward "$tag" --orders localhost/orders:check --redis localhost/redis:check
