"""Ropes in the notation of other programs, for Rope.to_config(), and from pickles."""
import json
import warnings

import ropescope

# Methods of context extension that mlx-lm has (mlx_lm/models/rope_utils.py, initialize_rope).
_METHODS_OF_MLX = ("default", "linear", "llama3", "yarn", "longrope")

# What determines the pairing in programs whose options or fields do not.
_FIXED_BY = {"transformers": "model's class", "vllm": "model's class", "llama.cpp": "architecture in the GGUF"}


def _warn(sentence, callers=1):
    """Warns at the line that called Rope.to_config(), after this many functions of this file."""
    warnings.warn(sentence, UserWarning, stacklevel=callers + 2)


def _to_mlx(rope, config):
    """Returns the fields that mlx-lm's models read: those of transformers 4, and which channels form a pair."""
    parameters = dict(config.pop("rope_parameters"))
    if "rope_type" not in parameters:
        kind, parameters = next(iter(parameters.items()))
        parameters = dict(parameters)
        _warn("mlx-lm has one rope_scaling for all layers; this is that of " + kind, 2)
    method = parameters["rope_type"]
    if method not in _METHODS_OF_MLX:
        raise ropescope.InputError("mlx-lm has no method %s; it has %s" % (method, ", ".join(_METHODS_OF_MLX[1:])))
    config["rope_theta"] = parameters.pop("rope_theta")
    config["rope_traditional"] = rope.pairing == "interleaved"
    if "partial_rotary_factor" in parameters:
        config["partial_rotary_factor"] = parameters.pop("partial_rotary_factor")
    if "attention_factor" in parameters:
        _warn("mlx-lm computes the amplitude from the factor; attention_factor %g is not used"
              % parameters.pop("attention_factor"), 2)
    config["rope_scaling"] = None if method == "default" else parameters
    return config


def to_config(rope, program):
    notation = "transformers" if program in ("vllm", "mlx") else program
    if notation not in ("transformers", "llama.cpp", "numpy"):
        raise ropescope.InputError('program is "%s"; expected transformers, vllm, llama.cpp, mlx or numpy' % program)
    text, unsaid = rope._express(notation)
    if not text:
        raise ropescope.InputError("%s cannot express this rope: %s" % (program, " ".join(unsaid)))
    for sentence in unsaid:
        _warn(sentence)
    if rope.pairing == "interleaved" and program in _FIXED_BY:
        _warn("Which channels form a pair (interleaved) is fixed by the %s, not by a field." % _FIXED_BY[program])
    if notation != "transformers":
        return text
    config = json.loads(text)
    return _to_mlx(rope, config) if program == "mlx" else config


def restore_rope(state):
    """Returns the rope of a pickle."""
    return ropescope.Rope._restore(state)


def restore_layout(arguments):
    """Returns the layout of a pickle: that of the same arguments."""
    return ropescope.layout(**arguments)
