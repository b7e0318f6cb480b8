#!/usr/bin/env bash
# Lays out the files of the image: a binary and what it needs at run time.
#   deploy/image_root.sh BINARY DIRECTORY
set -euo pipefail
[ $# -eq 2 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
binary=$1
root=$2

mkdir -p "$root/usr/bin" "$root/etc/ssl/certs" "$root/var/lib/onceward" "$root/tmp"
chmod 1777 "$root/tmp"
cp -L "$binary" "$root/usr/bin/"
strip "$root/usr/bin/${binary##*/}"

# The shared libraries and the loader, under the paths where the loader looks.
ldd "$binary" | grep -o '/[^ ]*' | sort -u | while read -r library; do
    cp -L --parents "$library" "$root"
done

cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
echo 'nonroot:x:65532:65532:nonroot:/var/lib/onceward:/usr/sbin/nologin' >"$root/etc/passwd"
echo 'nonroot:x:65532:' >"$root/etc/group"
