#!/usr/bin/env bash
# .ci/web_packages.sh FOLDER: the sources of packages that the page in a browser is compiled with, as Debian 12 has
# them, unpacked and with Debian's patches. They are fetched from the system's own archive, with a list of sources of
# our own: nothing of the system's lists changes.
set -euo pipefail
folder=${1:?a folder}
mkdir -p "$folder/apt/lists/partial"
folder=$(readlink -f -- "$folder")
# Where the system takes its programs from, it takes their sources from.
{
  sed -n 's/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*debian[^ ]*\) \([^ ]*\) .*/deb-src \1\2 \3 main/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null || true
  awk '/^URIs:/ { uri = $2 } /^Suites:/ { for (i = 2; i <= NF; ++i) if (uri ~ /debian/) print "deb-src", uri, $i, "main" }' \
    /etc/apt/sources.list.d/*.sources 2>/dev/null || true
} | sort -u >"$folder/apt/sources.list"
options=(-o "Dir::Etc::sourcelist=$folder/apt/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$folder/apt/lists"
  -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache= -o APT::Sandbox::User=root)
apt-get "${options[@]}" -q update
cd "$folder"
for package in imgui freetype md4c muparser qrencode zlib; do
  if compgen -G "$package-*/" >/dev/null; then continue; fi
  # An archive that does not have all of a package's files may have its sources without Debian's patches.
  apt-get "${options[@]}" -q source "$package" || tar xf "$package"_*.orig.tar.*
done
