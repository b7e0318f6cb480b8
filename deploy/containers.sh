# What the scripts share that build and run containers. To be sourced, from the root of the repository.
# Sets `work`, a directory that goes at the end, and `base`, once find_base was called.

# skip WHAT WHY: this machine can't.
skip() { echo "skipped: $1: $2"; exit 77; }

# require WHAT TOOL...: skips WHAT where one of them is missing.
require() {
    local what=$1 tool
    shift
    [ "$(id -u)" -eq 0 ] || skip "$what" "this needs root"
    for tool in "$@"; do
        command -v "$tool" >/dev/null || skip "$what" "$tool is not installed (deploy/packages.sh image)"
    done
}

# require_run WHAT IMAGE COMMAND...: skips WHAT where podman can't run a container with a network of its own.
require_run() {
    local what=$1 said
    shift
    said=$(podman run --rm --read-only --cap-drop all "$@" 2>&1) || skip "$what" "podman can't run a container here: ${said##*$'\n'}"
}

# A Python that reads YAML.
find_python() {
    for python in python3 /usr/bin/python3; do
        ! "$python" -c 'import yaml' 2>/dev/null || return 0
    done
    skip "$1" "python3-yaml is not installed (deploy/packages.sh image)"
}

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
base=${base:-}
if [ "$(. /etc/os-release && echo "${ID:-}")" = debian ]; then
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
fi

# `base`, the image to build in: what was asked for, what is there already, what a registry has, or one of Debian's packages.
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
    mmdebstrap --quiet --variant=minbase --include=ca-certificates "$suite" "$work/base/base.tar" \
        || skip "no image to build in" "mmdebstrap could not make one"
    printf 'FROM scratch\nADD base.tar /\n' >"$work/base/Dockerfile"
    bud -t "$base" "$work/base"
}

