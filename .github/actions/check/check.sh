#!/usr/bin/env bash
# check.sh [OPTION… --] FILE…: runs `ropescope check` on dumps, for the action next to this file and for pre-commit.
# The OPTIONs are passed on for each FILE. Without a FILE, patterns come from $ROPESCOPE_DUMPS (one per line) and options
# from $ROPESCOPE_OPTIONS (words, in quotes if they contain spaces). $ROPESCOPE is the program; the default is ropescope,
# or the one that ./run built in this checkout. The verdicts are printed and added to $GITHUB_STEP_SUMMARY, and the worst
# one is written to $GITHUB_OUTPUT as `verdict`. Exit code: 0 all agree, 1 one disagrees, 2 one cannot be checked.
set -uo pipefail

say() { printf 'ropescope: %s\n' "$*" >&2; }

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
program=${ROPESCOPE:-}
[ -n "$program" ] || program=$(command -v ropescope) || program=$here/../../../build/ropescope
if ! command -v -- "$program" >/dev/null; then
  say "$program is not found; install a package of the release, or build it with ./run --yes --version"
  exit 2
fi

options=() files=()
for word; do
  if [ "$word" = -- ]; then
    options=("${files[@]}")
    files=()
  else
    files+=("$word")
  fi
done
if [ ${#files[@]} = 0 ]; then
  mapfile -t options < <(xargs -n 1 printf '%s\n' <<<"${ROPESCOPE_OPTIONS-}" | sed '/^$/d')
  while IFS= read -r pattern; do
    [ -n "$pattern" ] || continue
    mapfile -t found < <(compgen -G "$pattern" | LC_ALL=C sort)
    [ ${#found[@]} -gt 0 ] || say "no file matches $pattern"
    # A pattern that matches no file is passed to check unchanged, which reports it as missing.
    files+=("${found[@]:-$pattern}")
  done <<<"${ROPESCOPE_DUMPS-}"
fi
if [ ${#files[@]} = 0 ]; then
  say "no dump is named"
  exit 2
fi

# Escapes text for a cell of a Markdown table and for a line of HTML.
cell() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/|/\\|/g; s/`/\&#96;/g' <<<"$1"; }

worst=0
rows=() reports=()
for file in "${files[@]}"; do
  report=$("$program" check "$file" ${options[@]+"${options[@]}"} 2>&1)
  code=$?
  # A larger code means that the program was ended, for example by a signal: there is no verdict.
  [ "$code" -le 2 ] || code=2
  [ "$code" -le "$worst" ] || worst=$code
  verdict=${report%%$'\n'*}
  printf '%s: %s\n' "$file" "$verdict"
  [ "$code" = 0 ] || printf '%s\n\n' "$report"
  signs=(✅ ❌ ⚠️)
  rows+=("| $(cell "$file") | ${signs[code]} $(cell "$verdict") |")
  # Four backticks: a report may contain three.
  reports+=("<details><summary>$(cell "$file")</summary>" '' '````text' "$report" '````' '' '</details>' '')
done

if [ -n "${GITHUB_STEP_SUMMARY-}" ]; then
  {
    printf '### ropescope check\n\n| dump | verdict |\n| --- | --- |\n'
    printf '%s\n' "${rows[@]}" '' "${reports[@]}"
  } >>"$GITHUB_STEP_SUMMARY"
fi
verdicts=(agrees disagrees unusable)
[ -z "${GITHUB_OUTPUT-}" ] || printf 'verdict=%s\n' "${verdicts[worst]}" >>"$GITHUB_OUTPUT"
exit "$worst"
