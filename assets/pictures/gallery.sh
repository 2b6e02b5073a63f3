#!/usr/bin/env bash
# assets/pictures/gallery.sh PROGRAM: the pictures of the chapter Gallery, made by the commands that the chapter shows.
set -euo pipefail
program=$(readlink -f -- "${1:?the program}")
folder=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME=$work
mkdir -p "$folder/gallery" "$work/bin"
ln -s "$program" "$work/bin/ropescope"
cd "$folder/gallery"
# Runs only the code blocks that begin with this command.
grep '^ropescope render ' "$folder/../handbook/19-gallery.md" | PATH="$work/bin:$PATH" bash -euo pipefail
