#!/usr/bin/env bash
# tests/package/wheel.sh [BASES [SUITE…]]: makes a source distribution and, for Debian 13 (trixie, Python 3.13) and 12
# (bookworm, Python 3.11), a wheel of it in a bare system without network; installs each in a virtual environment of a bare
# system without compiler, checks what it needs there, and uses it. Debian 12 has no scikit-build-core, and a packaging too
# old for it: it gets those of 13, which are pure Python. Run as root.
# BASES: bare systems that debootstrap made before, BASES/trixie and BASES/bookworm; they are copied, and made where they are
# missing; "" for a folder of this run. SUITE…: only these. If this machine has ccache, the compilers inside use its folder.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
[ "$(id -u)" = 0 ] || { echo "a system within the system is made by root" >&2; exit 2; }
work=$(mktemp -d)
bases=${1:-$work/bases} dist=$work/dist tree=$work/none
shift $(($# > 0))
mkdir -p "$bases" "$dist"
# Removes the system within, if nothing of this machine is mounted in it any more.
remove_tree() {
  local each
  for each in ccache dev/shm dev proc; do umount "$tree/$each" 2>/dev/null || true; done
  ! grep -q " $tree/" /proc/mounts || { echo "$tree is left: something is mounted in it" >&2; return 1; }
  rm -rf "$tree"
}
leave() { remove_tree && rm -rf "$work"; }
trap leave EXIT

step() { printf '%s\n' "--- $*"; }
quietly() { "$@" >"$work/log" 2>&1 || { tail -n 40 "$work/log"; exit 1; }; }
# inside COMMAND…: in the tree, with the network. offline COMMAND…: without.
inside() {
  ${apart-} chroot "$tree" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    CCACHE_DIR=/ccache PIP_ROOT_USER_ACTION=ignore DEBIAN_FRONTEND=noninteractive "$@"
}
offline() { apart="unshare -n" inside "$@"; }
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -v security | sort -u | head -n 1)

# bare NAME SUITE PACKAGE…: the tree becomes a minimal system with these packages and what they need.
bare() {
  local base=$bases/$2 suite=$2
  remove_tree
  tree=$work/$1-$2
  if [ ! -d "$base" ]; then
    quietly debootstrap --variant=minbase "$suite" "$base.new" "$mirror"
    mv "$base.new" "$base"
  fi
  cp -a "$base" "$tree"
  echo force-unsafe-io >"$tree/etc/dpkg/dpkg.cfg.d/unsafe-io"
  echo "deb $mirror $suite main" >"$tree/etc/apt/sources.list"
  mount --bind /dev "$tree/dev"
  mount -t tmpfs none "$tree/dev/shm"
  mount -t proc none "$tree/proc"
  [ ! -f /etc/resolv.conf ] || cp /etc/resolv.conf "$tree/etc/resolv.conf"
  quietly inside apt-get update -q
  shift 2
  quietly inside apt-get install -y --no-install-recommends "$@"
}

# What ./run installs, without fonts and what only a window needs.
# shellcheck disable=SC1091
needed=$(root=$source && . "$source/.ci/setup.sh" && package_list apt-get run | tr ' ' '\n' | sed 's/.*://' |
  grep -vE '^$|^fonts|^xclip|^libgl1-mesa|^libegl1$')

# build SUITE PACKAGE…: a bare system that builds, with the sources in /ropescope.
build() {
  local suite=$1
  shift
  # shellcheck disable=SC2086
  bare build "$suite" $needed python3-dev python3-pip python3-numpy pybind11-dev ${ccache:+ccache} "$@"
  mkdir -p "$tree/ccache" "$tree/ropescope" "$tree/dist"
  [ -z "$ccache" ] || mount --bind "$ccache" "$tree/ccache"
}
ccache=
if command -v ccache >/dev/null 2>&1; then ccache=$(ccache --get-config cache_dir) && mkdir -p "$ccache"; fi

# make_wheel: of the source distribution. A build in this folder has the same names as that of .ci/run package.
make_wheel() {
  tar -xzf "$dist"/ropescope-*.tar.gz -C "$tree/ropescope" --strip-components=1
  # shellcheck disable=SC2016
  quietly offline sh -c 'cd /ropescope && PYTHONPATH=/backend python3 -m pip wheel . --no-build-isolation --no-deps \
    --config-settings=build-dir=build-package -w /dist'
  cp "$tree"/dist/*.whl "$dist"
  ls -sh "$tree"/dist/*.whl
}

# What figures and the program need, besides ICU and stb, whose packages have other names in each Debian.
drawing="libpangocairo-1.0-0 librsvg2-2 libgif7 libjpeg62-turbo libqrencode4 libmd4c0 libglfw3 libopengl0 libegl1 libgl1 libgl1-mesa-dri"
# use_wheel SUITE TAG LIBRARY…: in a virtual environment; LIBRARY…: the packages with what figures need.
use_wheel() {
  local suite=$1 wheel
  wheel=$(basename "$dist"/ropescope-*-"$2"-*.whl)
  shift 2
  step "a bare $suite without compiler, and a virtual environment with NumPy: $wheel"
  bare use "$suite" python3-venv python3-numpy binutils
  cp "$dist/$wheel" "$tree/tmp/"
  quietly offline sh -c "python3 -m venv --system-site-packages /ve && /ve/bin/pip install --no-index --no-deps /tmp/$wheel"
  # shellcheck disable=SC2016,SC2086  # one word a library
  offline sh -c 'cd /ve/lib/python3*/site-packages/ropescope; needs() { objdump -p "$@" | sed -n "s/^ *NEEDED *//p" | sort -u; }
    for each in _core _figures; do echo "$each needs:" $(needs $each.*.so); done; echo "bundled:" $(ls libs); du -sh .
    for each in $(needs _core.*.so libs/*.so*); do
      case " $* $(ls libs | tr "\n" " ") " in *" $each "*) ;; *) echo "_core needs $each, which is not in the wheel"; exit 1 ;; esac
    done
    if ldd _core.*.so | grep "not found"; then exit 1; fi  # its RPATH holds for the bundled libraries too
    rm -r /tmp/*' needs $allowed
  cp "$source/tests/package/use_wheel.py" "$tree/tmp/"
  offline /ve/bin/python -B /tmp/use_wheel.py numbers
  step "the same with the libraries that draw: figures and the program"
  # The program draws with the fonts that it would have with its Debian package.
  # shellcheck disable=SC2086
  quietly inside apt-get install -y --no-install-recommends $drawing "$@" fonts-inter fonts-noto-cjk fonts-dejavu-core
  offline /ve/bin/python -B /tmp/use_wheel.py figures
  offline /ve/bin/ropescope --version
  offline /ve/bin/ropescope decay --model llama-2-7b --distances 0:4
  offline /ve/bin/ropescope screenshot --model llama-3.1-8b --size 1280x720 -o /tmp/window.png
}

# All that _core may need besides what is in the wheel: the C and C++ libraries with their loader, and those of Python itself.
allowed='libstdc++.so.6 libgcc_s.so.1 libm.so.6 libc.so.6 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 libz.so.1 libbz2.so.1.0 liblzma.so.5 libzstd.so.1 libcrypto.so.3'

step "a source distribution, made in a bare trixie without network"
bare sdist trixie python3-scikit-build-core
mkdir "$tree/ropescope" "$tree/dist" "$work/backend"
git -C "$source" archive --format=tar HEAD | tar -x -C "$tree/ropescope"
quietly offline sh -c 'cd /ropescope && python3 -c "
from scikit_build_core.build import build_sdist
print(build_sdist(\"/dist\"))"'
cp "$tree"/dist/*.tar.gz "$dist"
ls -sh "$dist"/*.tar.gz
cp -a "$tree"/usr/lib/python3/dist-packages/{scikit_build_core,pyproject_metadata,packaging,pathspec}* "$work/backend"

suites=("$@")
[ $# -gt 0 ] || suites=(trixie bookworm)
for suite in "${suites[@]}"; do
  step "a wheel from it, made in a bare $suite without network"
  case $suite in
  trixie)
    build trixie python3-scikit-build-core
    make_wheel
    use_wheel trixie cp313 libicu76 libstb0t64
    ;;
  bookworm)
    build bookworm
    cp -a "$work/backend" "$tree/backend"
    make_wheel
    use_wheel bookworm cp311 libicu72 libstb0
    ;;
  *)
    echo "$suite: expected trixie or bookworm" >&2
    exit 2
    ;;
  esac
done
step "all of it passed"
