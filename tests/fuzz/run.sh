#!/usr/bin/env bash
# tests/fuzz/run.sh BUILD SECONDS [CORPUS [JUDGE]]: runs every fuzzer that BUILD holds from the seeds in tests/fuzz/corpus,
# on as many cores as there are, SECONDS of one core in all: a tenth of it in equal parts, and the rest in proportion to
# what each found in its part (new inputs, and one more so that none gets nothing). With a folder CORPUS what is found is
# kept there, without what adds nothing to the rest, and used by the next run. What a fuzzer breaks on is kept in BUILD as
# NAME-crash-…; the exit code is then 1.
#   NUMBERx in place of SECONDS   that many inputs of each reader: nine tenths of them of at most 1 KiB, which are the fast ones
#   JUDGE                         another build, with the address sanitizer: all that is kept is read by it, too
#   ONLY="csv npy"                in the environment: no other readers than these
#
# BUILD comes from: cmake -S . -B BUILD -DCMAKE_CXX_COMPILER=clang++-14 -DROPESCOPE_SANITIZE=address -DROPESCOPE_FUZZERS=ON
#   -DROPESCOPE_TESTS=OFF && cmake --build BUILD --target fuzzers
# With -DROPESCOPE_SANITIZE=undefined it is several times as fast and sees undefined behaviour and bounds of the standard
# library, but no other address that is wrong: then give a JUDGE.
set -uo pipefail
folder=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
build=${1:?a build folder} budget=${2:?seconds, or a number of inputs and x} kept=${3-} judge=${4-}
inputs=0
case $budget in
  *x) inputs=${budget%x} budget=0 ;;
esac
[[ $budget$inputs =~ ^[0-9]+$ ]] || { echo "$2 is neither seconds nor NUMBERx" >&2; exit 2; }
cores=$(nproc 2>/dev/null || echo 2)
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
corpus=${kept:-$logs/corpus}

names=()
for source in "$folder"/*.cpp; do
  name=$(basename "$source" .cpp)
  if [ -n "${ONLY-}" ] && [[ " $ONLY " != *" $name "* ]]; then continue; fi
  for holder in "$build" ${judge:+"$judge"}; do
    [ -x "$holder/fuzz_$name" ] || { echo "$holder holds no fuzz_$name" >&2; exit 2; }
  done
  [ -n "$(ls -A "$folder/corpus/$name" 2>/dev/null)" ] || { echo "no seeds in $folder/corpus/$name" >&2; exit 2; }
  names+=("$name")
done
[ ${#names[@]} -gt 0 ] || { echo "there is no reader of these: $ONLY" >&2; exit 2; }

# each FUNCTION ARGUMENT…: FUNCTION NAME ARGUMENT… for every fuzzer that has not failed, as many at a time as there are cores.
each() {
  local name running=0 what=$1
  shift
  for name in "${names[@]}"; do
    [ ! -e "$logs/$name.failed" ] || continue
    if [ "$running" -ge "$cores" ]; then
      wait -n
      running=$((running - 1))
    fi
    "$what" "$name" "$@" &
    running=$((running + 1))
  done
  wait
}
# start NAME: its corpus is what was kept and the seeds, less what adds nothing.
start() {
  mkdir -p "$logs/least/$1" "$corpus/$1"
  if "$build/fuzz_$1" -merge=1 -timeout=10 -rss_limit_mb=2048 "$logs/least/$1" "$folder/corpus/$1" "$corpus/$1" >"$logs/$1.merge" 2>&1; then
    rm -rf "${corpus:?}/$1"
    mv "$logs/least/$1" "$corpus/$1"
  else
    cp -r "$folder/corpus/$1/." "$corpus/$1"
  fi
}
# fuzz NAME ROUND: for ${limit[NAME]}.
fuzz() {
  # shellcheck disable=SC2086  # several words
  "$build/fuzz_$1" ${limit[$1]} -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$build/$1-" "$corpus/$1" >"$logs/$1.$2" 2>&1 || touch "$logs/$1.failed"
}
# judged NAME: all that is kept, once, by the other build.
judged() {
  "$judge/fuzz_$1" -runs=0 -timeout=60 -rss_limit_mb=2048 -artifact_prefix="$judge/$1-" "$corpus/$1" "$folder/corpus/$1" \
    >"$logs/$1.judged" 2>&1 || touch "$logs/$1.failed"
}
# of NAME ROUND WHAT: a number of its last words.
of() { sed -n "s/^stat::$3: *//p" "$logs/$1.$2" 2>/dev/null | tail -n 1; }

each start
declare -A limit
if [ "$inputs" -gt 0 ]; then
  for name in "${names[@]}"; do limit[$name]="-runs=$((inputs - inputs / 10)) -max_len=1024"; done
  each fuzz 1
  for name in "${names[@]}"; do limit[$name]="-runs=$((inputs / 10))"; done
  each fuzz 2
else
  first=$((budget / 10 / ${#names[@]}))
  [ "$first" -ge 2 ] || first=2
  for name in "${names[@]}"; do limit[$name]=-max_total_time=$first; done
  each fuzz 1
  sum=0
  for name in "${names[@]}"; do
    found=$(of "$name" 1 new_units_added)
    sum=$((sum + ${found:-0} + 1))
  done
  for name in "${names[@]}"; do
    found=$(of "$name" 1 new_units_added)
    share=$(((budget - first * ${#names[@]}) * (${found:-0} + 1) / sum))
    limit[$name]=-max_total_time=$((share >= 2 ? share : 2))
  done
  each fuzz 2
fi
[ -z "$judge" ] || each judged

failed=0 all=0
for name in "${names[@]}"; do
  runs=$(($(of "$name" 1 number_of_executed_units || true) + $(of "$name" 2 number_of_executed_units || true) + 0))
  all=$((all + runs))
  if [ -e "$logs/$name.failed" ]; then
    tail -n 60 "$(ls -t "$logs/$name".[12j]* | head -n 1)"
    echo "fuzz_$name failed after $runs inputs; what it broke on is in $build${judge:+ or $judge}"
    failed=1
  else
    echo "fuzz_$name: $runs inputs, $(of "$name" 1 new_units_added) + $(of "$name" 2 new_units_added) of them new${judge:+; $(find "$corpus/$name" -type f | wc -l) judged}"
  fi
done
echo "$all inputs in all"
exit "$failed"
