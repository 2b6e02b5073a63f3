#!/usr/bin/env bash
# tests/package/check.sh DEB TAR_GZ [SUITE [BASE]]: installs the .deb into a bare Debian (debootstrap --variant=minbase: no
# compiler, no library of ours, no font), uses it there, removes it, and looks whether anything is left; then unpacks the
# .tar.gz into a folder of its own and uses that. A python3-ropescope_….deb beside the .deb is tried with it. Run as root. SUITE: this machine's own, or bookworm, trixie, …
# BASE: a bare system that debootstrap made before; it is copied, and made where it is missing.
set -euo pipefail
deb=$(readlink -f -- "${1:?a .deb}") tarball=$(readlink -f -- "${2:?a .tar.gz}")
# shellcheck disable=SC1091
suite=${3:-$(. /etc/os-release && echo "$VERSION_CODENAME")} base=${4-}
[ "$(id -u)" = 0 ] || { echo "a system within the system is made by root" >&2; exit 2; }
work=$(mktemp -d)
tree=$work/root
leave() {
  local each
  for each in dev/shm dev proc; do umount "$tree/$each" 2>/dev/null || true; done
  mountpoint -q "$tree/proc" || mountpoint -q "$tree/dev" || rm -rf "$work"
}
trap leave EXIT

step() { printf '%s\n' "--- $*"; }
inside() { chroot "$tree" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
# Where this machine has its own packages from.
mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -v security | sort -u | head -n 1)

step "a bare $suite"
if [ -z "$base" ] || [ ! -d "$base/usr" ]; then
  base=${base:-$work/base}
  debootstrap --variant=minbase "$suite" "$base" "$mirror" >"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 1; }
fi
cp -a "$base" "$tree"
echo "deb $mirror $suite main" >"$tree/etc/apt/sources.list"
mount --bind /dev "$tree/dev"
mount -t tmpfs none "$tree/dev/shm"
mount -t proc none "$tree/proc"
[ ! -f /etc/resolv.conf ] || cp /etc/resolv.conf "$tree/etc/resolv.conf"
inside apt-get update -q >"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 1; }

# Every file but those of the package manager itself, which keeps logs and lists.
list_files() {
  (cd "$tree" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./var/cache -o -path ./var/log \
    -o -path ./var/lib/apt -o -path ./var/lib/dpkg \) -prune -o -print | LC_ALL=C sort)
}

# use PROGRAM: what a person would do first.
use() {
  local program=$1
  step "$program --version, --help"
  inside "$program" --version
  inside "$program" check --help >/dev/null
  step "$program help decay"
  inside "$program" help decay | grep "Which base do I need?"
  step "$program screenshot"
  inside "$program" screenshot --model llama-3.1-8b --size 1280x720 -o /tmp/window.png
  [ "$(head -c 4 "$tree/tmp/window.png" | od -An -tx1 | tr -d ' ')" = 89504e47 ]
  echo "$(stat -c %s "$tree/tmp/window.png") bytes of PNG"
  step "$program check: tables of its own agree, of another base do not"
  inside "$program" layout flux.1 --size 512x512 --text 8 --cos /tmp/cos.npy --sin /tmp/sin.npy -o /tmp/ids.npy
  inside "$program" check --layout flux.1 --size 512x512 --text 8 --cos /tmp/cos.npy --sin /tmp/sin.npy | head -n 1
  local code=0
  inside "$program" check --layout flux.1 --size 512x512 --text 8 --base 500 --cos /tmp/cos.npy --sin /tmp/sin.npy \
    >/dev/null 2>"$work/log" || code=$?
  [ "$code" = 1 ] || [ "$code" = 2 ] || { cat "$work/log"; exit 1; }
  step "$program under Xvfb"
  if inside sh -c 'command -v Xvfb' >/dev/null; then
    # The window must still be there after a while, and end by itself when it is told to.
    inside sh -c 'Xvfb -displayfd 3 -screen 0 1280x800x24 3>/tmp/number 2>/tmp/xvfb.log & server=$!
      for i in $(seq 100); do [ -s /tmp/number ] && break; sleep 0.1; done
      DISPLAY=:$(cat /tmp/number) "$1" 2>/tmp/window.log & window=$!
      sleep 8
      if kill -0 $window 2>/dev/null; then echo "the window is open"; code=0; else cat /tmp/window.log; code=1; fi
      kill $window; wait $window 2>/dev/null; kill $server; wait $server 2>/dev/null; exit $code' sh "$program"
  fi
  rm -rf "$tree"/tmp/* "$tree/root/.local" "$tree/root/.cache"
}

step "what it depends on, and Xvfb, are there first"
cp "$deb" "$tree/tmp/ropescope.deb"
depends=$(dpkg-deb -f "$deb" Depends)
inside apt-get install -y --no-install-recommends xvfb >"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 1; }
inside apt-get install -y --no-install-recommends /tmp/ropescope.deb >"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 1; }
python_deb=$(find "$(dirname "$deb")" -maxdepth 1 -name 'python3-ropescope_*.deb' | head -n 1)
if [ -n "$python_deb" ]; then
  cp "$python_deb" "$tree/tmp/python.deb"
  inside apt-get install -y --no-install-recommends /tmp/python.deb >"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 1; }
  inside dpkg --purge python3-ropescope >/dev/null 2>&1
fi
inside dpkg --purge ropescope >/dev/null 2>&1
echo "depends on: $depends"
list_files >"$work/before"
step "install $(basename "$deb")"
cp "$deb" "$tree/tmp/ropescope.deb"
inside dpkg --install /tmp/ropescope.deb >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
! inside sh -c 'command -v c++ || command -v g++ || command -v cmake' || { echo "a compiler is there"; exit 1; }
inside test -s /usr/share/applications/ropescope.desktop
inside test -s /usr/share/icons/hicolor/256x256/apps/ropescope.png
inside test -s /usr/share/mime/packages/ropescope.xml
inside test -s /usr/share/bash-completion/completions/ropescope
use ropescope
if [ -n "$python_deb" ]; then
  step "install $(basename "$python_deb"), import it, remove it"
  cp "$python_deb" "$tree/tmp/python.deb"
  inside dpkg --install /tmp/python.deb >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  inside python3 -B -c 'import ropescope as rs
rope = rs.Rope.from_preset("llama-3.1-8b")
cos, sin = rope.cos_sin(range(64))
rs.check(cos=cos, sin=sin, against=rope).assert_agrees()
print(rope, len(rs.figure("decay", rope).svg()), "bytes of SVG")'
  inside dpkg --purge python3-ropescope >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
fi
step "remove"
inside dpkg --purge ropescope >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
list_files >"$work/after"
# What fontconfig keeps of the system's fonts is the system's.
diff "$work/before" "$work/after" || { echo "traces are left"; exit 1; }
echo "no trace is left"

step "unpack $(basename "$tarball") into /opt/anywhere, then move it"
mkdir -p "$tree/opt/anywhere"
tar -xzf "$tarball" -C "$tree/opt/anywhere" --strip-components=1
mv "$tree/opt/anywhere" "$tree/opt/elsewhere"
use "$(cd "$tree" && find opt/elsewhere -path '*/bin/ropescope' | sed 's,^,/,')"
step "all of it passed on $suite"
