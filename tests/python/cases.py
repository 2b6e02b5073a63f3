"""What the tests of the Python package share: run() runs a file's tests and names those that skipped themselves as
GoogleTest does, so that ./test says them."""
import importlib.util
import pathlib
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]

LLAMA = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000.0,
         "max_position_embeddings": 131072,
         "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                          "original_max_position_embeddings": 8192}}


def missing(*modules):
    """The first of the modules that is not there, for unittest.skipIf; None where all are."""
    return next((name for name in modules if importlib.util.find_spec(name) is None), None)


class Case(unittest.TestCase):
    """With a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


def run():
    result = unittest.main(verbosity=1, exit=False, argv=sys.argv[:1] + sys.argv[1:]).result
    for test, why in result.skipped:
        print("[  SKIPPED ] %s (0 ms): %s" % (test.id().replace("__main__", pathlib.Path(sys.argv[0]).stem), why))
    sys.exit(not result.wasSuccessful())
