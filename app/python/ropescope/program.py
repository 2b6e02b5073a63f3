"""The program ropescope of a wheel, as the command `ropescope`: it finds its models and texts in the package."""
import os
import pathlib
import sys


def main():
    here = pathlib.Path(__file__).parent
    os.environ.setdefault("ROPESCOPE_ASSETS", str(here / "assets"))
    os.execv(here / "ropescope", ["ropescope", *sys.argv[1:]])
