#!/usr/bin/env python3
"""Writes models.json beside this file: what llama.cpp makes of the rotary values of GGUFs, written out from its formulas
(see README.md for the sources). Plain Python, nothing but the standard library:

    python3 make.py

Frequencies are d(angle)/d(position) of every pair, in float64 over values that were rounded to float32 where the file holds
float32; amplitudes are what cos and sin are multiplied by.
"""
import json
import math
import pathlib
import struct


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


# ---- the converter ------------------------------------------------------------------------------------------------------

def llama3_factors(dim, base, factor, low, high, length):
    """conversion/llama.py, generate_extra_tensors: torch float32 step by step."""
    factors = []
    for i in range(0, dim, 2):
        freq = f32(1.0 / f32(base ** f32(i / dim)))
        wavelength = f32(2 * math.pi / freq)
        if wavelength < length / high:
            factors.append(1.0)
        elif wavelength > length / low:
            factors.append(float(factor))
        else:
            smooth = f32(f32(f32(length / wavelength) - low) / (high - low))
            factors.append(f32(1 / f32(f32(f32(1 - smooth) / factor) + smooth)))
    return factors


# ---- the program --------------------------------------------------------------------------------------------------------

def get_mscale(scale, mscale):
    return 1.0 if scale <= 1.0 else 0.1 * mscale * math.log(scale) + 1.0


def corr_dim(n_dims, n_ctx_orig, n_rot, base):
    return n_dims * math.log(n_ctx_orig / (n_rot * 2 * math.pi)) / (2 * math.log(base))


def rope(n_dims, base, freq_scale=1.0, factors=None, ext_factor=0.0, attn_factor=1.0, n_ctx_orig=0, beta_fast=32.0,
         beta_slow=1.0):
    """ggml-cpu/ops.cpp, ggml_rope_cache_init and rope_yarn at position 1."""
    low = high = 0
    if ext_factor != 0:
        low = max(0, math.floor(corr_dim(n_dims, n_ctx_orig, beta_fast, base)))
        high = min(n_dims - 1, math.ceil(corr_dim(n_dims, n_ctx_orig, beta_slow, base)))
    frequencies, amplitude = [], attn_factor
    for pair in range(n_dims // 2):
        extrapolated = base ** (-2.0 * pair / n_dims) / (factors[pair] if factors else 1.0)
        theta = freq_scale * extrapolated
        if ext_factor != 0:
            ramp = (1 - min(1, max(0, (pair - low) / max(0.001, high - low)))) * ext_factor
            theta = theta * (1 - ramp) + extrapolated * ramp
        frequencies.append(theta)
    if ext_factor != 0:
        amplitude *= 1.0 + 0.1 * math.log(1.0 / freq_scale)
    return frequencies, amplitude


def yarn_attn_factor(factor, log_mul=0.0, same_mscale=False, attn_factor=1.0):
    """llama-context.cpp: the amplitude over the 1 + 0.1 ln(factor) that rope_yarn applies."""
    if log_mul != 0:
        mscale = log_mul if same_mscale and log_mul != 1.0 else 1.0
        own = get_mscale(factor, mscale) / get_mscale(factor, log_mul)
    else:
        own = get_mscale(factor, 1.0)
    return own / (1.0 + 0.1 * math.log(factor)) * attn_factor


# ---- models -------------------------------------------------------------------------------------------------------------

def u32(value):
    return ["uint32", value]


def real(value):
    return ["float32", f32(value)]


def text(value):
    return ["text", value]


def i32s(values):
    return ["int32s", values]


def base_values(arch, length, embedding, heads, **more):
    values = {"general.architecture": text(arch), f"{arch}.context_length": u32(length),
              f"{arch}.embedding_length": u32(embedding), f"{arch}.attention.head_count": u32(heads)}
    values.update({f"{arch}.{key}": value for key, value in more.items()})
    return values


def profile(name, pairing, head, rotary, base, trained, computed, far=None, says=None):
    frequencies, amplitude = computed
    entry = {"name": name, "pairing": pairing, "head_dim": head, "rotary_dim": rotary, "base": base,
             "trained_length": trained, "amplitude": amplitude, "frequencies": frequencies}
    if far:
        entry["far_frequencies"] = far[0]
    if says:
        entry["says"] = says
    return entry


NORM, NEOX = "interleaved", "half_split"
CASES = []


# Which published config.json the model was converted from, where it is one of those that the tests may have at hand.
CONFIGS = {"llama-3.1-8b": "llama-3.1-8b", "llama-3.2-1b": "llama-3.2-1b-instruct",
           "mistral-7b-v0.3": "mistral-7b-instruct-v0.3", "qwen2.5-7b": "qwen2.5-7b-instruct",
           "qwen2.5-7b-yarn": "qwen2.5-7b-instruct-yarn", "qwen3-14b": "qwen3-14b", "qwen2-vl-7b": "qwen2-vl-7b-instruct",
           "gemma-2-2b": "gemma-2-2b", "gemma-3-4b": "gemma-3-4b-it", "gemma-4-26b": "gemma-4-26b-a4b",
           "gpt-oss-20b": "gpt-oss-20b", "deepseek-v2-lite": "deepseek-v2-lite", "pythia-6.9b": "pythia-6.9b"}


def case(name, values, profiles, tensors=None):
    CASES.append({"name": name, "config": CONFIGS.get(name), "values": values, "tensors": tensors or {},
                  "profiles": profiles})


def keys(**entries):
    return {key.replace("__", "."): value for key, value in entries.items()}


def add_llama():
    factors = llama3_factors(128, 500000.0, 8.0, 1.0, 4.0, 8192)
    case("llama-3.1-8b", base_values("llama", 131072, 4096, 32, **keys(rope__dimension_count=u32(128),
         rope__freq_base=real(500000))),
         [profile("text", NORM, 128, 128, 500000.0, 8192, rope(128, 500000.0, factors=factors))],
         {"rope_freqs.weight": factors})
    factors = llama3_factors(64, 500000.0, 32.0, 1.0, 4.0, 8192)
    case("llama-3.2-1b", base_values("llama", 131072, 2048, 32, **keys(rope__dimension_count=u32(64),
         rope__freq_base=real(500000), attention__key_length=u32(64))),
         [profile("text", NORM, 64, 64, 500000.0, 8192, rope(64, 500000.0, factors=factors))],
         {"rope_freqs.weight": factors})
    case("llama-2-7b-linear", base_values("llama", 4096, 4096, 32, **keys(rope__dimension_count=u32(128),
         rope__scaling__type=text("linear"), rope__scaling__factor=real(4))),
         [profile("text", NORM, 128, 128, 10000.0, 4096, rope(128, 10000.0, 1 / 4))])
    case("llama-2-7b-scale-linear", base_values("llama", 4096, 4096, 32, **keys(rope__dimension_count=u32(128),
         rope__scale_linear=real(2))),
         [profile("text", NORM, 128, 128, 10000.0, 4096, rope(128, 10000.0, 1 / 2))])
    case("mistral-7b-v0.3", base_values("llama", 32768, 4096, 32, **keys(rope__dimension_count=u32(128),
         rope__freq_base=real(1000000))),
         [profile("text", NORM, 128, 128, 1000000.0, 32768, rope(128, 1000000.0))])
    case("llama-scaling-none", base_values("llama", 4096, 4096, 32, **keys(rope__dimension_count=u32(128),
         rope__scaling__type=text("none"), rope__scaling__factor=real(4))),
         [profile("text", NORM, 128, 128, 10000.0, 4096, rope(128, 10000.0))])


def add_qwen():
    case("qwen2.5-7b", base_values("qwen2", 32768, 3584, 28, **keys(rope__freq_base=real(1000000))),
         [profile("text", NEOX, 128, 128, 1000000.0, 32768, rope(128, 1000000.0))])
    case("qwen2.5-7b-yarn", base_values("qwen2", 131072, 3584, 28, **keys(rope__freq_base=real(1000000),
         rope__scaling__type=text("yarn"), rope__scaling__factor=real(4),
         rope__scaling__original_context_length=u32(32768))),
         [profile("text", NEOX, 128, 128, 1000000.0, 32768, rope(128, 1000000.0, 1 / 4, ext_factor=1.0,
                  attn_factor=yarn_attn_factor(4.0), n_ctx_orig=32768))])
    case("qwen3-14b", base_values("qwen3", 40960, 5120, 40, **keys(rope__freq_base=real(1000000),
         attention__key_length=u32(128))),
         [profile("text", NEOX, 128, 128, 1000000.0, 40960, rope(128, 1000000.0))])
    case("qwen2-vl-7b", base_values("qwen2vl", 32768, 3584, 28, **keys(rope__freq_base=real(1000000),
         rope__dimension_sections=i32s([16, 24, 24, 0]))),
         [profile("text", NEOX, 128, 128, 1000000.0, 32768, rope(128, 1000000.0))])


def add_gemma():
    case("gemma-2-2b", base_values("gemma2", 8192, 2304, 8, **keys(attention__key_length=u32(256),
         attention__sliding_window=u32(4096))),
         [profile("text", NEOX, 256, 256, 10000.0, 8192, rope(256, 10000.0))])
    case("gemma-3-4b", base_values("gemma3", 131072, 2560, 8, **keys(attention__key_length=u32(256),
         attention__sliding_window=u32(1024), rope__freq_base=real(1000000), rope__scaling__type=text("linear"),
         rope__scaling__factor=real(8))),
         [profile("full attention", NEOX, 256, 256, 1000000.0, 131072, rope(256, 1000000.0, 1 / 8)),
          profile("sliding attention", NEOX, 256, 256, 10000.0, 131072, rope(256, 10000.0))])
    case("gemma-3-own-sliding-base", base_values("gemma3", 131072, 2560, 8, **keys(attention__key_length=u32(256),
         attention__sliding_window=u32(1024), rope__freq_base=real(1000000), rope__freq_base_swa=real(20000))),
         [profile("full attention", NEOX, 256, 256, 1000000.0, 131072, rope(256, 1000000.0)),
          profile("sliding attention", NEOX, 256, 256, 20000.0, 131072, rope(256, 20000.0))])
    factors = [1.0] * 64 + [f32(1e30)] * 192
    case("gemma-4-26b", base_values("gemma4", 262144, 2816, 16, **keys(attention__key_length=u32(512),
         attention__key_length_swa=u32(256), rope__dimension_count=u32(512), rope__dimension_count_swa=u32(256),
         attention__sliding_window=u32(1024), rope__freq_base=real(1000000), rope__freq_base_swa=real(10000))),
         [profile("full attention", NEOX, 512, 512, 1000000.0, 262144, rope(512, 1000000.0, factors=factors)),
          profile("sliding attention", NEOX, 256, 256, 10000.0, 262144, rope(256, 10000.0))],
         {"rope_freqs.weight": factors})


def add_phi():
    short = [f32(1.0 + 0.02 * (i % 5)) for i in range(48)]
    long = [f32(1.0 + 1.3 * i) for i in range(48)]
    attn = f32(math.sqrt(1 + math.log(131072 / 4096) / math.log(4096)))
    case("phi-3.5-mini", base_values("phi3", 131072, 3072, 32, **keys(rope__dimension_count=u32(96),
         rope__freq_base=real(10000), rope__scaling__original_context_length=u32(4096),
         rope__scaling__attn_factor=real(attn), attention__sliding_window=u32(262144))),
         [profile("text", NEOX, 96, 96, 10000.0, 4096, rope(96, 10000.0, factors=short, attn_factor=attn),
                  rope(96, 10000.0, factors=long))],
         {"rope_factors_long.weight": long, "rope_factors_short.weight": short})


def add_others():
    case("gpt-oss-20b", base_values("gpt-oss", 131072, 2880, 64, **keys(attention__key_length=u32(64),
         attention__sliding_window=u32(128), rope__freq_base=real(150000), rope__scaling__type=text("yarn"),
         rope__scaling__factor=real(32), rope__scaling__original_context_length=u32(4096))),
         [profile("text", NEOX, 64, 64, 150000.0, 4096, rope(64, 150000.0, 1 / 32, ext_factor=1.0,
                  attn_factor=yarn_attn_factor(32.0), n_ctx_orig=4096))])
    log_mul = f32(0.0707) / f32(0.1)
    case("deepseek-v2-lite", base_values("deepseek2", 163840, 2048, 16, **keys(attention__key_length=u32(576),
         attention__key_length_mla=u32(192), attention__kv_lora_rank=u32(512), rope__dimension_count=u32(64),
         rope__freq_base=real(10000), rope__scaling__type=text("yarn"), rope__scaling__factor=real(40),
         rope__scaling__original_context_length=u32(4096), rope__scaling__yarn_log_multiplier=real(0.0707))),
         [profile("text", NORM, 64, 64, 10000.0, 4096, rope(64, 10000.0, 1 / 40, ext_factor=1.0,
                  attn_factor=yarn_attn_factor(40.0, log_mul, True), n_ctx_orig=4096))])
    case("deepseek32", base_values("deepseek32", 163840, 7168, 128, **keys(attention__key_length=u32(576),
         attention__kv_lora_rank=u32(512), rope__dimension_count=u32(64), rope__freq_base=real(10000),
         rope__scaling__type=text("yarn"), rope__scaling__factor=real(40),
         rope__scaling__original_context_length=u32(4096), rope__scaling__yarn_log_multiplier=real(0.05))),
         [profile("text", NORM, 64, 64, 10000.0, 4096, rope(64, 10000.0, 1 / 40, ext_factor=1.0,
                  attn_factor=yarn_attn_factor(40.0, 0.5), n_ctx_orig=4096))])
    case("mistral3", base_values("mistral3", 262144, 3072, 24, **keys(attention__key_length=u32(128),
         rope__dimension_count=u32(128), rope__freq_base=real(1000000), rope__scaling__type=text("yarn"),
         rope__scaling__factor=real(16), rope__scaling__original_context_length=u32(16384),
         rope__scaling__yarn_beta_fast=real(4), rope__scaling__yarn_beta_slow=real(2),
         rope__scaling__yarn_log_multiplier=real(1))),
         [profile("text", NORM, 128, 128, 1000000.0, 16384, rope(128, 1000000.0, 1 / 16, ext_factor=1.0,
                  attn_factor=yarn_attn_factor(16.0, 1.0), n_ctx_orig=16384, beta_fast=4.0, beta_slow=2.0))])
    case("grok-2", base_values("grok", 131072, 8192, 64, **keys(rope__freq_base=real(208533496),
         rope__scaling__type=text("yarn"), rope__scaling__factor=real(16),
         rope__scaling__original_context_length=u32(8192))),
         [profile("text", NEOX, 128, 128, 208533496.0, 8192, rope(128, 208533496.0, 1 / 16, ext_factor=1.0,
                  attn_factor=yarn_attn_factor(16.0), n_ctx_orig=8192, beta_fast=8.0))])
    case("falcon-7b", base_values("falcon", 2048, 4544, 71),
         [profile("text", NEOX, 64, 64, 10000.0, 2048, rope(64, 10000.0))])
    case("pythia-6.9b", base_values("gptneox", 2048, 4096, 32, **keys(rope__dimension_count=u32(32))),
         [profile("text", NEOX, 128, 32, 10000.0, 2048, rope(32, 10000.0))])
    case("glm-4-9b", base_values("glm4", 32768, 4096, 32, **keys(rope__dimension_count=u32(64),
         rope__freq_base=real(10000), attention__key_length=u32(128))),
         [profile("text", NORM, 128, 64, 10000.0, 32768, rope(64, 10000.0))])
    case("laguna", base_values("laguna", 131072, 2048, 48, **keys(attention__key_length=u32(128),
         rope__dimension_count=u32(64), rope__dimension_count_swa=u32(128), attention__sliding_window=u32(512),
         rope__freq_base=real(500000), rope__freq_base_swa=real(10000), rope__scaling__type=text("yarn"),
         rope__scaling__factor=real(32), rope__scaling__original_context_length=u32(4096))),
         [profile("full attention", NEOX, 128, 64, 500000.0, 4096, rope(64, 500000.0, 1 / 32, ext_factor=1.0,
                  attn_factor=yarn_attn_factor(32.0), n_ctx_orig=4096)),
          profile("sliding attention", NEOX, 128, 128, 10000.0, 4096, rope(128, 10000.0))])
    case("granite-swa", base_values("granite_swa", 8192, 2560, 20, **keys(rope__dimension_count=u32(128),
         rope__freq_base=real(10000000), attention__sliding_window=u32(128), block_count=u32(8),
         attention__sliding_window_pattern=i32s([0, 1, 1, 1, 0, 1, 1, 1]),
         attention__rope_pattern=i32s([0, 1, 1, 1, 0, 1, 1, 1]))),
         [profile("text", NORM, 128, 128, 10000000.0, 8192, rope(128, 10000000.0),
                  says="2 of 8 layers have no rotary embedding: layers 0, 4, counted from 0.")])
    case("dots3-note", base_values("dots3note", 131072, 4096, 64, **keys(rope__dimension_count=u32(64),
         attention__kv_lora_rank=u32(512), attention__key_length_mla=u32(192), rope__freq_base=real(10000000),
         rope__freq_base_swa=real(10000), attention__sliding_window=u32(512), block_count=u32(4),
         attention__sliding_window_pattern=i32s([1, 1, 1, 0]))),
         [profile("full attention", NORM, 64, 64, 10000000.0, 131072, rope(64, 10000000.0),
                  says="1 of 4 layers is of this kind (full attention): layer 3, counted from 0."),
          profile("sliding attention", NORM, 64, 64, 10000.0, 131072, rope(64, 10000.0),
                  says="3 of 4 layers are of this kind (sliding attention): layers 0–2, counted from 0.")])
    case("qwen2-yarn-attn-factor", base_values("qwen2", 131072, 3584, 28, **keys(rope__freq_base=real(1000000),
         rope__scaling__type=text("yarn"), rope__scaling__factor=real(4), rope__scaling__attn_factor=real(0.75),
         rope__scaling__original_context_length=u32(32768))),
         [profile("text", NEOX, 128, 128, 1000000.0, 32768, rope(128, 1000000.0, 1 / 4, ext_factor=1.0,
                  attn_factor=yarn_attn_factor(4.0, attn_factor=0.75), n_ctx_orig=32768))])


add_llama()
add_qwen()
add_gemma()
add_phi()
add_others()
target = pathlib.Path(__file__).with_name("models.json")
lines = ",\n".join(" " + json.dumps(one, ensure_ascii=False) for one in CASES)
target.write_text('{"cases": [\n' + lines + "\n]}\n")
