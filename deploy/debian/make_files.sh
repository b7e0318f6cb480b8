#!/bin/sh
# Makes what the package holds beside the binary: make_files.sh BINARY FOLDER VERSION
set -eu
here=$(dirname "$0")
binary=$1
out=$2
version=$3

mkdir -p "$out"
python3 -B "$here/manual.py" "$binary" "$here/onceward.1.in" "$version" >"$out/onceward.1"
gzip -9nc "$out/onceward.1" >"$out/onceward.1.gz"
gzip -9nc "$here/changelog" >"$out/changelog.gz"
for shell in bash zsh fish; do
    "$binary" completion "$shell" >"$out/onceward.$shell"
done
{
    echo '# yaml-language-server: $schema=file:///usr/share/onceward/onceward.schema.json'
    cat "$here/../systemd/onceward.yaml"
} >"$out/onceward.yaml"
