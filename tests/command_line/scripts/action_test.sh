#!/usr/bin/env bash
# Tests .github/actions/check/check.sh, which the action and pre-commit run, and the names of a release's files. The
# action's summary is a file of this test. Arguments: the repository, the program.
set -uo pipefail
repository=$1 program=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
cd "$scratch" || exit 2
unset GITHUB_STEP_SUMMARY GITHUB_OUTPUT ROPESCOPE ROPESCOPE_DUMPS ROPESCOPE_OPTIONS
export XDG_STATE_HOME=$scratch/state
check=$repository/.github/actions/check/check.sh

# expect NAME VALUE EXPECTED
expect() {
  [ "$2" = "$3" ] && return
  printf 'FAILED: %s\n  found:    %s\n  expected: %s\n' "$1" "$2" "$3"
  failures=$((failures + 1))
}
# has NAME FILE TEXT
has() {
  grep -qF -- "$3" "$2" && return
  printf 'FAILED: %s\n  %s lacks: %s\n' "$1" "$2" "$3"
  failures=$((failures + 1))
}

# Two dumps that need no options: one right, one computed with another base.
dumps() {
  /usr/bin/python3 - <<'END'
import json, math, struct

def dump(path, base):
    pairs, tokens = 32, 64
    arrays = {}
    for name, function in (("cos", math.cos), ("sin", math.sin)):
        arrays[name] = struct.pack(f"<{tokens * pairs}f", *(
            function(token * base ** (-2 * pair / (2 * pairs))) for token in range(tokens) for pair in range(pairs)))
    header, end = {}, 0
    for name, data in arrays.items():
        header[name] = {"dtype": "F32", "shape": [tokens, pairs], "data_offsets": [end, end + len(data)]}
        end += len(data)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(arrays.values()))

dump("right.safetensors", 10000)
dump("wrong base.safetensors", 500000)
END
}

# --- The program itself ----------------------------------------------------------------------------------------------

if [ -x "$program" ] && dumps; then
  export ROPESCOPE=$program GITHUB_STEP_SUMMARY=$scratch/summary GITHUB_OUTPUT=$scratch/output
  bash "$check" --dim 64 --base 10000 -- right.safetensors >said 2>&1
  expect 'a right dump: exit code' $? 0
  has 'a right dump: printed' said 'right.safetensors: agrees'
  has 'a right dump: summary' summary '| right.safetensors | ✅ agrees |'
  has 'a right dump: output' output 'verdict=agrees'

  : >summary
  : >output
  ROPESCOPE_DUMPS=$'*.safetensors\n' ROPESCOPE_OPTIONS='--dim 64  --base "10000"' bash "$check" >said 2>&1
  expect 'patterns: exit code' $? 1
  has 'patterns: right' summary '| right.safetensors | ✅ agrees |'
  has 'patterns: wrong' summary '| wrong base.safetensors | ❌ disagrees: base |'
  has 'patterns: report' summary 'base: base 500000'
  has 'patterns: output' output 'verdict=disagrees'

  : >output
  bash "$check" --dim 64 --base 10000 -- right.safetensors missing.npz >said 2>&1
  expect 'a missing dump: exit code' $? 2
  has 'a missing dump: output' output 'verdict=unusable'
else
  echo "skipped: no program, or no Python"
fi

# --- A stand-in ------------------------------------------------------------------------------------------------------

# It reports what it was called with, and agrees.
cat >stand-in <<'END'
#!/bin/sh
printf 'agrees\n'
printf '<%s>' "$@"
exit "${CODE:-0}"
END
chmod +x stand-in
export ROPESCOPE=$scratch/stand-in GITHUB_STEP_SUMMARY=$scratch/summary2 GITHUB_OUTPUT=$scratch/output2
ROPESCOPE_DUMPS=$'a*|b.npz' ROPESCOPE_OPTIONS="--config 'a b.json'" bash "$check" >said 2>&1
expect 'odd names: exit code' $? 0
has 'odd names: a pattern without a file is checked' summary2 '<check><a*|b.npz><--config><a b.json>'
has 'odd names: no cell of the table ends early' summary2 '| a*\|b.npz |'
CODE=139 bash "$check" x.npz >said 2>&1
expect 'a crash is no verdict' $? 2
bash "$check" >said 2>&1
expect 'nothing named' $? 2
env -u GITHUB_STEP_SUMMARY -u GITHUB_OUTPUT bash "$check" x.npz >said 2>&1
expect 'without GitHub' $? 0
ROPESCOPE=$scratch/none bash "$check" x.npz >said 2>&1
expect 'no program: exit code' $? 2
has 'no program: says so' said "$scratch/none"

# --- Names of a release ----------------------------------------------------------------------------------------------

mkdir packed
touch packed/ropescope_0.2.0_amd64.deb packed/python3-ropescope_0.2.0_amd64.deb packed/ropescope-0.2.0-Linux.tar.gz
bash "$repository/.ci/release_files.sh" packed released debian12
expect 'release: names' "$(cd released && echo *)" \
  "python3-ropescope_0.2.0-debian12_amd64.deb ropescope-0.2.0-Linux-debian12.tar.gz ropescope_0.2.0-debian12_amd64.deb"
rm packed/*.deb
bash "$repository/.ci/release_files.sh" packed released debian12 2>said
expect 'release: no package' $? 1

# --- The files themselves --------------------------------------------------------------------------------------------

if python3 -c 'import yaml' 2>/dev/null; then
  (cd "$repository" && python3 - <<'END'
import glob, sys, yaml

wrong = []
for path in glob.glob(".github/**/*.yml", recursive=True) + [".pre-commit-hooks.yaml", "CITATION.cff"]:
    with open(path, encoding="utf-8") as file:
        data = yaml.safe_load(file)
    # "on" is a truth value in YAML 1.1.
    if "/workflows/" in path and not (data.get("jobs") and data.get(True)):
        wrong.append(f"{path}: no jobs, or nothing starts them")
    if "/ISSUE_TEMPLATE/" in path and "config" not in path:
        ids = [field.get("id") for field in data["body"]]
        if not (data["name"] and data["description"]) or len(set(ids)) != len(ids):
            wrong.append(f"{path}: no name, or an id twice")
    if path.endswith("action.yml"):
        for step in data["runs"]["steps"]:
            if "run" in step and "shell" not in step:
                wrong.append(f"{path}: a step without a shell")
    if path == "CITATION.cff":
        version = next(line.split()[2] for line in open("CMakeLists.txt") if line.startswith("project("))
        if data["version"] != version:
            wrong.append(f"{path}: version {data['version']}, but the program has {version}")
print("\n".join(wrong))
sys.exit(bool(wrong))
END
  ) || { echo "FAILED: YAML"; failures=$((failures + 1)); }
fi

echo "$failures failures"
exit "$((failures > 0))"
