"""Writes the tensors of a model's rotary embedding to one .safetensors, which `ropescope check` reads without options.

    import ropescope_dump

    with ropescope_dump.capture(model, "out.safetensors"):              # transformers, or your own modules
        model(input_ids)
    with ropescope_dump.capture(pipe, "out.safetensors", size="1664x928", text=512):    # diffusers: give the size
        pipe(prompt, width=1664, height=928, num_inference_steps=1)
    model = llm.apply_model(lambda model: model)[0]                     # vLLM in this process:
    with ropescope_dump.capture(model, "out.safetensors"):              # VLLM_ENABLE_V1_MULTIPROCESSING=0, and
        llm.generate("…")                                               # llm = vllm.LLM(…, enforce_eager=True)
    ropescope_dump.save("out.safetensors", {"cos": cos, "sin": sin}, config=json.load(open("config.json")))    # by hand

    $ ropescope check out.safetensors

Requires Python 3.8 or newer and NumPy, and torch only for a torch model. Copy this file to where you need it.

It captures, under any name:
- modules that return a rotation: (cos, sin), complex numbers, or 2x2 matrices; their position ids; their inv_freq;
- modules with a cos_sin_cache (vLLM): its rows at their positions, and q and k before and after;
- q and k before and after the rotation: around functions like apply_rotary_pos_emb, apply_rotary_emb, apply_rope in the
  source files of the model's classes, and modules that rotate; otherwise from q_proj, to_q, … to torch's attention, if
  there is only a rotation between them (heads keep their length).
Only the first call of each counts. One item of a batch is kept, and a few heads of q and k.
"""
import collections.abc
import contextlib
import functools
import inspect
import json
import os
import re
import sys

import numpy

_NAMES = {"f8": "F64", "f4": "F32", "f2": "F16", "i8": "I64", "i4": "I32", "i2": "I16", "i1": "I8",
          "u8": "U64", "u4": "U32", "u2": "U16", "u1": "U8", "b1": "U8", "c8": "C64"}
# The options of `ropescope check` that take a tensor; one of this name needs no role.
_ROLES = ("positions", "ids", "cos", "sin", "table", "frequencies", "before", "after")
_PROJECTION = re.compile(r"(?:to_|w)?(q|k|query|key)(?:_proj|_lin)?")
_ROTATES = re.compile(r"(.*apply.*(rotary|rope)|.*(rotary|rope).*apply)", re.I)
_ATTENTION = "scaled_dot_product_attention"
_MOST_AXES = 4


# --- The file -----------------------------------------------------------------------------------------------------------

class _Tensor:
    """Numbers as stored; "BF16": uint16, the upper halves of float32."""

    def __init__(self, dtype, raw):
        self.dtype, self.raw, self.shape, self.rank = dtype, raw, raw.shape, raw.ndim

    def __getitem__(self, index):
        return _Tensor(self.dtype, self.raw[index])

    def swapped(self, a, b):
        return _Tensor(self.dtype, self.raw.swapaxes(a, b))

    def numbers(self):
        raw = self.raw
        if self.dtype == "BF16":
            raw = (raw.astype(numpy.uint32) << 16).view(numpy.float32)
        return raw.astype(numpy.complex128 if raw.dtype.kind == "c" else numpy.float64)


def _keep(value):
    """Returns a copy of a torch tensor, a NumPy array, or anything that NumPy can read."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().resolve_conj()
        if str(value.dtype) == "torch.bfloat16":
            import torch
            return _Tensor("BF16", value.contiguous().view(torch.int16).numpy().view(numpy.uint16).copy())
        value = value.numpy()
    array = numpy.array(value)
    if array.dtype.name == "bfloat16":  # of ml_dtypes
        return _Tensor("BF16", array.view(numpy.uint16))
    if array.dtype == numpy.complex128:  # the format has none: real and imaginary part
        array = numpy.stack([array.real, array.imag], -1)
    name = _NAMES.get(array.dtype.str[1:])
    if name is None:
        raise TypeError("numbers of dtype %s cannot be written" % array.dtype)
    return _Tensor(name, array.astype(array.dtype.newbyteorder("<")))


def save(path, tensors, config=None, layout=None, roles=None, metadata=None, **options):
    """Writes named tensors and the information that `ropescope check` needs about them.

    config: the model's config.json, as a mapping or as a string. layout: a name that `ropescope layouts` lists, if the
    config does not imply it. options: those of `ropescope check`, with _ for -: size="1664x928" or (1664, 928),
    text=512, model="llama-2-7b". roles: {"cos": NAME, …} for tensors with names other than positions, ids, cos, sin,
    table, frequencies, before, after.
    """
    kept = {name: value if isinstance(value, _Tensor) else _keep(value) for name, value in tensors.items()}
    told = {name: name for name in _ROLES if name in kept}
    told.update(roles or {})
    for role, name in told.items():
        if role not in _ROLES or name not in kept:
            raise ValueError("the role %r is given to %r; expected one of %s for one of the tensors"
                             % (role, name, ", ".join(_ROLES)))
    notes = dict(metadata or {}, **{"ropescope.roles": json.dumps(told)})
    if config is not None:
        notes["ropescope.config"] = config if isinstance(config, str) else json.dumps(config, default=str)
    if layout is not None:
        notes["ropescope.layout"] = layout
    said = {name.replace("_", "-"): "%dx%d" % value if isinstance(value, tuple) else value
            for name, value in options.items() if value is not None}
    notes["ropescope.options"] = json.dumps(said)

    # Eight bytes of the header's length, the header, the numbers one after another: first those that have a role, and of
    # these the wide ones. github.com/huggingface/safetensors, README.md, "Format".
    header, begin = {"__metadata__": notes}, 0
    ordered = sorted(kept.items(), key=lambda item: (item[0] not in told.values(), -item[1].raw.itemsize))
    for name, tensor in ordered:
        end = begin + tensor.raw.nbytes
        header[name] = {"dtype": tensor.dtype, "shape": list(tensor.shape), "data_offsets": [begin, end]}
        begin = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    part = str(path) + ".part"
    with open(part, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for _, tensor in ordered:
            file.write(tensor.raw.tobytes())
    os.replace(part, path)


# --- What a tensor is ---------------------------------------------------------------------------------------------------

def _is_tensor(value):
    return hasattr(value, "shape") and hasattr(value, "dtype") and hasattr(value, "__array__")


def _is_floating(value):
    return _is_tensor(value) and "float" in str(value.dtype)


def _is_constant(radius):
    return radius.size > 0 and radius.min() > 0 and radius.max() - radius.min() <= 0.02 * radius.max()


def _rotation_of(value):
    """Returns {"cos": …, "sin": …} or {"table": …} for a rotation, with cos² + sin² constant; otherwise {}."""
    if isinstance(value, (tuple, list)):
        if len(value) != 2 or not all(map(_is_floating, value)) or value[0].shape != value[1].shape:
            return {}
        few = (_keep(each.reshape(-1)[:256]).numbers() for each in value)  # most outputs are none, and large
        if not _is_constant(numpy.hypot(*few)):
            return {}
        cosine, sine = map(_keep, value)
        c, s = cosine.numbers(), sine.numbers()
        if cosine.rank < 2 or not _is_constant(numpy.hypot(c, s)) or not (s.any() and c.any()):
            return {}
        # GPT-J has the sine first: at position 0 it is what is 0.
        if (c == 0).all(-1).any() and not (s == 0).all(-1).any():
            cosine, sine = sine, cosine
        return {"cos": cosine, "sin": sine}
    if not _is_tensor(value) or len(value.shape) < 2:
        return {}
    if "complex" in str(value.dtype):
        table = _keep(value)
        z = table.numbers() if table.dtype == "C64" else table.numbers() @ [1, 1j]
        return {"table": table} if _is_constant(abs(z)) and z.imag.any() else {}
    if len(value.shape) >= 4 and tuple(value.shape[-2:]) == (2, 2) and _is_floating(value):
        table = _keep(value)
        m = table.numbers()
        turns = (m[..., 0, 0] == m[..., 1, 1]).all() and (m[..., 0, 1] == -m[..., 1, 0]).all()
        return {"table": table} if turns and _is_constant(numpy.hypot(m[..., 0, 0], m[..., 1, 0])) else {}
    return {}


def _table_rank(role, tensor):
    """Returns the rank of one item: [tokens, width], for a table also [tokens, pairs, 2] and [tokens, pairs, 2, 2]."""
    if role != "table" or tensor.dtype == "C64":
        return 2
    return 4 if tensor.rank >= 4 and tensor.shape[-2:] == (2, 2) else 3


def _flat(role, tensor, item):
    """Returns one item of a batch, without axes of one element. None if there are further axes."""
    rank = _table_rank(role, tensor)
    for axis in reversed(range(tensor.rank - 1)):
        if tensor.rank > rank and tensor.shape[axis] == 1:
            tensor = tensor[(slice(None),) * axis + (0,)]
    if tensor.rank == rank + 1:
        tensor = tensor[min(item, tensor.shape[0] - 1)]
    return tensor if tensor.rank == rank else None


def _places_of(arguments, tokens, item):
    """Finds {"positions": [tokens]} or {"ids": [tokens, axes]} among the arguments of a rotary module."""
    for name, value in sorted(arguments.items(), key=lambda entry: not re.search("pos|id|coord", entry[0])):
        if not _is_tensor(value) or not 1 <= len(value.shape) <= 3 or tokens not in value.shape:
            continue
        places = _keep(value)
        numbers, shape = places.numbers(), places.shape
        if numbers.dtype.kind == "c" or (numbers % 1 != 0).any() and not re.search("pos|ids|coord", name):
            continue
        if places.rank == 3 and shape[2] == tokens and shape[0] <= _MOST_AXES:  # M-RoPE: [axes, batch, tokens]
            places = places[:, min(item, shape[1] - 1)].swapped(0, 1)
        elif places.rank >= 2 and shape[1] == tokens:  # a batch
            places = places[min(item, shape[0] - 1)]
        if places.shape[0] != tokens or places.rank == 2 and places.shape[1] > _MOST_AXES:
            continue
        if places.rank == 2 and (places.raw == places.raw[:, :1]).all():  # text: all axes count the same
            places = places[:, 0]
        return {"positions" if places.rank == 1 else "ids": places}
    return {}


def _grid_of(ids):
    """Infers the image size in tokens, and the text tokens, from ids (…, row, column, …); {} if that is impossible."""
    numbers = ids.numbers()
    if numbers.shape[1] not in (3, 4) or numbers[:, 1:3].min() != 0:
        return {}
    rows, columns = (int(most) + 1 for most in numbers[:, 1:3].max(0))
    image = numpy.count_nonzero(numbers[:, 1:3].any(1)) + 1
    if min(rows, columns) < 2 or image != rows * columns:
        return {}
    print("ropescope_dump: size= is not given; %d x %d tokens are inferred from the ids, so swapped sides or a wrong "
          "number of tokens cannot be detected" % (rows, columns), file=sys.stderr)
    return {"grid": "%dx%d" % (rows, columns), "text": len(numbers) - image}


def _turns_only(before, after):
    """Returns whether each head keeps its length, up to one factor (the attention factor)."""
    a, b = (numpy.linalg.norm(tensor.numbers(), axis=-1) for tensor in (before, after))
    return bool((a > 0).any()) and _is_constant(b[a > 0] / a[a > 0]) and not numpy.array_equal(before.raw, after.raw)


# --- What is called -----------------------------------------------------------------------------------------------------

class _Recorder:
    """The tensors seen in calls within `capture`, by where they were seen."""

    def __init__(self, item, heads):
        self.item, self.heads = item, heads
        self.tables, self.rotations, self.projections = {}, {}, {}

    def module_called(self, label, module, arguments, output):
        if label not in self.tables:
            self.table_seen(label, _rotation_of(output), arguments, getattr(module, "inv_freq", None))
        if re.search("rotary|rope", label, re.I):
            self.rotation_seen(label, arguments, output)

    def function_called(self, label, arguments, output):
        found = [_rotation_of(value) for value in [(arguments.get("cos"), arguments.get("sin")), *arguments.values()]]
        flat = [{role: _flat(role, tensor, self.item) for role, tensor in each.items()} for each in found if each]
        for each in found:
            if not self.tables:
                self.table_seen(label, each, arguments)
        turned_by = [name for name, table in self.tables.items() for each in flat if each and all(
            tensor is not None and role in table and numpy.array_equal(tensor.raw, table[role].raw)
            for role, tensor in each.items())]
        self.rotation_seen(label, arguments, output, turned_by[0] if turned_by else None)

    def table_seen(self, label, found, arguments, frequencies=None):
        """Keeps a rotation as [tokens, …], its positions and its frequencies."""
        flat = {role: _flat(role, tensor, self.item) for role, tensor in found.items()}
        if not flat or None in flat.values():
            return
        first = next(iter(flat))
        places = _places_of(arguments, flat[first].shape[0], self.item)
        # [axes, batch, tokens, width] of M-RoPE is no table yet: each axis gives some of the columns later.
        if "ids" in places and found[first].rank == 4 and found[first].shape[0] == places["ids"].shape[1]:
            flat = {}
        width = flat["cos"].shape[1] if "cos" in flat else 0
        if _is_tensor(frequencies) and "ids" not in places and tuple(frequencies.shape) in ((width,), (width // 2,)):
            flat["frequencies"] = _keep(frequencies)
        flat.update(places)
        if not any(flat.keys() == other.keys() and all(numpy.array_equal(flat[k].raw, other[k].raw) for k in flat)
                   for other in self.tables.values()):
            self.tables[label] = flat

    def rotation_seen(self, label, arguments, output, turned_by=None):
        """Pairs each output with the argument of the same shape: q, then k."""
        rest = [(name, value) for name, value in arguments.items() if _is_floating(value)]
        if "sequence_dim" in arguments:  # of diffusers; transformers have unsqueeze_dim
            heads_first = arguments["sequence_dim"] == 2
        else:
            heads_first = arguments.get("unsqueeze_dim", 1) == 1
        for index, value in enumerate(output if isinstance(output, (tuple, list)) else (output,)):
            at = [i for i, entry in enumerate(rest) if _is_floating(value) and entry[1].shape == value.shape]
            if at and len(value.shape) >= 3:
                name, given = rest.pop(at[0])
                which = "k" if index == 1 or name.startswith("k") else "q"
                self.pair_seen((label, turned_by, which), given, value, heads_first)

    def cache_called(self, label, module, positions, before, after):
        """vLLM's RotaryEmbedding: one cache row per position, cos and then sin. M-RoPE has three per token."""
        if label not in self.tables:
            flat = {"positions" if len(positions.shape) == 1 else "ids": _keep(positions.T)}
            if "positions" in flat:
                flat["table"] = _keep(module.cos_sin_cache[positions])
            self.tables[label] = flat
        for which, given, value in zip("qk", before, after):
            if _is_floating(given) and _is_floating(value):
                given, value = (x.reshape(positions.shape[-1], -1, module.head_size) for x in (given, value))
                self.pair_seen((label, label, which), given, value, False)

    def projection_called(self, which, output):
        if _is_floating(output) and len(output.shape) == 3:
            self.projections[which] = output

    def attention_called(self, arguments):
        """Pairs q [batch, heads, tokens, channels], the input of attention, with the last projection; likewise k."""
        for which, value in zip("qk", arguments.values()):
            before = self.projections.pop(which, None)
            if before is not None and len(value.shape) == 4:
                batch, heads, tokens, channels = value.shape
                if tuple(before.shape) == (batch, tokens, heads * channels):
                    before = before.reshape(batch, tokens, heads, channels).swapaxes(1, 2)
                    self.pair_seen((_ATTENTION, None, which), before, value, True)

    def pair_seen(self, key, before, after, heads_first):
        if key not in self.rotations:
            before, after = _keep(before), _keep(after)
            if _turns_only(before, after):
                self.rotations[key] = (before, after, heads_first)

    def tokens_first(self, tensor, heads_first, tokens):
        """Returns [tokens, heads, channels], or [tokens, channels]; None if no axis has the number of tokens."""
        if tensor.rank == 4 or tensor.rank == 3 and tensor.shape[0] != tokens:
            tensor = tensor[min(self.item, tensor.shape[0] - 1)]
        if tensor.rank == 3:
            if tensor.shape[1] == tokens and (heads_first or tensor.shape[0] != tokens):
                tensor = tensor.swapped(0, 1)
            tensor = tensor[:, :self.heads]
        return tensor if tensor.shape[0] == tokens else None

    def named(self):
        """Returns tensors by name, roles, and where each was seen. Modules that use the config's ladder come first."""
        def rank(label):
            later = r"text_encoder|visi|visual|\bvit|audio", "local|sliding"
            return [bool(re.search(words, label, re.I)) for words in later]

        tensors, roles, seen = {}, {}, {}
        labels = sorted(self.tables, key=rank)
        for label in labels:
            prefix = "" if label == labels[0] else label.partition(" ")[0] + "."
            for role, tensor in self.tables[label].items():
                name = prefix + ("inv_freq" if role == "frequencies" else role)
                tensors[name], seen[name] = tensor, label
                if not prefix:
                    roles[role] = name
        main = next((tensors[name] for name in roles.values() if name != "inv_freq"), None)
        # What was turned by the first table, else what may have been.
        for key in sorted(self.rotations, key=lambda key: (key[1] is None, key[0] == _ATTENTION, rank(key[0]))):
            label, turned_by, which = key
            if turned_by not in (None, *labels[:1]) or turned_by is None and len(labels) > 1 or which + "_after" in seen:
                continue
            before, after, heads_first = self.rotations[key]
            tokens = main.shape[0] if main is not None else before.shape[-2 if heads_first else -3]
            for role, tensor in (("before", before), ("after", after)):
                tensor, name = self.tokens_first(tensor, heads_first, tokens), which + "_" + role
                if tensor is not None:
                    tensors[name], seen[name] = tensor, label
                    roles.setdefault(role, name)
        return tensors, roles, seen


def _arguments(function, args, kwargs):
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
        bound.apply_defaults()
        return dict(bound.arguments)
    except (TypeError, ValueError):
        return {**{"argument%d" % i: value for i, value in enumerate(args)}, **kwargs}


def _wrap(owner, name, function, seen, undo):
    """Replaces a function by a wrapper that reports each call to `seen`."""
    own, turns = name in vars(owner), _ROTATES.match(name)

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        arguments = _arguments(function, args, kwargs)
        if turns:  # perhaps in place: a copy
            arguments = {key: value * 1 if _is_floating(value) else value for key, value in arguments.items()}
        output = function(*args, **kwargs)
        seen(arguments, output)
        return output

    vars(owner)[name] = wrapper
    undo.append(lambda: vars(owner).update({name: function}) if own else vars(owner).pop(name))


def _watch_cache(module, label, recorder, undo):
    """Wraps vLLM's forward(positions, query, key), which rotates query and key in place on a GPU."""
    forward, own = module.forward, "forward" in vars(module)

    @functools.wraps(forward)
    def wrapper(positions, query, key=None, *args, **kwargs):
        before = [value * 1 if _is_floating(value) else value for value in (query, key)]
        output = forward(positions, query, key, *args, **kwargs)
        recorder.cache_called(label, module, positions, before, output)
        return output

    vars(module)["forward"] = wrapper
    undo.append(lambda: vars(module).update(forward=forward) if own else vars(module).pop("forward"))


def _watch(parts, recorder, only, undo):
    """Wraps the modules, the functions of their source files that rotate, and torch's attention."""
    sources = {sys.modules.get("diffusers.models.embeddings")}
    for part_name, part in parts.items():
        for path, module in part.named_modules():
            full, kind = ".".join(filter(None, (part_name, path))), type(module)
            kinds = kind.__mro__ + type(getattr(module, "processor", None)).__mro__
            sources.update(sys.modules.get(one.__module__) for one in kinds if not one.__module__.startswith("torch."))
            forward, projection = getattr(module, "forward", None), _PROJECTION.fullmatch(full.rpartition(".")[2])
            if not callable(forward) or only not in full:
                continue
            if hasattr(module, "cos_sin_cache") and hasattr(module, "head_size"):
                _watch_cache(module, "%s (%s)" % (full, kind.__name__), recorder, undo)
                continue
            if projection:
                def seen(_, output, which=projection[1][0]):
                    recorder.projection_called(which, output)
            elif kind.__module__.startswith("torch.nn."):
                continue
            else:
                def seen(arguments, output, label="%s (%s)" % (full, kind.__name__), module=module):
                    words = [value for value in arguments.values() if isinstance(value, str)]  # Gemma's layer_type
                    recorder.module_called(" ".join([label] + words), module, arguments, output)
            _wrap(module, "forward", forward, seen, undo)
    for source in filter(None, sources):
        for name, function in list(vars(source).items()):
            if inspect.isfunction(function) and _ROTATES.match(name):
                seen = functools.partial(recorder.function_called, source.__name__ + "." + name)
                _wrap(source, name, function, seen, undo)
    functional = sys.modules.get("torch.nn.functional")
    if hasattr(functional, _ATTENTION):
        attention = getattr(functional, _ATTENTION)
        _wrap(functional, _ATTENTION, attention, lambda called, _: recorder.attention_called(called), undo)


# --- The model ----------------------------------------------------------------------------------------------------------

def _parts_of(model):
    """Returns the parts with modules: the model, or the models in a pipeline."""
    if hasattr(model, "named_modules"):
        return {"": model}
    parts = {name: part for name, part in getattr(model, "__dict__", {}).items() if hasattr(part, "named_modules")}
    if not parts:
        raise TypeError("model must be a torch module or a pipeline of them, not %s" % type(model).__name__)
    return parts


def _config_of(parts):
    """Returns the contents of config.json, for the first part that may contain a rotary embedding."""
    for _, part in sorted(parts.items(), key=lambda part: part[0] not in ("", "transformer", "dit", "unet", "model")):
        config = getattr(part, "config", None)
        if config is not None:
            of_diffusers = isinstance(config, collections.abc.Mapping)
            said = config.to_dict() if hasattr(config, "to_dict") else dict(config if of_diffusers else vars(config))
            said = {key: value for key, value in said.items() if key == "_class_name" or not key.startswith("_")}
            return {"_class_name": type(part).__name__, **said} if of_diffusers and "model_type" not in said else said
    return None


def _length_of(config, positions):
    """Returns the current length, from the largest position, for extensions that depend on it."""
    said = config if isinstance(config, str) else json.dumps(config, default=str)
    return int(positions.numbers().max()) + 1 if re.search(r'type": *"(dynamic|longrope|su)"', said) else None


@contextlib.contextmanager
def capture(model, path, config=None, layout=None, item=0, heads=4, only="", **options):
    """A context manager that captures tensors from a model's calls, and at the end writes them to `path`.

    model: from transformers or diffusers, a pipeline, or anything with named_modules() whose modules have forward().
    config, layout, options: see save(); the default config is the model's own. item: of a batch. heads: number of heads
    of q and k to keep (None: all). only: a string that a module's path must contain, such as "language_model".
    """
    recorder, undo, parts = _Recorder(item, heads), [], _parts_of(model)
    try:
        _watch(parts, recorder, only, undo)
        yield
    finally:
        for step in reversed(undo):
            step()
    tensors, roles, seen = recorder.named()
    if not roles:
        raise RuntimeError("nothing was captured: no module returned (cos, sin), complex numbers or 2x2 matrices of a "
                           "rotation, and no function like apply_rotary_emb rotated anything")
    config = _config_of(parts) if config is None else config
    if "ids" in roles and not {"size", "grid"} & options.keys():
        options = {**_grid_of(tensors["ids"]), **options}
    if "positions" in roles and config is not None and layout is None:
        options.setdefault("length", _length_of(config, tensors["positions"]))
    if "before" in roles:
        options.setdefault("q_layout", "thd")
    save(path, tensors, config, layout, roles, {"ropescope.seen": json.dumps(seen)}, **options)
