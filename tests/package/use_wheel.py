"""What tests/package/wheel.sh does with an installed wheel: use_wheel.py numbers, where no library that draws is installed,
or use_wheel.py figures, where they are."""
import contextlib
import io
import os
import pickle
import sys

import numpy as np

import ropescope as rs


def use_numbers():
    rope = rs.Rope.from_preset("llama-3.1-8b")
    cos, sin = rope.cos_sin(range(64))
    rs.check(cos=cos, sin=sin, against=rope).assert_agrees()
    assert not rs.check(cos=cos, sin=-sin, against=rope).agrees
    exact = np.cos(np.arange(64)[:, None] * rope.frequencies)
    assert np.abs(rope.cos_sin(range(64), "float64", "exact")[0] - exact).max() < 1e-13
    assert pickle.loads(pickle.dumps(rope)) == rope
    config = rope.to_config("transformers")
    assert np.array_equal(rs.Rope.from_config(config).frequencies, rope.frequencies)
    assert rs.layout("flux.1", size=(512, 512), text=8).ids.shape == (8 + 32 * 32, 3)
    assert rope.limits(4096)["first_negative_distance"] > 0
    # A ladder by formula is muParser's, a file of arrays libzip's: both are in the wheel.
    formula = rs.Rope(dim=64, base=10000, ladder="b^(-2*i/d)")
    assert np.allclose(formula.frequencies, rs.Rope(dim=64, base=10000).frequencies, rtol=1e-14)
    import ropescope.dump
    with contextlib.redirect_stdout(io.StringIO()) as listed:
        ropescope.dump.main([])
    assert "ropescope_dump.h" in listed.getvalue()
    ropescope.dump.save("/tmp/dump.safetensors", {"cos": cos, "sin": sin})
    assert os.path.getsize("/tmp/dump.safetensors") > cos.nbytes + sin.nbytes
    try:
        rs.figure("decay", rope)
        raise SystemExit("a figure was drawn without the libraries that draw")
    except ImportError as error:
        assert "library that is missing" in str(error), error
        print(error)
    stubs = os.path.join(os.path.dirname(rs.__file__), "__init__.pyi")
    assert '"""(cos, sin) at these positions.' in open(stubs).read()
    print(rs.__version__, sys.version.split()[0], rope)


def use_figures():
    svg = rs.figure("decay", "llama-2-7b").svg()
    assert svg.startswith("<svg") or svg.startswith("<?xml"), svg[:80]
    swept = rs.sweep("decay.first_negative", {"rope.base": [1e4, 5e5]}, "llama-2-7b")
    assert list(swept["decay.first_negative"])[0] == 1707, swept
    print(len(svg), "bytes of SVG;", dict(swept))


{"numbers": use_numbers, "figures": use_figures}[sys.argv[1]]()
