#!/usr/bin/env bash
# assets/pictures/make.sh PROGRAM: the pictures of README.md and of the handbook, made by the program itself; those of
# the gallery are made by gallery.sh.
set -euo pipefail
program=$(readlink -f -- "${1:?the program}")
folder=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME=$work
cd "$work"  # names of files stand in the pictures
# A landscape of our own, for the tokens to lie over.
python3 - <<'END'
import math, struct, zlib
width, height = 832, 464
rows = []
for y in range(height):
    row = bytearray([0])
    for x in range(width):
        t = y / height
        glow = max(0, 1 - math.hypot(x - 555, y - 210) / 190) ** 2
        colour = [40 + 90 * t + 130 * glow, 48 + 100 * t + 100 * glow, 115 + 40 * t + 20 * glow]
        if math.hypot(x - 555, y - 210) < 52: colour = [225, 212, 150]
        for k, (base, size, tone) in enumerate(((300, 40, (62, 98, 118)), (350, 34, (54, 90, 84)), (400, 26, (52, 72, 48)))):
            if y > base + size * math.sin(x / (95 - 17 * k) + 2 * k) + 9 * math.sin(x / 23 + k): colour = list(tone)
        row += bytes(min(255, int(c)) for c in colour)
    rows.append(bytes(row))
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
with open("landscape.png", "wb") as file:
    file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
               chunk(b"IDAT", zlib.compress(b"".join(rows), 9)) + chunk(b"IEND", b""))
END
# shot NAME THEME OPTION…
shot() {
  local name=$1 theme=$2
  shift 2
  "$program" screenshot --size 1600x1000 --theme "$theme" "$@" -o "$folder/$name-$theme.png"
}

pin() { printf '{"slot": %d, "name": "%s", "rope": {"base": %s}}' "$1" "$2" "$3"; }
shot decay dark --model llama-3.1-8b --set decay.distance_axis=log --set "pins=[$(pin 1 'base 10 000' 10000), $(pin 2 'base 100' 100)]"
"$program" render decay --facet model=llama-2-7b,llama-3.1-8b,qwen2.5-7b-instruct --facet decay.content=aligned,random --figure similarity \
  --set decay.distance_axis=log --set decay.show_trend=false --theme light --size 1200x700 -o "$folder/facets-light.png"
"$program" render decay --dim 128 --base 500000 --set facet.down=rope.base=5e5,1e7,6.6e7,1e9,2.4e9 --set span=1048576 \
  --set show_bound=false --set show_trend=false --set distance_range=1e4:1048576 --set similarity_range=-0.3:0.7 \
  --size 85x110mm --dpi 200 --theme light -o "$folder/paper-light.png"
rope() { printf '{"slot": %d, "rope": {"base": %s, "rotary_dim": 64, "scaling": "yarn", "factor": 4}}' "$1" "$2"; }
"$program" render decay --dim 64 --set rope.scaling=yarn --set rope.factor=4 --set decay.distance_axis=log \
  --set "pins=[$(rope 1 500000), $(rope 2 1000000)]" --size 85x60mm --dpi 300 --theme light --font serif \
  -o "$folder/column-light.png"
shot frequencies light --model llama-3.1-8b --set view=frequencies
shot limits dark --set view=limits
shot precision light --set view=precision
shot beyond light --set view=similarity --set layout.width=4096 --set layout.height=1024 --set layout.extension=dype \
  --set layout.diffusion_time=0.4 --set similarity.anchor_mode=fixed --set layout.anchor=8320
shot rotation dark --set view=rotation
shot atlas light --set view=atlas
shot encodings dark --set view=encodings
shot attention light --set view=attention --set attention.encoding=rope --set attention.kind=linear
# Made-up q and k of a model and of its child: a few slow pairs point one way and carry more from layer to layer.
python3 - <<'END'
import json, numpy, struct
def write(path, moved):
    random, arrays = numpy.random.default_rng(7), {}
    layers, tokens, heads, pairs = 16, 512, 8, 32
    pair = numpy.arange(pairs)
    for layer in range(layers):
        depth = layer / (layers - 1)
        for name in "qk":
            z = random.standard_normal((tokens, heads, pairs)) + 1j * random.standard_normal((tokens, heads, pairs))
            size = 0.5 + 2 * numpy.exp(-((pair - 25 - moved - 3 * depth) / 1.6) ** 2) + 0.7 * numpy.exp(-((pair - 6) / 4) ** 2)
            share = numpy.exp(-((pair - 25 - moved - 3 * depth) / 1.3) ** 2) * (0.25 + 0.75 * depth)
            share = share * (0.35 + 0.65 * random.random(heads))[:, None]
            angle = numpy.exp(1j * (random.random((heads, pairs)) * 0.6 + (0 if name == "q" else 0.4)))
            z = size * (0.55 * z * numpy.sqrt(1 - numpy.minimum(share, 1) ** 2) + 1.4 * share * angle)
            arrays[f"{name}.{layer}"] = numpy.concatenate([z.real, z.imag], axis=2).astype(numpy.float16)
    header, end = {}, 0
    for name, array in arrays.items():
        header[name] = {"dtype": "F16", "shape": array.shape, "data_offsets": [end, end + array.nbytes]}
        end += array.nbytes
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(array.tobytes() for array in arrays.values()))
write("base.safetensors", 0)
write("child.safetensors", 2)
END
energy() { shot "$1" "$2" --set view=attention --set attention.show=energy --set attention.content=file --set attention.file=base.safetensors \
  --set attention.tokens=512 --set attention.layer=12 --set rope.base=10000 --set rope.rotary_dim=64 --set attention.energy_of="$1" "${@:3}"; }
energy layers light --set attention.against=child.safetensors
shot layout dark --set view=layout --set layout.name=flux.1 --set layout.width=832 --set layout.height=464 --set layout.anchor=700 \
  --set layout.targets=720,856 --set layout.colours=axis --set layout.axis=row --set layout.picture=landscape.png
shot similarity light --set view=similarity --set layout.name=flux.1 --set similarity.against=raster
"$program" layout flux.1 --size 1024x768 --text 512 --base 2000 --cos cos.npy --sin sin.npy
shot check dark --set view=check --set layout.name=flux.1 --set layout.height=768 --set check.cos=cos.npy --set check.sin=sin.npy
shot lesson dark --lesson 04-turn --step half-turn
"$program" screenshot --size 1280x720 --theme light --language ja --lesson 08-decay --room -o "$folder/room-light.png"
"$program" animate decay --sweep rope.base=100..1e6:log --set decay.distance_axis=log --set decay.show_bound=false \
  --set decay.show_trend=false --there-and-back --size 720x320 --seconds 5 --fps 10 --theme dark -o "$folder/base-dark.gif"

# A race that was run, to its end.
"$program" render race --set race.running=true --set race.task=copy --set race.steps=160 --set race.seeds=3 \
  --set race.encodings=none,learned,rope --size 1100x480 --theme light -o "$folder/race-light.png"
