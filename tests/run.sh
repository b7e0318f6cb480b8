#!/usr/bin/env bash
# Installs what is missing, builds, and runs the tests with ctest.
#   tests/run.sh [--preset dev|release|asan|tsan] [--label REGEX] [--only REGEX] [--jobs N] [--no-install]
# Labels: unit contract cost thread_safety e2e lint fuzz deploy prometheus; what only other kinds need is not built then. The tests
# start the servers that they need themselves and stop them again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=dev
install=yes
labels=""
jobs=$(nproc)
filter=()
while [ $# -gt 0 ]; do
    case "$1" in
        --preset) preset=$2; shift 2 ;;
        --label) labels=$2; filter+=(--label-regex "$2"); shift 2 ;;
        --only) filter+=(--tests-regex "$2"); shift 2 ;;
        --jobs) jobs=$2; shift 2 ;;
        --no-install) install=no; shift ;;
        -h | --help) sed -n '2,5s/^# //p' "$0"; exit 0 ;;
        *) echo "$0: unknown option '$1'; try --help" >&2; exit 2 ;;
    esac
done

[ "$install" = no ] || deploy/packages.sh build test
cmake --preset "$preset" -DONCEWARD_TESTS=ON >/dev/null
targets=()
IFS='|' read -ra kinds <<<"$labels"
for kind in "${kinds[@]}"; do
    case "$kind" in
        unit | contract | cost | thread_safety | e2e | lint | fuzz | deploy | prometheus) targets+=("tests_$kind") ;;
        *) targets=(all); break ;;
    esac
done
cmake --build --preset "$preset" --parallel "$jobs" --target "${targets[@]:-all}"

# A ctest that finds nothing to run would pass.
ctest --test-dir "build/$preset" --output-on-failure --no-tests=error --parallel "$jobs" "${filter[@]}" </dev/null
