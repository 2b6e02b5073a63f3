#!/usr/bin/python3
"""Audit of `ropescope check` on images, videos and vision towers. EXE=build/ropescope invented_layouts.py [--keep] [NAME ...] (NAME may be a part)."""
import os
for v in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"): os.environ[v] = "1"
import json, re, shlex, shutil, subprocess, sys, tempfile, time, zlib
import numpy as np
from sentences import says

EXE = os.path.abspath(os.environ.get("EXE", "build/ropescope"))
HERE = os.path.dirname(os.path.abspath(__file__)); FAILDIR = os.environ.get("FAILDIR", "audit_fail")
CFG = os.environ.get("CONFIGS", os.path.join(HERE, "../../../shared/configs")) + "/"
CASES = []
def add(name, kind, args, files, accept=None, must=None, mustnot=None, note="", codes=None):
    """accept None: a right dump. files: option -> function or array. must / mustnot: regex over evidence, advice, parameters, notes."""
    assert name not in [c["name"] for c in CASES], name
    CASES.append(dict(name=name, kind=kind, args=args, files=files, accept=accept, must=must, mustnot=mustnot, note=note, codes=codes))

# ---------------------------------------------------------------- own derivations
def lad(d, b=10000.): return float(b) ** (-np.arange(0, d, 2) / d)
def axial(dims, b=10000.):
    bs = b if isinstance(b, (list, tuple)) else [b] * len(dims)
    F = np.zeros((len(dims), sum(dims) // 2)); o = 0
    for k, d in enumerate(dims): F[k, o:o + d // 2] = lad(d, bs[k]); o += d // 2
    return F
def shared(owner, lad_):                                     # one ladder, dealt
    owner = np.asarray(owner); F = np.zeros((owner.max() + 1, len(owner))); F[owner, np.arange(len(owner))] = lad_; return F
def contiguous(sec, d, b): return shared(np.repeat(np.arange(len(sec)), sec), lad(d, b))
def own_q3(sec): return [i % 3 if (i % 3 and i < 3 * sec[i % 3]) else 0 for i in range(sum(sec))]
def byturns(sec, d, b): return shared(own_q3(sec), lad(d, b))
def grid(f, h, w):
    t, r, c = np.indices((f, h, w)).reshape(3, -1); return t, r, c
def st(*cols):
    n = max(np.size(c) for c in cols); return np.stack([np.broadcast_to(np.asarray(c, float), (n,)) for c in cols], 1)
cat = np.concatenate
def f1(h, w, text): _, r, c = grid(1, h, w); return cat([np.zeros((text, 3)), st(0, r, c)])
F1 = axial([16, 56, 56])
def kontext(h, w, text, rh, rw, t=1): _, r, c = grid(1, rh, rw); return cat([f1(h, w, text), st(t, r, c)])
def f2(h, w, text, refs=(), ts=None):
    _, r, c = grid(1, h, w); o = [st(0, 0, 0, np.arange(text)), st(0, r, c, 0)]
    for k, (a, b) in enumerate(refs):
        _, r, c = grid(1, a, b); o.append(st((ts or [10, 20, 30])[k], r, c, 0))
    return cat(o)
F2 = axial([32] * 4, 2000.)
def qi(h, w, text, cent=None, start=None):
    _, r, c = grid(1, h, w); ch, cw = cent or (h - h // 2, w - w // 2)
    s = max(h // 2, w // 2) if start is None else start; j = s + np.arange(text)
    return cat([st(j, j, j), st(0, r - ch, c - cw)])
def vid(f, h, w): return st(*grid(f, h, w))
FW = axial([44, 42, 42]); FH = axial([16, 56, 56], 256.)
def lumina(h, w, text): _, r, c = grid(1, h, w); return cat([st(np.arange(text), 0, 0), st(text, r, c)])
FL = axial([32] * 3)
def zim(h, w, text, first=1):
    p = -(-text // 32) * 32; _, r, c = grid(1, h, w); pad = -(h * w) % 32
    return cat([st(p + 1, r, c), np.zeros((pad, 3)), st(first + np.arange(p), 0, 0)])
FZ = axial([32, 48, 48], 256.)
def ernieimg(h, w, text): _, r, c = grid(1, h, w); return cat([st(text, r, c), st(np.arange(text), 0, 0)])
def q2(h, w, text, after, frames=1, dimg=0, dafter=0):
    t, r, c = grid(frames, h, w); i = np.arange(text); s = text + dimg
    img = st(s + t, s + r, s + c); j = text + max(frames, h, w) + dafter + np.arange(after)
    return cat([st(i, i, i), img, st(j, j, j)])
Q2 = contiguous([16, 24, 24], 128, 1e6); Q2T = byturns([16, 24, 24], 128, 1e6)
Q3 = byturns([24, 20, 20], 128, 5e6); Q3C = contiguous([24, 20, 20], 128, 5e6)
ER = shared([1 + i % 2 if i < 44 else 0 for i in range(64)], lad(128, 5e5))
GL = contiguous([8, 12, 12], 64, 1e4)
def q3img(h, w, text, after): return q2(h, w, text, after)
def hyvl(h, w, text, after):
    n = text + 1; i = np.arange(n); w1 = w + 1; _, r, c = grid(1, h, w1); k = n + np.arange(h * w1)
    e = n + h * w1 + np.arange(after + 1); return cat([st(i, i, i, i), st(k, c, r, 0), st(e, e, e, e)])
HV = contiguous([16] * 4, 128, 11158839.92507748)
def blocks(h, w, m=2, win=0):
    _, r, c = grid(1, h, w); W = win or 8192
    o = np.lexsort((c % m, r % m, c // m, r // m, c // W, r // W)); return st(r[o], c[o])
QV = axial([40, 40])
def rc(h, w): _, r, c = grid(1, h, w); return st(r, c)
def xy(h, w): return rc(h, w)[:, ::-1].copy()
MV = np.kron(lad(36), np.eye(2))
SV = axial([32, 32]); VA = axial([32, 32], 100.)
TT = axial([44, 44])
def tt(n): return cat([xy(n, n) + 1, np.zeros((1, 2))])
def pix(b=1e4):
    l = lad(64, b); F = np.zeros((2, 32)); F[0, :16] = l[0::2]; F[1, 16:] = l[1::2]; return F
VJ = axial([20] * 3)
def dino(h, w): _, r, c = grid(1, h, w); return st(2 * (r + .5) / h - 1, 2 * (c + .5) / w - 1)
def DN(b=100.): return 2 * np.pi * axial([32, 32], b)
def ltx(f, h, w, rate=25): t, r, c = grid(f, h, w); return st(t * 8 / rate / 20, r * 32 / 2048, c * 32 / 2048)
def ltxF(dim, b=1e4):
    n = dim // 6; return np.hstack([np.zeros((3, dim // 2 - 3 * n)), np.kron(b ** (np.arange(n) / (n - 1)) * np.pi / 2, np.eye(3))])
def ltxA(ids, F): return (2 * ids - 1) @ F
def ltx2(f, h, w, rate=24, start=False, causal=True):
    t, r, c = grid(f, h, w); k = -7 if causal else 0
    a, e = np.maximum(8 * t + k, 0), np.maximum(8 * t + 8 + k, 0); o = 0 if start else .5
    return st((a if start else (a + e) / 2) / rate / 20, (r + o) / 64, (c + o) / 64)
def ltx2F(head, b=1e4): return ltxF(4096, b)[:, 64 * head:64 * head + 64]
def cog(h, w): _, r, c = grid(1, h, w); return st(r * 256 // h, c * 256 // w)
FC = axial([64, 64])
def cosmosF(): return axial([44, 42, 42], [1e4, 1e4 * 3 ** (42 / 40), 1e4 * 3 ** (42 / 40)])
MM = axial([26] * 3)
def bmm(f, h, w): return cat([np.hstack([np.full((h * w, 1), k), blocks(h, w)]) for k in range(f)])

# ---------------------------------------------------------------- storage
def bf(x):
    u = np.ascontiguousarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return (((u + 0x7fff + ((u >> 16) & 1)) & 0xffff0000).astype(np.uint32)).view(np.float32)
f4 = lambda x: np.ascontiguousarray(x, np.float32)
f2_ = lambda x: np.ascontiguousarray(x, np.float16)
f8 = lambda x: np.ascontiguousarray(x, np.float64)
def T(ang, fmt=f4, amp=1.0, sign=1): return {"cos": fmt(amp * np.cos(ang)), "sin": fmt(sign * amp * np.sin(ang))}
def A(ids, F): return ids @ F
def rep(x): return np.repeat(x, 2, -1)
def dbl(x): return cat([x, x], -1)
def both(d, f): return {k: np.ascontiguousarray(f(v)) for k, v in d.items()}
def rng(name): return np.random.default_rng(zlib.crc32(name.encode()))
def qk(name, t, h, d): return rng(name).standard_normal((t, h, d)).astype(np.float32)
inter = lambda n: (2 * np.arange(n), 2 * np.arange(n) + 1)
half = lambda n: (np.arange(n), np.arange(n) + n)
def axhalf(dims):
    a, b, o = [], [], 0
    for d in dims: a += list(o + np.arange(d // 2)); b += list(o + d // 2 + np.arange(d // 2)); o += d
    return np.array(a), np.array(b)
def rot(q, ang, pr):
    a, b = pr; o = q.astype(float).copy(); c, s = np.cos(ang)[:, None], np.sin(ang)[:, None]; x, y = q[..., a].astype(float), q[..., b].astype(float)
    o[..., a], o[..., b] = x * c - y * s, x * s + y * c; return o
def V(name, ang, pr, h=2, d=None, change=None):
    q = qk(name, len(ang), h, d or 2 * ang.shape[1]); o = rot(q, ang, pr)
    if change is not None: o = change(q, o)
    return {"before": q, "after": f4(o)}
THD = "--q-layout thd"
def I(x, dt=np.int64): return {"ids": np.ascontiguousarray(x).astype(dt)}

# ================================================================ RIGHT DUMPS
L1, L1s = "--layout flux.1 --grid 13x21 --text 9", (13, 21, 9)
R = lambda name, args, fn: add("ok-" + name, "right", args, fn)
R("flux1-f64", L1, lambda: T(A(f1(*L1s), F1), f8))
R("flux1-f32", "--layout flux.1 --grid 58x104 --text 64", lambda: T(A(f1(58, 104, 64), F1)))
R("flux1-f16", L1, lambda: T(A(f1(*L1s), F1), f2_))
R("flux1-bf16-in-f32", L1, lambda: T(A(f1(*L1s), F1), bf))
R("flux1-repeated", L1, lambda: both(T(A(f1(*L1s), F1)), rep))
R("flux1-halves", L1, lambda: both(T(A(f1(*L1s), F1)), dbl))
R("flux1-B1Td", L1, lambda: both(T(A(f1(*L1s), F1)), lambda x: np.broadcast_to(rep(x)[None, None], (2, 1, x.shape[0], 128))))
R("flux1-TB", L1, lambda: both(T(A(f1(*L1s), F1)), lambda x: np.repeat(rep(x)[:, None], 3, 1)))
R("flux1-2x2", L1, lambda: {"table": (lambda a: f4(np.stack([np.cos(a), -np.sin(a), np.sin(a), np.cos(a)], -1).reshape(1, 1, len(a), 64, 2, 2)))(A(f1(*L1s), F1))})
R("flux1-complex64", L1, lambda: {"table": np.exp(1j * A(f1(*L1s), F1)).astype(np.complex64)})
R("flux1-packed", L1, lambda: {"table": (lambda a: f4(np.hstack([np.cos(a), np.sin(a)])))(A(f1(*L1s), F1))})
R("flux1-stacked-2Tn", L1, lambda: {"table": (lambda a: f4(np.stack([np.cos(a), np.sin(a)])))(A(f1(*L1s), F1))})
R("flux1-stacked-T2n", L1, lambda: {"table": (lambda a: f4(np.stack([np.cos(a), np.sin(a)], 1)))(A(f1(*L1s), F1))})
R("flux1-angles", L1, lambda: {"table": f4(A(f1(*L1s), F1))})
R("flux1-f32-computed", "--layout flux.1 --grid 90x70 --text 5", lambda: T((f1(90, 70, 5).astype(np.float32)[:, :, None] * F1.astype(np.float32)).sum(1), lambda x: f4(x)))
R("flux1-ids-float", L1, lambda: I(f1(*L1s), np.float32))
R("flux1-ids-batch", L1, lambda: I(f1(*L1s)[None].repeat(2, 0)))
R("flux1-image-part", L1 + " --part image", lambda: T(A(f1(*L1s), F1)[9:]))
R("flux1-rows-padding", L1 + " --rows 4:286", lambda: T(cat([np.zeros((4, 64)), A(f1(*L1s), F1), np.zeros((3, 64))])))
R("flux1-vec", L1 + " " + THD, lambda: V("a", A(f1(*L1s), F1), inter(64)))
R("flux1-vec-f16", L1 + " " + THD, lambda: (lambda d: {"before": f2_(d["before"]), "after": f2_(rot(f2_(d["before"]), A(f1(*L1s), F1), inter(64)))})(V("a2", A(f1(*L1s), F1), inter(64))))
R("flux1-vec-htd", L1 + " --q-layout htd", lambda: both(V("a3", A(f1(*L1s), F1), inter(64), 3), lambda x: x.transpose(1, 0, 2)))
R("flux1-size", "--layout flux.1 --size 832x480 --text 16", lambda: T(A(f1(30, 52, 16), F1)))
R("kontext", "--layout flux.1-kontext --grid 12x20 --text 7 --reference-grid 9x11", lambda: T(A(kontext(12, 20, 7, 9, 11), F1)))
R("flux2-refs", "--layout flux.2 --grid 12x20 --text 40 --reference-grid 9x11 --reference-grid 6x8", lambda: both(T(A(f2(12, 20, 40, [(9, 11), (6, 8)]), F2)), rep))
R("flux2-ids", "--layout flux.2 --grid 12x20 --text 40", lambda: I(f2(12, 20, 40)))
R("flux2-vec", "--layout flux.2 --grid 12x20 --text 40 " + THD, lambda: V("b", A(f2(12, 20, 40), F2), inter(64)))
R("qwenimage-odd", "--layout qwen-image --grid 33x47 --text 20", lambda: T(A(qi(33, 47, 20), F1)))
R("qwenimage-complex", "--layout qwen-image --grid 24x18 --text 6", lambda: {"table": np.exp(1j * A(qi(24, 18, 6), F1))})
R("wan-f64", "--layout wan --grid 18x32 --frames 5", lambda: T(A(vid(5, 18, 32), FW), f8))
R("wan-1-1T1d", "--layout wan --grid 18x32 --frames 3", lambda: both(T(A(vid(3, 18, 32), FW)), lambda x: rep(x)[None, :, None]))
R("wan-81-frames", "--layout wan --video-frames 81 --size 416x240", lambda: T(A(vid(21, 15, 26), FW), bf))
R("wan-vec", "--layout wan --grid 10x12 --frames 3 " + THD, lambda: V("w", A(vid(3, 10, 12), FW), inter(64)))
R("hunyuanvideo", "--layout hunyuan-video --grid 17x30 --frames 5", lambda: both(T(A(vid(5, 17, 30), FH)), rep))
R("longcatvideo", "--layout longcat-video --grid 10x16 --frames 4", lambda: T(A(vid(4, 10, 16), FW)))
R("cosmos", "--layout cosmos-predict2.5 --grid 22x40 --frames 4", lambda: both(T(A(vid(4, 22, 40), cosmosF())), dbl))
R("cosmos-vec", "--layout cosmos-predict2.5 --grid 8x10 --frames 3 " + THD, lambda: V("c", A(vid(3, 8, 10), cosmosF()), half(64)))
R("lumina2", "--layout lumina-2 --grid 20x14 --text 33", lambda: {"table": np.exp(1j * A(lumina(20, 14, 33), FL)).astype(np.complex64)})
R("zimage", "--layout z-image --grid 11x13 --text 20", lambda: T(A(zim(11, 13, 20), FZ)))
R("ernieimage", "--layout ernie-image --grid 11x13 --text 20", lambda: T(A(ernieimg(11, 13, 20), FZ)))
R("cogview4", "--layout cogview4 --grid 30x44", lambda: both(T(A(cog(30, 44), FC)), dbl))
R("q2vl-ids-3BT", "--layout qwen2-vl --grid 14x23 --text 12 --text-after 18", lambda: {"ids": q2(14, 23, 12, 18).T[:, None].astype(np.int64)})
R("q2vl-ids-ggml4", "--layout qwen2-vl --grid 9x17 --text 12 --text-after 5", lambda: {"ids": np.vstack([q2(9, 17, 12, 5).T, np.zeros((1, 170))]).astype(np.int32)})
add("ok-q2vl-ids-ggml4-flat", "right", codes={0, 2}, args="--layout qwen2-vl --grid 9x17 --text 12 --text-after 5", files=lambda: {"ids": np.vstack([q2(9, 17, 12, 5).T, np.zeros((1, 170))]).astype(np.int32).reshape(-1)})
R("q2vl-tables", "--layout qwen2-vl --grid 14x23 --text 12 --text-after 18", lambda: both(T(A(q2(14, 23, 12, 18), Q2)), dbl))
R("q2vl-3BTd", "--layout qwen2-vl --grid 6x9 --text 12 --text-after 18", lambda: {k: f4(f(q2(6, 9, 12, 18).T[:, None, :, None] * dbl(lad(128, 1e6)))) for k, f in (("cos", np.cos), ("sin", np.sin))})
R("q2vl-vec", "--layout qwen2-vl --grid 6x9 --text 12 --text-after 18 " + THD, lambda: V("q2", A(q2(6, 9, 12, 18), Q2), half(64)))
R("q2vl-decode", "--config " + CFG + "qwen2-vl-7b-instruct.json --positions 400", lambda: both(T(400 * lad(128, 1e6)[None]), lambda x: np.broadcast_to(dbl(x)[None, None], (3, 2, 1, 128))))
R("q2vl-config", "--config " + CFG + "qwen2-vl-7b-instruct.json --grid 7x10 --text 5 --text-after 4", lambda: both(T(A(q2(7, 10, 5, 4), Q2), bf), dbl))
R("q2vl-video", "--layout qwen2-vl --grid 5x8 --frames 4 --text 7 --text-after 6", lambda: T(A(q2(5, 8, 7, 6, 4), Q2)))
R("q3vl", "--layout qwen3-vl --grid 14x23 --text 12 --text-after 18", lambda: both(T(A(q3img(14, 23, 12, 18), Q3)), dbl))
R("q3vl-vec", "--layout qwen3-vl --grid 6x9 --text 12 --text-after 18 " + THD, lambda: V("q3", A(q2(6, 9, 12, 18), Q3), half(64)))
R("ernie45vl", "--layout ernie-4.5-vl --grid 12x9 --text 5 --text-after 5", lambda: T(A(q2(12, 9, 5, 5), ER)))
R("glm4v", "--layout glm-4v --grid 12x9 --text 5 --text-after 5", lambda: T(A(q2(12, 9, 5, 5), GL)))
R("hunyuanvl", "--layout hunyuan-vl --grid 9x14 --text 5 --text-after 6", lambda: T(A(hyvl(9, 14, 5, 6), HV)))
R("hunyuanvl-ids", "--layout hunyuan-vl --grid 9x14 --text 5 --text-after 6", lambda: {"ids": hyvl(9, 14, 5, 6).T.astype(np.int64)})
R("qwenvision-angles", "--layout qwen-vision --grid 10x16", lambda: {"table": f4(A(blocks(10, 16), QV))})
R("qwenvision-windows", "--layout qwen-vision --grid 20x28 --window 8", lambda: both(T(A(blocks(20, 28, 2, 8), QV)), dbl))
R("qwenvision-vec", "--layout qwen-vision --grid 10x16 " + THD, lambda: V("qv", A(blocks(10, 16), QV), half(40)))
R("moonvit", "--layout moonvit --grid 18x26", lambda: {"table": np.exp(1j * A(xy(18, 26), MV)).astype(np.complex64)})
R("moonvit-vec", "--layout moonvit --grid 12x14 " + THD, lambda: V("mv", A(xy(12, 14), MV), inter(36)))
R("sam3", "--layout sam-3 --grid 48x72", lambda: both(T(A(xy(48, 72) * 24 / 72, SV)), rep))
R("sam3-window", "--layout sam-3 --grid 24x24", lambda: T(A(xy(24, 24), SV)))
R("torchtune", "--layout torchtune-vision --grid 16x16", lambda: {"table": (lambda a: f4(np.stack([np.cos(a), np.sin(a)], -1)))(A(tt(16), TT))})
R("vitaxial", "--layout vit-axial --grid 14x20", lambda: {"table": np.exp(1j * A(xy(14, 20), VA)).astype(np.complex64)})
R("pixtral", "--layout pixtral --grid 37x52", lambda: both(T(A(rc(37, 52), pix())), dbl))
R("vjepa2", "--layout v-jepa-2 --grid 12x16 --frames 4", lambda: T(A(vid(4, 12, 16), VJ)))
R("dinov3", "--layout dinov3 --grid 14x22", lambda: both(T(A(dino(14, 22), DN())), dbl))
R("dinov3-vec", "--layout dinov3 --grid 8x11 " + THD, lambda: V("dn", A(dino(8, 11), DN()), half(32)))
R("ltx-f64", "--layout ltx-video --grid 8x12 --frames 3", lambda: T(ltxA(ltx(3, 8, 12), ltxF(2048)), f8))
R("ltx2-head0", "--layout ltx-2 --grid 8x12 --frames 3", lambda: T(ltxA(ltx2(3, 8, 12), ltx2F(0)), f8))
R("ltx2-head31", "--layout ltx-2 --grid 8x12 --frames 3 --head 31", lambda: T(ltxA(ltx2(3, 8, 12), ltx2F(31))))
R("custom-3", "--layout custom --axes t:8,row:24,column:32 --base 500 --grid 12x20", lambda: T(A(f1(12, 20, 0), axial([8, 24, 32], 500.))))
R("custom-columnfirst", "--layout custom --axes column:32,row:32 --base 10000 --grid 12x20 --pairing half", lambda: both(T(A(xy(12, 20), SV)), dbl))
R("minimax-m3", "--layout minimax-m3-vision --grid 8x10 --frames 2", lambda: T(A(bmm(2, 8, 10), MM)))

# ================================================================ MISTAKES
B = lambda name, args, fn, **k: add("base-" + name, "wrong base", args, fn, k.pop("accept", {"base"}), **k)
B("flux1-256", "--layout flux.1 --grid 24x36 --text 8", lambda: T(A(f1(24, 36, 8), axial([16, 56, 56], 256.))), must="256")
B("flux1-500000", "--layout flux.1 --grid 24x36 --text 8", lambda: T(A(f1(24, 36, 8), axial([16, 56, 56], 5e5))), must="500 ?000|500000")
B("flux1-20000-large", "--layout flux.1 --grid 104x80 --text 8", lambda: T(A(f1(104, 80, 8), axial([16, 56, 56], 2e4))))
B("flux1-2000-large", "--layout flux.1 --grid 80x104 --text 8", lambda: T(A(f1(80, 104, 8), axial([16, 56, 56], 2e3)), f2_))
B("flux2-10000-large", "--layout flux.2 --grid 96x72 --text 32", lambda: T(A(f2(96, 72, 32), axial([32] * 4, 1e4))), must="10 ?000")
B("hyvideo-10000", "--layout hunyuan-video --grid 34x60 --frames 4", lambda: T(A(vid(4, 34, 60), axial([16, 56, 56], 1e4))))
B("hyvideo-100-large", "--layout hunyuan-video --grid 68x90 --frames 2", lambda: T(A(vid(2, 68, 90), axial([16, 56, 56], 100.))))
B("zimage-10000", "--layout z-image --grid 30x40 --text 20", lambda: T(A(zim(30, 40, 20), axial([32, 48, 48], 1e4)), bf))
B("zimage-128-large", "--layout z-image --grid 80x72 --text 20", lambda: T(A(zim(80, 72, 20), axial([32, 48, 48], 128.))))
B("wan-5000-large", "--layout wan --grid 45x80 --frames 3", lambda: T(A(vid(3, 45, 80), axial([44, 42, 42], 5e3))))
B("wan-1e6", "--layout wan --grid 30x52 --frames 5", lambda: T(A(vid(5, 30, 52), axial([44, 42, 42], 1e6))))
B("vitaxial-10000", "--layout vit-axial --grid 14x14", lambda: T(A(xy(14, 14), axial([32, 32], 1e4))))
B("vitaxial-50-large", "--layout vit-axial --grid 24x32", lambda: T(A(xy(24, 32), axial([32, 32], 50.))))
B("qwenvision-1e6", "--layout qwen-vision --grid 12x20", lambda: {"table": f4(A(blocks(12, 20), axial([40, 40], 1e6)))})
B("pixtral-1e5-large", "--layout pixtral --grid 80x72", lambda: T(A(rc(80, 72), pix(1e5))))
B("moonvit-100", "--layout moonvit --grid 18x26", lambda: T(A(xy(18, 26), np.kron(lad(36, 100.), np.eye(2)))), accept={"base", "rotary-dimension"})
B("vjepa2-100", "--layout v-jepa-2 --grid 12x16 --frames 4", lambda: T(A(vid(4, 12, 16), axial([20] * 3, 100.))))
B("sam3-100", "--layout sam-3 --grid 48x72", lambda: T(A(xy(48, 72) / 3, axial([32, 32], 100.))), accept={"base", "rotary-dimension"})
B("dinov3-10000", "--layout dinov3 --grid 14x22", lambda: T(A(dino(14, 22), DN(1e4))))
B("ltx-1000", "--layout ltx-video --grid 6x8 --frames 3", lambda: T(ltxA(ltx(3, 6, 8), ltxF(2048, 1e3)), f8))
B("ltx2-1000-h7", "--layout ltx-2 --grid 5x6 --frames 3 --head 7", lambda: T(ltxA(ltx2(3, 5, 6), ltx2F(7, 1e3))), must="1 ?000")
B("ltx2-50000-h20", "--layout ltx-2 --grid 9x14 --frames 2 --head 20", lambda: T(ltxA(ltx2(2, 9, 14), ltx2F(20, 5e4)), f8), must="50 ?000")
B("ltx2-20000-h1", "--layout ltx-2 --grid 16x24 --frames 4 --head 1", lambda: T(ltxA(ltx2(4, 16, 24), ltx2F(1, 2e4))))
B("q2vl-1e4", "--layout qwen2-vl --grid 14x23 --text 12 --text-after 18", lambda: both(T(A(q2(14, 23, 12, 18), contiguous([16, 24, 24], 128, 1e4))), dbl))
B("q3vl-1e6", "--layout qwen3-vl --grid 14x23 --text 12 --text-after 18", lambda: T(A(q2(14, 23, 12, 18), byturns([24, 20, 20], 128, 1e6))))
B("hunyuanvl-10000", "--layout hunyuan-vl --grid 9x14 --text 5 --text-after 6", lambda: T(A(hyvl(9, 14, 5, 6), contiguous([16] * 4, 128, 1e4))))
B("torchtune-2000", "--layout torchtune-vision --grid 20x20", lambda: T(A(tt(20), axial([44, 44], 2e3))))
B("cosmos-no-stretch", "--layout cosmos-predict2.5 --grid 22x40 --frames 4", lambda: T(A(vid(4, 22, 40), FW)), accept={"base", "scaling-missing", "axis-extension"})
B("flux1-vec-500", L1 + " " + THD, lambda: V("a5", A(f1(*L1s), axial([16, 56, 56], 500.)), inter(64)))

S = lambda name, args, fn, acc={"position-scale"}, **k: add("side-" + name, "ids divided / scaled", args, fn, acc, **k)
S("flux1", "--layout flux.1 --grid 40x72 --text 4", lambda: T(A(f1(40, 72, 4) / [1, 40, 72], F1)), mustnot=r"axis-extension")
S("flux1-ids", "--layout flux.1 --grid 40x72 --text 4", lambda: I(f1(40, 72, 4) / [1, 40, 72], np.float32))
S("flux1-large-f16", "--layout flux.1 --grid 96x66 --text 4", lambda: T(A(f1(96, 66, 4) / [1, 96, 66], F1), f2_))
S("wan", "--layout wan --grid 30x52 --frames 5", lambda: T(A(vid(5, 30, 52) / [1, 30, 52], FW)))
S("qwenvision", "--layout qwen-vision --grid 12x20", lambda: T(A(blocks(12, 20) / [12, 20], QV)))
S("moonvit-max", "--layout moonvit --grid 18x26", lambda: T(A(xy(18, 26) / [26, 18], MV)))
S("sam3-unscaled", "--layout sam-3 --grid 48x72", lambda: T(A(xy(48, 72), SV)))
S("sam3-otherside", "--layout sam-3 --grid 72x48", lambda: T(A(xy(72, 48) * 24 / 72, SV)))
S("pixtral-half", "--layout pixtral --grid 37x52", lambda: T(A(rc(37, 52) / 2, pix())))
S("flux2-x2", "--layout flux.2 --grid 20x30 --text 9", lambda: T(A(f2(20, 30, 9) * [1, 2, 2, 1], F2)))
S("ltx-nopi", "--layout ltx-video --grid 6x8 --frames 3", lambda: T(ltxA(ltx(3, 6, 8), ltxF(2048) * 2 / np.pi), f8))
S("dinov3-no2pi", "--layout dinov3 --grid 14x22", lambda: T(A(dino(14, 22), axial([32, 32], 100.))))
S("ltx2-rate30", "--layout ltx-2 --grid 6x8 --frames 4 --head 12", lambda: T(ltxA(ltx2(4, 6, 8, 30), ltx2F(12))), {"position-scale", "length"})

O = lambda name, args, fn, acc={"position-offset"}, **k: add("offset-" + name, "ids off by a number per part", args, fn, acc, **k)
Q2A = "--layout qwen2-vl --grid 14x23 --text 20 --text-after 18"
O("q2vl-img-15-after+56", Q2A, lambda: T(A(q2(14, 23, 20, 18, 1, -15, 56), Q2)), {"position-offset", "text-start"}, must=r"15[\s\S]*56|56[\s\S]*15")
O("q2vl-img-15-after+56-ids", Q2A, lambda: I(q2(14, 23, 20, 18, 1, -15, 56)), {"position-offset", "text-start"}, must=r"15[\s\S]*56|56[\s\S]*15")
O("q2vl-after-flat", Q2A, lambda: T(A(q2(14, 23, 20, 18, 1, 0, 14 * 23 - 23), Q2)), {"position-offset", "text-start"})
O("q3vl-img+7", "--layout qwen3-vl --grid 10x12 --text 20 --text-after 18", lambda: T(A(q2(10, 12, 20, 18, 1, 7), Q3), bf))
O("wan-frames-own", "--layout wan --grid 10x16 --frames 4", lambda: T(A(vid(4, 10, 16) + st(np.repeat([0, 3, 1, 9], 160), 0, 0), FW)), {"position-offset", "position-scale"})
O("wan-frames-own-ids", "--layout wan --grid 10x16 --frames 4", lambda: I(vid(4, 10, 16) + st(np.repeat([0, 3, 1, 9], 160), 0, 0)))
O("hyvideo-frames-own-rows", "--layout hunyuan-video --grid 12x16 --frames 4", lambda: T(A(vid(4, 12, 16) + st(0, np.repeat([0, 5, 11, 2], 192), 0), FH)))
O("flux1-onebased", L1, lambda: T(A(f1(*L1s) + cat([np.zeros((9, 3)), st(np.zeros(273), 1, 1)]), F1)))
O("flux1-row+100", L1, lambda: T(A(f1(*L1s) + cat([np.zeros((9, 3)), st(np.zeros(273), 100, 0)]), F1), f2_))
O("hunyuanvl-img+1", "--layout hunyuan-vl --grid 9x14 --text 5 --text-after 6", lambda: T(A((lambda x: x + np.where((np.arange(len(x)) >= 6)[:, None], [1, 0, 0, 0], 0))(hyvl(9, 14, 5, 6)), HV)))
O("torchtune-zero-based", "--layout torchtune-vision --grid 16x16", lambda: T(A(np.maximum(tt(16) - 1, 0), TT)))
O("zimage-img-t", "--layout z-image --grid 11x13 --text 20", lambda: T(A((lambda x: x - np.where((np.arange(len(x)) < 143)[:, None], [12, 0, 0], 0))(zim(11, 13, 20)), FZ)))
O("lumina-img-t0", "--layout lumina-2 --grid 20x14 --text 33", lambda: T(A((lambda x: np.where((np.arange(len(x)) >= 33)[:, None], x * [0, 1, 1], x))(lumina(20, 14, 33)), FL)))
O("flux1-vec-onebased", L1 + " " + THD, lambda: V("o1", A(f1(*L1s) + cat([np.zeros((9, 3)), st(np.zeros(273), 1, 1)]), F1), inter(64)))

X = lambda name, args, fn, acc={"axes-swapped"}, **k: add("axes-" + name, "axes swapped", args, fn, acc, **k)
swap = lambda first, second: says("check.axes-swapped.advice", first=first, second=second)   # advice in the wrong order
rowfirst = swap("column", "row") + "|" + swap("x", "\\w+"); colfirst = swap("y|row", "x|column")
nochannels = says("check.axis-dimensions.evidence", found=r"(?P<channels>\([\d, ]+\))", due="(?P=channels)")
X("flux1-ids", L1, lambda: I(f1(*L1s)[:, [0, 2, 1]]), mustnot=rowfirst)
X("flux1-tables", L1, lambda: T(A(f1(*L1s)[:, [0, 2, 1]], F1)), {"axes-swapped", "axis-dimensions"}, mustnot=rowfirst)
X("flux1-heightwidth", "--layout flux.1 --grid 24x40 --text 8", lambda: T(A(f1(40, 24, 8), F1)))
X("wan-heightwidth", "--layout wan --grid 10x16 --frames 3", lambda: T(A(vid(3, 16, 10), FW)))
X("wan-t-row", "--layout wan --grid 10x16 --frames 3", lambda: I(vid(3, 10, 16)[:, [1, 0, 2]]), {"axes-swapped", "order"})
X("wan-t-column-last", "--layout wan --grid 10x16 --frames 3", lambda: I(vid(3, 10, 16)[:, [1, 2, 0]]), {"axes-swapped", "order", "axis-dimensions", "position-offset"})
X("qwenvision-ids", "--layout qwen-vision --grid 12x20", lambda: I(blocks(12, 20)[:, ::-1]), mustnot=rowfirst)
X("qwenvision-tables", "--layout qwen-vision --grid 12x20", lambda: T(A(blocks(12, 20)[:, ::-1], QV)), {"axes-swapped", "axis-dimensions"}, mustnot=rowfirst)
X("moonvit-ids", "--layout moonvit --grid 18x26", lambda: I(rc(18, 26)), mustnot=colfirst)
X("moonvit-tables", "--layout moonvit --grid 18x26", lambda: T(A(rc(18, 26), MV)), {"axes-swapped"}, mustnot=colfirst)
X("vitaxial-tables", "--layout vit-axial --grid 13x17", lambda: T(A(rc(13, 17), VA)), {"axes-swapped", "axis-dimensions"}, mustnot=colfirst)
X("vitaxial-heightwidth", "--layout vit-axial --grid 13x17", lambda: T(A(xy(17, 13), VA)), {"axes-swapped"})
X("sam3-ids", "--layout sam-3 --grid 24x36", lambda: I(rc(24, 36)), mustnot=colfirst)
X("torchtune-tables", "--layout torchtune-vision --grid 16x16", lambda: T(A(tt(16)[:, ::-1], TT)), {"axes-swapped"}, mustnot=colfirst)
X("hunyuanvl-ids", "--layout hunyuan-vl --grid 9x14 --text 5 --text-after 6", lambda: I(hyvl(9, 14, 5, 6)[:, [0, 2, 1, 3]]), mustnot=colfirst)
X("hunyuanvl-tables", "--layout hunyuan-vl --grid 9x14 --text 5 --text-after 6", lambda: T(A(hyvl(9, 14, 5, 6)[:, [0, 2, 1, 3]], HV)), {"axes-swapped", "section-layout", "axis-dimensions"}, mustnot=colfirst)
X("custom-columnfirst", "--layout custom --axes column:24,row:40 --base 10000 --grid 12x20", lambda: I(rc(12, 20)), mustnot=colfirst)
X("custom-columnfirst-tables", "--layout custom --axes column:32,row:32 --base 10000 --grid 12x20", lambda: T(A(rc(12, 20), SV)), {"axes-swapped", "axis-dimensions"}, mustnot=colfirst)
X("custom-rowfirst-tables", "--layout custom --axes t:8,row:32,column:32 --base 10000 --grid 12x20", lambda: T(A(f1(12, 20, 0)[:, [0, 2, 1]], axial([8, 32, 32]))), {"axes-swapped", "axis-dimensions"}, mustnot=rowfirst)
X("q2vl-tables", Q2A, lambda: T(A(q2(14, 23, 20, 18)[:, [0, 2, 1]], Q2)), {"axes-swapped", "section-layout"}, mustnot=rowfirst)
X("pixtral-vec", "--layout pixtral --grid 9x14 " + THD, lambda: V("px", A(xy(9, 14), pix()), half(32)), {"axes-swapped"}, mustnot=rowfirst)

D = lambda name, args, fn, acc, **k: add("deal-" + name, "pairs dealt / ladders", args, fn, acc, **k)
D("qwenvision-turns", "--layout qwen-vision --grid 12x20", lambda: T(A(blocks(12, 20), np.kron(lad(40), np.eye(2)))), {"section-layout", "axis-dimensions"}, mustnot=nochannels)
D("pixtral-halves", "--layout pixtral --grid 18x26", lambda: T(A(rc(18, 26), contiguous([16, 16], 64, 1e4))), {"section-layout", "axis-dimensions", "frequency-ladder"}, mustnot=says("check.rotary-dimension.evidence_own"))
D("pixtral-own", "--layout pixtral --grid 18x26", lambda: T(A(rc(18, 26), axial([32, 32]))), {"rotary-dimension", "frequency-ladder", "section-layout", "axis-dimensions", "position-scale"})
D("moonvit-contiguous", "--layout moonvit --grid 18x26", lambda: T(A(xy(18, 26), contiguous([18, 18], 72, 1e4))), {"section-layout", "axis-dimensions", "rotary-dimension", "frequency-ladder"})
D("moonvit-contiguous-own", "--layout moonvit --grid 18x26", lambda: T(A(xy(18, 26), axial([36, 36]))), {"section-layout", "axis-dimensions"}, mustnot=nochannels)
D("flux1-shared", L1, lambda: T(A(f1(*L1s), contiguous([8, 28, 28], 128, 1e4))), {"rotary-dimension", "section-layout", "axis-dimensions", "frequency-ladder"})
D("flux2-shared-turns", "--layout flux.2 --grid 12x20 --text 20", lambda: T(A(f2(12, 20, 20), shared(np.arange(64) % 4, lad(128, 2e3)))), {"section-layout", "axis-dimensions", "frequency-ladder", "rotary-dimension"}, mustnot=nochannels)
D("q2vl-own-ladders", Q2A, lambda: T(A(q2(14, 23, 20, 18), axial([32, 48, 48], 1e6))), {"section-layout", "axis-dimensions", "frequency-ladder", "rotary-dimension"})
D("hunyuanvl-turns", "--layout hunyuan-vl --grid 9x14 --text 5 --text-after 6", lambda: T(A(hyvl(9, 14, 5, 6), shared(np.arange(64) % 4, lad(128, 11158839.92507748)))), {"section-layout", "axis-dimensions"})
D("flux1-32-48-48", L1, lambda: T(A(f1(*L1s), axial([32, 48, 48]))), {"axis-dimensions"})
D("wan-42-42-44", "--layout wan --grid 10x16 --frames 4", lambda: T(A(vid(4, 10, 16), axial([42, 42, 44]))), {"axis-dimensions"})
D("zimage-48-48-32", "--layout z-image --grid 11x13 --text 20", lambda: T(A(zim(11, 13, 20), axial([48, 48, 32], 256.))), {"axis-dimensions"})
D("q2vl-interleaved", Q2A, lambda: both(T(A(q2(14, 23, 20, 18), Q2T)), dbl), {"section-layout"})
D("q3vl-contiguous", "--layout qwen3-vl --grid 14x23 --text 20 --text-after 18", lambda: both(T(A(q2(14, 23, 20, 18), Q3C)), dbl), {"section-layout"})
D("q3vl-contiguous-vec", "--layout qwen3-vl --grid 6x9 --text 20 --text-after 8 " + THD, lambda: V("q3c", A(q2(6, 9, 20, 8), Q3C), half(64)), {"section-layout"})
D("ernie-contiguous", "--layout ernie-4.5-vl --grid 12x9 --text 5 --text-after 5", lambda: T(A(q2(12, 9, 5, 5), shared(np.repeat([1, 2, 0], [22, 22, 20]), lad(128, 5e5)))), {"section-layout", "axis-dimensions"})
D("q2vl-24-20-20", Q2A, lambda: T(A(q2(14, 23, 20, 18), contiguous([24, 20, 20], 128, 1e6))), {"section-layout", "axis-dimensions"})
D("flux1-n-1", L1, lambda: T(A(f1(*L1s), np.vstack([np.hstack([1e4 ** (-np.arange(d // 2) / (d // 2 - 1)) if j == k else np.zeros(d // 2) for j, d in enumerate((16, 56, 56))]) for k in range(3)]))), {"frequency-ladder", "base"})
D("qwenvision-n-1", "--layout qwen-vision --grid 12x20", lambda: T(A(blocks(12, 20), np.kron(np.eye(2), 1e4 ** (-np.arange(20) / 19)))), {"frequency-ladder"})
D("ltx-n-not-n-1", "--layout ltx-video --grid 6x8 --frames 3", lambda: T(ltxA(ltx(3, 6, 8), np.hstack([np.zeros((3, 1)), np.kron(1e4 ** (np.arange(341) / 341) * np.pi / 2, np.eye(3))])), f8), {"frequency-ladder", "base"})
D("flux2-from1", "--layout flux.2 --grid 12x20 --text 20", lambda: T(A(f2(12, 20, 20), np.kron(np.eye(4), 2e3 ** (-(np.arange(16) + 1) / 16)))), {"frequency-ladder", "position-scale"})
D("flux1-half-dim-twice", L1, lambda: T(A(f1(*L1s), np.repeat(axial([8, 28, 28]), 2, 1))), {"rotary-dimension", "length", "frequency-ladder", "axis-dimensions"})
D("qwenvision-half-dim-twice", "--layout qwen-vision --grid 12x20", lambda: T(A(blocks(12, 20), np.kron(np.eye(2), np.repeat(lad(20), 2)[None]))), {"rotary-dimension", "length", "frequency-ladder", "axis-dimensions"})
D("qwenvision-whole-head-dim", "--layout qwen-vision --grid 12x20", lambda: T(A(blocks(12, 20), np.kron(np.eye(2), lad(80)[:20][None]))), {"rotary-dimension", "base", "frequency-ladder"})
D("flux1-reversed", L1, lambda: T(A(f1(*L1s), np.vstack([np.hstack([lad(d)[::-1] if j == k else np.zeros(d // 2) for j, d in enumerate((16, 56, 56))]) for k in range(3)]))), {"frequency-ladder"})

P = lambda name, args, fn, acc, **k: add("vec-" + name, "vectors", args, fn, acc, **k)
P("flux1-halves", L1 + " " + THD, lambda: V("p1", A(f1(*L1s), F1), half(64)), {"pairing"})
P("flux1-axis-halves", L1 + " " + THD, lambda: V("p2", A(f1(*L1s), F1), axhalf([16, 56, 56])), {"pairing"})
P("q2vl-adjacent", "--layout qwen2-vl --grid 6x9 --text 12 --text-after 18 " + THD, lambda: V("p3", A(q2(6, 9, 12, 18), Q2), inter(64)), {"pairing"})
P("qwenvision-adjacent", "--layout qwen-vision --grid 10x16 " + THD, lambda: V("p4", A(blocks(10, 16), QV), inter(40)), {"pairing"})
P("cosmos-axis-halves", "--layout cosmos-predict2.5 --grid 8x10 --frames 3 " + THD, lambda: V("p5", A(vid(3, 8, 10), cosmosF()), axhalf([44, 42, 42])), {"pairing"}, )
P("cosmos-adjacent", "--layout cosmos-predict2.5 --grid 8x10 --frames 3 " + THD, lambda: V("p5b", A(vid(3, 8, 10), cosmosF()), inter(64)), {"pairing"})
P("flux1-sign", L1 + " " + THD, lambda: V("p6", -A(f1(*L1s), F1), inter(64)), {"sign"})
P("moonvit-sign", "--layout moonvit --grid 12x14 " + THD, lambda: V("p7", -A(xy(12, 14), MV), inter(36)), {"sign"})
P("dinov3-sign", "--layout dinov3 --grid 8x11 " + THD, lambda: V("p8", -A(dino(8, 11), DN()), half(32)), {"sign"})
def evenheads(q, o): o[:, 1::2] = q[:, 1::2]; return o
P("flux1-even-heads", L1 + " " + THD, lambda: V("p9", A(f1(*L1s), F1), inter(64), 4, change=evenheads), {"unknown", "rotary-dimension", "position-offset", "head-order"}, must=r"(?i)heads? (0 and 2|0, 2|1 and 3|1, 3)")
P("q3vl-even-heads", "--layout qwen3-vl --grid 6x9 --text 12 --text-after 18 " + THD, lambda: V("p9b", A(q2(6, 9, 12, 18), Q3), half(64), 4, change=evenheads), {"unknown", "rotary-dimension", "position-offset", "head-order"}, must=r"(?i)heads? (0 and 2|0, 2|1 and 3|1, 3)")
def firsthalf(q, o): n = q.shape[-1] // 2; o[..., n:] = q[..., n:]; return o
P("flux1-first-half", L1 + " " + THD, lambda: V("p10", A(f1(*L1s), F1), inter(64), change=firsthalf), {"unknown", "rotary-dimension"}, must=r"(?i)channels?|first half|rotary")
P("qwenvision-first-half-written", "--layout qwen-vision --grid 10x16 " + THD, lambda: V("p11", A(blocks(10, 16), QV), half(40), change=firsthalf), {"unknown", "rotary-dimension"}, must=r"(?i)channels? [^\n]*(0 to 39|40 to 79)|first half")
def fromhead(q, o): o[:, 1] = o[:, 3]; return o
P("flux2-head-elsewhere", "--layout flux.2 --grid 8x12 --text 10 " + THD, lambda: V("p12", A(f2(8, 12, 10), F2), inter(64), 4, change=fromhead), {"head-order", "unknown"}, must="(?i)head")
P("wan-head-order", "--layout wan --grid 8x10 --frames 2 " + THD, lambda: V("p13", A(vid(2, 8, 10), FW), inter(64), 4, change=lambda q, o: o[:, ::-1]), {"head-order"})
P("flux1-twice", L1 + " " + THD, lambda: V("p14", 2 * A(f1(*L1s), F1), inter(64)), {"position-scale"}, must="twice|2")
P("qwenvision-twice", "--layout qwen-vision --grid 10x16 " + THD, lambda: V("p15", 2 * A(blocks(10, 16), QV), half(40)), {"position-scale"}, must="twice|2")
P("flux1-none", L1 + " " + THD, lambda: V("p16", 0 * A(f1(*L1s), F1), inter(64)), {"position-scale", "position-offset", "rotary-dimension", "unknown"}, must=says("check.position-scale.evidence_zero") + r"|(?m:^factor 0(\.0)?$)")
P("moonvit-none", "--layout moonvit --grid 12x14 " + THD, lambda: V("p17", 0 * A(xy(12, 14), MV), inter(36)), {"position-scale", "position-offset", "rotary-dimension", "unknown"}, must=says("check.position-scale.evidence_zero") + r"|(?m:^factor 0(\.0)?$)")
P("flux1-amplitude", L1 + " " + THD, lambda: V("p18", A(f1(*L1s), F1), inter(64), change=lambda q, o: o * 1.2), {"amplitude", "vector-scale"})
P("q2vl-image-heads-unrotated-text", "--layout qwen2-vl --grid 6x9 --text 12 --text-after 18 " + THD, lambda: V("p19", A(q2(6, 9, 12, 18) * (np.arange(84) >= 12)[:, None], Q2), half(64)), {"position-offset", "text-start", "position-scale"})
P("flux1-base+pairing", L1 + " " + THD, lambda: V("p20", A(f1(*L1s), axial([16, 56, 56], 500.)), half(64)), {"base", "pairing"})
P("pixtral-adjacent", "--layout pixtral --grid 9x14 " + THD, lambda: V("p21", A(rc(9, 14), pix()), inter(32)), {"pairing"})
P("noise", L1 + " " + THD, lambda: V("p22", A(f1(*L1s), F1), inter(64), change=lambda q, o: rng("n").standard_normal(o.shape)), {"unknown"})
P("flux1-order", L1 + " " + THD, lambda: V("p23", A((lambda x: cat([x[9:], x[:9]]))(f1(*L1s)), F1), inter(64)), {"order"})

W = lambda name, args, fn, acc={"order"}, **k: add("order-" + name, "raster, blocks, windows, order", args, fn, acc, **k)
W("qwenvision-raster-ids", "--layout qwen-vision --grid 12x20", lambda: I(rc(12, 20)))
W("qwenvision-raster-tables", "--layout qwen-vision --grid 16x22", lambda: T(A(rc(16, 22), QV)))
W("qwenvision-raster-vec", "--layout qwen-vision --grid 8x10 " + THD, lambda: V("w3", A(rc(8, 10), QV), half(40)))
W("qwenvision-raster-angles", "--layout qwen-vision --grid 12x20", lambda: {"table": f4(A(rc(12, 20), QV))})
W("moonvit-blocks", "--layout moonvit --grid 18x26", lambda: T(A(blocks(18, 26)[:, ::-1], MV)))
W("pixtral-blocks-ids", "--layout pixtral --grid 18x26", lambda: I(blocks(18, 26)))
W("vitaxial-blocks", "--layout vit-axial --grid 14x20", lambda: T(A(blocks(14, 20)[:, ::-1], VA)))
W("minimax-raster", "--layout minimax-m3-vision --grid 8x10 --frames 2", lambda: T(A(vid(2, 8, 10), MM)))
W("qwenvision-nowindows", "--layout qwen-vision --grid 20x28 --window 8", lambda: T(A(blocks(20, 28), QV)), must="(?i)window")
W("qwenvision-windows-undue", "--layout qwen-vision --grid 20x28", lambda: T(A(blocks(20, 28, 2, 8), QV)), must="(?i)window")
W("qwenvision-window4", "--layout qwen-vision --grid 20x28 --window 8", lambda: T(A(blocks(20, 28, 2, 4), QV)), must="(?i)window")
W("qwenvision-window16-ids", "--layout qwen-vision --grid 20x36 --window 8", lambda: I(blocks(20, 36, 2, 16)), must="(?i)window")
W("qwenvision-raster-for-windows", "--layout qwen-vision --grid 20x28 --window 8", lambda: T(A(rc(20, 28), QV)))
W("qwenvision-merge4", "--layout qwen-vision --grid 16x24", lambda: T(A(blocks(16, 24, 4), QV)))
W("flux1-colmajor", "--layout flux.1 --grid 24x40 --text 8", lambda: T(A(cat([np.zeros((8, 3)), (lambda r: st(0, np.tile(np.arange(24), 40), np.repeat(np.arange(40), 24)))(0)]), F1)))
W("flux1-image-first", L1, lambda: T(A((lambda x: cat([x[9:], x[:9]]))(f1(*L1s)), F1)))
W("flux2-image-first-ids", "--layout flux.2 --grid 12x20 --text 40", lambda: I((lambda x: cat([x[40:], x[:40]]))(f2(12, 20, 40))))
W("zimage-text-first", "--layout z-image --grid 12x16 --text 20", lambda: T(A((lambda x: cat([x[192:], x[:192]]))(zim(12, 16, 20)), FZ)))
W("wan-frames-fastest", "--layout wan --grid 10x16 --frames 4", lambda: T(A(vid(4, 10, 16).reshape(4, 160, 3).transpose(1, 0, 2).reshape(-1, 3), FW)))
W("wan-frame-exchanged", "--layout wan --grid 10x16 --frames 5", lambda: T(A(vid(5, 10, 16).reshape(5, 160, 3)[[0, 3, 2, 1, 4]].reshape(-1, 3), FW)), {"order", "position-offset"}, must="frame|row")
W("hyvideo-frame-exchanged-ids", "--layout hunyuan-video --grid 9x12 --frames 6", lambda: I(vid(6, 9, 12).reshape(6, 108, 3)[[0, 1, 4, 3, 2, 5]].reshape(-1, 3)), {"order", "position-offset"})
W("wan-backwards", "--layout wan --grid 10x16 --frames 3", lambda: T(A(vid(3, 10, 16)[::-1], FW)))
W("wan-frames-backwards", "--layout wan --grid 10x16 --frames 3", lambda: T(A(vid(3, 10, 16).reshape(3, 160, 3)[::-1].reshape(-1, 3), FW)), {"order", "position-offset"})
W("flux2-text-reversed", "--layout flux.2 --grid 12x20 --text 40", lambda: T(A((lambda x: cat([x[:40][::-1], x[40:]]))(f2(12, 20, 40)), F2)), {"order", "position-offset"})
W("flux1-rowstride", "--layout flux.1 --grid 24x40 --text 0", lambda: T(A((lambda i: st(0, i // 44, i % 44))(np.arange(960)), F1)))
W("vjepa2-serpentine", "--layout v-jepa-2 --grid 12x16 --frames 2", lambda: I((lambda x: st(x[:, 0], x[:, 1], np.where(x[:, 1] % 2, 15 - x[:, 2], x[:, 2])))(vid(2, 12, 16))))

G = lambda name, args, fn, acc={"position-offset"}, **k: add("rep-" + name, "repeated frames, steps, wraparound", args, fn, acc, **k)
first_twice = lambda f, h, w: (lambda x: st(np.maximum(x[:, 0] - 1, 0), x[:, 1], x[:, 2]))(vid(f, h, w))
two_two = lambda f, h, w: (lambda x: st(x[:, 0] // 2, x[:, 1], x[:, 2]))(vid(f, h, w))
G("wan-first-3x4x6", "--layout wan --grid 4x6 --frames 3", lambda: T(A(first_twice(3, 4, 6), FW)))
G("wan-first-4x22x36", "--layout wan --grid 22x36 --frames 4", lambda: T(A(first_twice(4, 22, 36), FW)))
G("wan-first-7x18x32", "--layout wan --grid 18x32 --frames 7", lambda: T(A(first_twice(7, 18, 32), FW), bf))
G("wan-first-21x30x52", "--layout wan --grid 30x52 --frames 21", lambda: T(A(first_twice(21, 30, 52), FW), f2_))
G("wan-pairs-6x10x16", "--layout wan --grid 10x16 --frames 6", lambda: T(A(two_two(6, 10, 16), FW)), {"position-offset", "position-format"})
G("wan-pairs-ids", "--layout wan --grid 10x16 --frames 6", lambda: I(two_two(6, 10, 16)), {"position-offset", "position-format"})
G("wan-mid-5x20x34", "--layout wan --grid 20x34 --frames 5", lambda: T(A((lambda x: st(x[:, 0] - (x[:, 0] >= 3), x[:, 1], x[:, 2]))(vid(5, 20, 34)), FW)))
G("wan-still", "--layout wan --grid 20x34 --frames 5", lambda: T(A(vid(5, 20, 34) * [0, 1, 1], FW)), {"position-offset", "position-scale"})
G("hyvideo-last-twice", "--layout hunyuan-video --grid 20x34 --frames 5", lambda: T(A((lambda x: st(np.minimum(x[:, 0], 3), x[:, 1], x[:, 2]))(vid(5, 20, 34)), FH)), {"position-offset", "collision"}, must=r"(?m:^kind clamped$)|" + says("check.runs.axis_of_frames", axis="t", ids=".*3, 3"))
w8 = lambda p: (p + 128) % 256 - 128
G("flux2-int8-ids", "--layout flux.2 --grid 12x20 --text 200", lambda: I(w8(f2(12, 20, 200))), {"position-offset", "position-format"}, must="int8|[-−]128|wrapp|8.bit")
G("flux2-int8-tables", "--layout flux.2 --grid 12x20 --text 200", lambda: T(A(w8(f2(12, 20, 200)), F2)), {"position-offset", "position-format"}, must="int8|[-−]128|wrapp|8.bit")
G("q2vl-int8-tables", "--layout qwen2-vl --grid 14x23 --text 150 --text-after 18", lambda: T(A(w8(q2(14, 23, 150, 18)), Q2)), {"position-offset", "position-format"}, must="int8|[-−]128|wrapp|8.bit|[-−]106|[-−]83")
G("raster-int16-ids", "--layout raster --grid 190x190", lambda: I((np.arange(36100)[:, None] + 32768) % 65536 - 32768), {"position-offset", "position-format"}, must="int16|[-−]32.?768|wrapp|16.bit")
G("raster-int8-tables", "--layout raster --grid 12x20", lambda: T(A(w8(np.arange(240.))[:, None], lad(128)[None])), {"position-offset", "position-format"}, must="int8|[-−]128|wrapp|8.bit")
G("raster-uint8-tables", "--layout raster --grid 20x20", lambda: T(A((np.arange(400.) % 256)[:, None], lad(128)[None])), {"position-offset", "position-format"}, must="uint8|256|wrapp|8.bit")
G("raster-floor4", "--layout raster --grid 12x20", lambda: T(A((np.arange(240) // 4 * 4.)[:, None], lad(128)[None])), {"position-offset", "position-format"})
G("flux1-floor4", "--layout flux.1 --grid 24x36 --text 0", lambda: T(A(f1(24, 36, 0) // 4 * 4, F1)), {"position-offset", "position-format"}, must="4")
G("flux1-floor4-ids", "--layout flux.1 --grid 24x36 --text 0", lambda: I(f1(24, 36, 0) // 4 * 4), {"position-offset", "position-format", "collision"})
G("flux1-floor2-vec", "--layout flux.1 --grid 8x12 --text 0 " + THD, lambda: V("fl2", A(f1(8, 12, 0) // 2 * 2, F1), inter(64)), {"position-offset", "position-format"})
G("flux1-negative", "--layout flux.1 --grid 24x36 --text 0", lambda: T(A(f1(24, 36, 0) * [1, -1, 1], F1)), {"position-scale"})
G("qwenimage-abs", "--layout qwen-image --grid 24x36 --text 6", lambda: T(A(np.abs(qi(24, 36, 6)), F1)), {"position-offset", "position-scale", "centring", "order", "unknown"})
G("pixtral-bf16-ids", "--layout raster --grid 20x40", lambda: T(A(bf(np.arange(800.))[:, None].astype(float), lad(128)[None])), {"position-format"})
G("moonvit-clamp", "--layout moonvit --grid 40x60", lambda: T(A(np.minimum(xy(40, 60), 31), MV)), {"position-offset", "collision"}, must=r"31|(?m:^kind clamped$)")
G("qwenvision-frames-count", "--layout qwen-vision --grid 8x12 --frames 3", lambda: T(A(cat([blocks(8, 12) + [k, 0] for k in range(3)]), QV)), must=r"(?i)frame|\(1, 0\)")

Z = lambda name, args, fn, acc, **k: add("ltx-" + name, "LTX", args, fn, acc, **k)
Z("2-starts-h7", "--layout ltx-2 --grid 5x6 --frames 3 --head 7", lambda: T(ltxA(ltx2(3, 5, 6, start=True), ltx2F(7))), {"position-offset", "centring"})
Z("2-starts-h25", "--layout ltx-2 --grid 12x20 --frames 4 --head 25", lambda: T(ltxA(ltx2(4, 12, 20, start=True), ltx2F(25)), f8), {"position-offset", "centring"})
Z("2-nocausal", "--layout ltx-2 --grid 8x12 --frames 4 --head 9", lambda: T(ltxA(ltx2(4, 8, 12, causal=False), ltx2F(9))), {"position-offset", "centring"})
Z("2-otherhead", "--layout ltx-2 --grid 8x12 --frames 3 --head 9", lambda: T(ltxA(ltx2(3, 8, 12), ltx2F(10))), {"head-order", "frequency-ladder", "position-offset", "position-scale", "profile"}, must="(?i)head")
Z("2-head0-for-20", "--layout ltx-2 --grid 8x12 --frames 3 --head 20", lambda: T(ltxA(ltx2(3, 8, 12), ltx2F(0)), f8), {"head-order", "frequency-ladder", "position-scale", "profile"}, must="(?i)head")
Z("2-notsplit", "--layout ltx-2 --grid 8x12 --frames 3 --head 5", lambda: T(ltxA(ltx2(3, 8, 12), ltxF(128)), f8), {"frequency-ladder", "rotary-dimension", "head-order", "axis-dimensions"}, must="(?i)head|128|own ladder|split")
Z("2-notstretched", "--layout ltx-2 --grid 8x12 --frames 3 --head 16", lambda: T(ltx2(3, 8, 12) @ ltx2F(16)), {"centring"})
Z("2-axes", "--layout ltx-2 --grid 8x12 --frames 3 --head 16", lambda: T(ltxA(ltx2(3, 8, 12)[:, [0, 2, 1]], ltx2F(16))), {"axes-swapped"}, mustnot=rowfirst)
Z("2-sign", "--layout ltx-2 --grid 8x12 --frames 3 --head 3", lambda: T(ltxA(ltx2(3, 8, 12), ltx2F(3)), sign=-1), {"sign"})
Z("video-notstretched", "--layout ltx-video --grid 6x8 --frames 3", lambda: T(ltx(3, 6, 8) @ ltxF(2048), f8), {"centring"})
Z("video-rate30", "--layout ltx-video --grid 6x8 --frames 5", lambda: T(ltxA(ltx(5, 6, 8, 30), ltxF(2048)), f8), {"position-scale", "length"})
Z("video-middles", "--layout ltx-video --grid 6x8 --frames 3", lambda: T(ltxA(ltx(3, 6, 8) + [0, 1 / 128, 1 / 128], ltxF(2048)), f8), {"position-offset", "centring"})

K = lambda name, args, fn, acc, **k: add("misc-" + name, "values, single numbers, lengths, text", args, fn, acc, **k)
def one(d, k, i, j, e): d[k] = d[k].copy(); d[k][i, j] += e; return d
K("flux1-one-number", L1, lambda: one(T(A(f1(*L1s), F1)), "cos", 201, 37, 1e-3), {"*"}, must="201")
K("wan-one-number-large", "--layout wan --grid 30x52 --frames 3", lambda: one(T(A(vid(3, 30, 52), FW)), "sin", 3777, 11, -.25), {"*"}, must="3.?777", mustnot=says("check.ratios.divided", pairs="pair 11") + "|" + says("check.ratios.multiplied", pairs="pair 11"))
K("pixtral-one-number-ids", "--layout pixtral --grid 18x26", lambda: (lambda d: one(d, "ids", 100, 1, 3))(I(rc(18, 26))), {"unknown", "position-offset", "collision"}, must="100")
K("q2vl-one-row", Q2A, lambda: (lambda d: {k: cat([v[:50], v[51:52], v[51:]]) for k, v in d.items()})(T(A(q2(14, 23, 20, 18), Q2))), {"unknown", "position-offset", "collision", "order"}, must="50")
K("flux1-nan-row", L1, lambda: (lambda d: (d["cos"].__setitem__((33, slice(None)), np.nan), d)[1])(T(A(f1(*L1s), F1))), {"unknown", "length", "position-offset"}, must="33", codes={1, 2})
K("flux1-noise", L1, lambda: (lambda g: {"cos": f4(g.uniform(-1, 1, (282, 64))), "sin": f4(g.uniform(-1, 1, (282, 64)))})(rng("noise1")), {"unknown"})
K("wan-noise-unit", "--layout wan --grid 10x16 --frames 4", lambda: T(rng("noise2").uniform(-3, 3, (640, 64))), {"unknown"})
K("ltx2-noise", "--layout ltx-2 --grid 8x12 --frames 3 --head 3", lambda: T(rng("noise3").uniform(-3, 3, (288, 64))), {"unknown"})
K("qwenvision-noise-ids", "--layout qwen-vision --grid 12x20", lambda: I(rng("noise4").integers(0, 1000, (240, 2))), {"unknown"})
K("flux1-amplitude", L1, lambda: T(A(f1(*L1s), F1), amp=1.1386), {"amplitude"}, must="1[.,]138")
K("q3vl-amplitude-f16", "--layout qwen3-vl --grid 10x12 --text 20 --text-after 18", lambda: T(A(q2(10, 12, 20, 18), Q3), f2_, amp=.9), {"amplitude"})
K("flux1-sign", L1, lambda: T(A(f1(*L1s), F1), sign=-1), {"sign"})
K("vitaxial-conj", "--layout vit-axial --grid 14x20", lambda: {"table": np.exp(-1j * A(xy(14, 20), VA)).astype(np.complex64)}, {"sign"})
K("hyvideo-exchanged", "--layout hunyuan-video --grid 9x12 --frames 3", lambda: (lambda d: {"cos": d["sin"], "sin": d["cos"]})(T(A(vid(3, 9, 12), FH))), {"cos-sin-exchanged"})
K("wan-transposed", "--layout wan --grid 10x16 --frames 2", lambda: both(T(A(vid(2, 10, 16), FW)), lambda x: x.T), {"table-transposed"})
K("flux1-pair-missing", L1, lambda: both(T(A(f1(*L1s), F1)), lambda x: x[:, :63]), {"length", "axis-dimensions", "rotary-dimension"}, must="63", codes={1, 2})
K("flux1-mid-pair-missing", L1, lambda: both(T(A(f1(*L1s), F1)), lambda x: np.delete(x, 20, 1)), {"length", "axis-dimensions", "rotary-dimension", "unknown"}, must="63", codes={1, 2})
K("wan-pair-still", "--layout wan --grid 10x16 --frames 4", lambda: T(A(vid(4, 10, 16), FW * (np.arange(64) != 30))), {"unknown", "frequency-ladder"}, must=r"\b30\b")
K("flux1-rank-slice", L1, lambda: both(T(A(f1(*L1s), F1)), lambda x: x[141:]), {"length", "position-offset"}, must="141|slice")
K("flux1-other-size", "--layout flux.1 --size 1024x768 --text 0", lambda: T(A(f1(60, 80, 0), F1)), {"length"}, must="1280x960|60")
K("wan-frame-missing", "--layout wan --grid 10x16 --frames 5", lambda: T(A(vid(4, 10, 16), FW)), {"length"})
K("flux2-text-t", "--layout flux.2 --grid 12x20 --text 40", lambda: T(A((lambda x: cat([x[:40][:, [3, 1, 2, 0]], x[40:]]))(f2(12, 20, 40)), F2)), {"text-start", "axes-swapped"}, must="(?i)text|t and l")
K("flux2-text-zero", "--layout flux.2 --grid 12x20 --text 40", lambda: I(f2(12, 20, 40) * [1, 1, 1, 0]), {"text-start", "position-scale", "position-offset"})
K("flux2-refs-1-2", "--layout flux.2 --grid 12x20 --text 10 --reference-grid 9x11 --reference-grid 6x8", lambda: T(A(f2(12, 20, 10, [(9, 11), (6, 8)], [1, 2]), F2)), {"reference-index"})
K("kontext-ref-0", "--layout flux.1-kontext --grid 12x20 --text 7 --reference-grid 9x11", lambda: I(kontext(12, 20, 7, 9, 11, 0)), {"reference-index"})
K("qwenimage-uncentred", "--layout qwen-image --grid 33x47 --text 20", lambda: T(A(qi(33, 47, 20, (0, 0)), F1)), {"centring"})
K("qwenimage-floor", "--layout qwen-image --grid 33x47 --text 20", lambda: T(A(qi(33, 47, 20, (16, 23)), F1)), {"centring"})
K("qwenimage-text0", "--layout qwen-image --grid 33x47 --text 20", lambda: T(A(qi(33, 47, 20, start=0), F1)), {"text-start"})
K("qwenimage-text-ceil", "--layout qwen-image --grid 33x47 --text 20", lambda: I(qi(33, 47, 20, start=24)), {"text-start"}, must="23")
K("zimage-text-from0", "--layout z-image --grid 12x16 --text 20", lambda: T(A(zim(12, 16, 20, 0), FZ)), {"text-start"})
K("qwenimage-centre+textstart", "--layout qwen-image --grid 33x47 --text 20", lambda: T(A(qi(33, 47, 20, (0, 0), 47), F1)), {"centring", "text-start"})
K("cogview4-noscale", "--layout cogview4 --grid 30x44", lambda: T(A(rc(30, 44), FC)), {"position-scale", "position-offset", "position-format"})
K("wan-base+sign", "--layout wan --grid 10x16 --frames 4", lambda: T(A(vid(4, 10, 16), axial([44, 42, 42], 500.)), sign=-1), {"base", "sign"}, must="500")
K("flux1-freq-bf16", "--layout flux.1 --grid 60x90 --text 0", lambda: T(A(f1(60, 90, 0), bf(F1).astype(float))), {"frequency-format"})
K("hunyuanvl-newline-left-out", "--layout hunyuan-vl --grid 9x14 --text 5 --text-after 6", lambda: T(A(np.delete(hyvl(9, 14, 5, 6), 6 + 15 * np.arange(9) + 14, 0), HV)), {"length"})

# ================================================================ more, after a first look
def stf(tensors, meta=None):                                   # a .safetensors file by hand; tensors: name -> (dtype, shape, bytes)
    h, o, b = {}, 0, b""
    if meta: h["__metadata__"] = meta
    for n, (t, sh, raw) in tensors.items(): h[n] = {"dtype": t, "shape": list(sh), "data_offsets": [o, o + len(raw)]}; o += len(raw); b += raw
    j = json.dumps(h).encode(); j += b" " * (-len(j) % 8); return len(j).to_bytes(8, "little") + j + b
def bfraw(x): return (np.ascontiguousarray(bf(x)).view(np.uint32) >> 16).astype(np.uint16)
def stbf(ang): return stf({"c": ("BF16", ang.shape, bfraw(np.cos(ang)).tobytes()), "s": ("BF16", ang.shape, bfraw(np.sin(ang)).tobytes())})
def csv(x): return "\n".join(",".join(repr(float(v)) for v in r) for r in x).encode() + b"\n"
R("flux1-bf16-safetensors", L1, lambda: (lambda b: {"cos": ("t.safetensors", b, ":c"), "sin": ("t.safetensors", b, ":s")})(stbf(A(f1(*L1s), F1))))
R("flux1-selfsaying", "", lambda: (lambda a: {"_": ("out.safetensors", stf({"cos": ("F32", a.shape, f4(np.cos(a)).tobytes()), "sin": ("F32", a.shape, f4(np.sin(a)).tobytes())}, {"ropescope.layout": "flux.1", "ropescope.options": json.dumps({"grid": "13x21", "text": 9})}))})(A(f1(*L1s), F1)))
R("vitaxial-csv", "--layout vit-axial --grid 7x9", lambda: {"cos": ("c.csv", csv(np.cos(A(xy(7, 9), VA)))), "sin": ("s.csv", csv(np.sin(A(xy(7, 9), VA))))})
R("wan-ids-f16", "--layout wan --grid 10x16 --frames 4", lambda: I(vid(4, 10, 16), np.float16))
R("kontext-reference-part", "--layout flux.1-kontext --grid 12x20 --text 7 --reference-grid 9x11 --part reference", lambda: T(A(kontext(12, 20, 7, 9, 11)[247:], F1)))
R("q2vl-text-decode-1", "--config " + CFG + "qwen2-vl-7b-instruct.json --positions 900", lambda: both(T(900 * lad(128, 1e6)[None]), lambda x: np.broadcast_to(dbl(x)[None, None], (3, 1, 1, 128))))
R("flux1-config", "--config " + CFG + "flux.1-dev.json --size 832x480 --text 6", lambda: T(A(f1(30, 52, 6), F1)))
R("wan-config-vec-1head", "--config " + CFG + "wan2.1-t2v-14b-diffusers.json --grid 8x10 --frames 3 " + THD, lambda: V("wc", A(vid(3, 8, 10), FW), inter(64), 1))
R("qwenimage-config", "--config " + CFG + "qwen-image.json --grid 21x30 --text 6", lambda: T(A(qi(21, 30, 6), F1), f2_))
R("hyvideo-config", "--config " + CFG + "hunyuanvideo.json --grid 9x12 --frames 3", lambda: T(A(vid(3, 9, 12), FH)))
R("flux1-2x2-rows", L1, lambda: {"table": (lambda a: f4(np.stack([np.cos(a), -np.sin(a), np.sin(a), np.cos(a)], -1).reshape(len(a), 256)))(A(f1(*L1s), F1))})
R("pixtral-angles-dbl", "--layout pixtral --grid 17x22", lambda: {"table": f4(dbl(A(rc(17, 22), pix())))})
R("dinov3-BHTd", "--layout dinov3 --grid 14x22", lambda: both(T(A(dino(14, 22), DN())), lambda x: np.broadcast_to(dbl(x)[None, None], (2, 6, 308, 64))))
R("wan-big-f16", "--layout wan --grid 45x80 --frames 21", lambda: T(A(vid(21, 45, 80), FW), f2_))
R("qwenvision-frames", "--layout qwen-vision --grid 8x12 --frames 2 --window 8", lambda: T(A(np.tile(blocks(8, 12, 2, 8), (2, 1)), QV)))
K("wan-noise-75600", "--layout wan --grid 45x80 --frames 21", lambda: T(rng("n75").uniform(-3, 3, (75600, 64)), f2_), {"unknown"})
G("wan-first-21x45x80", "--layout wan --grid 45x80 --frames 21", lambda: T(A(first_twice(21, 45, 80), FW), f2_))
K("flux1-noise-128x128", "--layout flux.1 --grid 128x128 --text 512", lambda: T(rng("n128").uniform(-3, 3, (16896, 64))), {"unknown"})
G("flux1-int8-row", "--layout flux.1 --grid 150x8 --text 0", lambda: T(A(w8(f1(150, 8, 0)), F1)), {"position-offset", "position-format"}, must="int8|[-−]128|wrapp|8.bit")
G("flux1-uint8-row-ids", "--layout flux.1 --grid 270x6 --text 0", lambda: I(f1(270, 6, 0) % 256), {"position-offset", "collision"}, must="256|wrapp|8.bit|255")
D("flux1-62-columns", L1, lambda: both(T(A(f1(*L1s), F1)), lambda x: x[:, :62]), {"length", "axis-dimensions", "rotary-dimension"}, codes={1, 2}, must="62|31")
D("flux1-half-columns", L1, lambda: both(T(A(f1(*L1s), F1)), lambda x: x[:, ::2]), {"length", "rotary-dimension", "axis-dimensions"}, codes={1, 2})
C2 = lambda name, args, fn, need, **k: add("two-" + name, "two mistakes at once", args, fn, set(need), must=None, **k)
C2("flux1-base+axes", "--layout flux.1 --grid 24x40 --text 8", lambda: T(A(f1(24, 40, 8)[:, [0, 2, 1]], axial([16, 56, 56], 256.))), {"base", "axes-swapped"})
C2("flux2-base+image-first", "--layout flux.2 --grid 12x20 --text 40", lambda: T(A((lambda x: cat([x[40:], x[:40]]))(f2(12, 20, 40)), axial([32] * 4, 1e4))), {"base", "order"})
C2("qwenimage-centring+base", "--layout qwen-image --grid 33x47 --text 0", lambda: T(A(qi(33, 47, 0, (0, 0)), axial([16, 56, 56], 5e5))), {"centring", "base"})
C2("wan-amplitude+frames-fastest", "--layout wan --grid 10x16 --frames 4", lambda: T(A(vid(4, 10, 16).reshape(4, 160, 3).transpose(1, 0, 2).reshape(-1, 3), FW), amp=1.2), {"amplitude", "order"})
C2("qwenvision-raster+sign", "--layout qwen-vision --grid 12x20", lambda: T(A(rc(12, 20), QV), sign=-1), {"order", "sign"})
C2("q3vl-contiguous+img+5", "--layout qwen3-vl --grid 10x12 --text 20 --text-after 18", lambda: T(A(q2(10, 12, 20, 18, 1, 5), Q3C)), {"section-layout", "position-offset"})
C2("flux1-vec-halves+axes", L1 + " " + THD, lambda: V("t7", A(f1(*L1s)[:, [0, 2, 1]], F1), half(64)), {"pairing", "axes-swapped"})
C2("pixtral-base+adjacent", "--layout pixtral --grid 9x14 " + THD, lambda: V("t8", A(rc(9, 14), pix(500.)), inter(32)), {"base", "pairing"})
C2("ltx2-sign+axes", "--layout ltx-2 --grid 8x12 --frames 3 --head 3", lambda: T(ltxA(ltx2(3, 8, 12)[:, [0, 2, 1]], ltx2F(3)), sign=-1), {"sign", "axes-swapped"})
W("qwenimage-colmajor", "--layout qwen-image --grid 21x30 --text 5", lambda: T(A((lambda x: cat([x[:5], x[5:].reshape(21, 30, 3).transpose(1, 0, 2).reshape(-1, 3)]))(qi(21, 30, 5)), F1)))
W("ltx2-frames-fastest", "--layout ltx-2 --grid 8x12 --frames 3 --head 14", lambda: T(ltxA(ltx2(3, 8, 12).reshape(3, 96, 3).transpose(1, 0, 2).reshape(-1, 3), ltx2F(14))))
W("qwenvision-block-column-first", "--layout qwen-vision --grid 12x20", lambda: T(A((lambda r, c: (lambda o: st(r[o], c[o]))(np.lexsort((r % 2, c % 2, c // 2, r // 2))))(*grid(1, 12, 20)[1:]), QV)))

def vj(q, ang):                                                # released: angles tiled half after half, neighbours turned
    o = q.astype(float).copy()
    for k in range(3):
        a = np.tile(ang[:, 10 * k:10 * k + 10], 2)[:, None]; x = q[..., 20 * k:20 * k + 20].astype(float)
        y = np.stack([-x[..., 1::2], x[..., 0::2]], -1).reshape(x.shape); o[..., 20 * k:20 * k + 20] = x * np.cos(a) + y * np.sin(a)
    return o
def vjv(name): q = qk(name, 96, 2, 64); return {"before": q, "after": f4(vj(q, A(vid(2, 6, 8), VJ)))}
add("ok-vjepa2-vec-released", "right", "--layout v-jepa-2 --grid 6x8 --frames 2 " + THD, lambda: vjv("vj"), codes={0, 2})
P("vjepa2-true-rotation", "--layout v-jepa-2 --grid 6x8 --frames 2 " + THD, lambda: V("vj2", A(vid(2, 6, 8), VJ), inter(30), 2, 64), {"table-rotation-mismatch", "pairing"}, codes={1, 2})
AL = axial([32] * 3) / np.array([[2.2], [2.], [2.]])
R("allegro", "--layout allegro --grid 10x14 --frames 3", lambda: T(A(vid(3, 10, 14), AL)))
R("allegro-vec", "--layout allegro --grid 10x14 --frames 3 " + THD, lambda: V("al", A(vid(3, 10, 14), AL), axhalf([32] * 3)))
P("allegro-whole-halves", "--layout allegro --grid 10x14 --frames 3 " + THD, lambda: V("al2", A(vid(3, 10, 14), AL), half(48)), {"pairing"})
S("allegro-undivided", "--layout allegro --grid 10x14 --frames 3", lambda: T(A(vid(3, 10, 14), axial([32] * 3))))
FX = axial([16, 24, 24])
R("cogvideox15", "--layout cogvideox-1.5 --grid 10x14 --frames 3", lambda: both(T(A(vid(3, 10, 14), FX)), rep))
R("longcatimage", "--layout longcat-image --grid 10x14 --text 7", lambda: T(A((lambda r, c: cat([st(0, np.arange(7), np.arange(7)), st(1, 7 + r, 7 + c)]))(*grid(1, 10, 14)[1:]), F1)))
LU = np.kron(np.eye(2), np.linspace(1, 5, 16)[None] * np.pi)
R("lucidrains-pixel", "--layout lucidrains-axial --grid 9x14", lambda: T((lambda r, c: st(np.linspace(-1, 1, 9)[r], np.linspace(-1, 1, 14)[c]))(*grid(1, 9, 14)[1:]) @ LU))
S("lucidrains-0-to-1", "--layout lucidrains-axial --grid 9x14", lambda: T((lambda r, c: st(np.linspace(0, 1, 9)[r], np.linspace(0, 1, 14)[c]))(*grid(1, 9, 14)[1:]) @ LU), {"position-scale", "position-offset", "centring"})
R("glm4v-vec", "--layout glm-4v --grid 6x9 --text 5 --text-after 5 " + THD, lambda: V("gl", A(q2(6, 9, 5, 5), GL), inter(32)))
R("ernie45vl-vec", "--layout ernie-4.5-vl --grid 6x9 --text 5 --text-after 5 " + THD, lambda: V("er", A(q2(6, 9, 5, 5), ER), inter(64)))
CH = "--layout custom --axes row:32,column:32 --base 100 --grid 12x20 --pairing half " + THD
R("custom-vec-half", CH, lambda: V("ch", A(rc(12, 20), axial([32, 32], 100.)), half(32)))
P("custom-half-adjacent", CH, lambda: V("ch2", A(rc(12, 20), axial([32, 32], 100.)), inter(32)), {"pairing"})

# ================================================================ runner
def text_of(o):
    out = []
    def walk(x, key=""):
        if key in ("numpy", "seen_in", "fix", "also"): return
        if isinstance(x, dict): [walk(v, k) for k, v in x.items()]
        elif isinstance(x, list): out.append(f"{key} " + " ".join(str(y) for y in x if not isinstance(y, (dict, list)))); [walk(v, key) for v in x if isinstance(v, (dict, list))]
        else: out.append(f"{key} {x}")
    walk({"causes": o.get("causes", []), "notes": o.get("notes", [])}); return "\n".join(out)

def main():
    names = [a for a in sys.argv[1:] if not a.startswith("-")]; keep = "--keep" in sys.argv
    todo = [c for c in CASES if not names or any(c["name"] == n for n in names)] or [c for c in CASES if any(n in c["name"] for n in names)]
    if "--list" in sys.argv: [print(c["name"], "|", c["kind"]) for c in todo]; return
    root = tempfile.mkdtemp(prefix="audit_a_"); fails, slow, count = [], [], {}
    for c in todo:
        d = os.path.join(root, c["name"]); os.makedirs(d); files = c["files"]() if callable(c["files"]) else c["files"]
        cmd = [EXE, "check"] + shlex.split(c["args"])
        for k, v in files.items():
            if isinstance(v, tuple): open(os.path.join(d, v[0]), "wb").write(v[1]); cmd += ([] if k.startswith("_") else ["--" + k]) + ([] if k.startswith("__") else [v[0] + (v[2] if len(v) > 2 else "")])
            else: np.save(os.path.join(d, k + ".npy"), v); cmd += ["--" + k, k + ".npy"]
        cmd += ["--threads", "1"]; t = time.time()
        try: p = subprocess.run(["nice", "-n", "10"] + cmd + ["--json"], cwd=d, capture_output=True, text=True, timeout=60); code, out, err = p.returncode, p.stdout, p.stderr
        except subprocess.TimeoutExpired: code, out, err = 124, "", "timeout"
        sec = time.time() - t; why = []
        try: o = json.loads(out)
        except Exception: o = {}
        cs = [x for x in o.get("causes", []) if not x.get("harmless")]; got = [x["name"] for x in cs]
        if o.get("verdict") == "disagrees" and not got: got = ["unknown"]
        if c["accept"] is None:
            if c["codes"] and code in c["codes"] and code == 2: pass                     # refused with a sentence: right as well
            elif code != 0 or o.get("verdict") != "agrees": why.append("a right dump is not said to agree")
        elif code == 2 and c["codes"] and 2 in c["codes"]:
            if c["must"] and not re.search(c["must"], err): why.append("does not say /" + c["must"] + "/")
        else:
            if code != 1: why.append("exit code is not 1")
            if "*" in c["accept"]: pass                                   # any cause, must and mustnot decide
            elif not set(got) & c["accept"]: why.append("none of " + "/".join(sorted(c["accept"])))
            elif c["kind"].startswith("two") and c["accept"] - set(got): why.append("does not name " + ", ".join(sorted(c["accept"] - set(got))))
            elif set(got) - c["accept"] - {"table-format"}: why.append("also names what is not there: " + ", ".join(sorted(set(got) - c["accept"])))
            tx = text_of(o)
            if c["must"] and not re.search(c["must"], tx): why.append("does not say /" + c["must"] + "/")
            if c["mustnot"] and re.search(c["mustnot"], tx): why.append("says /" + c["mustnot"] + "/")
        ok = not why; k = count.setdefault(c["kind"], [0, 0]); k[0] += 1; k[1] += ok
        said = "; ".join(x["name"] + "".join(f" {a}={json.dumps(b)[:90]}" for a, b in (x.get("parameters") or {}).items()) for x in o.get("causes", []))
        print(f"{'OK  ' if ok else 'FAIL'} {c['name']:34s} {code} {sec:5.1f}s {said or err.strip()[:160]}" + ("" if ok else "   <- " + "; ".join(why)), flush=True)
        for x in cs: print("       advice: " + str(x.get("advice"))[:260].replace("\n", " "))
        if sec > 5: slow.append((c["name"], sec))
        if not ok:
            dst = os.path.join(FAILDIR, c["name"]); shutil.rmtree(dst, ignore_errors=True); shutil.copytree(d, dst)
            line = " ".join(shlex.quote(x) for x in cmd); open(os.path.join(dst, "cmd"), "w").write(line + "\n")
            open(os.path.join(dst, "report.json"), "w").write(out + err); fails.append((c, why, line, dst, said, [(x.get("evidence"), x.get("advice")) for x in o.get("causes", [])], o.get("notes", []), err))
        else: shutil.rmtree(os.path.join(FAILDIR, c["name"]), ignore_errors=True)
        if not keep: shutil.rmtree(d)
    print("\n== failures")
    for c, why, line, dst, said, ev, notes, err in fails:
        print(f"\n{c['name']} ({c['kind']}): {'; '.join(why)}\n  cd {dst} && {line}\n  says: {said or err.strip()[:300]}")
        for e, a in ev: print("  evidence: " + str(e).replace("\n", " ")[:500] + "\n  advice:   " + str(a).replace("\n", " ")[:400])
        for n in notes[:3]: print("  note:     " + str(n)[:300])
    print("\n== totals"); [print(f"{k:40s} {b} of {a} OK") for k, (a, b) in count.items()]
    r = count.get("right", [0, 0]); print(f"right dumps {r[1]} of {r[0]}, mistakes {sum(b for k, (a, b) in count.items() if k != 'right')} of {sum(a for k, (a, b) in count.items() if k != 'right')}")
    print("slower than 5 s: " + (", ".join(f"{n} {s:.1f}s" for n, s in slow) or "none"))
    if keep: print("kept in", root)
    else: shutil.rmtree(root, ignore_errors=True)
    sys.exit(bool(fails))
main()
