"""One invented dump: the files, the command line, and what its inventor knows about it."""

import dataclasses
import os
import subprocess
import typing

import numpy as np

import rope_math as rm

AGREES, UNKNOWN, DISAGREES, UNUSABLE = "agrees", "unknown", "disagrees", "unusable"


@dataclasses.dataclass
class Case:
    name: str
    arguments: list                      # of `ropescope check`; files by their names in the case's folder
    files: typing.Callable               # () → {name: array, {tensor: array}, or bytes}
    expected: typing.Union[str, tuple]   # a cause, or AGREES, UNKNOWN, DISAGREES (any cause), UNUSABLE; several: each is right
    both: bool = False                   # `expected` are causes that must all be named
    parameters: dict = dataclasses.field(default_factory=dict)   # cause → what must be fitted
    ties: dict = dataclasses.field(default_factory=dict)         # causes → why they give the same numbers
    verdicts: tuple = ()                 # other verdicts that are right for these causes
    codes: tuple = ()                    # exit codes that are right; else those of the verdict
    says: tuple = ()                     # words that must stand in the notes, or in the one line that says why there is no report
    threads: tuple = ()                  # numbers of threads that must print the same bytes


@dataclasses.dataclass
class Answer:
    code: int
    output: bytes
    error: str
    seconds: float


def write(folder, files):
    for name, content in files.items():
        path = os.path.join(folder, name)
        if isinstance(content, bytes):
            with open(path, "wb") as file:
                file.write(content)
        elif name.endswith(".npz"):
            np.savez(path, **content)
        elif name.endswith(".safetensors"):
            rm.write_safetensors(path, content)
        elif name.endswith(".csv"):
            rm.write_csv(path, content)
        else:
            np.save(path, content)


def ask(binary, case, folder, more=()):
    """Runs the check; CPU seconds are the child's own."""
    out, err = os.path.join(folder, "out"), os.path.join(folder, "err")
    with open(out, "wb") as stdout, open(err, "wb") as stderr:
        child = subprocess.Popen([binary, "check", *case.arguments, "--json", *more], cwd=folder, stdout=stdout, stderr=stderr,
                                 stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    with open(out, "rb") as stdout, open(err, "r", errors="replace") as stderr:
        return Answer(child.returncode, stdout.read(), stderr.read().strip(), usage.ru_utime + usage.ru_stime)


def close(found, wanted):
    """A fitted parameter against the one put in: words are equal, numbers within a thousandth."""
    if isinstance(wanted, str) or isinstance(found, str) or found is None:
        return found == wanted
    found, wanted = np.atleast_1d(np.asarray(found, float)), np.atleast_1d(np.asarray(wanted, float))
    return found.shape == wanted.shape and bool(np.all(np.abs(found - wanted) <= 1e-3 * np.abs(wanted) + 1e-9))


def judge(case, answer, report):
    """(ok | tie | bad, what was said, why)."""
    if report is None:
        said = f"exit {answer.code}"
        fine = answer.code == 2 and answer.error.count("\n") == 0 and answer.error
        right = (UNUSABLE in names_of(case) or 2 in case.codes) and all(words in answer.error for words in case.says)
        return ("ok" if fine and right else "bad"), said, answer.error[:160]
    causes = [cause for cause in report["causes"] if cause["name"] != "table-format" or "table-format" in names_of(case)]
    named = tuple(cause["name"] for cause in causes)
    verdict = report["verdict"]
    said = verdict + ("" if not named else ": " + " + ".join(text_of(cause) for cause in causes))
    if answer.code != {"agrees": 0, "disagrees": 1}.get(verdict):
        return "bad", said, f"exit code {answer.code}"
    notes = "\n".join(report["notes"])
    wrong = wrong_parameters(case, causes) or next((f"no note says {words}" for words in case.says if words not in notes), "")
    if is_expected(case, verdict, named):
        return ("bad", said, wrong) if wrong else ("ok", said, "")
    if verdict == "disagrees":
        for tied, reason in case.ties.items():
            if sorted(tied) == sorted(named):
                return "tie", said, reason
        beside = [{cause["name"], *cause["also"]} for cause in causes]
        wanted = names_of(case) if case.both else names_of(case)[:1]
        if len(wanted) == len(beside) and all(any(name in group for group in beside) for name in wanted):
            return "tie", said, "named beside"
    return "bad", said, "not what was done"


def names_of(case):
    return (case.expected,) if isinstance(case.expected, str) else case.expected


def is_expected(case, verdict, named):
    if verdict == "agrees":
        return AGREES in names_of(case) or ("agrees" in case.verdicts and set(named) <= set(names_of(case)))
    if DISAGREES in names_of(case):
        return True
    if case.both:
        return sorted(named) == sorted(names_of(case))
    return len(named) == 1 and named[0] in names_of(case) or (not named and UNKNOWN in names_of(case))


def wrong_parameters(case, causes):
    for cause in causes:
        for key, wanted in case.parameters.get(cause["name"], {}).items():
            if not close(cause["parameters"].get(key), wanted):
                return f"{key} is {cause['parameters'].get(key)}, put in was {wanted}"
    return ""


def text_of(cause):
    inner = ", ".join(f"{key} {brief(value)}" for key, value in cause["parameters"].items())
    return cause["name"] + (f" ({inner})" if inner else "")


def brief(value):
    if isinstance(value, list):
        return "[" + " ".join(brief(v) for v in value[:6]) + (" …]" if len(value) > 6 else "]")
    return f"{value:.6g}" if isinstance(value, float) else str(value)
