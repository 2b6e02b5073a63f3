#!/usr/bin/python3
"""Audit of `ropescope check` and `config` on TEXT models. Every table here is derived from the theory and the released
code by this file alone.   EXE=build/ropescope invented_texts.py [--keep] [--advice] [--list] [NAME ...]
NAME may be a prefix ending in *.  --advice prints the advice of every mistake under its line."""
import json, math, os, re, shutil, struct, subprocess, sys, tempfile, time
import numpy as np
from sentences import says

EXE = os.path.abspath(os.environ.get("EXE", "build/ropescope"))
CONF = os.environ.get("CONFIGS", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared/configs"))
FAIL = os.environ.get("FAILDIR", "audit_fail")
f4, f8 = np.float32, np.float64

# ---------------------------------------------------------------------------------------------- mathematics
def lad(d, b): return float(b) ** (-np.arange(0, d, 2) / d)
def llama3(p, s, lo=1, hi=4, L=8192):
    lam = 2 * np.pi / p
    sm = (L / lam - lo) / (hi - lo) if hi != lo else np.zeros_like(p)
    out = np.where(lam > L / lo, p / s, (1 - sm) * p / s + sm * p)
    return np.where(lam < L / hi, p, out)
def yarn(d, b, s, L, fast=32, slow=1, trunc=True):
    c = lambda r: d * math.log(L / (2 * math.pi * r)) / (2 * math.log(b))
    lo, hi = c(fast), c(slow)
    if trunc: lo, hi = math.floor(lo), math.ceil(hi)
    lo, hi = max(lo, 0), min(hi, d - 1)
    if lo == hi: hi += .001
    g = np.clip((np.arange(d // 2) - lo) / (hi - lo), 0, 1)
    p = lad(d, b)
    return p / s * g + p * (1 - g)
def mscale(s, m=1): return .1 * m * math.log(s) + 1 if s > 1 else 1.
def ntk(d, b, s): return lad(d, b * s ** (d / (d - 2)))
def longamp(s, L): return math.sqrt(1 + math.log(s) / math.log(L))
def ang(inv, pos):                       # as float32 code computes it
    return (np.asarray(pos, f4)[..., None] * np.asarray(inv, f4)).astype(f8)
def tab(inv, pos, amp=1.):
    a = ang(inv, pos)
    return (np.cos(a) * amp).astype(f4), (np.sin(a) * amp).astype(f4)
def tab64(inv, pos, amp=1.):
    a = np.asarray(pos, f8)[..., None] * inv
    return np.cos(a) * amp, np.sin(a) * amp
def bf16(x):
    u = np.ascontiguousarray(x, f4).view(np.uint32)
    return ((u + 0x7fff + ((u >> 16) & 1)) & 0xffff0000).astype(np.uint32).view(f4)
def dbl(x): return np.concatenate([x, x], -1)
def rep(x): return np.repeat(x, 2, -1)
def ggml_cpu(d, b, pos):
    sc = f4(float(b) ** (-2 / d)); t = np.asarray(pos, f4).copy(); out = []
    for _ in range(d // 2): out.append(t.copy()); t = (t * sc).astype(f4)
    a = np.stack(out, -1).astype(f8)
    return np.cos(a).astype(f4), np.sin(a).astype(f4)
def ggml_gpu(d, b, pos):
    sc = f4(float(b) ** (-2 / d)); a = (np.asarray(pos, f4)[:, None] * np.power(sc, np.arange(d // 2).astype(f4)).astype(f4)).astype(f4).astype(f8)
    return np.cos(a).astype(f4), np.sin(a).astype(f4)
def qs(T, H, D, seed=0): return np.random.default_rng(seed).standard_normal((T, H, D)).astype(f4)
def rot(q, c, s, inter=False, first=0, outhalf=False):
    """c, s [T, P]; turns the channels first … first+2P-1 of q [T, H, D]"""
    P = c.shape[-1]; c, s = c[:, None, :].astype(f8), s[:, None, :].astype(f8)
    o = q.astype(f8).copy(); x = q[..., first:first + 2 * P].astype(f8)
    a, b = (x[..., 0::2], x[..., 1::2]) if inter else (x[..., :P], x[..., P:])
    u, v = a * c - b * s, a * s + b * c
    if inter and not outhalf: y = np.stack([u, v], -1).reshape(x.shape)
    else: y = np.concatenate([u, v], -1)
    o[..., first:first + 2 * P] = y
    return o.astype(f4)
def rms(x, w=1.): return (x / np.sqrt((x.astype(f8) ** 2).mean(-1, keepdims=True) + 1e-6) * w).astype(f4)
def safetensors(path, tensors, bf=()):
    h, data = {}, b""
    for k, v in tensors.items():
        if k in bf: raw = (bf16(v).view(np.uint32) >> 16).astype("<u2").tobytes(); t = "BF16"
        else: raw = np.ascontiguousarray(v).tobytes(); t = {"float32": "F32", "float16": "F16", "float64": "F64", "int64": "I64"}[v.dtype.name]
        h[k] = {"dtype": t, "shape": list(v.shape), "data_offsets": [len(data), len(data) + len(raw)]}; data += raw
    j = json.dumps(h).encode(); j += b" " * (-len(j) % 8)
    open(path, "wb").write(struct.pack("<Q", len(j)) + j + data)

# ---------------------------------------------------------------------------------------------- models
def conf(n): return json.load(open(f"{CONF}/{n}.json"))
def llama(theta=10000., hd=128, heads=32, L=4096, scaling=None, mt="llama", arch="LlamaForCausalLM", **kw):
    c = dict(architectures=[arch], model_type=mt, hidden_size=hd * heads, num_attention_heads=heads, num_key_value_heads=8,
             num_hidden_layers=32, max_position_embeddings=L, rope_theta=theta)
    if scaling: c["rope_scaling"] = scaling
    c.update(kw); return c
L3 = dict(factor=8., low_freq_factor=1., high_freq_factor=4., original_max_position_embeddings=8192, rope_type="llama3")
C_l2 = llama()
C_l31 = llama(500000., L=131072, scaling=L3); I_l31 = llama3(lad(128, 5e5), 8)
C_l32 = conf("llama-3.2-1b-instruct"); I_l32 = llama3(lad(64, 5e5), 32)
C_q25y = conf("qwen2.5-7b-instruct-yarn"); I_q25y = yarn(128, 1e6, 4, 32768); A_q25y = mscale(4)
C_q3 = llama(1000000, heads=40, L=40960, mt="qwen3", arch="Qwen3ForCausalLM", head_dim=128, hidden_size=5120)
C_q3y = dict(C_q3, max_position_embeddings=131072); del C_q3y["rope_theta"]
C_q3y["rope_parameters"] = dict(rope_type="yarn", rope_theta=1000000, factor=4.0, original_max_position_embeddings=32768)
C_py = conf("pythia-6.9b"); C_gj = conf("gpt-j-6b"); C_rf = conf("roformer-chinese-base")
C_p35 = conf("phi-3.5-mini-instruct"); SF = np.array(C_p35["rope_scaling"]["short_factor"]); LF = np.array(C_p35["rope_scaling"]["long_factor"])
A_p35 = longamp(32, 4096)
LF4 = 1 + np.arange(48) ** 1.5 * .1; SF4 = np.ones(48)
C_p4 = llama(10000., heads=24, L=131072, mt="phi3", arch="Phi3ForCausalLM", partial_rotary_factor=.75, original_max_position_embeddings=4096,
             scaling=dict(type="longrope", long_factor=list(LF4), short_factor=list(SF4)))
C_dv2 = conf("deepseek-v2-lite"); C_dv3 = conf("deepseek-v3"); I_ds = yarn(64, 1e4, 40, 4096)
C_g2 = conf("gemma-2-2b"); C_g3 = conf("gemma-3-4b-it"); I_g3 = lad(256, 1e6) / 8
C_g4 = conf("gemma-4-26b-a4b"); I_g4 = np.concatenate([lad(512, 1e6)[:64], np.zeros(192)])
C_go = conf("gpt-oss-20b"); I_go = yarn(64, 150000, 32, 4096, trunc=False); A_go = mscale(32)
C_ol = conf("olmo-3.1-32b-instruct"); I_ol = yarn(128, 5e5, 8, 8192)
C_dc = conf("deepseek-coder-6.7b-base"); I_dc = lad(128, 1e5) / 4
C_il = conf("internlm2_5-7b-chat"); C_mx = conf("mixtral-8x7b"); C_cr = conf("command-r-08-2024")
C_st = conf("stablelm-3b-4e1t"); C_p2 = conf("phi-2"); C_sc = conf("llama-4-scout-17b-16e"); I_sc = llama3(lad(128, 5e5), 16, 1, 1)
C_mb = conf("modernbert-base"); C_fa = conf("falcon-40b"); C_c3 = conf("chatglm3-6b-32k"); C_glm = conf("glm-4-9b-chat")
C_q35 = conf("qwen3.5-27b"); C_q2vl = conf("qwen2-vl-7b-instruct"); C_mc = conf("minicpm-v-4")
C_q3vl = json.load(open(f"{CONF}/../reported/as-transformers-mrope/config.json"))
C_q3vlI = json.load(open(f"{CONF}/../reported/08-left-padded-mrope-rows/config.json"))
C_min = json.load(open(f"{CONF}/../reported/ministral-query-scale/config.json")); I_min = yarn(128, 1e6, 16, 16384)

# ---------------------------------------------------------------------------------------------- cases
CASES = []
def case(name, kind, config, files, want, args=(), cmd="check"):
    """files: function -> dict option -> array (or written file); args: more options, {x} is a file of files"""
    assert name not in [c["name"] for c in CASES], name
    CASES.append(dict(name=name, kind=kind, config=config, files=files, want=want, args=list(args), cmd=cmd))
def right(name, config, files, args=(), text=None, exits=(0,)):
    case(name, "right", config, files, dict(exits=exits, agrees=True, text=text), args)
def wrong(name, config, files, ok, args=(), par=None, text=None, adv=None, notadv=None, exits=(1,), slow=None, not_text=None):
    case(name, "mistake", config, files, dict(exits=exits, ok=set(ok.split()), par=par, text=text, adv=adv, notadv=notadv, slow=slow, not_text=not_text), args)
def unapplied(name, config, good, bad, words, args=(), badok="scaling-missing base scaling-kind scaling-parameters rotary-dimension length-switch position-scale length frequency-ladder amplitude"):
    """fields that may not be understood: the right table agrees or exit 2 naming a field; class defaults never agree"""
    case(name + "/right", "unapplied", config, good, dict(exits=(0, 2), agrees=True, words=words), args)
    if bad: case(name + "/default", "unapplied", config, bad, dict(exits=(1, 2), ok=set(badok.split()), words=words), args)
def conv(name, config, args, text, exits=(0,), not_text=None, numpy=None):
    case(name, "config", config, lambda: {}, dict(exits=exits, text=text, not_text=not_text, numpy=numpy), args, "config")
def CS(c, s, **kw): return lambda: dict(cos=c, sin=s, **kw)
def T(inv, pos=np.arange(200), amp=1., f=lambda x: x):
    def make():
        c, s = tab(inv, pos, amp); return dict(cos=f(c), sin=f(s))
    return make
def V(make):
    def go():
        b, a = make(); return dict(before=b, after=a)
    return go
THD = ["--q-layout", "thd"]
N = np.arange
near = lambda key, val, tol=.01: lambda cs: any(isinstance(c["parameters"].get(key), (int, float)) and abs(c["parameters"][key] - val) <= tol * abs(val) or
        isinstance(c["parameters"].get(key), list) and len(c["parameters"][key]) and abs(c["parameters"][key][0] - val) <= tol * abs(val) for c in cs)

# ============================================== right dumps
right("r-llama31-doubled", C_l31, T(I_l31, N(512), f=dbl))
right("r-llama32-f16", C_l32, T(I_l32, N(300), f=lambda x: dbl(x).astype(np.float16)))
right("r-llama32-bf16-in-f32", C_l32, T(I_l32, N(300), f=lambda x: dbl(bf16(x))))
right("r-llama31-bf16-far", C_l31, T(I_l31, N(100000, 100200), f=lambda x: dbl(bf16(x))), ["--positions", "100000:100199"])
right("r-qwen25-yarn-BTd", C_q25y, T(I_q25y, N(256), A_q25y, f=lambda x: np.stack([dbl(x)] * 2)))
right("r-qwen3", C_q3, T(lad(128, 1e6), N(1024), f=dbl))
right("r-qwen3-yarn-rope_parameters", C_q3y, T(I_q25y, N(333), A_q25y, f=lambda x: dbl(x)[None]))
right("r-pythia-11Td", C_py, T(lad(32, 1e4), N(2048), f=lambda x: dbl(x)[None, None]))
right("r-gptj-sincos", C_gj, lambda: dict(table=np.concatenate(tab(lad(64, 1e4), N(2048))[::-1], -1)))
right("r-gptj-sincos-f16", C_gj, lambda: dict(table=np.concatenate(tab(lad(64, 1e4), N(700))[::-1], -1).astype(np.float16)))
right("r-roformer-sincos", C_rf, lambda: dict(table=np.concatenate(tab(lad(64, 1e4), N(1536))[::-1], -1)))
right("r-roformer-char-sincos", conf("roformer-chinese-char-base"), lambda: dict(table=np.concatenate(tab(lad(64, 1e4), N(512))[::-1], -1)))
right("r-gptj-repeat-interleave", C_gj, T(lad(64, 1e4), N(300), f=rep))
right("r-phi35-short", C_p35, T(lad(96, 1e4) / SF, N(900), A_p35, f=dbl))
right("r-phi35-long", C_p35, T(lad(96, 1e4) / LF, N(0, 8192, 16), A_p35, f=dbl), ["--positions", "0:8191:16", "--length", "8192"])
right("r-phi35-long-by-reach", C_p35, T(lad(96, 1e4) / LF, N(6000), A_p35))
right("r-phi4mini-short", C_p4, T(lad(96, 1e4) / SF4, N(500), A_p35, f=dbl))
right("r-phi4mini-long", C_p4, T(lad(96, 1e4) / LF4, N(20000, 20100), A_p35, f=dbl), ["--positions", "20000:20099", "--length", "32768"])
right("r-dsv2lite", C_dv2, T(I_ds, N(400), f=dbl))
right("r-dsv3-complex", C_dv3, lambda: dict(table=(lambda c, s: (c + 1j * s).astype(np.complex64))(*tab(I_ds, N(4096)))))
right("r-gemma2", C_g2, T(lad(256, 1e4), N(256), f=dbl))
right("r-gemma3-global", C_g3, T(I_g3, N(256), f=dbl))
right("r-gemma3-sliding", C_g3, T(lad(256, 1e4), N(256), f=dbl))
right("r-gemma3-global-profile-bf16", C_g3, T(I_g3, N(2000), f=lambda x: bf16(dbl(x))), ["--profile", "full attention"])
right("r-gemma4-full", C_g4, T(I_g4, N(300), f=dbl))
right("r-gemma4-sliding", C_g4, T(lad(256, 1e4), N(300), f=dbl))
right("r-gptoss", C_go, T(I_go, N(500), A_go))
right("r-olmo3-full", C_ol, T(I_ol, N(300), 1.2079441541679836, f=dbl))
right("r-olmo3-sliding", C_ol, T(lad(128, 5e5), N(300), f=dbl))
right("r-command-r-rep", C_cr, T(lad(128, 4e6), N(300), f=rep))
right("r-stablelm", C_st, T(lad(20, 1e4), N(300), f=dbl))
right("r-phi2", C_p2, T(lad(32, 1e4), N(300), f=dbl))
right("r-llama4-scout-complex", C_sc, lambda: dict(table=(lambda c, s: (c + 1j * s).astype(np.complex64))(*tab(I_sc, N(500)))))
right("r-modernbert-global", C_mb, T(lad(64, 160000), N(512), f=dbl))
right("r-modernbert-local", C_mb, T(lad(64, 10000), N(512), f=dbl))
right("r-falcon40b", C_fa, T(lad(64, 10000), N(512), f=dbl))
right("r-chatglm3-pairs2", C_c3, lambda: dict(table=np.stack(tab(lad(64, 5e5), N(512)), -1)))
right("r-glm4-pairs2-f16", C_glm, lambda: dict(table=np.stack(tab(lad(64, 5e6), N(512)), -1).astype(np.float16)))
right("r-internlm-plain", C_il, T(lad(128, 1e6), N(512), f=dbl))
right("r-internlm-dynamic", C_il, T(lad(128, 1e6 * (2 * 65536 / 32768 - 1) ** (128 / 126)), N(0, 65536, 64), f=dbl), ["--positions", "0:65535:64", "--length", "65536"])
right("r-deepseek-coder-linear", C_dc, T(I_dc, N(300), f=dbl))
right("r-mixtral", C_mx, T(lad(128, 1e6), N(300), f=dbl))
right("r-qwen35-partial", C_q35, T(lad(64, 1e7), N(300), f=dbl))
right("r-qwen2vl-text-3BTd", C_q2vl, T(lad(128, 1e6), N(100), f=lambda x: np.broadcast_to(dbl(x), (3, 1, 100, 128)).copy()))
right("r-qwen3vl-text", C_q3vlI, T(lad(128, 5e6), N(200), f=dbl))
right("r-minicpmv4", C_mc, T(lad(128, 1e4) / np.array(C_mc["rope_scaling"]["short_factor"]), N(300), f=dbl))
right("r-ministral-table", C_min, T(I_min, N(0, 40000, 100), f=dbl), ["--positions", "0:39999:100"])
# storages and forms
right("r-angles-pairs", C_l31, lambda: dict(table=ang(I_l31, N(300)).astype(f4)))
right("r-angles-doubled", C_l31, lambda: dict(table=dbl(ang(I_l31, N(300)).astype(f4))))
right("r-angles-doubled-qwen3", C_q3, lambda: dict(table=dbl(ang(lad(128, 1e6), N(5000)).astype(f4))[None]))
right("r-vllm-cossin", C_q3, lambda: dict(table=np.concatenate(tab(lad(128, 1e6), N(4096)), -1)))
right("r-vllm-cossin-bf16", C_l31, lambda: dict(table=bf16(np.concatenate(tab(I_l31, N(1024)), -1))))
right("r-stacked-2TP", C_l32, lambda: dict(table=np.stack(tab(I_l32, N(256)))))
right("r-matrices", C_l2, lambda: dict(table=(lambda c, s: np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2))(*tab(lad(128, 1e4), N(100)))))
right("r-float64", C_l31, lambda: dict(zip(("cos", "sin"), tab64(I_l31, N(300)))))
right("r-float64-far", C_q25y, lambda: dict(zip(("cos", "sin"), tab64(I_q25y, N(120000, 120100), A_q25y))), ["--positions", "120000:120099"])
right("r-sign-baked", C_l2, lambda: (lambda c, s: dict(cos=dbl(c), sin=np.concatenate([-s, s], -1)))(*tab(lad(128, 1e4), N(200))))
right("r-ggml-cpu-4096", C_l2, lambda: dict(zip(("cos", "sin"), ggml_cpu(128, 1e4, N(4096)))))
right("r-ggml-gpu-4096", C_l2, lambda: dict(zip(("cos", "sin"), ggml_gpu(128, 1e4, N(4096)))))
right("r-ggml-cpu-qwen3-1e6", C_q3, lambda: dict(zip(("cos", "sin"), ggml_cpu(128, 1e6, N(4096)))))
right("r-frequencies", C_l31, lambda: dict(frequencies=I_l31.astype(f4)))
right("r-frequencies-phi35", C_p35, lambda: dict(frequencies=(lad(96, 1e4) / SF).astype(f4)))
right("r-safetensors-bf16", C_l31, lambda: dict(_st=("x.safetensors", dict(zip(("cos", "sin"), tab(I_l31, N(300)))), ("cos", "sin"))), ["--cos", "x.safetensors:cos", "--sin", "x.safetensors:sin"])
# positions
right("r-decode-B1D", C_l31, T(I_l31, [4000], f=lambda x: np.stack([dbl(x)] * 4)), ["--positions", "4000"])
right("r-decode-1D-bf16", C_q3, T(lad(128, 1e6), [30001], f=lambda x: bf16(dbl(x))), ["--positions", "30001"])
right("r-slice-rank1", C_l31, T(I_l31, N(512, 1024), f=dbl), ["--positions", "512:1023"])
right("r-ring-ends", C_l31, T(I_l31, np.r_[0:128, 896:1024], f=dbl), ["--positions", "0:127,896:1023"])
right("r-ring-ends-file", C_q3, lambda: dict(T(lad(128, 1e6), np.r_[256:512, 1536:1792], f=dbl)(), positions=np.r_[256:512, 1536:1792]))
right("r-restart-cumulative", C_l31, T(I_l31, np.r_[0:100, 0:56, 0:200], f=dbl), ["--positions", "cumulative:0,100,156,356"])
right("r-restart-file", C_py, lambda: dict(T(lad(32, 1e4), np.r_[0:60, 0:68])(), positions=np.r_[0:60, 0:68]))
right("r-rows-padded-nan", C_l2, lambda: {k: np.concatenate([v, np.full((7, 128), np.nan, f4)]) for k, v in T(lad(128, 1e4), N(93), f=dbl)().items()}, ["--rows", "0:93"])
right("r-rows-leftpad", C_q3, lambda: {k: np.concatenate([np.repeat(v[1:2], 9, 0), v]) for k, v in T(lad(128, 1e6), N(80), f=dbl)().items()}, ["--rows", "9:89", "--positions", "0:79"])
right("r-leftpad-positions-file", C_l31, lambda: dict(T(I_l31, np.r_[[1] * 6, 0:94], f=dbl)(), positions=np.r_[[1] * 6, 0:94]))
right("r-ids-BT", C_l31, lambda: dict(ids=np.stack([N(100)] * 2)))
right("r-ids-1T", C_l31, lambda: dict(ids=N(100)[None]))
right("r-ids-and-table", C_q3, lambda: dict(T(lad(128, 1e6), N(100), f=dbl)(), ids=N(100)))
right("r-positions-far-1M", llama(5e7, L=1048576), T(lad(128, 5e7), N(1000000, 1000128), f=dbl), ["--positions", "1000000:1000127"])
# vectors
def vec(cfg, inv, H, D, T_=64, inter=False, first=0, amp=1., pos=None, outhalf=False, fmt=lambda x: x, seed=0):
    def go():
        p = N(T_) if pos is None else pos; q = fmt(qs(len(p), H, D, seed))
        return dict(before=q, after=fmt(rot(q.astype(f4), *tab(inv, p, amp), inter, first, outhalf)))
    return go
right("r-v-llama31", C_l31, vec(0, I_l31, 4, 128), THD)
right("r-v-llama31-f16", C_l31, vec(0, I_l31, 4, 128, fmt=lambda x: x.astype(np.float16)), THD)
right("r-v-llama2-bf16-in-f32", C_l2, vec(0, lad(128, 1e4), 4, 128, fmt=bf16), THD)
right("r-v-qwen3-htd", C_q3, lambda: {k: v.transpose(1, 0, 2).copy() for k, v in vec(0, lad(128, 1e6), 6, 128)().items()}, ["--q-layout", "htd"])
right("r-v-gptj-partial", C_gj, vec(0, lad(64, 1e4), 4, 256, inter=True), THD)
right("r-v-pythia-partial", C_py, vec(0, lad(32, 1e4), 4, 128), THD)
right("r-v-roformer", C_rf, vec(0, lad(64, 1e4), 4, 64, inter=True), THD)
right("r-v-dsv3-original-192", C_dv3, vec(0, I_ds, 4, 192, inter=True, first=128), THD)
right("r-v-dsv3-hf-halves-out", C_dv3, vec(0, I_ds, 4, 192, inter=True, first=128, outhalf=True), THD)
right("r-v-dsv2-kpe-64", C_dv2, vec(0, I_ds, 1, 64, inter=True), THD)
right("r-v-phi35-amp", C_p35, vec(0, lad(96, 1e4) / SF, 4, 96, amp=A_p35), THD)
right("r-v-phi4mini-partial", C_p4, vec(0, lad(96, 1e4), 3, 128, amp=A_p35), THD)
right("r-v-gemma4-full", C_g4, vec(0, I_g4, 2, 512), THD)
right("r-v-chatglm3", C_c3, vec(0, lad(64, 5e5), 2, 128, inter=True), THD)
right("r-v-command-r", C_cr, vec(0, lad(128, 4e6), 2, 128, inter=True), THD)
right("r-v-qwen25-yarn", C_q25y, vec(0, I_q25y, 4, 128, amp=A_q25y), THD)
right("r-v-decode-rows", C_l31, vec(0, I_l31, 8, 128, pos=N(2044, 2048)), THD + ["--positions", "2044:2047"])
right("r-v-decode-one", C_q3, vec(0, lad(128, 1e6), 8, 128, pos=N(4095, 4096)), THD + ["--positions", "4095"])
right("r-v-k-repeated", C_l31, lambda: (lambda k: dict(before=k["before"], after=np.repeat(k["after"], 4, 1)))(vec(0, I_l31, 2, 128)()), THD)
right("r-v-ministral-no-scale", C_min, vec(0, I_min, 2, 128, pos=N(0, 16000, 500)), THD + ["--positions", "0:15999:500"])

# ============================================== mistakes: tables
def B(name, cfg, inv, base, amp=1., truth=None, pos=N(200), f=dbl, ok="base", **kw):
    wrong(name, cfg, T(inv, pos, amp, f), ok, par=near("base", base), adv=truth, **kw)
B("w-base-llama2", C_l2, lad(128, 5e5), 5e5, truth="10000")
B("w-base-qwen3", C_q3, lad(128, 1e4), 1e4, truth="1000000")
B("w-base-llama31-ladder", C_l31, llama3(lad(128, 1e4), 8), 1e4, truth="500000")
B("w-base-gemma2-f16", C_g2, lad(256, 1e6), 1e6, truth="10000", f=lambda x: dbl(x).astype(np.float16))
B("w-base-mixtral-bf16", C_mx, lad(128, 1e4), 1e4, truth="1000000", f=lambda x: dbl(bf16(x)))
B("w-base-gptoss", C_go, yarn(64, 1e4, 32, 4096, trunc=False), 1e4, A_go, truth="150000", f=lambda x: x)
B("w-base-chatglm3-ratio", C_c3, lad(64, 1e4), 1e4, truth="500000", f=lambda x: x)
B("w-base-modernbert", C_mb, lad(64, 5e5), 5e5, f=dbl)
B("w-base-slight", C_l31, llama3(lad(128, 500500.), 8), 500500, pos=N(2000))
B("w-base-command-r", C_cr, lad(128, 8e6), 8e6, f=rep, truth="4000000")
wrong("w-base-gemma3-global", C_g3, T(lad(256, 1e4) / 8, f=dbl), "base", par=near("base", 1e4), args=["--profile", "full attention"])
wrong("w-gemma3-sliding-with-global-base", C_g3, T(lad(256, 1e6), f=dbl), "base scaling-missing profile scaling-parameters")
wrong("w-gemma3-sliding-scaled", C_g3, T(lad(256, 1e4) / 8, f=dbl), "base scaling-kind profile position-scale scaling-parameters", args=["--profile", "sliding attention"])
wrong("w-olmo3-full-plain", C_ol, T(lad(128, 5e5), f=dbl), "profile scaling-missing", args=["--profile", "full attention"])
wrong("w-base-frequencies", C_q3, lambda: dict(frequencies=lad(128, 1e4).astype(f4)), "base", par=near("base", 1e4))
wrong("w-base-angles-doubled", C_q3, lambda: dict(table=dbl(ang(lad(128, 1e4), N(200)).astype(f4))), "base", par=near("base", 1e4))
wrong("w-base-gptj-sincos", C_gj, lambda: dict(table=np.concatenate(tab(lad(64, 5e5), N(300))[::-1], -1)), "base", par=near("base", 5e5))
# rotary dimension
RD = "rotary-dimension"
wrong("w-rd-pythia-whole", C_py, T(lad(128, 1e4), f=dbl), RD)
wrong("w-rd-pythia-head-exponent", C_py, T(lad(128, 1e4)[:16], f=dbl), RD)
wrong("w-rd-llama2-half", C_l2, T(lad(64, 1e4), f=dbl), RD + " length", text="64")
wrong("w-rd-llama2-double", C_l2, T(lad(256, 1e4), f=dbl), RD, adv=r"\b128\b")
wrong("w-rd-llama31-64-of-128", C_l31, T(llama3(lad(64, 5e5), 8), f=dbl), RD + " length", text="64")
wrong("w-rd-llama31-64-pairs", C_l31, T(llama3(lad(64, 5e5), 8)), RD + " length")
wrong("w-rd-llama31-freqs-64", C_l31, lambda: dict(frequencies=llama3(lad(64, 5e5), 8).astype(f4)), RD + " length")
wrong("w-rd-half-twice-llama3", C_l31, T(llama3(lad(64, 5e5), 8), N(300), f=dbl), RD + " length")
wrong("w-rd-half-twice-yarn", C_q25y, T(yarn(64, 1e6, 4, 32768), N(300), A_q25y, f=dbl), RD + " length")
wrong("w-rd-half-twice-x4", C_q3, T(lad(64, 1e6), N(300), f=lambda x: dbl(dbl(x))), RD + " frequency-ladder pairing")
wrong("w-rd-gptj-head-256", C_gj, T(lad(256, 1e4)[:32], f=rep), RD)
wrong("w-rd-phi2-80", C_p2, T(lad(80, 1e4), f=dbl), RD)
wrong("w-rd-phi2-exponent-80", C_p2, T(lad(80, 1e4)[:16], f=dbl), RD)
wrong("w-rd-stablelm-80", C_st, T(lad(80, 1e4)[:10], f=dbl), RD)
wrong("w-rd-chatglm-128", C_c3, T(lad(128, 5e5)), RD)
wrong("w-rd-dsv3-192", C_dv3, T(yarn(192, 1e4, 40, 4096)), RD + " length", adv=r"\b64\b")
wrong("w-rd-qwen35-whole", C_q35, T(lad(256, 1e7), f=dbl), RD)
wrong("w-rd-gemma4-as-plain-partial", C_g4, T(lad(128, 1e6), f=dbl), RD + " length frequency-ladder scaling-kind scaling-missing", args=["--profile", "full attention"], notadv=says("check.rotary-dimension.advice_fraction", due="512") + "|" + says("check.rotary-dimension.advice_live", due="512"))
wrong("w-rd-gemma4-all-turn", C_g4, T(lad(512, 1e6), f=dbl), RD + " scaling-missing scaling-parameters", args=["--profile", "full attention"])
wrong("w-rd-gemma4-half-live", C_g4, T(np.concatenate([lad(512, 1e6)[:128], np.zeros(128)]), f=dbl), RD + " scaling-parameters", args=["--profile", "full attention"])
wrong("w-rd-roformer-768", C_rf, T(lad(768, 1e4)), RD + " length", adv=r"\b64\b")
# ladder
wrong("w-ladder-inclusive-llama2", C_l2, T(1e4 ** (-N(64) / 63.), f=dbl), "frequency-ladder")
wrong("w-ladder-inclusive-qwen3", C_q3, T(1e6 ** (-N(64) / 63.), f=dbl), "frequency-ladder")
wrong("w-ladder-inclusive-pythia", C_py, T(1e4 ** (-N(16) / 15.), f=dbl), "frequency-ladder")
wrong("w-ladder-from-1", C_q3, T(1e6 ** (-N(1, 65) / 64.), f=dbl), "frequency-ladder")
wrong("w-ladder-reversed", C_g2, T(lad(256, 1e4)[::-1], f=dbl), "frequency-ladder")
wrong("w-ladder-reciprocal", C_l2, T(1 / lad(128, 1e4), N(64), f=dbl), "frequency-ladder")
wrong("w-ladder-i-over-d", C_q3, T(1e6 ** (-N(64) / 128.), f=dbl), "frequency-ladder rotary-dimension base")
wrong("w-ladder-one-pair-other", C_q3, T(np.where(N(64) == 20, 1.3, 1) * lad(128, 1e6), f=dbl), "unknown frequency-ladder", text=r"pair\D{0,12}20|20")
wrong("w-ladder-inclusive-l31", C_l31, T(llama3(5e5 ** (-N(64) / 63.), 8), f=dbl), "frequency-ladder base")
# values
wrong("w-sign-table", C_l31, lambda: (lambda c, s: dict(cos=dbl(c), sin=dbl(-s)))(*tab(I_l31, N(200))), "sign")
wrong("w-sign-complex", C_dv3, lambda: dict(table=(lambda c, s: (c - 1j * s).astype(np.complex64))(*tab(I_ds, N(400)))), "sign")
wrong("w-cossin-exchanged", C_q3, lambda: (lambda c, s: dict(cos=dbl(s), sin=dbl(c)))(*tab(lad(128, 1e6), N(200))), "cos-sin-exchanged")
wrong("w-transposed", C_l2, T(lad(128, 1e4), N(100), f=lambda x: x.T.copy()), "table-transposed")
wrong("w-identity-table", C_l2, lambda: dict(cos=np.ones((100, 128), f4), sin=np.zeros((100, 128), f4)), "position-scale position-offset unknown scaling-parameters position-format")
wrong("w-all-zero", C_l2, lambda: dict(cos=np.zeros((100, 128), f4), sin=np.zeros((100, 128), f4)), "amplitude unknown")
wrong("w-amp-yarn-missing", C_q25y, T(I_q25y, f=dbl), "amplitude", adv=r"1\.13")
wrong("w-amp-yarn-twice", C_q25y, T(I_q25y, amp=A_q25y ** 2, f=dbl), "amplitude", text="1\\.13|squared|twice")
wrong("w-amp-gptoss-missing", C_go, T(I_go), "amplitude", adv=r"1\.34")
wrong("w-amp-phi35-missing", C_p35, T(lad(96, 1e4) / SF, f=dbl), "amplitude", adv=r"1\.19")
wrong("w-amp-phi35-squared", C_p35, T(lad(96, 1e4) / SF, amp=A_p35 ** 2, f=dbl), "amplitude")
wrong("w-amp-dsv3-mscale", C_dv3, T(I_ds, amp=mscale(40)), "amplitude", notadv=r"1\.368")
wrong("w-amp-dsv2-inverse", C_dv2, T(I_ds, amp=1 / mscale(40, .707)), "amplitude")
wrong("w-amp-llama-yarnlike", C_l2, T(lad(128, 1e4), amp=1.1386, f=dbl), "amplitude")
wrong("w-amp-olmo-fp16", C_ol, T(I_ol, amp=1., f=lambda x: dbl(x).astype(np.float16)), "amplitude", args=["--profile", "full attention"])
# scaling
wrong("w-sm-llama31", C_l31, T(lad(128, 5e5), f=dbl), "scaling-missing", adv="llama3")
wrong("w-sm-llama32", C_l32, T(lad(64, 5e5), N(3000), f=lambda x: bf16(dbl(x))), "scaling-missing", adv="llama3")
wrong("w-sm-qwen25-yarn", C_q25y, T(lad(128, 1e6), f=dbl), "scaling-missing amplitude", adv="yarn")
wrong("w-sm-qwen25-yarn-amp-kept", C_q25y, T(lad(128, 1e6), amp=A_q25y, f=dbl), "scaling-missing", adv="yarn")
wrong("w-sm-phi35", C_p35, T(lad(96, 1e4), f=dbl), "scaling-missing amplitude")
wrong("w-sm-linear", C_dc, T(lad(128, 1e5), f=dbl), "scaling-missing", adv="linear")
wrong("w-sm-dsv3", C_dv3, T(lad(64, 1e4)), "scaling-missing", adv="yarn")
wrong("w-sp-llama3-factor-32", C_l31, T(llama3(lad(128, 5e5), 32), f=dbl), "scaling-parameters", par=near("factor", 32))
wrong("w-sp-llama32-factor-8", C_l32, T(llama3(lad(64, 5e5), 8), N(1000), f=dbl), "scaling-parameters", par=near("factor", 8))
wrong("w-sp-yarn-factor-2", C_q25y, T(yarn(128, 1e6, 2, 32768), amp=mscale(2), f=dbl), "scaling-parameters amplitude", par=near("factor", 2))
wrong("w-sp-linear-8", C_dc, T(lad(128, 1e5) / 8, f=dbl), "scaling-parameters", par=near("factor", 8))
wrong("w-sp-gemma3-factor-4", C_g3, T(lad(256, 1e6) / 4, f=dbl), "scaling-parameters", par=near("factor", 4), args=["--profile", "full attention"])
wrong("w-sp-yarn-L", C_dv3, T(yarn(64, 1e4, 40, 163840)), "scaling-parameters")
wrong("w-sp-yarn-betafast-16", C_q25y, T(yarn(128, 1e6, 4, 32768, 16), amp=A_q25y, f=dbl), "scaling-parameters")
wrong("w-sp-gptoss-truncate", C_go, T(yarn(64, 150000, 32, 4096), amp=A_go), "scaling-parameters scaling-kind", text="truncat")
wrong("w-sp-llama3-high-8", C_l31, T(llama3(lad(128, 5e5), 8, 1, 8), f=dbl), "scaling-parameters", text='high')
wrong("w-sp-llama3-L-131072", C_l31, T(llama3(lad(128, 5e5), 8, L=131072), N(4000), f=dbl), "scaling-parameters", text='131072|131 072|131')
wrong("w-sk-llama3-linear", C_l31, T(lad(128, 5e5) / 8, f=dbl), "scaling-kind", text="linear")
wrong("w-sk-llama3-ntk", C_l31, T(ntk(128, 5e5, 8), f=dbl), "scaling-kind", text="ntk")
wrong("w-sk-llama3-yarn", C_l31, T(yarn(128, 5e5, 8, 8192), f=dbl), "scaling-kind", text="yarn|by-parts|parts")
wrong("w-sk-linear-ntk", C_dc, T(ntk(128, 1e5, 4), f=dbl), "scaling-kind", text="ntk")
wrong("w-sk-yarn-linear", C_q25y, T(lad(128, 1e6) / 4, amp=A_q25y, f=dbl), "scaling-kind", text="linear")
wrong("w-sk-yarn-linear-noamp", C_q25y, T(lad(128, 1e6) / 4, f=dbl), "scaling-kind amplitude", text="linear")
wrong("w-sk-yarn-ntk", C_dv2, T(ntk(64, 1e4, 40), N(600)), "scaling-kind", text="ntk")
wrong("w-sk-yarn-inverted", C_dv3, T(lad(64, 1e4) * 41 / 40 - I_ds, N(600)), "scaling-kind")
wrong("w-sk-ntk-where-linear-gemma3", C_g3, T(ntk(256, 1e6, 8), f=dbl), "scaling-kind scaling-missing base", args=["--profile", "full attention"])
wrong("w-ls-phi35-long-at-short", C_p35, T(lad(96, 1e4) / LF, amp=A_p35, f=dbl), "length-switch")
wrong("w-ls-phi35-short-at-long", C_p35, T(lad(96, 1e4) / SF, N(0, 8192, 16), A_p35, f=dbl), "length-switch", args=["--positions", "0:8191:16", "--length", "8192"])
wrong("w-ls-internlm-other-length", C_il, T(lad(128, 1e6 * (2 * 131072 / 32768 - 1) ** (128 / 126)), N(0, 65536, 64), f=dbl), "length-switch", args=["--positions", "0:65535:64", "--length", "65536"])
wrong("w-sm-internlm-plain-at-64k", C_il, T(lad(128, 1e6), N(0, 65536, 64), f=dbl), "scaling-missing length-switch", args=["--positions", "0:65535:64", "--length", "65536"])
wrong("w-two-base-offset", C_q3, T(lad(128, 1e4), N(1, 201), f=dbl), "base position-offset", par=near("base", 1e4))
wrong("w-two-base-sign", C_q3, lambda: (lambda c, s: dict(cos=dbl(c), sin=dbl(-s)))(*tab(lad(128, 1e4), N(200))), "base sign", par=near("base", 1e4))
wrong("w-two-missing-offset", C_l31, T(lad(128, 5e5), N(3, 203), f=dbl), "scaling-missing position-offset")
# positions
PO = "position-offset"
NOSCORE = says("check.position-offset.evidence") + "|" + says("check.note.common_shift")
wrong("w-po-plus1", C_l31, T(I_l31, N(1, 201), f=dbl), PO, par=near("offset", 1))
wrong("w-po-minus1-f16", C_q3, T(lad(128, 1e6), N(-1, 199), f=lambda x: dbl(x).astype(np.float16)), PO, par=near("offset", -1))
wrong("w-po-rank-slice-0", C_l31, T(I_l31, N(512), f=dbl), PO, args=["--positions", "512:1023"], par=near("offset", -512), not_text=NOSCORE)
wrong("w-po-decode-rows-0", C_q3, T(lad(128, 1e6), np.r_[0:192, 0:8], f=dbl), PO)
wrong("w-po-decode-rows-off1", C_q3, T(lad(128, 1e6), np.r_[0:192, 193:201], f=dbl), PO, text="192")
wrong("w-po-one-decode-step", C_l31, T(I_l31, [4001], f=dbl), PO, args=["--positions", "4000"], not_text=NOSCORE)
wrong("w-po-decode-step-0", C_l31, T(I_l31, [0], f=dbl), PO + " position-scale unknown", args=["--positions", "4000"])
wrong("w-po-restart", C_l31, T(I_l31, np.r_[0:120, 0:80], f=dbl), PO, text="120|restart")
wrong("w-po-no-restart", C_l31, T(I_l31, N(200), f=dbl), PO, args=["--positions", "cumulative:0,120,200"])
wrong("w-po-ring-contiguous", C_l31, T(I_l31, N(256), f=dbl), PO, args=["--positions", "0:127,896:1023"])
wrong("w-po-ring-swapped", C_l31, T(I_l31, np.r_[896:1024, 0:128], f=dbl), PO + " order", args=["--positions", "0:127,896:1023"])
wrong("w-po-leftpad", C_q3, T(lad(128, 1e6), np.r_[[1] * 6, 0:94], f=dbl), PO + " position-format")
wrong("w-po-clamped", C_l2, T(lad(128, 1e4), np.minimum(N(200), 150), f=dbl), PO + " position-format", text="150|clamp")
wrong("w-po-modulo-64", C_l2, T(lad(128, 1e4), N(200) % 64, f=dbl), PO, text="64|wrap|restart")
wrong("w-po-floor4", C_q3, T(lad(128, 1e6), N(200) // 4 * 4, f=dbl), PO + " position-format position-scale")
wrong("w-po-floor4div", C_q3, T(lad(128, 1e6), N(200) // 4, f=dbl), PO + " position-format position-scale")
wrong("w-po-int8", C_q3, T(lad(128, 1e6), N(200).astype(np.int8), f=dbl), PO, text="int8|-128|−128|128")
wrong("w-po-uint8", C_q3, T(lad(128, 1e6), N(400).astype(np.uint8), f=dbl), PO, text="uint8|256|wrap|restart")
wrong("w-po-int16", C_l31, T(I_l31, N(32668, 32868).astype(np.int16), f=dbl), PO, args=["--positions", "32668:32867"], text="int16|32768|32 768|65536|wrap")
wrong("w-po-int8-f16", C_g2, T(lad(256, 1e4), N(200).astype(np.int8), f=lambda x: dbl(x).astype(np.float16)), PO)
wrong("w-po-negative", C_q3, T(lad(128, 1e6), -N(200), f=dbl), "sign position-scale")
wrong("w-po-backwards", C_q3, T(lad(128, 1e6), N(200)[::-1], f=dbl), "order position-offset position-scale")
wrong("w-ps-2", C_l31, T(I_l31, N(200) * 2, f=dbl), "position-scale scaling-parameters", text="2")
wrong("w-ps-quarter", C_q3, T(lad(128, 1e6), N(200) / 4, f=dbl), "position-scale scaling-kind")
wrong("w-ids-plus1", C_l31, lambda: dict(ids=N(1, 101)), PO)
wrong("w-ids-x2", C_l31, lambda: dict(ids=N(100) * 2), "position-scale")
wrong("w-ids-int8", C_l31, lambda: dict(ids=N(200).astype(np.int8)), PO)
wrong("w-ids-f16", C_l31, lambda: dict(ids=N(8000).astype(np.float16)), "position-format")
wrong("w-pf-f16", C_l31, T(I_l31, N(6000).astype(np.float16), f=lambda x: x), "position-format", text="float16")
wrong("w-pf-bf16", C_q3, T(lad(128, 1e6), bf16(N(600)), f=dbl), "position-format", text="bfloat16")
wrong("w-ff-bf16", C_l31, T(bf16(I_l31), N(600), f=dbl), "frequency-format", text="bfloat16")
wrong("w-ff-f16", C_q3, T(lad(128, 1e6).astype(np.float16), N(600), f=dbl), "frequency-format", text="float16")
wrong("w-ff-bf16-bf16table", C_q25y, T(bf16(I_q25y), N(1000), A_q25y, f=lambda x: bf16(dbl(x))), "frequency-format table-format")
wrong("w-af-bf16", C_q3, lambda: (lambda a: dict(cos=np.cos(a).astype(f4), sin=np.sin(a).astype(f4)))(bf16(ang(lad(128, 1e6), N(500))).astype(f8)), "angle-format")
# single numbers
def one(c, s, r, p, dv, which="cos"):
    o = dict(cos=c.copy(), sin=s.copy()); o[which][r, p] += dv; return o
wrong("w-one-f32", C_l2, lambda: one(*tab(lad(128, 1e4), N(4096)), 4095, 10, 1e-3), "unknown", text="4095", notadv="ggml")
wrong("w-one-ggml-cpu", C_l2, lambda: one(*ggml_cpu(128, 1e4, N(4096)), 4095, 10, 1e-2), "unknown", text="4095")
wrong("w-one-ggml-gpu", C_l2, lambda: one(*ggml_gpu(128, 1e4, N(4096)), 3000, 5, .05, "sin"), "unknown", text="3000")
wrong("w-one-ggml-cpu-early", C_l2, lambda: one(*ggml_cpu(128, 1e4, N(4096)), 100, 3, 1e-3, "sin"), "unknown", text=r'"row": 100\b|row 100')
wrong("w-one-ggml-slow-pair", C_l2, lambda: one(*ggml_cpu(128, 1e4, N(4096)), 2000, 60, 1e-3, "sin"), "unknown", text='2000')
wrong("w-one-sign-flip", C_q3, lambda: (lambda c, s: (s.__setitem__((777, 30), -s[777, 30]), dict(cos=c, sin=s))[1])(*tab(lad(128, 1e6), N(4096))), "unknown", text="777")
wrong("w-one-row-zero", C_q3, lambda: {k: np.where((N(500) == 333)[:, None], 0, v).astype(f4) for k, v in T(lad(128, 1e6), N(500))().items()}, "unknown amplitude", text="333", not_text=says("check.runs.row", first="333", **{"from": "0"}))
wrong("w-one-row-duplicated", C_q3, T(lad(128, 1e6), np.where(N(500) == 333, 332, N(500))), "unknown position-offset", text="333")
wrong("w-one-nan", C_q3, lambda: one(*tab(lad(128, 1e6), N(300)), 200, 3, np.nan), "unknown", text="200|NaN", exits=(1, 2))
wrong("w-pair-missing", C_q3, T(np.where(N(64) == 17, 0, lad(128, 1e6)), f=dbl), "unknown frequency-ladder rotary-dimension", text=r"\b17\b", not_text=says("check.ratios.plain", pairs=says("check.ratios.several", first="0", last="63")))
wrong("w-last-pair-lost", C_l2, T(lad(128, 1e4)[:63], f=dbl), "length rotary-dimension", text="63|126")
wrong("w-pairs-shuffled", C_l2, T(lad(128, 1e4)[np.random.default_rng(1).permutation(64)], f=dbl), "unknown frequency-ladder")
wrong("w-batch-item-off", C_q3, lambda: {k: np.stack([v, np.roll(v, 3, 0)]) for k, v in T(lad(128, 1e6), N(100), f=dbl)().items()}, "position-offset unknown length order", exits=(1, 2))
wrong("w-decode-batch-unequal", C_l31, T(I_l31, [4000, 3990, 4000], f=lambda x: dbl(x)[:, None]), PO + " length unknown", args=["--positions", "4000"], exits=(1, 2))
wrong("w-noise-table", C_l2, lambda: (lambda a: dict(cos=np.cos(a).astype(f4), sin=np.sin(a).astype(f4)))(np.random.default_rng(2).uniform(0, 7, (4096, 64))), "unknown", slow=5)
wrong("w-noise-gemma4", C_g4, lambda: (lambda a: dict(cos=np.cos(a).astype(f4), sin=np.sin(a).astype(f4)))(np.random.default_rng(3).uniform(0, 7, (2048, 256))), "unknown", slow=5)
wrong("w-noise-normal-phi35", C_p35, lambda: dict(cos=qs(1000, 1, 96)[:, 0], sin=qs(1000, 1, 96, 1)[:, 0]), "unknown", slow=5, exits=(1, 2))
wrong("w-noise-vectors", C_l31, lambda: dict(before=qs(256, 8, 128), after=qs(256, 8, 128, 9)), "unknown", THD, slow=5)
wrong("w-noise-ids", C_l31, lambda: dict(ids=np.random.default_rng(4).integers(0, 4096, 4096)), "unknown order position-offset", slow=5)
# ============================================== mistakes: vectors
def W(name, cfg, make, ok, args=(), **kw): wrong(name, cfg, V(make), ok, THD + list(args), **kw)
def base_v(inv, H=4, D=128, T_=64, seed=0, pos=None, amp=1.):
    p = N(T_) if pos is None else pos
    return qs(len(p), H, D, seed), *tab(inv, p, amp)
def mk(inv, f, **kw):
    def go(): q, c, s = base_v(inv, **kw); return q, f(q, c, s)
    return go
lm = lad(128, 1e4); qm = lad(128, 1e6)
W("w-v-pairing-llama", C_l31, mk(I_l31, lambda q, c, s: rot(q, c, s, True)), "pairing")
W("w-v-pairing-gptj", C_gj, mk(lad(64, 1e4), lambda q, c, s: rot(q, c, s), D=256), "pairing")
W("w-v-pairing-roformer", C_rf, mk(lad(64, 1e4), lambda q, c, s: rot(q, c, s), D=64), "pairing")
W("w-v-pairing-dsv3", C_dv3, mk(I_ds, lambda q, c, s: rot(q, c, s, first=128), D=192), "pairing")
W("w-v-pairing-chatglm", C_c3, mk(lad(64, 5e5), lambda q, c, s: rot(q, c, s)), "pairing")
def mismatch(q, c, s):
    C, S = rep(c)[:, None], rep(s)[:, None]; h = q.shape[-1] // 2
    return (q * C + np.concatenate([-q[..., h:], q[..., :h]], -1) * S).astype(f4)
W("w-v-mismatch", C_q3, mk(qm, mismatch), "table-rotation-mismatch")
W("w-v-sign", C_l31, mk(I_l31, lambda q, c, s: rot(q, c, -s)), "sign")
W("w-v-sign-gptj", C_gj, mk(lad(64, 1e4), lambda q, c, s: rot(q, c, -s, True), D=256), "sign")
def badhalf(q, c, s):                 # rotate_half with (x2, -x1): the other sign
    h = 64; C, S = dbl(c)[:, None], dbl(s)[:, None]
    return (q * C + np.concatenate([q[..., h:], -q[..., :h]], -1) * S).astype(f4)
W("w-v-rotate-half-sign", C_q3, mk(qm, badhalf), "sign")
def nominus(q, c, s):
    C, S = dbl(c)[:, None], dbl(s)[:, None]
    return (q * C + np.concatenate([q[..., 64:], q[..., :64]], -1) * S).astype(f4)
W("w-v-no-minus", C_q3, mk(qm, nominus), "unknown sign table-rotation-mismatch")
W("w-v-none", C_q3, mk(qm, lambda q, c, s: q.copy()), "unknown position-scale position-offset rotary-dimension", text=says("check.position-scale.evidence_zero") + r"|\"factor\": 0(\.0)?\b")
W("w-v-base", C_q3, mk(lad(128, 1e4), rot), "base", par=near("base", 1e4))
W("w-v-base-gptj", C_gj, mk(lad(64, 5e5), lambda q, c, s: rot(q, c, s, True), D=256), "base")
W("w-v-scaling-missing", C_l31, mk(lad(128, 5e5), rot), "scaling-missing", adv="llama3")
W("w-v-rd-pythia-whole", C_py, mk(lm, rot), RD)
W("w-v-rd-pythia-exponent", C_py, mk(lm[:16], rot), RD)
W("w-v-rd-dsv3-192", C_dv3, mk(yarn(192, 1e4, 40, 4096), lambda q, c, s: rot(q, c, s, True), D=192), RD, adv=r"\b64\b")
W("w-v-rd-dsv3-192-plain", C_dv3, mk(lad(192, 1e4), lambda q, c, s: rot(q, c, s, True), D=192), RD + " scaling-missing unknown")
W("w-v-rd-dsv3-first64", C_dv3, mk(I_ds, lambda q, c, s: rot(q, c, s, True, first=0), D=192), RD, text="(?i)first|last|elsewhere|128")
W("w-v-rd-llama-64of128", C_l31, mk(llama3(lad(64, 5e5), 8), rot), RD)
W("w-v-rd-llama2-64of128", C_l2, mk(lad(64, 1e4), rot), RD)
W("w-v-rd-gemma4-first128", C_g4, mk(lad(128, 1e6), rot, D=512), RD)
W("w-v-rd-phi4-128", C_p4, mk(lm, rot, H=3, amp=A_p35), RD)
W("w-v-last-quarter-pythia", C_py, mk(lad(32, 1e4), lambda q, c, s: rot(q, c, s, first=96)), RD)
W("w-v-amp-missing", C_q25y, mk(I_q25y, rot), "amplitude")
W("w-v-amp-twice", C_q25y, mk(I_q25y, rot, amp=A_q25y ** 2), "amplitude")
W("w-v-amp-phi35-missing", C_p35, mk(lad(96, 1e4) / SF, rot, D=96), "amplitude")
W("w-v-table-twice", C_q3, mk(qm, lambda q, c, s: rot(rot(q, c, s), c, s)), "position-scale", par=near("factor", 2))
W("w-v-twice-inter", C_gj, mk(lad(64, 1e4), lambda q, c, s: rot(rot(q, c, s, True), c, s, True), D=256), "position-scale", par=near("factor", 2))
W("w-v-po-plus1", C_l31, mk(I_l31, rot, pos=N(1, 65)), PO, par=near("offset", 1))
W("w-v-po-decode-off1", C_l31, mk(I_l31, rot, pos=N(2045, 2049)), PO, ["--positions", "2044:2047"], not_text=NOSCORE)
W("w-v-po-decode-0", C_q3, mk(qm, rot, pos=N(0, 4)), PO, ["--positions", "2044:2047"], not_text=NOSCORE)
W("w-v-po-mixed-decode", C_q3, mk(qm, rot, pos=np.r_[0:60, 0:4]), PO)
W("w-v-po-int8", C_q3, mk(qm, rot, pos=N(200).astype(np.int8), H=2), PO)
W("w-v-heads-as-tokens", C_q3, lambda: (lambda q: (q, np.stack([rot(q[t], *tab(qm, N(4))) for t in range(64)])))(qs(64, 4, 128)[:, :, None][..., 0, :][:, :, None].reshape(64, 4, 1, 128))if False else
  (lambda q: (q, np.stack([rot(q[t][:, None], *tab(qm, N(4)))[:, 0] for t in range(64)])))(qs(64, 4, 128)), PO, text="(?i)head")
def heads(sel):
    def f(q, c, s): o = rot(q, c, s); o[:, ~sel] = q[:, ~sel]; return o
    return f
W("w-v-even-heads", C_q3, mk(qm, heads(N(8) % 2 == 0), H=8), "unknown rotary-dimension position-offset position-scale", text="(?i)heads? [^\"]*(0, 2|0 and 2|1, 3|even|odd)")
W("w-v-even-heads-l31-f16", C_l31, lambda: [x.astype(np.float16) for x in mk(I_l31, heads(N(4) % 2 == 0))()], "unknown rotary-dimension position-offset position-scale", text="(?i)heads? [^\"]*(0, 2|0 and 2|1 and 3|1, 3|even|odd)")
W("w-v-only-first-head", C_q3, mk(qm, heads(N(4) == 0)), "unknown rotary-dimension position-offset position-scale", text="(?i)head")
def firsthalf(q, c, s): o = rot(q, c, s); o[..., 64:] = q[..., 64:]; return o
W("w-v-first-half-channels", C_q3, mk(qm, firsthalf), "unknown rotary-dimension", text="(?i)channels? [^\n]*(0 to 63|64 to 127|first half)")
W("w-v-first-half-l31", C_l31, mk(I_l31, firsthalf), "unknown rotary-dimension", text="(?i)channels? [^\n]*(0 to 63|64 to 127|first half)")
def onepair(q, c, s): o = rot(q, c, s); o[..., [9, 73]] = q[..., [9, 73]]; return o
W("w-v-one-pair-missing", C_q3, mk(qm, onepair), "unknown frequency-ladder rotary-dimension", text=r"\b9\b", not_text=says("check.ratios.plain", pairs=says("check.ratios.several", first="0", last="63")))
W("w-v-last-pair-missing", C_q3, mk(qm[:32], lambda q, c, s: (lambda o: (o.__setitem__((..., [31, 63]), q[..., [31, 63]]), o)[1])(rot(q, *tab(lad(64, 1e6), N(64)))), D=64) if False else mk(qm, lambda q, c, s: (lambda o: (o.__setitem__((..., [62, 63, 126, 127]), q[..., [62, 63, 126, 127]]), o)[1])(rot(q, c, s)), pos=N(20000, 20064)), "unknown frequency-ladder rotary-dimension", ["--positions", "20000:20063"], text="62")
def elsewhere(q, c, s): o = rot(q, c, s); o[:, 3] = o[:, 5]; return o
W("w-v-head-elsewhere", C_q3, mk(qm, elsewhere, H=8), "head-order unknown", text="(?i)head[^\"]*3")
W("w-v-heads-reversed", C_q3, mk(qm, lambda q, c, s: rot(q, c, s)[:, ::-1].copy(), H=8), "head-order")
W("w-v-heads-rolled", C_q3, mk(qm, lambda q, c, s: np.roll(rot(q, c, s), 1, 1), H=8), "head-order unknown")
W("w-v-k-tiled", C_q3, mk(qm, lambda q, c, s: np.tile(rot(q, c, s), (1, 4, 1)), H=2), "head-order")
W("w-v-qk-exchanged", C_q3, lambda: (qs(64, 8, 128), rot(qs(64, 8, 128, 5), *tab(qm, N(64)))), "unknown", notadv=says("check.base.advice") + "|" + says("check.scaling-missing.advice"))
W("w-v-norm-after", C_q3, mk(qm, lambda q, c, s: rms(rot(q * 1.7, c, s))), "vector-scale")
W("w-v-norm-weights-before", C_q3, mk(qm, lambda q, c, s: rot(rms(q, np.random.default_rng(8).uniform(.5, 2, 128)), c, s)), "vector-scale")
W("w-v-norm-weights-after", C_q3, mk(qm, lambda q, c, s: rms(rot(q, c, s), np.random.default_rng(8).uniform(.5, 2, 128))), "vector-scale unknown")
W("w-v-softmax-scale", C_q3, mk(qm, lambda q, c, s: (rot(q, c, s) / math.sqrt(128)).astype(f4)), "vector-scale amplitude")
W("w-v-ministral-scale", C_min, mk(I_min, lambda q, c, s: (rot(q, c, s) * (1 + .1 * np.log(1 + np.floor(N(0, 65536, 1024) / 16384)))[:, None, None]).astype(f4), pos=N(0, 65536, 1024)),
  "vector-scale", ["--positions", "0:65535:1024"], exits=(0, 1), text="(?i)llama_4_scaling|position|0\\.1")
W("w-v-ministral-scale-in-llama", C_l31, mk(I_l31, lambda q, c, s: (rot(q, c, s) * (1 + .1 * np.log(1 + np.floor(N(0, 65536, 1024) / 8192)))[:, None, None]).astype(f4), pos=N(0, 65536, 1024)),
  "vector-scale", ["--positions", "0:65535:1024"])
W("w-v-gguf-permuted", C_l2, mk(lm, lambda q, c, s: (lambda p: rot(p, c, s, True))(q.reshape(64, 4, 2, 64).swapaxes(2, 3).reshape(64, 4, 128))), "weight-permutation", exits=(0, 1))
W("w-v-cos-only", C_q3, mk(qm, lambda q, c, s: (q * dbl(c)[:, None]).astype(f4)), "unknown")
W("w-v-add-instead", C_q3, mk(qm, lambda q, c, s: (q + dbl(c)[:, None]).astype(f4)), "unknown vector-scale")
W("w-v-bf16-cossin-freq", C_q3, mk(bf16(qm), lambda q, c, s: rot(q, c, s), pos=N(5000, 5064)), "frequency-format", ["--positions", "5000:5063"])
W("w-v-kpe-not-turned-rows", C_dv2, mk(I_ds, lambda q, c, s: (lambda o: (o.__setitem__(slice(32, 64), q[32:]), o)[1])(rot(q, c, s, True)), H=1, D=64), "unknown position-offset", text="32")
W("w-v-v4-sign", json.load(open(f"{CONF}/../reported/14-v4-q-sign/config.json")), mk(lad(64, 1e4), lambda q, c, s: rot(q, c, -s, True, first=448), D=512, H=2), "sign profile", text="sign")
W("w-v-one-number", C_q3, mk(qm, lambda q, c, s: (lambda o: (o.__setitem__((40, 2, 77), o[40, 2, 77] + .01), o)[1])(rot(q, c, s))), "unknown", text="40")

# ============================================== configs that may not be understood
P_ = N(300)
q1 = dict(architectures=["QWenLMHeadModel"], model_type="qwen", hidden_size=4096, num_attention_heads=32, kv_channels=128, max_position_embeddings=32768,
          seq_length=8192, rotary_emb_base=10000, rotary_pct=1.0, use_dynamic_ntk=True, use_logn_attn=True, num_hidden_layers=32)
far = ["--positions", "0:16383:8", "--length", "16384"]
unapplied("u-qwen1-dynamic", q1, T(lad(128, 1e4 * 3 ** (128 / 126)), N(0, 16384, 8), f=dbl), T(lad(128, 1e4), N(0, 16384, 8), f=dbl), "ntk|seq_length", far)
right("r-qwen1-short", q1, T(lad(128, 1e4), N(4096)), exits=(0, 2))
gte = dict(model_type="new", architectures=["NewModel"], hidden_size=768, num_attention_heads=12, num_hidden_layers=12, max_position_embeddings=8192,
           position_embedding_type="rope", rope_theta=20000, rope_scaling=dict(type="ntk", factor=4.0))
unapplied("u-gte-ntk", gte, T(lad(64, 20000 * 4) / 4 ** (2 / 64), P_, f=dbl), T(lad(64, 20000), P_, f=dbl), "ntk|rope_scaling")
gteg = dict(gte, rope_theta=500000, rope_scaling=None); gteg.pop("rope_scaling")
right("r-gte-plain", gteg, T(lad(64, 5e5), P_, f=dbl))
mlc = dict(model_type="llama", quantization="q4f16_1", model_config=dict(hidden_size=4096, intermediate_size=14336, num_attention_heads=32, num_hidden_layers=32, rms_norm_eps=1e-5,
           vocab_size=128256, position_embedding_base=500000, context_window_size=131072, prefill_chunk_size=2048, num_key_value_heads=8, head_dim=128,
           rope_scaling=L3), vocab_size=128256, context_window_size=131072)
unapplied("u-mlc-llama31", mlc, T(I_l31, P_, f=dbl), T(lad(128, 1e4), P_, f=dbl), "model_config|position_embedding_base|rope_scaling")
mlc2 = dict(model_type="qwen3", quantization="q4f16_1", model_config=dict(hidden_size=2048, num_attention_heads=16, num_hidden_layers=28, head_dim=128, num_key_value_heads=8, position_embedding_base=1000000, context_window_size=40960, rope_theta=1000000), context_window_size=40960)
unapplied("u-mlc-qwen3", mlc2, T(lad(128, 1e6), P_, f=dbl), T(lad(128, 1e4), P_, f=dbl), "model_config|position_embedding_base|rope_theta")
mlc3 = dict(model_type="gpt_neox", model_config=dict(hidden_size=2560, num_attention_heads=32, num_hidden_layers=32, position_embedding_base=10000, rotary_pct=.25, head_dim=80, context_window_size=2048))
unapplied("u-mlc-neox", mlc3, T(lad(20, 1e4), P_, f=dbl), T(lad(80, 1e4), P_, f=dbl), "model_config|rotary_pct|position_embedding_base")
trt = dict(architecture="LlamaForCausalLM", dtype="bfloat16", num_hidden_layers=32, num_attention_heads=32, num_key_value_heads=8, hidden_size=4096, head_size=128, position_embedding_type="rope_gpt_neox",
           max_position_embeddings=131072, rotary_base=500000.0, rotary_scaling=dict(L3))
unapplied("u-trtllm-llama31", trt, T(I_l31, P_, f=dbl), T(lad(128, 5e5), P_, f=dbl), "rotary_base|rotary_scaling")
trt2 = dict(architecture="LlamaForCausalLM", dtype="float16", num_hidden_layers=32, num_attention_heads=32, hidden_size=4096, head_size=128, position_embedding_type="rope_gpt_neox", max_position_embeddings=4096, rotary_base=1000000.0, rotary_scaling=None)
unapplied("u-trtllm-base", trt2, T(lad(128, 1e6), P_, f=dbl), T(lad(128, 1e4), P_, f=dbl), "rotary_base")
trt3 = dict(architecture="GPTJForCausalLM", dtype="float16", num_hidden_layers=28, num_attention_heads=16, hidden_size=4096, position_embedding_type="rope_gptj", max_position_embeddings=2048, rotary_dim=64)
unapplied("u-trtllm-gptj", trt3, T(lad(64, 1e4), P_, f=rep), T(lad(256, 1e4), P_, f=rep), "rotary_dim|architecture|rope_gptj")
trt4 = dict(architecture="ChatGLMForCausalLM", dtype="float16", num_hidden_layers=28, num_attention_heads=32, hidden_size=4096, head_size=128, position_embedding_type="chatglm", max_position_embeddings=8192, rotary_pct=.5, rotary_base=10000., rotary_scaling=None, rotary_embedding_dim=64)
unapplied("u-trtllm-rotary_embedding_dim", trt4, T(lad(64, 1e4), P_), T(lad(128, 1e4), P_), "rotary_embedding_dim|rotary_pct|position_embedding_type|architecture|rotary_base")
meg = dict(num_layers=32, hidden_size=4096, num_attention_heads=32, kv_channels=128, position_embedding_type="rope", rotary_base=1000000, rotary_percent=.5, max_position_embeddings=32768, seq_length=32768)
unapplied("u-megatron-percent", meg, T(lad(64, 1e6), P_, f=dbl), T(lad(128, 1e4), P_, f=dbl), "rotary_base|rotary_percent")
meg2 = dict(model_type="llama", architectures=["LlamaForCausalLM"], num_hidden_layers=32, hidden_size=4096, num_attention_heads=32, rotary_base=1000000, rotary_percent=.5, max_position_embeddings=32768)
unapplied("u-llama-with-rotary_percent", meg2, T(lad(64, 1e6), P_, f=dbl), T(lad(128, 1e4), P_, f=dbl), "rotary_base|rotary_percent")
meg3 = dict(model_type="gpt2", architectures=["MegatronGPTModel"], num_layers=24, n_embd=2048, n_head=16, rotary_base=500000, rotary_percent=1.0, use_rope_scaling=True, rope_scaling_factor=8., position_embedding_type="rope", max_position_embeddings=131072)
unapplied("u-megatron-gpt2-ropescaling", meg3, T(I_l31, P_, f=dbl), T(lad(128, 1e4), P_, f=dbl), "rotary_base|rope_scaling_factor|use_rope_scaling")
nemo = dict(model_type="nemo_custom", hidden_size=4096, num_attention_heads=32, num_layers=32, rotary_embedding_dim=64, rotary_base=10000, max_position_embeddings=4096)
unapplied("u-rotary_embedding_dim", nemo, T(lad(64, 1e4), P_, f=dbl), T(lad(128, 1e4), P_, f=dbl), "rotary_embedding_dim|rotary_base")
chron = dict(architectures=["Chronos2Model"], model_type="t5", chronos_config=dict(context_length=8192, input_patch_size=16), d_ff=3072, d_kv=64, d_model=768, num_heads=12, num_layers=12, is_encoder_decoder=False, rope_theta=10000.0, feed_forward_proj="relu")
unapplied("u-chronos2-t5", chron, T(lad(64, 1e4), P_, f=dbl), T(lad(768, 1e4), P_, f=dbl), "t5|rope_theta|Chronos2", badok="rotary-dimension length base")
t5 = dict(architectures=["T5ForConditionalGeneration"], model_type="t5", d_kv=64, d_model=512, num_heads=8, num_layers=6, relative_attention_num_buckets=32)
case("u-t5-no-rope", "unapplied", t5, T(lad(64, 1e4), P_, f=dbl), dict(exits=(2,), words="t5|T5|rotary|relative"))
case("u-gpt2-no-rope", "unapplied", dict(model_type="gpt2", architectures=["GPT2LMHeadModel"], n_embd=768, n_head=12, n_layer=12, n_positions=1024), T(lad(64, 1e4), P_, f=dbl), dict(exits=(2,), words="rotary|gpt2|GPT-2|learned"))
git = dict(architectures=["Grok1ForCausalLM"], model_type="git", hidden_size=6144, num_attention_heads=48, num_key_value_heads=8, num_hidden_layers=64, rope_theta=500000, head_dim=128, max_position_embeddings=8192)
unapplied("u-git-grok", git, T(lad(128, 5e5), P_, f=dbl), T(lad(128, 1e4), P_, f=dbl), "git|rope_theta|Grok")
tl = dict(llama(500000., L=131072, scaling=L3), model_type="t5")
unapplied("u-t5-but-llama-arch", tl, T(I_l31, P_, f=dbl), T(lad(128, 1e4), P_, f=dbl), "t5|rope_|Llama")
bl = dict(llama(1000000., L=32768), model_type="bert", architectures=["Qwen2ForCausalLM"])
unapplied("u-bert-but-qwen2-arch", bl, T(lad(128, 1e6), P_, f=dbl), T(lad(128, 1e4), P_, f=dbl), "bert|rope_|Qwen2")
q9 = dict(C_q3, model_type="qwen9", architectures=["Qwen9ForCausalLM"], rope_theta=3000000)
unapplied("u-unknown-qwen9", q9, T(lad(128, 3e6), P_, f=dbl), T(lad(128, 1e6), P_, f=dbl), "qwen9|Qwen9")
d9 = dict(C_dv3, model_type="deepseek_v9", architectures=["DeepseekV9ForCausalLM"])
unapplied("u-unknown-deepseek9", d9, T(I_ds, P_), T(lad(64, 1e4), P_), "deepseek_v9|DeepseekV9")
g9 = dict(C_g2, model_type="gemma9", architectures=["Gemma9ForCausalLM"], rope_theta=777000.)
unapplied("u-unknown-gemma9", g9, T(lad(256, 777000), P_, f=dbl), T(lad(256, 1e4), P_, f=dbl), "gemma9|Gemma9")
glm9 = dict(model_type="glm9_moe", architectures=["Glm9MoeForCausalLM"], hidden_size=4096, num_attention_heads=32, head_dim=128, num_hidden_layers=40, rope_theta=1000000, partial_rotary_factor=.5, max_position_embeddings=131072)
unapplied("u-unknown-glm9", glm9, T(lad(64, 1e6), P_, f=dbl), T(lad(128, 1e6), P_, f=dbl), "glm9|Glm9|partial_rotary_factor")
wr = dict(architectures=["LlavaNextForConditionalGeneration"], model_type="llava_next", text_config=dict(hidden_size=4096, num_attention_heads=32, num_key_value_heads=8, rope_theta=500000., max_position_embeddings=8192, num_hidden_layers=32), vision_config=dict(model_type="clip_vision_model", hidden_size=1024))
unapplied("u-wrapper-no-model_type", wr, T(lad(128, 5e5), P_, f=dbl), T(lad(128, 1e4), P_, f=dbl), "text_config|rope_theta|model_type")
wr2 = dict(architectures=["MyVlmForConditionalGeneration"], model_type="my_vlm", language_config=dict(architectures=["Qwen2ForCausalLM"], hidden_size=2048, num_attention_heads=16, rope_theta=1000000., max_position_embeddings=32768), vision_config=dict(hidden_size=1152))
unapplied("u-wrapper-language_config", wr2, T(lad(128, 1e6), P_, f=dbl), T(lad(128, 1e4), P_, f=dbl), "language_config|rope_theta|model_type|my_vlm")
wr3 = dict(architectures=["DeepseekVLV2ForCausalLM"], model_type="deepseek_vl_v2", language_config=dict(architectures=["DeepseekV2ForCausalLM"], hidden_size=2560, num_attention_heads=20, qk_rope_head_dim=64, qk_nope_head_dim=128, kv_lora_rank=512, v_head_dim=128, max_position_embeddings=4096, rope_theta=10000, rope_scaling=dict(C_dv3["rope_scaling"])))
unapplied("u-deepseek-vl2-section", wr3, T(I_ds, P_), T(lad(64, 1e4), P_), "language_config|rope_scaling")
wr4 = dict(architectures=["GotForCausalLM"], model_type="got_ocr2", llm_config=dict(hidden_size=1024, num_attention_heads=16, rope_theta=1000000., max_position_embeddings=32768), vision_config={})
unapplied("u-wrapper-llm_config", wr4, T(lad(64, 1e6), P_, f=dbl), T(lad(64, 1e4), P_, f=dbl), "llm_config|rope_theta|text_config|got_ocr2")
for nm, sc, w in (("typo", dict(type="linaer", factor=4.0), "linaer|rope_scaling"), ("no-type", dict(factor=4.0), "factor|type"), ("xyz", dict(rope_type="superrope", factor=8.0), "superrope")):
    unapplied("u-scaling-" + nm, llama(10000., scaling=sc), lambda: {}, None, w) if False else case("u-scaling-" + nm, "unapplied", llama(10000., scaling=sc), T(lad(128, 1e4), P_, f=dbl), dict(exits=(1, 2), ok={"scaling-missing"}, words=w))
case("u-rope_scaling_factor", "unapplied", llama(10000., rope_scaling_factor=4.0), T(lad(128, 1e4), P_, f=dbl), dict(exits=(1, 2), ok={"scaling-missing"}, words="rope_scaling_factor"))
case("u-rope_percent-misspelt", "unapplied", llama(10000., rotary_percentage=.25), T(lad(128, 1e4), P_, f=dbl), dict(exits=(0, 1, 2), agrees=True, ok={"rotary-dimension"}, words="rotary_percentage", text="rotary_percentage"))
case("u-longrope-list-length", "unapplied", dict(C_p35, rope_scaling=dict(type="longrope", long_factor=[2.] * 32, short_factor=[1.] * 32)), T(lad(96, 1e4), P_, A_p35, f=dbl), dict(exits=(2,), words="factor|32|48"))
case("u-mrope-sum-check", "unapplied", dict(C_q2vl, rope_scaling=dict(type="mrope", mrope_section=[16, 24, 16])), T(lad(128, 1e6), P_, f=dbl), dict(exits=(0, 2), agrees=True, words="section", text="section"))
case("u-negative-theta", "unapplied", llama(-5.), T(lad(128, 1e4), P_), dict(exits=(2,), words="rope_theta|base"))
case("u-string-theta", "unapplied", llama("10000"), T(lad(128, 1e4), P_), dict(exits=(0, 2), agrees=True, words="rope_theta"))
unapplied("u-smollm3", llama(5000000., hd=128, heads=16, L=65536, mt="smollm3", arch="SmolLM3ForCausalLM", no_rope_layers=[1, 1, 1, 0] * 8, no_rope_layer_interval=4), T(lad(128, 5e6), P_, f=dbl), T(lad(128, 1e4), P_, f=dbl), "no_rope|rope_theta")
ex4 = llama(1000000., hd=128, heads=40, L=131072, mt="exaone4", arch="Exaone4ForCausalLM", sliding_window=4096, sliding_window_pattern="LLLG", scaling=dict(L3, factor=16.), head_dim=128)
unapplied("u-exaone4", ex4, T(llama3(lad(128, 1e6), 16), P_, f=dbl), T(lad(128, 1e6), P_, f=dbl), "sliding|rope_scaling")
# ============================================== config --as
TF, LC, NP = ["--as", "transformers"], ["--as", "llama.cpp"], ["--as", "numpy"]
conv("c-tf-q3vl-mrope", C_q3vlI, TF, r'(?s)mrope_section.*24.*20.*20')
conv("c-tf-q3vl-interleaved", C_q3vlI, TF, r'mrope_interleaved')
conv("c-tf-q3vl-moe-default", C_q3vl, TF, r'mrope_section')
conv("c-tf-q2vl", C_q2vl, TF, r'(?s)mrope_section.*16.*24.*24')
conv("c-tf-qwen35", C_q35, TF, r'(?s)(?=.*mrope_interleaved)(?=.*partial_rotary_factor)(?=.*mrope_section)')
conv("c-tf-ministral", C_min, TF, r'llama_4_scaling_beta')
conv("c-tf-gemma3", C_g3, TF, r'(?s)(?=.*linear)(?=.*10000)(?=.*1000000)')
conv("c-tf-gptoss-truncate", C_go, TF, r'truncate')
conv("c-tf-phi35", C_p35, TF, r'(?s)(?=.*longrope)(?=.*long_factor)(?=.*short_factor)(?=.*original_max)')
conv("c-tf-dsv3-mscale", C_dv3, TF, r'(?s)(?=.*mscale_all_dim)(?=.*mscale"?)')
conv("c-tf-pythia-partial", C_py, TF, r'partial_rotary_factor|rotary_pct')
conv("c-tf-sections-wrong-sum", dict(C_q2vl, rope_scaling=dict(type="mrope", mrope_section=[16, 24, 16])), TF, r"(?i)section", exits=(0, 2))
conv("c-config-sections-wrong-sum", dict(C_q2vl, rope_scaling=dict(type="mrope", mrope_section=[16, 24, 16])), [], r"(?i)section[^\n]*(sum|pairs|56|64)|56", exits=(0, 2))
conv("c-tf-smollm3-norope", llama(5000000., hd=128, heads=16, L=65536, mt="smollm3", arch="SmolLM3ForCausalLM", no_rope_layers=[1, 1, 1, 0] * 8), TF, r"(?i)no_rope|layers|rotary")
conv("c-config-smollm3-norope", llama(5000000., hd=128, heads=16, L=65536, mt="smollm3", arch="SmolLM3ForCausalLM", no_rope_layers=[1, 1, 1, 0] * 8), [], r"(?i)(do not turn|no rotary|without rotary|not turn|not rotat|no_rope)")
conv("c-config-smollm3-interval-default", llama(5000000., hd=128, heads=16, L=65536, mt="smollm3", arch="SmolLM3ForCausalLM"), [], r"(?i)(do not turn|no rotary|without rotary|not turn|not rotat|no_rope)")
conv("c-config-exaone4", ex4, [], r"(?i)(do not turn|no rotary|without rotary|not turn|not rotat)")
conv("c-lc-q3vl", C_q3vlI, LC, r'(?i)section|mrope|axes')
conv("c-lc-ministral", C_min, LC, r'(?i)llama_4_scaling|yarn')
conv("c-lc-ministral-beta", C_min, LC, r'(?i)llama_4_scaling|temperature|query|beta 0\.1|scaling_beta')
conv("c-lc-llama31", C_l31, LC, r'(?i)llama3|rope_freqs|tensor')
conv("c-lc-qwen25y", C_q25y, LC, r'(?s)(?=.*yarn)(?=.*0\.25)(?=.*32768)')
conv("c-lc-pythia", C_py, LC, r'(?i)32|partial|pairs|dimension')
conv("c-np-llama31", C_l31, NP, None, numpy=(I_l31, 1))
conv("c-np-qwen25y", C_q25y, NP, None, numpy=(I_q25y, A_q25y))
conv("c-np-phi35", C_p35, NP, None, numpy=(lad(96, 1e4) / SF, A_p35))
conv("c-np-gptoss", C_go, NP, None, numpy=(I_go, A_go))
conv("c-np-dsv3", C_dv3, NP, None, numpy=(I_ds, 1))
conv("c-np-gemma3", C_g3, NP, None, numpy=(I_g3, 1))
conv("c-np-gemma4", C_g4, NP, None, numpy=(I_g4, 1))
conv("c-np-scout", C_sc, NP, None, numpy=(I_sc, 1))
conv("c-np-chatglm3", C_c3, NP, None, numpy=(lad(64, 5e5), 1))
conv("c-np-ministral", C_min, NP, None, numpy=(I_min, 1))
def as_round(name, cfg, inv, amp=1.):
    case(name, "config", cfg, lambda: {}, dict(exits=(0,), roundtrip=(inv, amp)), TF, "config")
as_round("c-roundtrip-q25y", C_q25y, I_q25y, A_q25y); as_round("c-roundtrip-llama31", C_l31, I_l31); as_round("c-roundtrip-dsv3", C_dv3, I_ds)
as_round("c-roundtrip-gptoss", C_go, I_go, A_go); as_round("c-roundtrip-phi35", C_p35, lad(96, 1e4) / SF, A_p35)
as_round("c-roundtrip-pythia", C_py, lad(32, 1e4)); as_round("c-roundtrip-chatglm3", C_c3, lad(64, 5e5)); as_round("c-roundtrip-ministral", C_min, I_min)

# ---------------------------------------------------------------------------------------------- running
FILEOPTS = ("cos", "sin", "table", "ids", "before", "after", "frequencies", "positions")
def command(c, d):
    json.dump(c["config"], open(f"{d}/config.json", "w"))
    if c["cmd"] == "config": return [EXE, "config", "config.json"] + c["args"]
    cmd = [EXE, "check", "--config", "config.json", "--threads", "1"]
    for k, v in c["files"]().items():
        if k == "_st": safetensors(f"{d}/{v[0]}", v[1], v[2]); continue
        np.save(f"{d}/{k}.npy", v); cmd += [f"--{k}", f"{k}.npy"]
    return cmd + c["args"]
def run(cmd, d):
    t = time.time(); u = os.times()
    try:
        r = subprocess.run(cmd, cwd=d, capture_output=True, text=True, timeout=60); v = os.times()
        return r.returncode, r.stdout, r.stderr, v.children_user + v.children_system - u.children_user - u.children_system   # CPU seconds
    except subprocess.TimeoutExpired: return 124, "", "timeout", time.time() - t
def fix_text(c): return " ".join([c.get("advice") or ""] + [x if isinstance(x, str) else json.dumps(x) for x in (c.get("fix") or {}).values()])
def my_freq(rp, cfg):
    """frequencies of rope_parameters, by my own reading of transformers 5"""
    if isinstance(rp.get("rope_parameters"), dict): rp = rp["rope_parameters"]
    t = cfg.get("text_config", cfg); H = t.get("head_dim") or t.get("qk_rope_head_dim") or t.get("kv_channels") or t.get("hidden_size") // t.get("num_attention_heads")
    if t.get("qk_rope_head_dim"): H = t["qk_rope_head_dim"]
    d = int(H * rp.get("partial_rotary_factor", 1)); b = rp["rope_theta"]; k = rp.get("rope_type", "default"); s = rp.get("factor")
    L = rp.get("original_max_position_embeddings")
    if k == "default": return lad(d, b), 1
    if k == "linear": return lad(d, b) / s, 1
    if k == "llama3": return llama3(lad(d, b), s, rp["low_freq_factor"], rp["high_freq_factor"], L), 1
    if k == "longrope": return lad(d, b) / np.array(rp["short_factor"]), rp.get("attention_factor") or longamp(s or t["max_position_embeddings"] / L, L)
    if k == "yarn":
        a = rp.get("attention_factor"); m, ma = rp.get("mscale"), rp.get("mscale_all_dim")
        if a is None: a = mscale(s, m) / mscale(s, ma) if m and ma else mscale(s)
        return yarn(d, b, s, L, rp.get("beta_fast") or 32, rp.get("beta_slow") or 1, rp.get("truncate", True)), a
    raise ValueError(k)
def judge(c, rc, out, err, sec):
    w, why, names, causes = c["want"], [], [], []
    if rc not in w["exits"]: why.append(f"exit {rc}, not {w['exits']}")
    rep, said = None, out + err
    if c["cmd"] == "check" and rc != 2:
        try: rep = json.loads(out)
        except Exception as e: return [f"no JSON: {e}"], [], []
        causes = rep.get("causes", [])
        said = " ".join(str(x.get("evidence")) + " " + str(x.get("advice")) + " " + json.dumps(x.get("parameters")) for x in causes) + " " + " ".join(rep.get("notes", []))
        if c["name"].startswith("w-one"): said += json.dumps(rep.get("inputs"))
        said = re.sub(r"(?<=\d)[\s\u202f\u00a0\u2009](?=\d{3}\b)", "", said)
        names = [x["name"] + ("~" if x.get("harmless") else "") for x in causes]
        if rep.get("verdict") == "disagrees" and not names: names = ["unknown"]
        if rc == 0 and not w.get("agrees") and w["exits"] != (0, 1): why.append("agrees with a mistake")
        if rc == 0 and rep["verdict"] != "agrees": why.append("verdict " + rep["verdict"])
        if rc == 1:
            real = [x for x in causes if not x.get("harmless")] or [dict(name="unknown", also=[], parameters={})]
            ok = w.get("ok", set())
            if ok:
                bad = [x["name"] for x in real if x["name"] not in ok and not set(x.get("also", [])) & ok]
                if bad: why.append("cause " + "+".join(bad) + " not in " + "/".join(sorted(ok)))
                if w.get("par") and not w["par"](real): why.append("parameters " + json.dumps([x.get("parameters") for x in real])[:150])
                a = " ".join(map(fix_text, real))
                if w.get("adv") and not re.search(w["adv"], a): why.append(f"advice lacks {w['adv']}")
                if w.get("notadv") and re.search(w["notadv"], " ".join(x.get("advice") or "" for x in real)): why.append(f"advice has {w['notadv']}")
    elif c["cmd"] == "check" and rc == 2 and w.get("words") and not re.search(w["words"], out + err): why.append("refusal names no field: " + (err or out).strip()[:120])
    if w.get("text") and not re.search(w["text"], said) and not (rc == 2 and w.get("words")): why.append(f"text lacks {w['text']}")
    if w.get("not_text") and re.search(w["not_text"], said): why.append(f"text has {w['not_text']}")
    if w.get("slow") and sec > w["slow"]: why.append(f"{sec:.1f} s > {w['slow']}")
    if w.get("numpy") and rc == 0:
        try:
            g = {}; exec("\n# ".join(out.split("\n# ")[:2]) if "\n# " in out else out, g); inv, amp = w["numpy"]
            if np.shape(g["frequency"]) != np.shape(inv) or abs(g["frequency"] / np.where(inv, inv, 1) - (inv != 0)).max() > 1e-9: why.append("frequencies of the program differ")
            if abs(g["amplitude"] - amp) > 1e-9: why.append(f"amplitude {g['amplitude']} not {amp}")
        except Exception as e: why.append(f"program fails: {e!r}")
    if w.get("roundtrip") and rc == 0:
        try:
            rp = json.loads(out); inv, amp = my_freq(rp, c["config"]); i0, a0 = w["roundtrip"]
            if inv.shape != i0.shape or abs(inv / i0 - 1).max() > 1e-9: why.append(f"rope_parameters make other frequencies ({len(inv)} for {len(i0)})")
            if abs(amp - a0) > 1e-9: why.append(f"amplitude {amp} not {a0}")
        except Exception as e: why.append(f"cannot be read back: {e!r}")
    return why, names, causes
def main():
    argv = sys.argv[1:]; keep = "--keep" in argv; adv = "--advice" in argv; names = [a for a in argv if not a.startswith("--")]
    sel = [c for c in CASES if not names or any(c["name"] == n or n.endswith("*") and c["name"].startswith(n[:-1]) for n in names)]
    if "--list" in argv:
        for c in sel: print(c["kind"], c["name"])
        return
    tot, bad, slow, log = {}, [], [], open(os.environ.get("ADVICE", "audit_advice.txt"), "w")
    os.makedirs(FAIL, exist_ok=True)
    for c in sel:
        d = tempfile.mkdtemp(prefix="audit_b_")
        cmd = command(c, d); rc, out, err, sec = run(cmd + (["--json"] if c["cmd"] == "check" else []), d)
        why, nm, causes = judge(c, rc, out, err, sec)
        k = tot.setdefault(c["kind"], [0, 0]); k[0] += 1; k[1] += not why
        if sec > 5: slow.append((c["name"], sec))
        print("FAIL" if why else "OK  ", c["name"], rc, "+".join(nm) or "-", f"{sec:.2f}", "| " + "; ".join(why) if why else "", flush=True)
        a = "\n".join(f"      {x['name']} {json.dumps(x.get('parameters'))}: {x.get('evidence')} ADVICE: {x.get('advice')}" + (f" FIX: {json.dumps(x['fix'].get('config'))}" if x.get("fix", {}).get("config") else "") for x in causes)
        if rc == 2: a = "      " + (err or out).strip()[:400]
        print(c["name"], rc, a, sep="\n", file=log)
        if adv and a: print(a)
        if why:
            t = os.path.join(FAIL, c["name"].replace("/", "_")); shutil.rmtree(t, ignore_errors=True); shutil.copytree(d, t)
            open(f"{t}/cmd", "w").write(" ".join(cmd) + "\n"); bad.append((c, why, cmd, a, t))
        if keep: print("      kept in", d)
        else: shutil.rmtree(d)
    print("\nTOTALS", ", ".join(f"{k}: {b} of {a}" for k, (a, b) in tot.items()))
    for n, s in slow: print(f"SLOW {n} {s:.1f} s")
    for c, why, cmd, a, t in bad:
        rc, out, err, sec = run(cmd, t)
        print(f"\n== {c['name']}: {'; '.join(why)}\n   (cd {t}; {' '.join(cmd)})\n" + "\n".join("   " + x for x in (out + err).splitlines()[:7]) + ("\n" + a if a else ""))
    sys.exit(bool(bad))
main()
