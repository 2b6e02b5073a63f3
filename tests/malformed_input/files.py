"""Makes files of every format that ropescope reads, and nothing but Python's own library for it."""
import io
import json
import os
import struct
import zipfile
import zlib

CODES = {"<f8": "d", "<f4": "f", "<f2": "e", "<i8": "q", "<i4": "i"}


def npy_header(shape, descr="<f4", fortran=False):
    text = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, tuple(shape))
    text += " " * (63 - (10 + len(text)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def npy(shape, descr="<f4", value=lambda i: (i * 7 % 13 - 6) / 8, fortran=False):
    count = 1
    for side in shape:
        count *= side
    numbers = [value(i) if descr[1] == "f" else i for i in range(count)]
    return npy_header(shape, descr, fortran) + struct.pack("<%d%s" % (count, CODES[descr]), *numbers)


def npz(arrays, packed=True):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as archive:
        for name, content in arrays.items():
            archive.writestr(zipfile.ZipInfo(name + ".npy"), content, archive.compression)
    return out.getvalue()


def torch_zip(pickle, storages, packed=False):
    """What torch.save makes: a pickle beside the numbers of its tensors."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as archive:
        archive.writestr("a/data.pkl", pickle)
        for index, storage in enumerate(storages):
            archive.writestr("a/data/%d" % index, storage)
    return out.getvalue()


def pickled_tensor(shape, strides, stored):
    """The opcodes for a float32 tensor of storage 0, as torch.save writes them."""
    whole = lambda number: b"\x8a\x08" + struct.pack("<q", number)
    text = lambda word: b"X" + struct.pack("<I", len(word)) + word
    wholes = lambda numbers: b"(" + b"".join(whole(number) for number in numbers) + b"t"
    storage = b"(" + text(b"storage") + b"ctorch\nFloatStorage\n" + text(b"0") + text(b"cpu") + whole(stored) + b"tQ"
    return b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + whole(0) + wholes(shape) + wholes(strides) + b"\x89)tR"


def pickled_memo(count):
    """None, put `count` times into the memo, 256 places further each time."""
    return b"\x80\x02" + b"N" + b"".join(b"r" + struct.pack("<I", 256 * (i + 1)) for i in range(count)) + b"."


def write_npz_of_zeros(path, arrays, descr="<f4"):
    """Arrays {name: shape} of zeros, written a piece at a time: a thousandth of what they unpack to."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, shape in arrays.items():
            left = int(descr[2:])
            for side in shape:
                left *= side
            with archive.open(name + ".npy", "w", force_zip64=True) as member:
                member.write(npy_header(shape, descr))
                piece = bytes(1 << 22)
                while left > 0:
                    member.write(piece[: min(left, len(piece))])
                    left -= min(left, len(piece))


def write_sparse_npy(path, shape, descr="<f8"):
    """A .npy of zeros that takes no room on the disc."""
    header = npy_header(shape, descr)
    size = int(descr[2:])
    for side in shape:
        size *= side
    with open(path, "wb") as file:
        file.write(header)
        file.truncate(len(header) + size)


def safetensors(tensors, notes=None):
    """{name: (dtype, shape, bytes)}, and texts of its metadata."""
    header, data = {"__metadata__": notes} if notes else {}, bytearray()
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(data)


GGUF_CODES = {"uint8": (0, "B"), "int8": (1, "b"), "uint16": (2, "H"), "int16": (3, "h"), "uint32": (4, "I"), "int32": (5, "i"),
              "float32": (6, "f"), "bool": (7, "?"), "uint64": (10, "Q"), "int64": (11, "q"), "float64": (12, "d")}


def gguf(values, tensors=None, order="<", version=3):
    """Values {key: (type, value)}: a type of GGUF_CODES, "text", "texts" or one with an s, an array; tensors {name:
    numbers} of float32."""
    def text(value):
        content = value.encode()
        return struct.pack(order + "Q", len(content)) + content

    out = b"GGUF" + struct.pack(order + "IQQ", version, len(tensors or {}), len(values))
    for key, (kind, value) in values.items():
        out += text(key)
        if kind == "text":
            out += struct.pack(order + "I", 8) + text(value)
        elif kind == "texts":
            out += struct.pack(order + "IIQ", 9, 8, len(value)) + b"".join(text(one) for one in value)
        elif kind in GGUF_CODES:
            out += struct.pack(order + "I" + GGUF_CODES[kind][1], GGUF_CODES[kind][0], value)
        else:
            number, code = GGUF_CODES[kind[:-1]]
            out += struct.pack(order + "IIQ%d%s" % (len(value), code), 9, number, len(value), *value)
    data = b""
    for name, numbers in (tensors or {}).items():
        out += text(name) + struct.pack(order + "IQIQ", 1, len(numbers), 0, len(data))
        data += struct.pack(order + "%df" % len(numbers), *numbers)
        data += bytes(-len(data) % 32)
    return out + (bytes(-len(out) % 32) + data if tensors else b"")


def png(columns, rows, row=None, depth=8, colours=2, interlaced=0):
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colours]
    line = b"\0" + (row or bytes(range(256)) * (columns * channels * depth // 8 // 256 + 1))[: columns * channels * depth // 8]
    pack = zlib.compressobj(1)
    data = b"".join(pack.compress(line) for _ in range(rows)) + pack.flush()
    head = struct.pack(">IIBBBBB", columns, rows, depth, colours, 0, 0, interlaced)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def jpeg(columns, rows, scans=0, size=0):
    """A grey progressive JPEG, its DC scan and then `scans` scans of AC coefficients, each one run over all blocks that
    says nothing; `size`: filled up to so many bytes."""
    def segment(marker, content):
        return b"\xff" + bytes([marker]) + struct.pack(">H", len(content) + 2) + content

    blocks = ((columns + 7) // 8) * ((rows + 7) // 8)
    out = b"\xff\xd8" + segment(0xDB, b"\0" + bytes([16] * 64))
    out += segment(0xC2, struct.pack(">BHHBBBB", 8, rows, columns, 1, 1, 0x11, 0))
    # One code of one bit each: DC's "no difference", AC's "the rest of up to 32767 blocks" (EOB14) and EOB0.
    out += segment(0xC4, b"\x00" + bytes([1] + [0] * 15) + b"\0")
    out += segment(0xC4, b"\x10" + bytes([1, 1] + [0] * 14) + b"\xe0\x00")
    out += segment(0xDA, b"\x01\x01\x00\x00\x00\x00") + bytes(blocks // 8)
    out += bytes([0xFF >> blocks % 8]) if blocks % 8 else b""
    bits = ""
    left = blocks
    while left > 0:
        if left >= 1 << 14:
            now = min(left, (1 << 15) - 1)
            bits += "0" + format(now - (1 << 14), "014b")
            left -= now
        else:
            bits += "10"
            left -= 1
    bits += "1" * (-len(bits) % 8)
    run = bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8)).replace(b"\xff", b"\xff\0")
    for i in range(scans):
        # Every band bit by bit: 882 scans that a decoder has nothing to say against, then the same again.
        band, low = i % 63 + 1, 13 - i // 63 % 14
        high = low + 1 if low < 13 else 0
        out += segment(0xDA, struct.pack(">BBBBBB", 1, 1, 0, band, band, high << 4 | low)) + run
    out += b"\0" * max(0, size - len(out) - 2)
    return out + b"\xff\xd9"


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)
    return path


def remove(path):
    if os.path.exists(path):
        os.remove(path)
