"""For tests of a port: the fixture rope_reference. pip's package registers it; of Debian's say
-p ropescope.pytest_plugin.

    def test_tables(rope_reference):
        rope_reference("config.json").assert_agrees(cos=cos, sin=sin)
"""
import pytest

import ropescope


class Reference:
    """What a model is due, and the assertion that a port computes it."""

    def __init__(self, against):
        self.against = against

    def cos_sin(self, positions, **how):
        """The tables themselves, as Rope.cos_sin() gives them."""
        return self.against.cos_sin(positions, **how)

    def assert_agrees(self, **tensors):
        """Fails with the program's report (verdict, causes, what to change, where the difference is largest) unless the
        tensors agree; takes what ropescope.check() takes."""
        __tracebackhide__ = True
        report = ropescope.check(against=self.against, **tensors)
        if not report.agrees:
            pytest.fail(str(report), pytrace=False)
        return report


@pytest.fixture
def rope_reference():
    """Makes a Reference of whatever Rope.from_config() takes, a Rope or a Layout: rope_reference("config.json")."""

    def make(against, profile=None):
        if isinstance(against, (ropescope.Layout, tuple)):
            return Reference(against)
        return Reference(ropescope.Rope.from_config(against, profile))

    return make
