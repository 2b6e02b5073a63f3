"""Records what a model's own rotary code computes, layer by layer: record(). The code is found as in ropescope_dump.py,
a part of this package (_dump): modules that return a rotation, functions like apply_rotary_pos_emb, attention."""
import contextlib
import dataclasses
import warnings

import numpy

import ropescope
from ropescope import _dump


@dataclasses.dataclass
class Layer:
    """One call of the rotating code, as NumPy arrays (bfloat16 as float32). Tensors that were not seen are None.

    q_before, k_before and q, k: before and after the rotation, in the model's shape: [batch, heads, tokens, channels],
    or [batch, tokens, heads, channels] if heads_first is False. cos, sin: the tables of the rotation, as the model
    computed them; table: both as one tensor (complex numbers, 2x2 matrices). positions: [tokens], or [tokens, axes],
    of the first item of the batch. name: of the module or function that was called.
    """
    name: str
    q_before: "numpy.ndarray | None" = None
    k_before: "numpy.ndarray | None" = None
    q: "numpy.ndarray | None" = None
    k: "numpy.ndarray | None" = None
    cos: "numpy.ndarray | None" = None
    sin: "numpy.ndarray | None" = None
    table: "numpy.ndarray | None" = None
    positions: "numpy.ndarray | None" = None
    heads_first: bool = True
    _places: "list | None" = dataclasses.field(default=None, repr=False)  # positions of every item of the batch
    single = False  # q alone was given to the function, which is called for k next

    def tensors(self, of="q", item=0, heads=None):
        """Returns arguments for check(against=rope, **layer.tensors()): the tables, and q or k of one item of a batch.

        of: "q" or "k". heads: how many, from the first; None: all. Raises IndexError for an item that the batch does not
        have, and InputError if of was not recorded although the other was, or has another number of tokens than the
        tables. check() does this for q, k and all items.
        """
        if of not in ("q", "k"):
            raise ropescope.InputError("of is %r; expected q or k" % (of,))
        if not -self._items() <= item < self._items():
            raise IndexError("item is %d; the batch has %d" % (item, self._items()))
        item %= self._items()
        arguments = {}
        for role in ("cos", "sin", "table"):
            if getattr(self, role) is not None:
                flat = _dump._flat(role, _tensor(getattr(self, role)), item)
                if flat is not None:
                    arguments[role] = flat.raw
        before, after = getattr(self, of + "_before"), getattr(self, of)
        if before is not None:
            tokens = next((len(table) for table in arguments.values()), before.shape[-2 if self.heads_first else -3])
            order = _dump._Recorder(item, heads)
            for role, array in (("before", before), ("after", after)):
                turned = order.tokens_first(_tensor(array), self.heads_first, tokens)
                if turned is None:
                    raise ropescope.InputError("%s has the shape %s, but the tables have %d tokens; pass them to check() "
                                               "yourself" % (of, array.shape, tokens))
                arguments[role] = turned.raw
            arguments["heads"] = "thd"
        elif self.recorded():
            raise ropescope.InputError("%s was not recorded; expected of=%r" % (of, self.recorded()[0]))
        places = self._places[min(item, len(self._places) - 1)] if self._places else self.positions
        if places is not None:
            arguments["positions" if places.ndim == 1 else "ids"] = places
        return arguments

    def recorded(self):
        """Returns which of q and k were recorded, before and after the rotation: a list."""
        return [of for of in "qk" if getattr(self, of + "_before") is not None]

    def _items(self):
        """Returns the batch size; 1 without a batch axis."""
        for of in self.recorded():
            shape = getattr(self, of).shape
            return shape[0] if len(shape) == 4 else 1
        for role in ("cos", "sin", "table"):
            found = getattr(self, role)
            if found is not None:
                return found.shape[0] if found.ndim == _dump._table_rank(role, _tensor(found)) + 1 else 1
        return 1

    def check(self, against, **options):
        """Checks q and k of all heads and all items of the batch, each with the tables, and returns the CheckReport of
        the first that disagrees, else of the first without evidence, else of the first; its `checked` says which it is.

        against, options: as in rs.check(). Warns (UserWarning) if only one of q and k was recorded.
        """
        return _first_that_fails([(None, self)], against, options)


class Recording(list):
    """The layers in the order in which they were called: recording[0].q. Attributes of the recording itself are those
    of the first layer: recording.cos."""

    def check(self, against, **options):
        """Layer.check() of every layer: the CheckReport of the first that disagrees, else of the first without evidence,
        else of the first."""
        return _first_that_fails(list(enumerate(self)), against, options)

    def __getattr__(self, name):
        if name.startswith("_") or not self:
            raise AttributeError("nothing was recorded" if not name.startswith("_") else name)
        return getattr(self[0], name)


def _first_that_fails(layers, against, options):
    """Checks every tensor of the layers, which come with their numbers, until one disagrees."""
    chosen = None
    for number, layer in layers:
        if len(layer.recorded()) == 1:
            warnings.warn("%s: only %s was recorded and is checked" % (layer.name, layer.recorded()[0]), UserWarning,
                          stacklevel=3)
        for of in layer.recorded() or ["q"]:
            for item in range(layer._items()):
                report = ropescope.check(against=against, **{**layer.tensors(of, item), **options})
                report.checked = {"layer": number, "name": layer.name, "of": of if layer.recorded() else "tables",
                                  "item": item}
                if report.verdict == "disagrees":
                    return report
                if chosen is None or chosen.agrees and not report.agrees:
                    chosen = report
    if chosen is None:
        raise ropescope.InputError("nothing was recorded")
    return chosen


def _tensor(array):
    return _dump._Tensor(array.dtype.str[1:], array)


def _numbers(kept):
    return kept.numbers().astype(numpy.float32) if kept.dtype == "BF16" else kept.raw


def _array(value):
    return _numbers(_dump._keep(value))


class _Recorder:
    """Receives calls from ropescope_dump.py, and keeps those of the requested layers."""

    def __init__(self, layers, wanted):
        self.layers, self.wanted, self.count = layers, wanted, 0
        self.tables, self.last, self.projections = [], {}, {}

    def module_called(self, label, module, arguments, output):
        self.table_seen(_dump._rotation_of(output), arguments)

    def table_seen(self, found, arguments):
        """Keeps a rotation with its positions; the next layers rotate by it. A function may receive a rotation that a
        module returned before, with known positions. Returns whether there was a rotation."""
        if not found:
            return False
        table = {role: _numbers(kept) for role, kept in found.items()}
        for known in self.tables:
            if all(role in known and numpy.array_equal(array, known[role]) for role, array in table.items()):
                self.last = known
                return True
        flat = _dump._flat(*next(iter(found.items())), 0)
        if flat is not None:
            role, kept = next(iter(found.items()))
            items = kept.shape[0] if kept.rank == _dump._table_rank(role, kept) + 1 else 1
            places = [_dump._places_of(arguments, flat.shape[0], item) for item in range(items)]
            if all(places):
                table["_places"] = [next(iter(each.values())).raw for each in places]
                table["positions"] = table["_places"][0]
        self.tables.append(table)
        self.last = table
        return True

    def function_called(self, label, arguments, output):
        pair = (arguments.get("cos"), arguments.get("sin"))
        for value in (pair, *arguments.values()):
            if self.table_seen(_dump._rotation_of(value), {}):
                break
        if "sequence_dim" in arguments:  # of diffusers; transformers have unsqueeze_dim
            heads_first = arguments["sequence_dim"] == 2
        else:
            heads_first = arguments.get("unsqueeze_dim", 1) == 1
        rest = [(name, value) for name, value in arguments.items() if _dump._is_floating(value)]
        turned = {}
        for index, value in enumerate(output if isinstance(output, (tuple, list)) else (output,)):
            at = [i for i, (_, given) in enumerate(rest) if _dump._is_floating(value) and given.shape == value.shape]
            if at and len(value.shape) >= 3:
                name, given = rest.pop(at[0])
                turned["k" if index == 1 or name.startswith("k") else "q"] = (given, value)
        # A function of one tensor is called for q, then for k.
        last = self.layers[-1] if self.layers and self.layers[-1].name == label else None
        if len(turned) == 1 and last is not None and last.q is not None and last.k is None and last.single:
            last.k_before, last.k = map(_array, next(iter(turned.values())))
        elif turned:
            self.layer_seen(label, turned, heads_first)

    def projection_called(self, which, output):
        if _dump._is_floating(output) and len(output.shape) == 3:
            self.projections[which] = output

    def attention_called(self, arguments):
        """Records q and k if there is only a rotation between the projections and torch's attention."""
        turned = {}
        for which, value in zip("qk", arguments.values()):
            before = self.projections.pop(which, None)
            if before is None or len(value.shape) != 4:
                continue
            batch, heads, tokens, channels = value.shape
            if tuple(before.shape) == (batch, tokens, heads * channels):
                before = before.reshape(batch, tokens, heads, channels).swapaxes(1, 2)
                if _dump._turns_only(_dump._keep(before), _dump._keep(value)):
                    turned[which] = (before, value)
        called = any(layer.name != _dump._ATTENTION for layer in self.layers)
        if turned and not called:
            self.layer_seen(_dump._ATTENTION, turned, True)

    def layer_seen(self, label, turned, heads_first):
        index, self.count = self.count, self.count + 1
        if self.wanted is not None and index not in self.wanted:
            return
        layer = Layer(label, heads_first=heads_first, **self.last)
        layer.single = len(turned) == 1
        for which, (before, after) in turned.items():
            setattr(layer, which + "_before", _array(before))
            setattr(layer, which, _array(after))
        self.layers.append(layer)


@contextlib.contextmanager
def record(model, layers=None, only=""):
    """A context manager that records what each layer of a torch model rotates, and by which tables.

        with rs.record(model) as dump:
            model(input_ids)
        dump[3].q, dump.cos                         # of the fourth layer, and of the first
        dump.check(rope).assert_agrees()            # q and k of every layer
        rs.check(against=rope, **dump[0].tensors("k"))

    model: from transformers or diffusers, a pipeline, or anything with named_modules() whose modules have forward().
    Functions that rotate are found by their names (apply_rotary_pos_emb, apply_rotary_emb, apply_rope, …) in the source
    files of the model's classes, and tables by what modules return (rotary_emb). layers: numbers of the layers to keep;
    None: all, which for a large model takes the memory of all its queries and keys. only: a string that a module's path
    must contain. Gives a Recording, which is filled when the model has been called. The functions are restored at the
    end. Raises RuntimeError if nothing that rotates was called.
    """
    recording, undo = Recording(), []
    wanted = None if layers is None else {layers} if isinstance(layers, int) else set(layers)
    recorder = _Recorder(recording, wanted)
    try:
        _dump._watch(_dump._parts_of(model), recorder, only, undo)
        yield recording
    finally:
        for step in reversed(undo):
            step()
    if not recorder.count and recorder.last:
        recording.append(Layer("tables", **recorder.tables[0]))
    if not recording:
        raise RuntimeError("nothing was recorded: no function like apply_rotary_pos_emb rotated anything in a "
                           "requested layer, and no module returned (cos, sin), complex numbers or 2x2 matrices")
