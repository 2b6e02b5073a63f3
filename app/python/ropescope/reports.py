"""Results that are more than an array: reports of check() and compare(), limits, and tables."""
import base64
import decimal
import html
import json
import struct
import zlib

import numpy

# Largest number of rows and columns of a map of differences; more are reduced to the largest of each block.
_MOST_CELLS = 512
# Colours of that map from no difference to 2, evenly in the logarithm: viridis.
_COLORS = ((68, 1, 84), (72, 40, 120), (62, 74, 137), (49, 104, 142), (38, 130, 142), (31, 158, 137), (53, 183, 121),
           (109, 205, 89), (180, 222, 44), (253, 231, 37))
_LEAST, _MOST = 1e-8, 2.0


class RopeMismatch(AssertionError):
    """A check or a comparison that disagrees. Its text is the program's report."""


class _Report:
    """A report of the program: str() returns it as text, json() as a dict."""

    def __init__(self, verdict, report, text):
        self._line, self._report, self._text = verdict, json.loads(report), text

    @property
    def verdict(self):
        """"agrees", "disagrees", from compare() without a baseline "differs", or from check() "no evidence": nothing
        disagrees, but no mistake would be visible."""
        return self._report["verdict"]

    @property
    def agrees(self):
        """Whether the verdict is "agrees"."""
        return self.verdict == "agrees"

    def json(self):
        """Returns the whole report, as written by `ropescope check --json` or `ropescope compare --json`."""
        return self._report

    def assert_agrees(self):
        """Raises RopeMismatch, an AssertionError with the whole report, unless the verdict is "agrees"."""
        if not self.agrees:
            raise RopeMismatch(self._text)

    def __str__(self):
        return self._text

    def __repr__(self):
        return "<ropescope.%s %s>" % (type(self).__name__, self._line)


def _reduced(values):
    """Returns the largest of each block, so that at most _MOST_CELLS rows and columns remain."""
    for axis in (0, 1):
        size = -(-values.shape[axis] // _MOST_CELLS)
        if size > 1:
            values = numpy.maximum.reduceat(values, numpy.arange(0, values.shape[axis], size), axis)
    return values


def _png(values):
    """Returns a PNG of a map, one pixel per cell."""
    place = numpy.log(numpy.clip(values, _LEAST, _MOST) / _LEAST) / numpy.log(_MOST / _LEAST) * (len(_COLORS) - 1)
    table = numpy.array(_COLORS, float)
    first = numpy.minimum(place.astype(int), len(_COLORS) - 2)
    pixels = table[first] + (place - first)[..., None] * (table[first + 1] - table[first])
    rows, columns = values.shape
    raw = numpy.zeros((rows, 1 + 3 * columns), numpy.uint8)
    raw[:, 1:] = numpy.rint(pixels).reshape(rows, -1)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(raw.tobytes(), 9)) + chunk(b"IEND", b""))


def _differences(tables, against, positions):
    """Returns |cos - expected| or |sin - expected|, whichever is larger, [tokens, pairs]; None if a map of them is not
    possible: other tensors, or a reference with other shapes."""
    import ropescope
    if tables[0] is None or tables[1] is None:
        return None
    try:
        given = [numpy.asarray(table, float) for table in tables]
        if isinstance(against, tuple):
            expected = [numpy.asarray(table, float) for table in against]
        elif isinstance(against, ropescope.Layout):
            expected = against.cos_sin("float64")
        else:
            places = numpy.arange(len(given[0])) if positions is None else positions
            expected = ropescope.Rope.from_config(against).cos_sin(places, "float64", "exact")
    except (TypeError, ValueError, RuntimeError):
        return None
    if any(table.ndim != 2 or table.shape[0] != expected[0].shape[0] for table in given):
        return None
    pairs = expected[0].shape[1]
    if given[0].shape[1] == pairs:
        forms = [given]
    elif given[0].shape[1] == 2 * pairs:
        forms = [[table[:, :pairs] for table in given], [table[:, ::2] for table in given]]
    else:
        return None
    maps = [numpy.maximum(*(numpy.abs(table - due) for table, due in zip(form, expected))) for form in forms]
    return min(maps, key=numpy.sum)


class CheckReport(_Report):
    """The result of check(). In a notebook it is shown with its map of differences."""

    def __init__(self, verdict, report, text, tables=(None, None), against=None, positions=None):
        super().__init__(verdict, report, text)
        self._compared = tables, against, positions
        self._checked = None

    @property
    def checked(self):
        """Which tensors of a recording were checked, from Layer.check() and Recording.check(): a dict with layer (its
        number, None from Layer.check()), name, of ("q", "k" or "tables") and item; else None."""
        return self._checked

    @checked.setter
    def checked(self, found):
        self._checked = found
        self._text = "%s, %s, item %d:\n%s" % (found["name"] if found["layer"] is None else
                                              "layer %d (%s)" % (found["layer"], found["name"]),
                                              found["of"], found["item"], self._text)

    @property
    def differences(self):
        """The larger of the differences in cos and in sin of every token and pair: float64 [tokens, pairs]; None if
        cos and sin were not given, or the reference has other shapes. The tensors must not have changed since."""
        return _differences(*self._compared)

    def plot(self, ax=None):
        """Draws the map of differences on matplotlib axes (None: new ones), and returns the axes. Raises InputError if
        there is none. Requires matplotlib, which is imported only here."""
        from ropescope import plots
        return plots.plot_report(self, ax)

    def _repr_html_(self):
        color = "#009e73" if self.agrees else "#d55e00"
        parts = ['<div style="border-left:4px solid %s;padding-left:1em"><pre>%s</pre>' % (color, html.escape(self._text))]
        found = self.differences
        if found is not None and found.size:
            picture = base64.b64encode(_png(_reduced(found))).decode()
            parts.append('<img alt="map of differences" style="width:480px;height:240px;image-rendering:pixelated" '
                         'src="data:image/png;base64,%s"><div>Largest difference in cos and sin of every token (down) and '
                         'pair (right): dark 10<sup>-8</sup> or less, bright 2; the largest is %.2g.</div>'
                         % (picture, found.max()))
        return "".join(parts) + "</div>"

    @property
    def causes(self):
        """The causes that explain the difference, the most convincing first: a list of dicts with "name", "confidence",
        "parameters", "evidence", "advice" and more. The cause is "unknown" if nothing explains it."""
        return self._report["causes"]

    @property
    def advice(self):
        """The advice: what to change, one sentence per cause."""
        return [cause["advice"] for cause in self.causes]

    @property
    def notes(self):
        """Remarks on the reference and the tensors, one sentence each."""
        return self._report["notes"]


class Comparison(_Report):
    """The result of compare()."""

    @property
    def differences(self):
        """The differences that change scores: a list of dicts with "name", "cause", "profile", "text", "a", "b",
        "largest_change" and more."""
        return self._report["differences"]

    @property
    def remarks(self):
        """Further differences and notes, one sentence each."""
        return self._report["remarks"]


def _bound(number, upwards, most=None):
    """Returns a number rounded up or down to six significant digits, as text; to more if it would exceed `most`."""
    exact = decimal.Decimal(repr(float(number)))
    for digits in range(6, 18):
        rounding = decimal.ROUND_CEILING if upwards else decimal.ROUND_FLOOR
        rounded = decimal.Context(prec=digits, rounding=rounding).plus(exact)
        if most is None or float(rounded) <= most:
            break
    return "%d" % rounded if rounded == rounded.to_integral_value() else "{:f}".format(rounded)


class Limits(dict):
    """The result of Rope.limits(): a dict with the keys of `ropescope limits`. str() returns it as sentences,
    in which the bounds are rounded to the side on which the sentence holds."""

    def _factor_lines(self):
        for method, found in self.get("factors", {}).items():
            if found["smallest"] is None:
                yield "%s: no factor up to %g allows it." % (method, self["factors_searched_to"])
            else:
                robust = "" if found["robust"] is None else "; from %s on, none fails" % _bound(found["robust"], True)
                yield ("%s: the smallest factor that allows it is %s%s."
                       % (method, _bound(found["smallest"], True), robust))

    def _lines(self):
        if self["first_negative_distance"] is None:
            yield "The similarity of equal vectors is never negative."
        else:
            yield ("The largest context is %d tokens: the similarity of equal vectors is first negative at a distance of "
                   "%d tokens." % (self["largest_context"], self["first_negative_distance"]))
        if self["shaken_context"] is not None:
            yield ("If the base changes by up to 1 %%, it is %d tokens, at base %.15g."
                   % (self["shaken_context"], self["shaken_base"]))
        if self["context"] is None:
            yield "No context is given, and the trained length is unknown."
            return
        context = "a context of %d tokens" % self["context"]
        if self["context_length"] is not None and self["context"] == self["trained_length"]:
            yield ("%d tokens is the trained length; use limits(%d) for the extended one."
                   % (self["trained_length"], self["context_length"]))
        if self["smallest_base"] is not None:
            low, high = self["window"]
            yield ("The smallest base that allows %s is %s, rounded up; bases up to %s allow it, too."
                   % (context, _bound(low, True, high), _bound(high, False)))
        if self["robust_base"] is not None:
            yield "Above base %s, no tested base fails." % _bound(self["robust_base"], True)
        if self["effective_pairs"] is not None:
            yield "The effective number of pairs that move in it is %.4g." % self["effective_pairs"]
        if self["critical_dimension"] is not None:
            ranges = ", ".join("%d" % first if first == last else "%d to %d" % (first, last)
                               for first, last in self["unseen_ranges"])
            yield ("The pairs of the first %d channels complete a turn in the trained length of %d tokens; %d pairs "
                   "do not%s." % (self["critical_dimension"], self["trained_length"], self["unseen_pairs"],
                                  " (%s)" % ranges if ranges else ""))
        yield from self._factor_lines()
        yield from self["notes"]

    def __str__(self):
        return "\n".join(self._lines())


def frame(columns):
    """Returns columns as a pandas DataFrame if pandas is installed, else as the dict that they are."""
    try:
        import pandas
    except ImportError:
        return columns
    return pandas.DataFrame(columns)
