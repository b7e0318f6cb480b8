#!/usr/bin/env bash
# Builds the Debian package, looks at it with lintian, and installs, uses, upgrades, removes and purges it on this machine.
#   tests/package/run.sh [--no-install] [--build-type Debug]
# Needs root. Refuses to touch a machine that has the package. What listens does so in a network of its own, where there may be one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

[ "$(id -u)" -eq 0 ] || { echo "$0: needs root, to install the package" >&2; exit 1; }
if dpkg-query -W -f '${db:Status-Status}' onceward 2>/dev/null | grep -qv not-installed; then
    echo "$0: the package onceward is on this machine; purge it first" >&2
    exit 1
fi

package=$(deploy/debian/build.sh "$@")
echo "$package: $(stat -c %s "$package") bytes"
lintian --fail-on error --tag-display-limit 0 --allow-root "$package"

network=()
unshare --net true 2>/dev/null && network=(unshare --net)
exec "${network[@]}" python3 -B tests/package/package_test.py "$PWD/$package"
