#!/usr/bin/env bash
# Builds the libFuzzer targets (clang) and lets each search for inputs that break its decoder, from the kept corpus.
#   tests/fuzz/run.sh [--seconds 60] [--jobs N] [--no-install] [NAME...]
# What breaks one is left in build/fuzz/found. Mend the fault, move the file to crashes/NAME: ctest replays it from then on.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

seconds=60
jobs=$(nproc)
install=yes
names=()
while [ $# -gt 0 ]; do
    case "$1" in
        --seconds) seconds=$2; shift 2 ;;
        --jobs) jobs=$2; shift 2 ;;
        --no-install) install=no; shift ;;
        -h | --help) sed -n '2,4s/^# //p' "$0"; exit 0 ;;
        -*) echo "$0: unknown option '$1'; try --help" >&2; exit 2 ;;
        *) names+=("$1"); shift ;;
    esac
done
if [ ${#names[@]} -eq 0 ]; then
    for folder in tests/fuzz/corpus/*/; do
        names+=("$(basename "$folder")")
    done
fi

[ "$install" = no ] || deploy/packages.sh build test fuzz
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --parallel "$jobs" --target "${names[@]/#/fuzz_}" | tail -n 1

# One target: a line with what it did, or the end of its log.
search() {
    local name=$1 found=build/fuzz/found known=build/fuzz/corpus/$1 log=build/fuzz/$1.log
    mkdir -p "$found" "$known"
    local inputs=("$known" "tests/fuzz/corpus/$name")
    [ ! -d "tests/fuzz/crashes/$name" ] || inputs+=("tests/fuzz/crashes/$name")
    if "build/fuzz/bin/fuzz_$name" -max_total_time="$SECONDS_EACH" -max_len=4096 -timeout=10 -rss_limit_mb=1024 \
        -print_final_stats=1 -artifact_prefix="$found/$name-" "${inputs[@]}" >"$log" 2>&1; then
        echo "$name: $(sed -n 's/stat::number_of_executed_units: *//p' "$log") inputs, $(grep -o 'cov: [0-9]*' "$log" | tail -n 1)"
    else
        echo "$name: FAILED"
        tail -n 60 "$log"
        return 1
    fi
}
export -f search
export SECONDS_EACH=$seconds
printf '%s\n' "${names[@]}" | xargs -P "$jobs" -I{} bash -c 'search "$1"' search {}
