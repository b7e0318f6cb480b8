#!/usr/bin/env bash
# Runs unit, contract and end-to-end tests in a build that counts, and tells which lines and branches they reach.
#   tests/coverage.sh [--label REGEX] [--no-install]
# Prints a line a file; build/coverage/report/index.html shows each line of it. Fails when a test fails, after the report.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

label="unit|contract|thread_safety|e2e"
install=yes
while [ $# -gt 0 ]; do
    case "$1" in
        --label) label=$2; shift 2 ;;
        --no-install) install=no; shift ;;
        -h | --help) sed -n '2,4s/^# //p' "$0"; exit 0 ;;
        *) echo "$0: unknown option '$1'; try --help" >&2; exit 2 ;;
    esac
done

[ "$install" = no ] || deploy/packages.sh build test coverage
# Counts of an earlier run would be added to.
find build/coverage -name '*.gcda' -delete 2>/dev/null || true
failed=0
tests/run.sh --preset coverage --label "$label" --no-install || failed=$?
mkdir -p build/coverage/report
gcovr --root . --object-directory build/coverage --filter 'src/' --filter 'include/' --exclude-throw-branches \
    --gcov-ignore-parse-errors -j "$(nproc)" --html-details build/coverage/report/index.html --txt -
exit $failed
