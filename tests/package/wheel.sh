#!/usr/bin/env bash
# tests/package/wheel.sh [SUITE]: builds a source distribution and a wheel in a bare Debian that has scikit-build-core (13
# and later), without network, then installs the wheel there and in a virtual environment of a bare system without a
# compiler, and uses it. Run as root. SUITE: trixie by default.
set -euo pipefail
suite=${1:-trixie} source=$(cd "$(dirname "$0")/../.." && pwd)
[ "$(id -u)" = 0 ] || { echo "a system within the system is made by root" >&2; exit 2; }
work=$(mktemp -d)
leave() {
  local tree each
  for tree in "$work"/build "$work"/bare; do
    for each in dev/shm dev proc; do umount "$tree/$each" 2>/dev/null || true; done
    mountpoint -q "$tree/proc" || mountpoint -q "$tree/dev" || rm -rf "$tree"
  done
  rm -rf "$work"
}
trap leave EXIT

step() { printf '%s\n' "--- $*"; }
# inside TREE COMMAND…: with the network; offline TREE COMMAND…: without.
inside() { local tree=$1; shift; chroot "$tree" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
offline() { local tree=$1; shift; unshare -n chroot "$tree" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"; }
quietly() { "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; exit 1; }; }
mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -v security | sort -u | head -n 1)

# bare TREE PACKAGE…: a minimal system with these packages and what they need.
bare() {
  local tree=$1
  shift
  quietly debootstrap --variant=minbase "$suite" "$tree" "$mirror"
  mount --bind /dev "$tree/dev"
  mount -t tmpfs none "$tree/dev/shm"
  mount -t proc none "$tree/proc"
  [ ! -f /etc/resolv.conf ] || cp /etc/resolv.conf "$tree/etc/resolv.conf"
  quietly inside "$tree" apt-get update -q
  quietly inside "$tree" apt-get install -y --no-install-recommends "$@"
}

step "a bare $suite with what a build needs"
# The packages of ./run are those that .ci/setup.sh names.
# shellcheck disable=SC1091
needed=$(sed -n '/apt-get-run)/,/;;/p' "$source/.ci/setup.sh" | grep echo | sed 's/.*echo//; s/;;//' | tr ' ' '\n' |
  sed 's/.*://' | grep -vE '^$|^fonts|^xclip|^libgl1-mesa' | tr '\n' ' ')
# shellcheck disable=SC2086
bare "$work/build" $needed python3-dev python3-pip python3-numpy python3-scikit-build-core pybind11-dev
git -C "$source" archive --format=tar HEAD | tar -x --one-top-level="$work/build/source"

step "a source distribution, and a wheel from it, without network"
quietly offline "$work/build" sh -c 'cd /source && python3 -c "
from scikit_build_core.build import build_sdist
print(build_sdist(\"/dist\"))"'
quietly offline "$work/build" sh -c 'cd /dist && tar xf ropescope-*.tar.gz && cd ropescope-*/ &&
  python3 -m pip wheel . --no-build-isolation --no-deps -w /dist'
wheel=$(basename "$work"/build/dist/ropescope-*.whl)
ls -l "$work/build/dist/$wheel"

step "a bare $suite without a compiler: a virtual environment with NumPy"
# What auditwheel would copy into the wheel, by the packages of this system.
bare "$work/bare" python3-venv python3-numpy libzip5 libmuparser2v5 libduktape207
cp "$work/build/dist/$wheel" "$work/bare/tmp/"
quietly offline "$work/bare" sh -c "python3 -m venv --system-site-packages /ve && /ve/bin/pip install --no-index --no-deps /tmp/$wheel"
offline "$work/bare" /ve/bin/python -B -c '
import ropescope as rs
rope = rs.Rope.from_preset("llama-3.1-8b")
cos, sin = rope.cos_sin(range(64))
rs.check(cos=cos, sin=sin, against=rope).assert_agrees()
try:
    rs.figure
except ImportError as error:
    print(error)
print(rs.__version__, rope)'

step "with the libraries that draw: figures and the program"
quietly inside "$work/bare" apt-get install -y --no-install-recommends libpangocairo-1.0-0 librsvg2-2 libgif7 libjpeg62-turbo \
  libqrencode4 libmd4c0 libglfw3 libopengl0 libegl1 fonts-dejavu-core
offline "$work/bare" /ve/bin/python -B -c 'import ropescope as rs; print(len(rs.figure("decay", "llama-2-7b").svg()), "bytes of SVG")'
offline "$work/bare" /ve/bin/ropescope --version
offline "$work/bare" /ve/bin/python -m ropescope.dump
