#!/usr/bin/env python3
"""app/package/draw_icon.py PROGRAM [SIDE FILE]: draws app/package/ropescope.png, which packages carry, by the program
itself: the plane of a rotation, cut to its circle, made smaller and given round corners. The same program gives the same
file. app/platform/web/icon-512.png is that of side 512."""
import os
import struct
import subprocess
import sys
import tempfile
import zlib

SIDE, FINE = int(sys.argv[2]) if len(sys.argv) > 2 else 256, 4
# Where the circle lies on the picture, as parts of its side: left, top, size.
CUT = (0.1775, 0.206, 0.645)
PICTURE = ["--figure", "plane", "--size", "40x40mm", "--dpi", "1000", "--text-size", "50"]
SET = ["rotation.query_position=4", "rotation.key_position=0", "rotation.kx=0.75", "rotation.ky=0"]


def read_png(path):
    """Width, and rows of RGB bytes."""
    content = open(path, "rb").read()
    at, packed = 8, b""
    while at < len(content):
        size, kind = struct.unpack_from(">I4s", content, at)
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack_from(">IIBB", content, at + 8)
            assert (depth, colours) == (8, 2), "8 bits of RGB were expected"
        if kind == b"IDAT":
            packed += content[at + 8 : at + 8 + size]
        at += 12 + size
    plain, rows, before = zlib.decompress(packed), [], bytearray(3 * width)
    for y in range(height):
        begin = y * (3 * width + 1)
        how, row = plain[begin], bytearray(plain[begin + 1 : begin + 1 + 3 * width])
        for x in range(3 * width):
            left, corner = (row[x - 3], before[x - 3]) if x >= 3 else (0, 0)
            up = before[x]
            if how == 4:
                guess = left + up - corner
                near = (abs(guess - left), abs(guess - up), abs(guess - corner))
                add = left if near[0] <= near[1] and near[0] <= near[2] else up if near[1] <= near[2] else corner
            else:
                add = (0, left, up, (left + up) // 2)[how]
            row[x] = (row[x] + add) & 255
        rows.append(row)
        before = row
    return width, rows


def write_png(path, side, pixels):
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = b"".join(b"\0" + pixels[4 * side * y : 4 * side * (y + 1)] for y in range(side))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 6, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def covered(x, y):
    """How much of a pixel lies inside the round corners, 0 … 1."""
    radius, inside = 0.18 * SIDE, 0
    for i in range(FINE):
        for j in range(FINE):
            px, py = x + (i + 0.5) / FINE, y + (j + 0.5) / FINE
            dx, dy = max(radius - px, px - SIDE + radius, 0), max(radius - py, py - SIDE + radius, 0)
            inside += dx * dx + dy * dy <= radius * radius
    return inside / FINE**2


def main():
    with tempfile.TemporaryDirectory() as folder:
        drawn = os.path.join(folder, "plane.png")
        command = [os.path.abspath(sys.argv[1]), "render", "rotation", *PICTURE]
        for assignment in SET:
            command += ["--set", assignment]
        subprocess.run([*command, "-o", drawn], check=True)
        width, rows = read_png(drawn)
    left, top, size = (round(part * width) for part in CUT)
    pixels = bytearray()
    for y in range(SIDE):
        ys = range(top + y * size // SIDE, max(top + (y + 1) * size // SIDE, top + y * size // SIDE + 1))
        for x in range(SIDE):
            xs = range(left + x * size // SIDE, max(left + (x + 1) * size // SIDE, left + x * size // SIDE + 1))
            for channel in range(3):
                pixels.append(round(sum(rows[v][3 * u + channel] for v in ys for u in xs) / (len(xs) * len(ys))))
            pixels.append(round(255 * covered(x, y)))
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ropescope.png")
    write_png(sys.argv[3] if len(sys.argv) > 3 else beside, SIDE, bytes(pixels))


if __name__ == "__main__":
    main()
