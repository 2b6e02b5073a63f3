#!/usr/bin/env bash
# Tests `run` and `test` on a made-up machine: a PATH that holds the plain tools and stand-ins for package managers,
# sudo, cmake and ctest. The stand-ins write what they were called with into $calls; cmake's "builds" a ropescope that
# prints its folder and its arguments. One argument: the repository.
set -uo pipefail
repository=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export calls=$scratch/calls machine=$scratch/machine
bash=$(command -v bash)
failures=0
unset ROPESCOPE_CMAKE_ARGS ROPESCOPE_INSTALL

# --- The made-up machine ----------------------------------------------------------------------------------------------

mkdir "$scratch/tools"
for tool in basename bash cat chmod cp date dirname env find flock grep head ln ls mkdir mv nproc printf readlink rm sed \
  sh sort tail touch tr uname; do
  path=$(type -P "$tool") && ln -s "$path" "$scratch/tools/$tool"
done

# stand_in NAME: its body comes from standard input.
stand_in() {
  { printf '#!%s\necho "%s $*" >>"$calls"\n' "$bash" "$1"; cat; } >"$machine/$1"
  chmod +x "$machine/$1"
}

# new_machine MANAGER USER_ID: nothing installed; packages that are "installed" stand in $machine/installed.
new_machine() {
  rm -rf "$machine" "$scratch/a checkout" "$scratch/moved"
  mkdir "$machine"
  : >"$machine/installed"
  : >"$calls"
  stand_in id <<<"echo $2"
  stand_in sudo <<<'[ "$1" = -n ] && shift; exec "$@"'
  stand_in cmake <<'BODY'
case $* in
  *--build*)
    [ ! -e "$machine/broken" ] || { echo "main.cpp:1: error"; exit 1; }
    printf '#!/bin/sh\npwd\nprintf "%%s\\n" "$@"\nexit 7\n' >"$2/ropescope"
    chmod +x "$2/ropescope"
    echo built ;;
  *)
    while [ $# -gt 0 ]; do
      case $1 in -S) source=$2 ;; -B) build=$2 ;; -D*=*) echo "${1#-D}" | sed 's/=/:BOOL=/' >>"$machine/cache" ;; esac
      shift
    done
    mkdir -p "$build"
    { echo "CMAKE_HOME_DIRECTORY:INTERNAL=$source"; cat "$machine/cache"; } >"$build/CMakeCache.txt"
    rm "$machine/cache"
    touch "$build/build.ninja" ;;
esac
BODY
  stand_in ctest <<<'echo "100% tests passed, 0 tests failed out of 3"; exit 8'
  case $1 in
    apt-get)
      stand_in dpkg-query <<<"sed 's/^/installed /; s/\$/ /' \"\$machine/installed\""
      stand_in apt-get <<'BODY'
case $1 in
  update) touch "$machine/lists" ;;
  install)
    [ -e "$machine/lists" ] || exit 100
    case " $* " in *" --simulate "*) exit 0 ;; esac
    [ ! -e "$machine/offline" ] || { echo "E: Failed to fetch"; exit 100; }
    for word; do echo "$word"; done >>"$machine/installed" ;;
esac
BODY
      ;;
    dnf)
      stand_in rpm <<<'for word; do :; done; grep -qx -- "$word" "$machine/installed"'
      stand_in dnf <<<'for word; do echo "$word"; done >>"$machine/installed"' ;;
    pacman)
      stand_in pacman <<<'[ "$1" = -T ] && { echo glfw; exit 127; }; exit 0' ;;
    brew)
      stand_in brew <<<'[ "$1" != list ] || echo glfw' ;;
  esac
  checkout="$scratch/a checkout"
  mkdir -p "$checkout/.ci" "$checkout/app" "$checkout/core" "$scratch/elsewhere"
  cp "$repository/run" "$repository/test" "$checkout"
  cp "$repository/.ci/setup.sh" "$checkout/.ci"
  touch "$checkout/CMakeLists.txt" "$checkout/app/main.cpp" "$checkout/core/a.h"
}

# start COMMAND…: in another folder, without a terminal; leaves out, err and code.
start() {
  : >"$calls"
  code=0
  (cd "$scratch/elsewhere" && PATH=$machine:$scratch/tools "$bash" "$@") >"$scratch/out" 2>"$scratch/err" </dev/null || code=$?
  out=$(cat "$scratch/out")
  err=$(cat "$scratch/err")
}

# --- What a test says -------------------------------------------------------------------------------------------------

fail() {
  failures=$((failures + 1))
  printf 'FAILED: %s: %s\n' "$title" "$1"
  printf '  exit code %s\n  out: %s\n  err: %s\n  calls: %s\n' "$code" "$out" "$err" "$(cat "$calls")"
}
equal() { [ "$1" = "$2" ] || fail "found '$1', expected '$2'"; }
has() { case $1 in *"$2"*) ;; *) fail "no '$2'" ;; esac; }
lacks() { case $1 in *"$2"*) fail "there is '$2'" ;; esac; }
called() { grep -q -- "$1" "$calls" || fail "nothing called '$1'"; }
not_called() { if grep -q -- "$1" "$calls"; then fail "'$1' was called"; fi; }

# --- The tests --------------------------------------------------------------------------------------------------------

title="first start builds, keeps standard output for the program, its folder, arguments and exit code"
new_machine apt-get 0
start "$checkout/run" decay --distances '1, 2'
equal "$out" "$scratch/elsewhere
decay
--distances
1, 2"
equal "$code" 7
called "cmake --build $checkout/build .*--target ropescope"
called "-DROPESCOPE_TESTS=OFF"

title="second start calls nothing, says nothing, and takes less than a second"
before=$(date +%s%N)
start "$checkout/run" decay
after=$(date +%s%N)
equal "$err" ""
equal "$out" "$scratch/elsewhere
decay"
equal "$(cat "$calls")" ""
[ $((after - before)) -lt 1000000000 ] || fail "$(((after - before) / 1000000)) ms"

title="a changed, an added and a removed source are each built"
touch "$checkout/core/a.h"
start "$checkout/run"
called "cmake --build"
touch -d '2001-01-01' "$checkout/app/old.cpp"
start "$checkout/run"
called "cmake --build"
rm "$checkout/app/old.cpp"
start "$checkout/run"
called "cmake --build"
start "$checkout/run"
not_called cmake

title="a failed build is said in a sentence, starts nothing, and is tried again"
touch "$checkout/app/main.cpp" "$machine/broken"
for _ in 1 2; do
  start "$checkout/run"
  equal "$code" 1
  equal "$out" ""
  has "$err" "ropescope: the build failed"
  called "cmake --build"
done
rm "$machine/broken"
start "$checkout/run"
equal "$code" 7

title="a moved checkout is built anew"
mv "$checkout" "$scratch/moved"
start "$scratch/moved/run"
has "$err" "rebuilding"
called "cmake -S $scratch/moved"
equal "$code" 7

title="root installs without a question, with fresh lists first"
new_machine apt-get 0
start "$checkout/run"
called "^apt-get update"
called "^apt-get install -y .*libimgui-dev"
not_called "^sudo"
has "$err" "libglfw3-dev"
not_called "apt-get install .*libgtest-dev"
start "$checkout/run"
not_called "^apt-get"

title="without a terminal sudo must not wait for a password; known lists are not fetched again"
new_machine apt-get 1000
touch "$machine/lists"
start "$checkout/run"
called "^sudo -n env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get install"
not_called "^apt-get update"
equal "$code" 7

title="a provided package counts as installed, a tool by its command"
new_machine apt-get 0
touch "$machine/lists"
printf '%s\n' libeigen3-dev 'something libglfw3-dev, libzip-dev (= 9)' >"$machine/installed"
stand_in ninja <<<:
start "$checkout/run"
lacks "$err" "libglfw3-dev"
lacks "$err" "libzip-dev"
lacks "$err" "libeigen3-dev"
lacks "$err" "ninja-build"
has "$err" "libcli11-dev"
called "-G Ninja"

title="no sudo, and a package manager that fails: a sentence with the command to type"
new_machine apt-get 1000
rm "$machine/sudo"
start "$checkout/run"
equal "$code" 1
has "$err" "as root, run: apt-get install"
not_called cmake
new_machine apt-get 0
touch "$machine/lists" "$machine/offline"
start "$checkout/run"
equal "$code" 1
has "$err" "could not install"
called "^apt-get update"
not_called cmake

title="ROPESCOPE_INSTALL=no and an unknown machine go on to build"
ROPESCOPE_INSTALL=no start "$checkout/run"
equal "$code" 7
not_called "^apt-get"
new_machine none 1000
start "$checkout/run"
equal "$code" 7
has "$err" "no apt-get, dnf, pacman or brew"

title="dnf, pacman and brew by their own names"
new_machine dnf 1000
start "$checkout/run" && called "^sudo -n dnf install -y .* json-devel"
lacks "$err" "libimgui"
touch "$checkout/app/main.cpp"
start "$checkout/run" && not_called "^dnf"
new_machine pacman 1000
start "$checkout/run" && called "^sudo -n pacman -S --needed --noconfirm glfw$"
new_machine brew 1000
start "$checkout/run"
called "^brew install .*eigen"
not_called "^brew install .*glfw"
not_called "^sudo"

title="a build folder that cannot be written"
new_machine apt-get 0
touch "$checkout/build"
start "$checkout/run"
equal "$code" 1
has "$err" "cannot write to $checkout/build"
not_called "^apt-get"

title="test installs its packages too, builds all, and hands on ctest's arguments, words and exit code"
new_machine apt-get 0
start "$checkout/test" -R 'a b'
called "^apt-get install -y .*libgtest-dev"
called "cmake --build .*--target all"
called "-DROPESCOPE_TESTS=ON"
called "^ctest --test-dir $checkout/build .*-R a b"
equal "$out" "100% tests passed, 0 tests failed out of 3"
equal "$code" 8
start "$checkout/run"
equal "$err" ""

title="test builds only the programs that hold the named tests, and run still knows what it has not built"
printf '%s\n' 'unit_tests unit unit/kernel@decay' 'laws_tests laws laws/decay_laws@decay' \
  'figures_tests figures figures/atlas@views' >"$checkout/build/tests.list"
start "$checkout/test" -R decay
called "cmake --build .*--target unit_tests laws_tests$"
start "$checkout/test" -L figures -j2
called "cmake --build .*--target figures_tests$"
start "$checkout/test" -R decay -L laws
called "cmake --build .*--target laws_tests$"
for unknown in nothing_of_that_name '['; do
  start "$checkout/test" -R "$unknown"
  called "cmake --build .*--target all$"
done
touch "$checkout/core/a.h"
start "$checkout/test" -R decay
start "$checkout/run"
called "cmake --build .*--target ropescope"

title="run leaves no tests configured, test adds them"
new_machine apt-get 0
start "$checkout/run"
start "$checkout/test"
called "cmake -S .*-DROPESCOPE_TESTS=ON"
start "$checkout/test"
not_called "cmake -S"

if script -qec true /dev/null >/dev/null 2>&1; then
  # at_terminal ANSWER COMMAND…: as `start`, with a terminal and somebody who answers.
  at_terminal() {
    : >"$calls"
    code=0
    local answer=$1 line
    shift
    printf -v line '%q ' env "PATH=$machine:$scratch/tools" "$bash" "$@"
    out=$(cd "$scratch/elsewhere" && printf '%s\n' "$answer" | script -qec "$line" /dev/null) || code=$?
    err=$out
  }
  title="at a terminal one line says how far packages and build are, and what went wrong stays"
  new_machine apt-get 0
  touch "$machine/lists"
  stand_in ninja <<<:
  stand_in apt-get <<'BODY'
case " $* " in *" --simulate "*) exit 0 ;; esac
echo "0 upgraded, 2 newly installed, 0 to remove and 0 not upgraded."
for what in Get:1 Get:2 Unpacking Unpacking "Setting up a" "Setting up b"; do echo "$what"; done
for word; do echo "$word"; done >>"$machine/installed"
BODY
  stand_in cmake <<'BODY'
case $* in
  *--build*)
    [ "$NINJA_STATUS" = "@%f %t %e " ] || exit 3
    printf '@1 4 2.0 one\n@2 4 10.0 two\na warning\n@4 4 20.0 four\n'
    [ ! -e "$machine/broken" ] || exit 1
    printf '#!/bin/sh\nexit 7\n' >"$2/ropescope"
    chmod +x "$2/ropescope" ;;
  *) touch "$checkout_build/build.ninja" ;;
esac
BODY
  mkdir -p "$checkout/build"
  checkout_build=$checkout/build at_terminal y "$checkout/run"
  equal "$code" 7
  has "$out" "installing 2 packages, 100 %"
  has "$out" "built 1 of 4"
  has "$out" "built 2 of 4, about 10 s left"
  has "$out" "a warning"
  lacks "$out" "@"
  rm "$machine/installed"
  : >"$machine/installed"
  stand_in apt-get <<'BODY'
case " $* " in *" --simulate "*) exit 0 ;; esac
echo "1 newly installed, 0 to remove"
echo "E: Unable to fetch"
exit 100
BODY
  touch "$checkout/app/main.cpp"
  checkout_build=$checkout/build at_terminal y "$checkout/run"
  equal "$code" 1
  has "$out" "E: Unable to fetch"
  has "$out" "could not install them"
  stand_in apt-get <<'BODY'
case " $* " in *" --simulate "*) exit 0 ;; esac
for word; do echo "$word"; done >>"$machine/installed"
BODY
  touch "$machine/broken" "$checkout/app/main.cpp"
  checkout_build=$checkout/build at_terminal y "$checkout/run"
  equal "$code" 1
  has "$out" "the build failed"

  title="at a terminal it asks: yes, no, --yes"
  new_machine apt-get 1000
  touch "$machine/lists"
  at_terminal n "$checkout/run"
  equal "$code" 1
  has "$out" "install them now with apt-get? [Y/n]"
  has "$out" "nothing was installed; to install them yourself, run: sudo apt-get install"
  not_called "^sudo"
  at_terminal y "$checkout/run"
  equal "$code" 7
  called "^sudo env"
  new_machine apt-get 1000
  touch "$machine/lists"
  at_terminal n "$checkout/run" --yes one
  equal "$code" 7
  lacks "$out" "install them now"
  lacks "$out" "--yes"
fi

if [ "$failures" -gt 0 ]; then
  echo "$failures checks failed"
  exit 1
fi
echo "all checks passed"
