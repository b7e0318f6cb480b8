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

skip() { echo "skipped: the image is not $1: $2"; exit 77; }

[ "$(id -u)" -eq 0 ] || skip built "this needs root"
for tool in buildah mmdebstrap; do
    command -v "$tool" >/dev/null || skip built "$tool is not installed (deploy/packages.sh image)"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# A machine without systemd, as a container is, has neither its cgroup driver nor its journal, and may not raise limits.
if [ -z "${CONTAINERS_CONF:-}" ] && [ ! -d /run/systemd/system ]; then
    export CONTAINERS_CONF=$work/containers.conf
    cat >"$CONTAINERS_CONF" <<'CONF'
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
runtime = "runc"
events_logger = "file"
CONF
fi

# chroot needs no cgroups, and docker's format is the one that knows HEALTHCHECK.
bud() { buildah bud --quiet --isolation chroot --format docker --layers "$@" >/dev/null; }

suite=bookworm
if [ "$(. /etc/os-release && echo "${ID:-}")" = debian ]; then
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
fi

# The image to build in: what was asked for, what is there already, what a registry has, or one of Debian's packages.
find_base() {
    [ -z "$base" ] || return 0
    base=localhost/onceward-base:$suite
    ! buildah inspect --type image "$base" >/dev/null 2>&1 || return 0
    if timeout 60 buildah pull --quiet "docker.io/library/debian:$suite-slim" >/dev/null 2>&1; then
        base=docker.io/library/debian:$suite-slim
        return 0
    fi
    echo "no registry has debian:$suite-slim: making it with mmdebstrap"
    mkdir "$work/base"
    mmdebstrap --quiet --variant=minbase --include=ca-certificates "$suite" "$work/base/base.tar"
    printf 'FROM scratch\nADD base.tar /\n' >"$work/base/Dockerfile"
    bud -t "$base" "$work/base"
}

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

for tool in podman runc; do
    command -v "$tool" >/dev/null || skip tried "$tool is not installed (deploy/packages.sh image)"
done
command -v redis-server >/dev/null || skip tried "redis-server is not installed (deploy/packages.sh test)"
python=""
for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import yaml' 2>/dev/null && python=$candidate && break
done
[ -n "$python" ] || skip tried "python3-yaml is not installed (deploy/packages.sh image)"

find_base
bud --build-arg "BASE=$base" -t localhost/orders:check deploy/demo
# Redis as the manifests run it, of this machine's package.
mkdir "$work/redis"
deploy/image_root.sh "$(command -v redis-server)" "$work/redis/image"
printf 'FROM scratch\nCOPY image /\n' >"$work/redis/Dockerfile"
bud -t localhost/redis:check "$work/redis"

"$python" -B deploy/kubernetes/try_pod.py --onceward "$tag" --orders localhost/orders:check --redis localhost/redis:check
