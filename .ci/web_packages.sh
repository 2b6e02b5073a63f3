#!/usr/bin/env bash
# .ci/web_packages.sh FOLDER: the sources of packages that the page in a browser is compiled with, as Debian 12 has
# them, unpacked and with Debian's patches. They are fetched from the system's own archive, with a list of sources of
# our own: nothing of the system's lists changes.
set -euo pipefail
folder=${1:?a folder}
packages=(imgui freetype libzip md4c muparser qrencode zlib)
missing=()
for package in "${packages[@]}"; do
  compgen -G "$folder/$package-*/" >/dev/null || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0
mkdir -p "$folder/apt/lists/partial" "$folder/new"
folder=$(readlink -f -- "$folder")
# Where the system takes its programs from, it takes their sources from.
{
  sed -n 's/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*debian[^ ]*\) \([^ ]*\) .*/deb-src \1\2 \3 main/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null || true
  awk '/^URIs:/ { uri = $2 } /^Suites:/ { for (i = 2; i <= NF; ++i) if (uri ~ /debian/) print "deb-src", uri, $i, "main" }' \
    /etc/apt/sources.list.d/*.sources 2>/dev/null || true
} | sort -u >"$folder/apt/sources.list"
if [ ! -s "$folder/apt/sources.list" ]; then
  echo "web_packages.sh: the system's package sources contain no Debian archive" >&2
  exit 1
fi
options=(-o "Dir::Etc::sourcelist=$folder/apt/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$folder/apt/lists"
  -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache= -o APT::Sandbox::User=root)
apt-get "${options[@]}" -q update
cd "$folder/new"
for package in "${missing[@]}"; do
  # An archive that does not have all of a package's files may have its sources without Debian's patches.
  if ! apt-get "${options[@]}" -q source "$package"; then
    echo "web_packages.sh: using $package without Debian's patches" >&2
    tar xf "$package"_*.orig.tar.*
  fi
  mv "$package"-*/ "$folder/"
done
