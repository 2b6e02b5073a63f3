"""The helpers that write the tensors of a model's rotary embedding to a file for `ropescope check`.

    from ropescope.dump import capture

    with capture(model, "out.safetensors"):     # transformers, diffusers, or your own torch modules
        model(input_ids)

    $ python -m ropescope.dump                  # lists the helpers for other programs and languages
    $ python -m ropescope.dump ropescope_dump.h # copies one to this folder
    $ ropescope check out.safetensors

help(ropescope.dump.capture) describes what is found and how. rs.record() gives the tensors in memory, as layers.
"""
import argparse
import os
import pathlib
import shutil
import sys

import ropescope
from ropescope._dump import capture, save
from ropescope.recording import Layer, Recording, record

__all__ = ["Layer", "Recording", "capture", "main", "record", "save"]

_ABOUT = {"ropescope_dump.py": "Python: torch, transformers, diffusers, vLLM",
          "ropescope_dump.h": "C and C++: arrays of your own",
          "ropescope_ggml.h": "C and C++: llama.cpp and other programs with ggml"}


def _folder():
    here = pathlib.Path(ropescope.__file__).resolve().parent
    named = pathlib.Path(os.environ.get("ROPESCOPE_ASSETS", here / "assets"))
    return named / "dump"


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m ropescope.dump", description="Copies the helpers that write a "
                                     "model's tensors for `ropescope check`. Without a name, lists them.")
    parser.add_argument("name", nargs="*", choices=[[], *_ABOUT], metavar="NAME", help=", ".join(_ABOUT))
    parser.add_argument("--to", default=".", metavar="FOLDER", help="where to copy them (default: this folder)")
    chosen = parser.parse_args(arguments)
    if not chosen.name:
        for name, about in _ABOUT.items():
            print("%-20s %s" % (name, about))
    for name in chosen.name:
        target = pathlib.Path(chosen.to) / name
        if target.exists():
            sys.exit("%s: already exists" % target)
        shutil.copyfile(_folder() / name, target)
        print(target)


if __name__ == "__main__":
    main()
