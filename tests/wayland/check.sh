#!/usr/bin/env bash
# tests/wayland/check.sh PROGRAM [PICTURE]: opens the window of ropescope in a Wayland compositor that has no screen (weston
# inside Xvfb: of weston's own headless backend GLFW 3.4 dies, as it has neither mouse nor keyboard), looks that it draws, and
# closes it by its keys. The program itself sees no X server. Needs weston, Xvfb, xdotool, and a GLFW that speaks Wayland:
# 3.4 (it chooses when the program runs) or libglfw3-wayland. PICTURE: where the picture of the screen is kept. The
# last line says what was seen; the exit code is 0 only where all of it was.
set -euo pipefail
program=$(readlink -f -- "${1:?build/ropescope}") picture=${2-}
for each in weston Xvfb xdotool; do
  command -v "$each" >/dev/null || { echo "this needs $each" >&2; exit 2; }
done
work=$(mktemp -d)
display='' server='' window=''
leave() {
  [ -z "$window" ] || kill "$window" 2>/dev/null || true
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  [ -z "$display" ] || kill "$display" 2>/dev/null || true
  rm -rf "$work"
}
trap leave EXIT
fail() {
  echo "FAILED: $*" >&2
  tail -n 20 "$work"/*.log >&2
  exit 1
}

# Of its own: neither the user's compositor nor X, neither settings nor state.
export XDG_RUNTIME_DIR=$work/runtime XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config WAYLAND_DISPLAY=ropescope
unset DISPLAY
mkdir -m 700 "$XDG_RUNTIME_DIR"
mkdir -p "$XDG_STATE_HOME/ropescope"
echo '{"start_screen": false}' >"$XDG_STATE_HOME/ropescope/settings.json"  # a dialog would take the keys
Xvfb -displayfd 3 -screen 0 1280x800x24 3>"$work/number" 2>"$work/xvfb.log" &
display=$!
for _ in $(seq 300); do
  [ -s "$work/number" ] && break
  sleep 0.1
done
number=:$(cat "$work/number")
backend=x11
case $(weston --help 2>&1) in *x11-backend.so*) backend=x11-backend.so ;; esac
renderer=--renderer=pixman
case $(weston --help 2>&1) in *--use-pixman*) renderer=--use-pixman ;; esac
DISPLAY=$number weston --backend="$backend" "$renderer" --socket="$WAYLAND_DISPLAY" --width=1280 --height=800 --idle-time=0 \
  --no-config --debug >"$work/weston.log" 2>&1 &
server=$!
for _ in $(seq 300); do
  [ -S "$XDG_RUNTIME_DIR/$WAYLAND_DISPLAY" ] && break
  kill -0 "$server" 2>/dev/null || fail "weston ended"
  sleep 0.1
done
[ -S "$XDG_RUNTIME_DIR/$WAYLAND_DISPLAY" ] || fail "weston has no socket"

# What the window sends to the compositor and hears from it: the proof that it draws. Cursors and the borders that GLFW
# draws have surfaces of their own, which do not count.
WAYLAND_DEBUG=client "$program" >"$work/window.out.log" 2>"$work/window.log" &
window=$!
attached() {
  local surface
  surface=$(sed -nE 's/.*get_xdg_surface\(new id xdg_surface[@#][0-9]+, (wl_surface[@#][0-9]+)\).*/\1/p' "$work/window.log" | head -n 1)
  grep -cF -- "${surface:-none}.attach(wl_buffer" "$work/window.log" || true
}
for _ in $(seq 600); do
  kill -0 "$window" 2>/dev/null || fail "the window ended by itself"
  [ "$(attached)" -ge 2 ] && break
  sleep 0.1
done
[ "$(attached)" -ge 2 ] || fail "the window showed nothing"
grep -q 'set_app_id("ropescope")' "$work/window.log" || echo "note: the window has no application id" >&2
grep -qE 'xdg_toplevel[@#][0-9]+\.set_title\(' "$work/window.log" || fail "the window has no title"

# A hand on the mouse and the keyboard of the screen that weston itself is shown on.
hand() { DISPLAY=$number xdotool "$@" >>"$work/hand.log" 2>&1 || true; }
seen=$(attached) code=0
hand mousemove 700 420  # over the window, which has the keyboard since it was opened
for _ in $(seq 60); do
  [ "$(attached)" -gt "$seen" ] && break
  hand mousemove_relative 3 1
  sleep 0.1
done
[ "$(attached)" -gt "$seen" ] || fail "the window draws nothing anew when the mouse moves over it"
if [ -n "$picture" ]; then
  folder=$(dirname -- "$(readlink -f -- "$picture")")
  (cd "$work" && weston-screenshooter >"$work/picture.log" 2>&1) || fail "no picture of the screen"
  mv "$work"/wayland-screenshot-*.png "$folder/$(basename -- "$picture")"
fi

seen=$(attached)
for _ in $(seq 60); do
  kill -0 "$window" 2>/dev/null || break
  hand key ctrl+q
  sleep 0.5
done
! kill -0 "$window" 2>/dev/null || fail "Ctrl+Q does not close the window"
wait "$window" || code=$?
window=''
[ "$code" = 0 ] || fail "the window ended with $code"
echo "Wayland: $seen pictures drawn, the mouse felt, closed by Ctrl+Q with 0"
