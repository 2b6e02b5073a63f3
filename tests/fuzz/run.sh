#!/usr/bin/env bash
# tests/fuzz/run.sh BUILD SECONDS [CORPUS]: runs every fuzzer that BUILD holds from the seeds in tests/fuzz/corpus, on as
# many cores as there are, SECONDS of one core in all: a tenth of it in equal parts, and the rest in proportion to what
# each found in its part (new inputs, and one more so that none gets nothing). With a folder CORPUS what is found is kept
# there and used by the next run. What a fuzzer breaks on is kept in BUILD as NAME-crash-…; the exit code is then 1.
#
# BUILD comes from: cmake -S . -B BUILD -DCMAKE_CXX_COMPILER=clang++-14 -DROPESCOPE_SANITIZE=address -DROPESCOPE_FUZZERS=ON
#   -DROPESCOPE_TESTS=OFF && cmake --build BUILD --target fuzzers
set -uo pipefail
folder=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
build=${1:?a build folder} budget=${2:?seconds} kept=${3-}
cores=$(nproc 2>/dev/null || echo 2)
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
corpus=${kept:-$logs/corpus}

names=()
for source in "$folder"/*.cpp; do
  name=$(basename "$source" .cpp)
  [ -x "$build/fuzz_$name" ] || { echo "$build holds no fuzz_$name" >&2; exit 2; }
  [ -n "$(ls -A "$folder/corpus/$name" 2>/dev/null)" ] || { echo "no seeds in $folder/corpus/$name" >&2; exit 2; }
  names+=("$name")
  mkdir -p "$corpus/$name"
  cp -r "$folder/corpus/$name/." "$corpus/$name"
done

# fuzz NAME SECONDS ROUND
fuzz() {
  "$build/fuzz_$1" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$build/$1-" "$corpus/$1" >"$logs/$1.$3" 2>&1 || touch "$logs/$1.failed"
}
# of NAME ROUND WHAT: a number of its last words.
of() { sed -n "s/^stat::$3: *//p" "$logs/$1.$2" 2>/dev/null | tail -n 1; }
# round NUMBER: every fuzzer for ${seconds[NAME]}, as many at a time as there are cores.
round() {
  local name running=0
  for name in "${names[@]}"; do
    [ ! -e "$logs/$name.failed" ] || continue
    if [ "$running" -ge "$cores" ]; then
      wait -n
      running=$((running - 1))
    fi
    fuzz "$name" "${seconds[$name]}" "$1" &
    running=$((running + 1))
  done
  wait
}

declare -A seconds
first=$((budget / 10 / ${#names[@]}))
[ "$first" -ge 2 ] || first=2
for name in "${names[@]}"; do seconds[$name]=$first; done
round 1
sum=0
for name in "${names[@]}"; do
  found=$(of "$name" 1 new_units_added)
  sum=$((sum + ${found:-0} + 1))
done
for name in "${names[@]}"; do
  found=$(of "$name" 1 new_units_added)
  share=$(((budget - first * ${#names[@]}) * (${found:-0} + 1) / sum))
  seconds[$name]=$((share >= 2 ? share : 2))
done
round 2

failed=0 all=0
for name in "${names[@]}"; do
  runs=$(($(of "$name" 1 number_of_executed_units || true) + $(of "$name" 2 number_of_executed_units || true) + 0))
  all=$((all + runs))
  if [ -e "$logs/$name.failed" ]; then
    tail -n 60 "$(ls -t "$logs/$name".[12] | head -n 1)"
    echo "fuzz_$name failed after $runs inputs; what it broke on is in $build"
    failed=1
  else
    echo "fuzz_$name: $runs inputs in $((first + seconds[$name])) s, $(of "$name" 1 new_units_added) + $(of "$name" 2 new_units_added) of them new"
  fi
done
echo "$all inputs in all"
exit "$failed"
