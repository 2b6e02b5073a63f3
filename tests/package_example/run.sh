#!/usr/bin/env bash
# tests/package_example/run.sh BUILD: installs core of BUILD into a folder of its own, looks whether just the public headers
# lie there, builds the example project against it and runs it. The folder may be moved: it is, before it is used.
set -euo pipefail
folder=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
root=$(dirname -- "$(dirname -- "$folder")")
build=$(readlink -f -- "${1:?a build folder}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --component library --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix"
(cd "$work/prefix/include/ropescope" && find . -type f | sed 's,^\./,,' | LC_ALL=C sort) >"$work/installed"
grep '^core/' "$root/core/public_headers.txt" | LC_ALL=C sort >"$work/public"
diff "$work/public" "$work/installed" || { echo "other headers are installed than core/public_headers.txt names"; exit 1; }
if grep -rlF "$root" "$work/prefix/include" "$work/prefix"/lib*/cmake "$work/prefix"/lib/*/cmake 2>/dev/null; then
  echo "these installed files name the checkout"
  exit 1
fi
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
# Elsewhere than in the checkout, so that no header is found there by chance.
cp -r "$folder" "$work/example"
cmake -S "$work/example" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --build "$work/build" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$work/build/port_tests"
[ ! -x "$work/build/port_gtest" ] || "$work/build/port_gtest"
