#!/usr/bin/env bash
# tests/package/same_bytes.sh BUILD [OTHER]: packs BUILD twice and says whether the packages are the same to the last byte;
# with OTHER, a build of the same sources in another folder, packs that too. The program must name no folder of this machine.
set -euo pipefail
build=$(readlink -f -- "${1:?a build folder}") other=$(readlink -f -- "${2:-$1}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pack() { (cd "$1" && cpack -B "$2" >"$work/log" 2>&1) || { cat "$work/log"; exit 1; }; }
pack "$build" "$work/first"
sleep 2
pack "$other" "$work/second"
failed=0 count=0
for file in "$work"/first/*.deb "$work"/first/*.tar.gz; do
  count=$((count + 1))
  if cmp "$file" "$work/second/$(basename "$file")"; then
    echo "same bytes: $(basename "$file"), $(sha256sum <"$file" | cut -c 1-16)…"
  else
    failed=1
  fi
done
expected=2
if grep -q '^ROPESCOPE_PYTHON:[A-Z]*=ON$' "$build/CMakeCache.txt"; then expected=3; fi
[ "$count" = "$expected" ] || { echo "$count packages, not $expected"; failed=1; }
mkdir "$work/open"
tar -xzf "$work"/first/*.tar.gz -C "$work/open"
source=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
if grep -rlF -e "$source" -e "$build" "$work/open"; then
  echo "these files name the folder that they were built in"
  failed=1
fi
exit "$failed"
