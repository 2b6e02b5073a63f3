"""An outsider's cases for `ropescope check`: invented ports, right and wrong, and what is said of them.

    python3 tests/audit/check_cases.py BINARY [FILTER]

runs every case whose name contains FILTER, one at a time, and prints a table: how it went, the case, what was done to the data,
what was said, CPU seconds. `ok`: named as done. `tie`: another name for numbers that are the same, with the reason. `bad`:
anything else. The exit code is 1 where a case is bad that KNOWN does not explain.

The data are computed here (rope_math.py), by numpy alone and never by ropescope; needs Python 3.9 and numpy.
"""

import collections
import itertools
import json
import sys
import tempfile

import case as cases
import engine_cases
import hard_cases
import image_cases
import model_cases
import port_cases
import random_cases
import row_cases
import sly_cases
import text_cases
import whole_cases

ROOMS = (text_cases, image_cases, hard_cases, sly_cases, random_cases, engine_cases, port_cases, model_cases, whole_cases,
         row_cases)

# Cases that are bad and stay so, with the reason.
_BUDGET = "the search of pairs on a ramp ends by its budget: the base is not round"
_BUDGET_BESIDE = "the search of pairs beside a recurrence ends by its budget"
KNOWN = {
    "right/llama-2-7b/n1": "position 0 alone is no evidence, and exit 2 says so",
    "port image/counts: wan with thirds of 128/float32": "a layout's table of another width is refused, with both widths",
    "port image/counts: flux.1 with 16 + 48 + 48/float32": "a layout's table of another width is refused, with both widths",
    "engine frequencies/right by ggml cpu": "ggml keeps no list of frequencies; one that is 2e-6 off is told as the base that gives it",
    "engine frequencies/right by ggml gpu": "ggml keeps no list of frequencies; one that is 2e-6 off is told as the base that gives it",
    "engine ggml/llama 3.1 on the cpu: sines negated and 7 late/float32": _BUDGET_BESIDE,
    "engine ggml/yarn on the cpu: sines negated and 7 late/float32": _BUDGET_BESIDE,
    "engine ggml/gemma 3 on the cpu: base 30 000 and 7 late/float32": "a fitted base (29 999.9) and unknown beside it",
    "image right/qwen2-vl 20x31/bfloat16-twice": "below 6e-5 float16 and then bfloat16 err by more than a unit of bfloat16",
    "own/dinov3 0 to 1": "a scale and an offset of ids give just these numbers",
    "sly/right: cos float32, sin bfloat16": "one format is told for both tables",
    "sly/many pairs: yarn of 234 channels, offset + base/float32": _BUDGET,
    "sly/many pairs: yarn of 254 channels, offset + base/float32": _BUDGET,
    "sly/many pairs: yarn of 192 channels, offset + base/bfloat16": _BUDGET,
    "random/62 text d 192 b 193128 yarn base + offset/bfloat16": _BUDGET,
}


def run(binary, case):
    with tempfile.TemporaryDirectory() as folder:
        cases.write(folder, case.files())
        answer = cases.ask(binary, case, folder)
        report = None
        if answer.code in (0, 1):
            try:
                report = json.loads(answer.output)
            except ValueError:
                return "bad", "no JSON", answer.error[:160], answer.seconds
        result, said, why = cases.judge(case, answer, report)
        for threads in case.threads:
            again = cases.ask(binary, case, folder, ["--threads", str(threads)])
            if again.output != answer.output or again.code != answer.code:
                return "bad", said, f"other bytes with {threads} threads", answer.seconds
        return result, said, why, answer.seconds


def expected_of(case):
    return (" + " if case.both else " | ").join(cases.names_of(case))


def main(binary, wanted=""):
    count, rows, surprises = collections.Counter(), [], 0
    for case in itertools.chain.from_iterable(room.all_cases() for room in ROOMS):
        if wanted not in case.name:
            continue
        result, said, why, seconds = run(binary, case)
        explained = case.name in KNOWN
        surprises += result == "bad" and not explained
        count[result] += 1
        rows.append((seconds, case.name))
        note = f"  [{why}]" if why else ""
        note += f"  KNOWN: {KNOWN[case.name]}" if explained else ""
        print(f"{result:4} {case.name:56} {expected_of(case):40} {said:60} {seconds:6.2f}{note}", flush=True)
        if result == "bad" and not explained:
            print(f"     ropescope check {' '.join(word if len(word) < 200 else word[:40] + '…' for word in case.arguments)}")
    total = f"{count['ok']} ok, {count['tie']} tie, {count['bad']} bad"
    print(f"\n{sum(count.values())} cases: {total}; {surprises} of them not in KNOWN")
    print("slowest: " + ", ".join(f"{name} {seconds:.2f} s" for seconds, name in sorted(rows)[:-9:-1]))
    return 1 if surprises else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
