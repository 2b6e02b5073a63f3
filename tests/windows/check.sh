#!/usr/bin/env bash
# tests/windows/check.sh [FOLDER]: what of ropescope compiles, links and runs for Windows, tried on a Debian machine with
# mingw-w64 and wine, and a table of it. FOLDER (default: a temporary one) keeps the build for a second time.
#   packages: g++-mingw-w64-x86-64-posix g++-mingw-w64-i686-posix wine64 libepoxy-dev, and those of ./test
# What no package offers for Windows (libzip, muParser, cairo, Pango, GLFW, Dear ImGui, fontconfig, librsvg, ICU, GIF, JPEG) is not
# linked: all that uses it is read by the compiler alone, with this system's headers of it; no .npz, no pages, no window
# run. Exit code 0 where all that could be tried passed.
set -uo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
top=$(readlink -f -- "$here/../..")
jobs=${ROPESCOPE_JOBS:-2}
if [ $# -gt 0 ]; then
  folder=$1
  mkdir -p "$folder"
else
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
folder=$(readlink -f -- "$folder")
rows=() failed=0
row() { rows+=("$(printf '%-46s %-10s %s' "$1" "$2" "$3")"); }

# Headers of packages, and none of this system beside them.
headers=$folder/headers lacking=()
rm -rf "$headers"
mkdir -p "$headers"
for found in eigen3/Eigen eigen3/unsupported nlohmann CLI GLFW cairo pango-1.0/pango glib-2.0/glib glib-2.0/glib.h \
  glib-2.0/glib-object.h glib-2.0/gmodule.h glib-2.0/gobject glib-2.0/gio gdk-pixbuf-2.0/gdk-pixbuf librsvg-2.0/librsvg harfbuzz \
  freetype2/freetype freetype2/ft2build.h fontconfig unicode imgui epoxy KHR md4c.h qrencode.h duktape.h duk_config.h muParser.h muParserBase.h muParserBytecode.h muParserCallback.h muParserDef.h muParserError.h muParserFixes.h muParserTemplateMagic.h muParserToken.h muParserTokenReader.h gif_lib.h jpeglib.h jmorecfg.h \
  jerror.h; do
  if [ -e "/usr/include/$found" ]; then ln -s "/usr/include/$found" "$headers"; else lacking+=("$found"); fi
done
# What was settled for this system; of the sizes that stand in there no source of ours makes use.
jpeg=$(dpkg -L libjpeg62-turbo-dev 2>/dev/null | grep '/jconfig\.h$')
glib=$(dpkg -L libglib2.0-dev 2>/dev/null | grep '/glibconfig\.h$')
if [ -n "$jpeg" ]; then ln -s "$jpeg" "$headers"; else lacking+=(jconfig.h); fi
if [ -n "$glib" ]; then
  sed 's/#define G_OS_UNIX/#define G_OS_WIN32/' "$glib" >"$headers/glibconfig.h"
else
  lacking+=(glibconfig.h)
fi

# Of tests/unit those that reach no further than core, its formats and app/resources, through whatever header.
reach() {
  local file=$1 found
  grep -hoE '^#include ["<][^">]+[">]' "$top/$file" | sed -E 's/^#include ["<]//; s/[">]$//' | while read -r found; do
    if [ -e "$top/tests/unit/$found" ]; then found=tests/unit/$found; fi
    echo "$found"
    case $found in tests/*.h) reach "$found" ;; esac
  done
}
core_units() {
  local file
  for file in tests/unit/*.cpp; do
    if grep -q '::setenv' "$top/$file"; then continue; fi
    reach "$file" | grep -v '^app/resources/' | grep -qE '^(app/|zip\.h|unistd\.h|sys/|core/formats/(npz|ladder_text)\.h)' || echo "$file"
  done
}
# Those that are left out.
other_units() {
  (cd "$top/tests/unit" && ls ./*_test.cpp) | sed 's#.*/##; s/_test\.cpp$//' | grep -vxFf <(core_units | sed 's#.*/##; s/_test\.cpp$//')
}
cd "$top" || exit 1

# The last word of wine on a test program, and whether all of its tests passed.
run() {
  local name=$1 program=$2/$1_tests.exe log=$2/$1.log
  shift 2
  if [ -z "$wine" ]; then
    row "$name tests" "not run" "there is no wine here"
    return
  fi
  # No tests of ours may take a window, a menu or the network of whoever runs this.
  (cd "$folder" && WINEPREFIX=$folder/wine WINEDEBUG=-all WINEDLLOVERRIDES="mscoree=;mshtml=;winemenubuilder.exe=" \
    DISPLAY='' timeout 3000 "$wine" "$program" --gtest_brief=1 "$@") </dev/null >"$log" 2>&1
  local code=$? passed broken
  passed=$(tr -d '\r' <"$log" | sed -nE 's/^\[  PASSED  \] ([0-9]+) tests?\.$/\1/p' | tail -1)
  broken=$(tr -d '\r' <"$log" | grep -cE '^\[  FAILED  \] [A-Za-z_0-9]+(/[A-Za-z_0-9]+)?\.' || true)
  if [ "$code" = 0 ]; then
    row "$name tests" "passed" "$passed tests under wine"
  else
    failed=1
    row "$name tests" "failed" "exit code $code, ${passed:-0} passed, $broken failed: $log"
  fi
}
# target PROCESSOR TARGET WHAT: builds it.
target() {
  local log=$folder/$1/$2.log count
  if cmake --build "$folder/$1" --parallel "$jobs" --target "$2" -- -k 0 >"$log" 2>&1; then
    row "$1: $3" "ok" ""
    return 0
  fi
  failed=1
  count=$(grep -cE '^FAILED: ' "$log" || true)
  row "$1: $3" "failed" "$count steps: $log"
  return 1
}

wine=$(command -v wine64 || command -v wine || ls /usr/lib/wine/wine64 2>/dev/null || true)
for processor in x86_64 i686; do
  if ! command -v $processor-w64-mingw32-g++-posix >/dev/null; then
    row "$processor" "not tried" "there is no $processor-w64-mingw32-g++-posix here"
    continue
  fi
  cmake -S "$here" -B "$folder/$processor" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$here/toolchain.cmake" \
    -DROPESCOPE_WINDOWS_PROCESSOR=$processor -DHEADERS="$headers" "-DUNIT=$(core_units | paste -sd';')" \
    >"$folder/configure.log" 2>&1 || { cat "$folder/configure.log"; exit 1; }
  target $processor resources "app/resources and core/formats without .npz"
  target $processor platform "app/platform, the halves for Windows"
  # For one processor alone, as it takes long.
  if [ $processor = x86_64 ] && [ ${#lacking[@]} -eq 0 ]; then
    target $processor rest "all other sources of app, read by the compiler"
  elif [ $processor = x86_64 ]; then
    row "the other sources of app" "not tried" "there is no ${lacking[*]} here"
  fi
  # 32 bit: nothing runs, as this wine starts programs of 64 bit alone.
  for name in system laws unit; do
    target $processor ${name}_tests "$name tests, linked" || continue
    [ $processor = x86_64 ] && run $name "$folder/$processor"
  done
done
row "core/formats/npz.cpp" "not tried" "libzip is not packaged for mingw-w64"
row "app/figure, lessons, gpu, ui, commands, window" "not linked" "cairo, Pango, GLFW and others are not packaged for it"
row "tests/unit: $(other_units | paste -sd,)" "not tried" "they want POSIX or the libraries above"
[ -n "$wine" ] || row "all of it" "NOT RUN" "there is no wine: it was compiled and linked alone"
row "32-bit programs" "not run" "they are compiled and linked alone"
printf '%s\n' "" "${rows[@]}"
exit $failed
