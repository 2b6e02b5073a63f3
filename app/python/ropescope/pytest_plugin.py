"""The fixture rope_reference, for tests of a port. The pip package registers it; with the Debian package, pass
-p ropescope.pytest_plugin.

    def test_tables(rope_reference):
        rope_reference("config.json").assert_agrees(cos=cos, sin=sin)
"""
import pytest

import ropescope


class Reference:
    """The values expected of a model, and the assertion that a port computes them."""

    def __init__(self, against):
        self.against = against

    def cos_sin(self, positions, **how):
        """Returns the tables, as Rope.cos_sin() does."""
        return self.against.cos_sin(positions, **how)

    def assert_agrees(self, **tensors):
        """Fails with the program's report (verdict, causes, what to change, where the difference is largest) unless the
        tensors agree. Accepts the arguments of ropescope.check()."""
        __tracebackhide__ = True
        report = ropescope.check(against=self.against, **tensors)
        if not report.agrees:
            pytest.fail(str(report), pytrace=False)
        return report


@pytest.fixture
def rope_reference():
    """Creates a Reference: rope_reference("config.json"). Accepts a Layout, or what Rope.from_config() accepts."""

    def make(against, profile=None):
        if isinstance(against, (ropescope.Layout, tuple)):
            return Reference(against)
        return Reference(ropescope.Rope.from_config(against, profile))

    return make
