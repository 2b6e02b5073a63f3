#!/usr/bin/env bash
# .ci/release_files.sh FROM TO SYSTEM: copies the packages of the build folder FROM to the folder TO, with the
# SYSTEM added to each name: ropescope_0.2.0-debian12_amd64.deb. Fails if there is no .deb or no .tar.gz.
set -euo pipefail
from=${1:?a build folder} to=${2:?a folder} system=${3:?a system, such as debian12}
mkdir -p "$to"
shopt -s nullglob
packages=("$from"/*.deb) archives=("$from"/*.tar.gz)
if [ ${#packages[@]} = 0 ] || [ ${#archives[@]} = 0 ]; then
  echo "$from has no .deb or no .tar.gz" >&2
  exit 1
fi
for file in "${packages[@]}"; do
  name=$(basename -- "$file" .deb)
  cp -- "$file" "$to/${name%_*}-${system}_${name##*_}.deb"
done
for file in "${archives[@]}"; do
  name=$(basename -- "$file" .tar.gz)
  cp -- "$file" "$to/$name-$system.tar.gz"
done
