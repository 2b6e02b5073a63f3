# shellcheck shell=bash
# What `run`, `test` and `.ci/run` share: packages, configuring, building. They source it after setting `root`.
#
# All of it speaks on standard error only, because the output of `./run decay …` belongs to ropescope. None of it reads
# standard input but the one question. Plain bash 3.2, find and sort, so that macOS runs it too.
#
# Environment: ROPESCOPE_INSTALL=no     installs nothing; CMake then says what it misses
#              ROPESCOPE_CMAKE_ARGS     more options for CMake, separated by spaces

build=${root:?}/build

say() { printf 'ropescope: %s\n' "$*" >&2; }

die() {
  say "$*"
  exit 1
}

# --- Packages ---------------------------------------------------------------------------------------------------------

# package_list MANAGER GROUP: one entry a line. `command:package` is there when the command is, however it came.
# Dear ImGui is packaged by Debian and Ubuntu alone; elsewhere CMake fetches it, with git. `run` holds what a first
# build and every start need, and no more: ccache is for those who build again. Torch is for the test of dumps alone and
# half a gigabyte, a notebook's kernel for one test: where they are missing, these are skipped by name.
package_list() {
  case $1-$2 in
    apt-get-run)
      echo cmake:cmake ninja:ninja-build c++:g++ pkg-config:pkg-config
      echo libimgui-dev libstb-dev libglfw3-dev libeigen3-dev nlohmann-json3-dev libcli11-dev
      echo libpango1.0-dev libcairo2-dev libfontconfig-dev libfreetype-dev libjpeg-dev libgif-dev libzip-dev zlib1g-dev libicu-dev librsvg2-dev libmd4c-dev libqrencode-dev duktape-dev libmuparser-dev
      echo libegl-dev libgl-dev libopengl-dev libegl1 libgl1-mesa-dri
      echo fonts-inter fonts-noto-cjk fonts-dejavu-core xclip:xclip ;;
    apt-get-test)
      echo ccache:ccache libgtest-dev libgmock-dev libbenchmark-dev Xvfb:xvfb xauth:xauth xdotool:xdotool python3-numpy
      echo pybind11-dev python3-dev python3-pytest ;;
    apt-get-ci)
      echo clang-format-14:clang-format-14 clang-tidy-14:clang-tidy-14 clang-14:clang-14 libclang-rt-14-dev python3-torch
      echo python3-nbconvert python3-ipykernel python3-ipywidgets python3-matplotlib python3-pandas python3-mpmath ;;
    apt-get-web)
      echo emcc:emscripten pyftsubset:fonttools dpkg-source:dpkg-dev python3:python3 ;;
    apt-get-browsers)
      echo chromium:chromium firefox-esr:firefox-esr Xvfb:xvfb brotli:brotli ;;
    apt-get-package)
      echo dpkg-shlibdeps:dpkg-dev file:file debootstrap:debootstrap pybind11-dev python3-dev python3-numpy ;;
    dnf-run)
      echo cmake:cmake ninja:ninja-build c++:gcc-c++ pkg-config:pkgconf-pkg-config git:git
      echo glfw-devel eigen3-devel json-devel cli11-devel
      echo pango-devel cairo-devel fontconfig-devel freetype-devel libjpeg-turbo-devel giflib-devel libzip-devel zlib-devel libicu-devel librsvg2-devel md4c-devel qrencode-devel duktape-devel muParser-devel
      echo libglvnd-devel mesa-libEGL mesa-dri-drivers
      echo rsms-inter-fonts google-noto-sans-cjk-fonts dejavu-sans-fonts xclip:xclip ;;
    dnf-test)
      echo ccache:ccache gtest-devel gmock-devel google-benchmark-devel Xvfb:xorg-x11-server-Xvfb xauth:xorg-x11-xauth ;
      echo xdotool:xdotool python3-numpy pybind11-devel python3-devel python3-pytest ;;
    dnf-ci)
      echo clang-format:clang-tools-extra clang:clang compiler-rt ;;
    pacman-run)
      echo cmake:cmake ninja:ninja c++:gcc pkg-config:pkgconf git:git
      echo glfw eigen nlohmann-json cli11 pango cairo fontconfig freetype2 libjpeg-turbo giflib libzip zlib icu librsvg md4c qrencode duktape muparser libglvnd mesa
      echo inter-font noto-fonts-cjk ttf-dejavu xclip:xclip ;;
    pacman-test)
      echo ccache:ccache gtest benchmark Xvfb:xorg-server-xvfb xauth:xorg-xauth xdotool:xdotool python-numpy pybind11 python-pytest ;;
    pacman-ci)
      echo clang-format:clang clang:clang compiler-rt ;;
    brew-run)
      echo cmake:cmake ninja:ninja pkg-config:pkgconf git:git
      echo glfw eigen nlohmann-json cli11 pango cairo fontconfig freetype jpeg-turbo giflib libzip zlib icu4c librsvg md4c qrencode duktape muparser mesa
      echo font-inter font-noto-sans-cjk font-dejavu ;;
    brew-test)
      echo ccache:ccache googletest google-benchmark Xvfb:xquartz xdotool:xdotool numpy pybind11 pytest ;;
    brew-ci)
      echo clang-format:clang-format clang:llvm ;;
  esac | tr ' ' '\n'
}

# The first of the four package managers that is here; nothing where none is.
package_manager() {
  local name
  for name in apt-get dnf pacman brew; do
    if command -v "$name" >/dev/null 2>&1; then
      echo "$name"
      return
    fi
  done
}

# not_installed MANAGER PACKAGE…: those of the packages that the manager does not have, one a line. A package that
# another one provides counts as installed.
not_installed() {
  local manager=$1 name installed
  shift
  [ $# -gt 0 ] || return 0
  case $manager in
    apt-get)
      installed=$(dpkg-query -W -f='${db:Status-Status} ${Package} ${Provides}\n' 2>/dev/null |
        sed -n 's/^installed //p' | tr ',\n' '  ') ;;
    brew) installed=$(brew list -1 2>/dev/null | tr '\n' ' ') ;;
    pacman)
      pacman -T "$@" 2>/dev/null || true
      return ;;
    dnf)
      for name; do rpm -q --whatprovides "$name" >/dev/null 2>&1 || echo "$name"; done
      return ;;
  esac
  for name; do
    case " $installed " in *" $name "*) ;; *) echo "$name" ;; esac
  done
}

# missing_packages MANAGER GROUP…: what has to be installed, one package a line.
missing_packages() {
  local manager=$1 group entry asked
  shift
  asked=()
  for group; do
    for entry in $(package_list "$manager" "$group"); do
      case $entry in *:*) command -v "${entry%%:*}" >/dev/null 2>&1 && continue ;; esac
      asked+=("${entry#*:}")
    done
  done
  not_installed "$manager" ${asked[@]+"${asked[@]}"}
}

# install_command MANAGER: the words that come before the packages' names.
install_command() {
  case $1 in
    apt-get) echo "apt-get install -y --no-install-recommends" ;;
    dnf) echo "dnf install -y --setopt=install_weak_deps=False" ;;
    pacman) echo "pacman -S --needed --noconfirm" ;;
    brew) echo "brew install" ;;
  esac
}

# As root, where the package manager wants that; never waits for a password without a terminal.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif [ "$has_terminal" = yes ]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

# install_packages MANAGER PACKAGE…: the package manager's own exit code.
install_packages() {
  local manager=$1 command
  shift
  read -r -a command <<<"$(install_command "$manager")"
  case $manager in
    brew) brew install "$@" ;;
    apt-get)
      local apt=(env LC_ALL=C DEBIAN_FRONTEND=noninteractive "${command[@]}" -q -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300)
      # A fresh machine has no package lists, and old lists name versions that are gone.
      if ! apt-get install --simulate -qq "$@" >/dev/null 2>&1; then
        as_root apt-get update -q || say "apt-get update failed; trying to install with the existing package lists"
        as_root "${apt[@]}" "$@"
      else
        as_root "${apt[@]}" "$@" || { as_root apt-get update -q && as_root "${apt[@]}" "$@"; }
      fi ;;
    *) as_root "${command[@]}" "$@" ;;
  esac
}

# ensure_packages YES GROUP…: names what is missing, asks where there is somebody to ask, installs. Leaves the script
# with one sentence where that is not possible.
ensure_packages() {
  local yes=$1 manager list names by_hand answer
  shift
  [ "${ROPESCOPE_INSTALL-yes}" != no ] || return 0
  manager=$(package_manager)
  if [ -z "$manager" ]; then
    say "no apt-get, dnf, pacman or brew found; building with the installed packages"
    return 0
  fi
  list=$(missing_packages "$manager" "$@")
  [ -n "$list" ] || return 0
  # shellcheck disable=SC2086  # a list of package names is to be split
  set -- $list
  names=$*

  has_terminal=no
  if [ -t 0 ] && [ -t 2 ]; then has_terminal=yes; fi
  by_hand="$(install_command "$manager") $names"
  say "$# packages are missing: $names"
  if [ "$manager" != brew ] && [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null 2>&1 || die "cannot install them without sudo; as root, run: $by_hand"
    by_hand="sudo $by_hand"
  fi
  if [ "$(id -u)" != 0 ] && [ "$yes" != yes ] && [ "$has_terminal" = yes ]; then
    printf 'ropescope: install them now with %s? [Y/n] ' "$manager" >&2
    read -r answer || answer=no
    case $answer in
      '' | [Yy] | [Yy][Ee][Ss]) ;;
      *) die "nothing was installed; to install them yourself, run: $by_hand" ;;
    esac
  fi
  local installed=0
  if [ "$manager" = apt-get ] && on_terminal && mkdir -p "$build" 2>/dev/null; then
    install_packages "$manager" "$@" 2>&1 </dev/null | show_installing "$build/packages.log" ||
      installed=${PIPESTATUS[0]}
    [ "$installed" = 0 ] || tail -n 30 "$build/packages.log" >&2
  else
    install_packages "$manager" "$@" >&2 </dev/null || installed=$?
  fi
  [ "$installed" = 0 ] ||
    die "$manager could not install them (see above); run: $by_hand; or build without them: ROPESCOPE_INSTALL=no"
}

# --- Building ---------------------------------------------------------------------------------------------------------

# What a build is good for besides its sources: this place, system and options; with native instructions (an option)
# this kind of processor too.
build_identity() {
  local line word instructions=
  case ${ROPESCOPE_CMAKE_ARGS-} in
    *ROPESCOPE_NATIVE=ON*)
      while read -r line; do
        case $line in
          flags* | Features*)
            for word in $line; do
              case $word in avx* | fma* | bmi* | sve* | asimd*) instructions+=" $word" ;; esac
            done
            break ;;
        esac
      done < <(cat /proc/cpuinfo 2>/dev/null) ;;
  esac
  printf '%s\n' "$root" "$(uname -sm)$instructions" "options: ${ROPESCOPE_CMAKE_ARGS-}"
}

# Every file that the build of the program reads, one a line.
build_inputs() {
  local folder folders=(CMakeLists.txt)
  for folder in core app shaders assets; do
    if [ -e "$root/$folder" ]; then folders+=("$folder"); fi
  done
  (cd "$root" && find "${folders[@]}" -type f ! -name '.*' "$@" | LC_ALL=C sort)
}

# Whether build/ropescope was made from just these sources: the same list of files, and none of them newer.
build_is_current() {
  local stamp=$build/run.stamp
  [ -x "$build/ropescope" ] && [ -f "$stamp" ] || return 1
  [ "$(build_identity && build_inputs)" = "$(cat "$stamp")" ] || return 1
  [ -z "$(build_inputs -newer "$stamp")" ]
}

ensure_writable() {
  if ! mkdir -p "$build" 2>/dev/null || [ ! -w "$build" ]; then
    die "cannot write to $build, so nothing can be built; if the checkout is read-only, copy it to a writable folder"
  fi
}

# One build at a time, where flock is: two at once in one folder would spoil each other.
lock_build() {
  command -v flock >/dev/null 2>&1 || return 0
  exec 9>"$build/run.lock"
  flock -n 9 && return
  say "waiting for another build in $build"
  flock 9
}

job_count() {
  echo "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)}"
}

# configure [CMAKE OPTION…]: afresh where the folder holds no usable configuration of this checkout, else only what the
# options change. What somebody configured by hand stays.
configure() {
  local cache=$build/CMakeCache.txt log=$build/configure.log options=("$@") option key
  if [ ! -f "$cache" ] || ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache" ||
    { [ ! -f "$build/build.ninja" ] && [ ! -f "$build/Makefile" ]; }; then
    rm -rf "$cache" "$build/CMakeFiles" "$build/build.ninja" "$build/Makefile"
    # Without their packages the tests cannot be configured; `test` has installed these and asks for them.
    # Who edits wants -DROPESCOPE_UNITY=OFF -DROPESCOPE_WARNINGS=ON (ROPESCOPE_CMAKE_ARGS): then an edit compiles one
    # source, and what it does is looked at.
    options=(-DCMAKE_BUILD_TYPE=Release -DROPESCOPE_UNITY=ON -DROPESCOPE_WARNINGS=OFF -DROPESCOPE_TESTS=OFF
      -DROPESCOPE_BENCHMARKS=OFF ${options[@]+"${options[@]}"})
    if command -v ninja >/dev/null 2>&1; then options+=(-G Ninja); fi
  else
    for option in ${options[@]+"${options[@]}"}; do
      key=${option%%=*}
      grep -qE "^${key#-D}:[A-Z]+=${option#*=}\$" "$cache" || break
      option=
    done
    if [ -z "${option-}" ] && [ -z "${ROPESCOPE_CMAKE_ARGS-}" ]; then return; fi
  fi
  say "configuring the build in $build"
  # shellcheck disable=SC2086  # the options of the environment are to be split
  if ! cmake -S "$root" -B "$build" ${options[@]+"${options[@]}"} ${ROPESCOPE_CMAKE_ARGS-} >"$log" 2>&1 </dev/null; then
    cat "$log" >&2
    die "CMake could not configure the build (its message is above)"
  fi
}

# --- One line on a terminal that says how far it is ---------------------------------------------------------------------

on_terminal() { [ -t 2 ] && [ "${TERM-dumb}" != dumb ]; }

# progress TEXT: over the line of the last progress. end_progress: leaves the line empty.
progress() { printf '\r\033[K%s' "ropescope: $*" >&2; }
end_progress() { printf '\r\033[K' >&2; }

# about SECONDS: "40 s", "3 min".
about() {
  if [ "$1" -lt 90 ]; then echo "$1 s"; else echo "$((($1 + 30) / 60)) min"; fi
}

# Reads ninja's words: a line "@DONE ALL SECONDS what" becomes the progress, all others (messages) pass.
show_building() {
  local line numbers finished all seconds
  while IFS= read -r line; do
    case $line in
      @[0-9]*)
        line=${line#@}
        read -r -a numbers <<<"$line"
        finished=${numbers[0]} all=${numbers[1]} seconds=${numbers[2]%%.*}
        if [ "$finished" -gt 0 ] && [ "$seconds" -ge 5 ]; then
          progress "built $finished of $all, about $(about $((seconds * (all - finished) / finished))) left"
        else
          progress "built $finished of $all"
        fi ;;
      "ninja: no work to do.") ;;
      *)
        end_progress
        printf '%s\n' "$line" >&2 ;;
    esac
  done
  end_progress
}

# Reads apt-get's words: each package is fetched, unpacked and set up. All of them are kept in the file LOG.
show_installing() {
  local log=$1 line all=0 finished=0
  : >"$log"
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    case $line in
      *" newly installed, "*)
        all=${line%% newly installed*}
        all=${all##* }
        finished=0 ;;
      Get:* | Unpacking* | "Setting up "*)
        finished=$((finished + 1))
        if [ "$all" -gt 0 ]; then
          progress "installing $all packages, $((finished > 3 * all ? 100 : finished * 100 / (3 * all))) %"
        fi ;;
      E:* | ropescope:*)
        end_progress
        printf '%s\n' "$line" >&2 ;;
    esac
  done
  end_progress
}

# build_targets TARGET…: with one line of progress at a terminal, else line by line.
build_targets() {
  local command=(cmake --build "$build" --parallel "$(job_count)" --target "$@")
  if on_terminal && [ -f "$build/build.ninja" ]; then
    NINJA_STATUS='@%f %t %e ' "${command[@]}" 2>&1 </dev/null | show_building
    return "${PIPESTATUS[0]}"
  fi
  "${command[@]}" >&2 </dev/null
}

# build_program TARGET [CMAKE OPTION…]: configures, builds, and notes what was built for the next start.
build_program() {
  local target=$1 stamp=$build/run.stamp start=$SECONDS
  shift
  command -v cmake >/dev/null 2>&1 || die "cmake is not installed; the build requires it"
  if [ -f "$stamp" ] && [ "$(head -n 2 "$stamp")" != "$(build_identity | head -n 2)" ]; then
    say "$build was built in another folder or for another processor; rebuilding"
    find "$build" -mindepth 1 -maxdepth 1 ! -name run.lock -exec rm -rf {} +
  fi
  # The note is written before the build: what is edited meanwhile is newer than it.
  { build_identity && build_inputs; } >"$stamp.new"
  configure "$@"
  # shellcheck disable=SC2086  # several targets are to be split
  build_targets $target || die "the build failed (the compiler's message is above)"
  [ $((SECONDS - start)) -lt 10 ] || say "built in $((SECONDS - start)) s"
  # A build of some test programs says nothing about the program.
  case $target in
    all | ropescope) mv -f "$stamp.new" "$stamp" ;;
    *) rm -f "$stamp.new" ;;
  esac
}

# select_tests CTEST ARGUMENTS…: sets `selected` to the programs that hold the tests which -R and -L name; to "all" where
# they name none, or where the last configuring does not know them.
select_tests() {
  local names='' labels='' word previous='' program folder name programs=''
  selected=all
  for word; do
    case $previous in
      -R | --tests-regex) names=$word ;;
      -L | --label-regex) labels=$word ;;
    esac
    previous=$word
  done
  if [ -z "$names$labels" ] || [ ! -f "$build/tests.list" ]; then return; fi
  while read -r program folder name; do
    if [[ $name =~ $names ]] && [[ $folder =~ $labels ]]; then
      case " $programs " in *" $program "*) ;; *) programs+=" $program" ;; esac
    fi
  done <"$build/tests.list"
  # shellcheck disable=SC2086  # names of targets without spaces
  if [ -n "$programs" ]; then selected=${programs# }; fi
}

# run_ctest FOLDER SECONDS CTEST ARGUMENTS…: runs the tests of a build, with a limit for each entry. Reports the CPU time
# of all of them: unlike their duration it hardly depends on what else the machine does.
run_ctest() {
  local folder=$1 timeout=$2 TIMEFORMAT='ropescope: the tests took %R s, and %U + %S s of CPU time'
  shift 2
  time ctest --test-dir "$folder" --output-on-failure --no-tests=error --timeout "$timeout" --parallel "$(job_count)" "$@"
}

# report_tests FOLDER: what the last run of ctest in this build printed about itself: how much of each matrix was
# sampled, the frames drawn, the ten slowest entries, and the tests that skipped themselves (a skipped test that nobody
# reads is not tested).
report_tests() {
  local log=$1/Testing/Temporary/LastTest.log
  [ -f "$log" ] || return 0
  LC_ALL=C awk '
    /^[0-9]+\/[0-9]+ Test: / { entry = $3; sub(/@.*/, "", entry); if (match($3, /\.[0-9]+$/)) entry = entry substr($3, RSTART) }
    /^Test time = / { print "c slowest: " $4 " s " entry (frames ? ", " frames " frames" : ""); all += frames; frames = 0 }
    /^\[  FRAMES  \] / { frames = $4 }
    /^\[  SKIPPED \] [^ ]* \(/ { skipped[$4] }
    /^\[ SAMPLED  \] / {
      match($0, /: [0-9]+ of [0-9]+ cells$/)
      name = substr($0, 14, RSTART - 14)
      split(substr($0, RSTART + 2), words, " ")
      taken[name] += words[1]
      cells[name] += words[3]
    }
    END {
      for (name in cells) if (taken[name] < cells[name]) print "a sampled: " name ": " taken[name] " of " cells[name] " cells"
      if (all) print "b frames drawn: " all
      for (name in skipped) print "d skipped: " name
    }' "$log" | LC_ALL=C sort -k1,1 -k2,2 -k3,3nr -k3 |
    LC_ALL=C awk '$1 != "c" || ++slow <= 10 { print "ropescope: " substr($0, 3) }' >&2
}
