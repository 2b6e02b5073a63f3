"""tests/benchmarks/pairwise.py OLD NEW [--filter smallest_base] [--rounds 5]: two builds of the benchmarks in turn, old, new,
old, new …, so that what else the machine does falls on both. Of every benchmark that both have, the median of the ratios
old / new of neighbouring runs is printed, of the real time and of the processor's, beside the smallest and largest ratio.
"""
import argparse
import json
import statistics
import subprocess
import tempfile


def times(program, asked):
    # Standard output holds what the programs say themselves, too.
    with tempfile.NamedTemporaryFile("r") as out:
        subprocess.run([program, f"--benchmark_filter={asked.filter}", f"--benchmark_out={out.name}",
                        "--benchmark_out_format=json"], capture_output=True, check=True)
        found = [one for one in json.load(out)["benchmarks"] if one.get("run_type") != "aggregate"]
    return {one["name"]: (one["real_time"], one["cpu_time"], one["time_unit"]) for one in found}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--filter", default=".")
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    rounds = [(times(asked.old, asked), times(asked.new, asked)) for _ in range(asked.rounds)]
    for name in rounds[0][0]:
        if name not in rounds[0][1]:
            continue
        old, new = ([one[side][name] for one in rounds] for side in (0, 1))
        real = [a[0] / b[0] for a, b in zip(old, new)]
        cpu = [a[1] / b[1] for a, b in zip(old, new) if b[1] > 0]
        print(f"{name}: {statistics.median(a[0] for a in old):.4g} -> {statistics.median(b[0] for b in new):.4g} {new[0][2]}, "
              f"{statistics.median(real):.3g} times as fast ({min(real):.3g} to {max(real):.3g}), "
              f"processor {statistics.median(cpu):.3g}")


if __name__ == "__main__":
    main()
