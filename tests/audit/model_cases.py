"""Configs with more than one ladder, of classes that few know, and with extensions in words of their own; dumps right and wrong.

What is right was taken from the models' released code before the answer was seen: huggingface/transformers (deepseek_v32,
glm_moe_dsa, glm4, cohere, smollm3), vllm-project/vllm (step3p5.py, deepseek_v2.py, the YaRN of Mistral's params.json),
meta-llama/llama-models (models/llama3/model.py, models/llama4) and deepseek-ai/DeepSeek-V3.2-Exp (inference/model.py).
"""

import json

import numpy as np

import rope_math as rm
import text_cases
from case import AGREES, Case, DISAGREES, UNUSABLE
from text_cases import TABLES, rope

N = np.arange(900)


def asked(config, *more):
    return ["--config", "config.json", *more], {"config.json": json.dumps(config).encode()}


def tables(name, config, spec, expected, *more, store="float32", **rest):
    """Tables that a port of `spec` would make, judged by the config."""
    arguments, files = asked(config, *more)
    return Case(f"model {name}/{store}", [*arguments, *TABLES], text_cases.dump(lambda: rope(spec, N), store=store, extra=lambda: files),
                expected, **rest)


def turned(name, config, spec, head, expected, *more, pairing="half", **rest):
    """Vectors of whole heads, of which the first channels turn."""
    arguments, files = asked(config, *more)

    def made():
        before = np.random.default_rng(5).normal(size=(200, 2, head)).astype(np.float32)
        cos, sin = rope(spec, np.arange(200)).tables()
        return files | {"before.npy": before, "after.npy": rm.rotate(before.astype(float), cos, sin, pairing).astype(np.float32)}
    ask = [*arguments, "--before", "before.npy", "--after", "after.npy", "--q-layout", "thd"]
    return Case(f"model {name}/{pairing}", ask, made, expected, **rest)


def refused(name, config, says, *more):
    return tables(name, config, dict(d=128, base=1e4), UNUSABLE, *more, says=(says,))


YARN = dict(rope_theta=10000, max_position_embeddings=163840,
            rope_scaling=dict(type="yarn", factor=40, beta_fast=32, beta_slow=1, mscale=1.0, mscale_all_dim=1.0,
                              original_max_position_embeddings=4096))
DEEPSEEK = dict(model_type="deepseek_v32", qk_rope_head_dim=64, qk_nope_head_dim=128, index_head_dim=128, **YARN)
DEEPSEEK_SPEC = dict(d=64, base=1e4, kind="yarn", factor=40.0, trained=4096, amplitude=1.0)
GLM = dict(model_type="glm_moe_dsa", qk_rope_head_dim=64, index_head_dim=128, indexer_rope_interleave=True,
           rope_parameters=dict(rope_type="default", rope_theta=1000000))
GLM_SPEC = dict(d=64, base=1e6)
SALA = dict(model_type="minicpm_sala", head_dim=128, lightning_head_dim=64, lightning_use_rope=True, attn_use_rope=False,
            rope_theta=10000, num_hidden_layers=4, mixer_types=["minicpm4", "lightning-attn", "lightning-attn", "minicpm4"])
LING = dict(model_type="bailing_hybrid", head_dim=128, qk_rope_head_dim=64, layer_group_size=8, partial_rotary_factor=0.5,
            rope_theta=6000000, max_position_embeddings=131072)
STEP = dict(model_type="step3p5", head_dim=128, num_hidden_layers=4, max_position_embeddings=262144, sliding_window=512,
            layer_types=["full_attention"] + 3 * ["sliding_attention"], rope_theta=[5000000, 10000, 10000, 10000],
            partial_rotary_factors=[0.5, 1.0, 1.0, 1.0], yarn_only_types=["full_attention"],
            rope_scaling=dict(rope_type="llama3", factor=2.0, original_max_position_embeddings=131072, low_freq_factor=1.0,
                              high_freq_factor=32.0))
STEP_FULL = dict(d=64, base=5e6, kind="llama3", factor=2.0, trained=131072, low=1.0, high=32.0)


def profiles():
    indexer = ["--profile", "indexer"]
    for pairing, of_text, of_indexer in (("half", "pairing", AGREES), ("interleaved", AGREES, "pairing")):
        yield turned("deepseek v3.2 indexer", DEEPSEEK, DEEPSEEK_SPEC, 128, of_indexer, *indexer, pairing=pairing)
        yield turned("deepseek v3.2 attention", DEEPSEEK, DEEPSEEK_SPEC, 64, of_text, pairing=pairing)
        yield turned("glm-5 indexer", GLM, GLM_SPEC, 128, {AGREES: "pairing"}.get(of_indexer, AGREES), *indexer, pairing=pairing)
        yield turned("glm-5 indexer by halves", GLM | dict(indexer_rope_interleave=False), GLM_SPEC, 128, of_indexer, *indexer,
                     pairing=pairing)
    yield tables("deepseek v3.2 indexer", DEEPSEEK, DEEPSEEK_SPEC, AGREES, *indexer)
    yield tables("deepseek v3.2 indexer, not extended", DEEPSEEK, dict(d=64, base=1e4), "scaling-missing", *indexer)
    yield tables("deepseek v3.2 indexer, extended by 4", DEEPSEEK, DEEPSEEK_SPEC | dict(factor=4.0), "scaling-parameters", *indexer)
    yield turned("indexer of 96 channels", DEEPSEEK | dict(index_head_dim=96), DEEPSEEK_SPEC, 96, AGREES, *indexer)
    yield tables("deepseek v3 has no indexer", DEEPSEEK | dict(model_type="deepseek_v3"), DEEPSEEK_SPEC, UNUSABLE, *indexer,
                 says=("no profile",))
    for store in ("float32", "bfloat16"):
        yield tables("minicpm-sala", SALA, dict(d=64, base=1e4), AGREES, store=store, says=("layers 0, 3,",))
        yield tables("ling linear", LING, dict(d=64, base=6e6), AGREES, "--profile", "linear attention", store=store)
        yield tables("step full", STEP, STEP_FULL, AGREES, store=store)
        yield tables("step sliding", STEP, dict(d=128, base=1e4), AGREES, "--profile", "sliding", store=store)
    yield tables("minicpm-sala, base 50 000", SALA, dict(d=64, base=5e4), "base", parameters={"base": {"base": 5e4}})
    yield turned("ling linear", LING, dict(d=64, base=6e6), 128, AGREES, "--profile", "linear attention")
    yield turned("ling attention", LING, dict(d=64, base=6e6), 64, AGREES, pairing="interleaved")
    yield tables("step full, not extended", STEP, dict(d=64, base=5e6), "scaling-missing")
    yield tables("step full, all of the head", STEP, STEP_FULL | dict(d=128), "rotary-dimension")
    yield tables("step sliding, base 20 000", STEP, dict(d=128, base=2e4), "base", "--profile", "sliding attention")
    smol = dict(model_type="smollm3", hidden_size=2048, num_attention_heads=16, num_hidden_layers=36, rope_theta=2000000)
    yield tables("smollm3", smol, dict(d=128, base=2e6), AGREES, says=("layers 3, 7, …, 35",))
    cohere = dict(model_type="cohere2", hidden_size=128, num_attention_heads=1, num_hidden_layers=8, rope_theta=10000)
    yield tables("command a", cohere, dict(d=128, base=1e4, pairing="interleaved"), AGREES, says=("layers 3, 7",))


def tower(h, w, merge, head):
    """Rows and columns of patches, block by block of merge × merge as Qwen2-VL's rot_pos_emb permutes them."""
    places = np.indices((h, w)).reshape(2, h // merge, merge, w // merge, merge).transpose(0, 1, 3, 2, 4).reshape(2, -1)
    frequency, axis = rm.axial((head // 2, head // 2), 1e4)
    return rm.Rope(places.T.astype(float), frequency, axis, np.array(["image"] * (h * w)), 1.0, "half")


def towers():
    heads = {"qwen2_vl": (dict(embed_dim=1280, num_heads=16), 80), "qwen2_5_vl": (dict(hidden_size=1280, num_heads=16), 80),
             "qwen3_vl": (dict(hidden_size=1152, num_heads=16), 72)}
    for kind, (vision, head) in heads.items():
        text = dict(hidden_size=3584, num_attention_heads=28, rope_theta=1000000, rope_scaling=dict(type="mrope", mrope_section=[16, 24, 24]))
        config = text | dict(model_type=kind, vision_config=vision | dict(patch_size=14, spatial_merge_size=2))
        arguments, files = asked(config, "--profile", "vision", "--grid", "12x20")

        def case(name, made, expected, more=arguments, files=files, kind=kind, **rest):
            return Case(f"model tower {kind}/{name}", [*more, *TABLES], text_cases.dump(made, extra=lambda: files), expected, **rest)
        yield case("right", lambda head=head: tower(12, 20, 2, head), AGREES, says=("2 × 2",))
        yield case("row by row", lambda head=head: tower(12, 20, 1, head), DISAGREES)
        yield case("20x12", lambda head=head: tower(20, 12, 2, head), DISAGREES)
        yield case("columns first", lambda head=head: (lambda r: r.but(ids=r.ids[:, ::-1]))(tower(12, 20, 2, head)), "axes-swapped",
                   ties={("axis-dimensions",): "blocks of one width"})
        yield case("no size", lambda head=head: tower(12, 20, 2, head), UNUSABLE, arguments[:-2], says=("--grid",))
    config = config | dict(vision_config=vision | dict(patch_size=14, spatial_merge_size=1))
    arguments, files = asked(config, "--profile", "vision", "--grid", "12x20")
    yield case("nothing merged", lambda: tower(12, 20, 1, 72), AGREES, arguments, files)


def classes():
    plain = dict(head_dim=128, rope_theta=10000)
    for kind in ("nemotron_h", "jamba", "zamba", "gpt2", "opt", "bloom", "mamba2", "falcon_mamba", "t5"):
        yield refused(f"without rotation: {kind}", plain | dict(model_type=kind), "has no rotary embedding")
    yield refused("without rotation, by architectures", plain | dict(architectures=["NemotronHForCausalLM"]), "nemotron_h")
    yield refused("without rotation, in llm_config", dict(model_type="some_vl", llm_config=plain | dict(model_type="nemotron_h")),
                  "nemotron_h")
    yield refused("mla_use_nope", plain | dict(model_type="kimi_linear", mla_use_nope=True, qk_rope_head_dim=64), "mla_use_nope")
    yield refused("mla_use_nope in a tower", dict(model_type="kimi_k3", text_config=plain | dict(mla_use_nope=True)), "mla_use_nope")
    yield refused("use_rope false", plain | dict(model_type="some", use_rope=False), "use_rope")
    cohere = plain | dict(architectures=["CohereForCausalLM"])
    for kind in ({}, dict(model_type="my_tune")):
        yield turned(f"cohere by architectures {kind}", cohere | kind, dict(d=128, base=1e4), 128, AGREES, pairing="interleaved",
                     says=("told by architectures",))
        yield turned(f"cohere by architectures {kind}", cohere | kind, dict(d=128, base=1e4), 128, "pairing")
    yield tables("glm-4 by architectures", plain | dict(architectures=["Glm4ForCausalLM"]), dict(d=64, base=1e4), AGREES)
    yield tables("a class nobody knows", plain | dict(model_type="brand_new"), dict(d=128, base=1e4), AGREES, says=("is not known here",))
    talker = dict(model_type="some_tts", speaker_config=dict(rope_theta=5, head_dim=8), talker_config=plain | dict(rope_theta=1000000))
    yield tables("talker_config", talker, dict(d=128, base=1e6), AGREES, says=("talker_config",))
    yield tables("talker_config, base 10 000", talker, dict(d=128, base=1e4), "base", says=("talker_config",))
    deep = dict(model_type="x", thinker=1, omni_config=dict(decoder_config=plain | dict(rope_theta=77777)))
    yield tables("two levels down", deep, dict(d=128, base=77777.0), AGREES)
    both = dict(model_type="llama", head_dim=128, rope_theta=500000, rope_parameters=dict(rope_type="default", rope_theta=10000))
    yield tables("two bases, the inner one", both, dict(d=128, base=1e4), AGREES, says=("rope_theta 500000",))
    yield tables("two bases, the outer one", both, dict(d=128, base=5e5), "base", says=("rope_theta 500000",))
    glm = dict(model_type="glm4", head_dim=128, partial_rotary_factor=0.5,
               rope_parameters=dict(partial_rotary_factor=0.25, rope_theta=10000.0, rope_type="default"))
    yield tables("two fractions, the inner one", glm, dict(d=32, base=1e4), AGREES, says=("partial_rotary_factor 0.5",))
    yield tables("two fractions, the outer one", glm, dict(d=64, base=1e4), "rotary-dimension", says=("partial_rotary_factor 0.5",))
    types = plain | dict(model_type="llama", max_position_embeddings=4096, rope_scaling=dict(type="yarn", rope_type="linear", factor=4.0))
    yield tables("two types, rope_type", types, dict(d=128, base=1e4, kind="linear", factor=4.0), AGREES, says=("rope_scaling.type",))
    yield tables("two types, type", types, dict(d=128, base=1e4, kind="yarn", factor=4.0, trained=4096), "scaling-kind",
                 says=("rope_scaling.type",))


def extensions():
    meta = dict(dim=4096, n_layers=32, n_heads=32, rope_theta=500000.0, use_scaled_rope=True)
    third = dict(d=128, base=5e5, kind="llama3", factor=8.0, trained=8192, pairing="interleaved")
    yield tables("params.json of llama 3.1", meta, third, AGREES, says=("use_scaled_rope",))
    yield tables("params.json of llama 3.1, not extended", meta, dict(d=128, base=5e5), "scaling-missing")
    yield tables("params.json of llama 3.1, factor 32", meta, third | dict(factor=32.0), "scaling-parameters")
    yield tables("params.json of llama 3, extended", meta | dict(use_scaled_rope=False), dict(d=128, base=5e5), AGREES)
    yield tables("params.json of llama 4", meta | dict(nope_layer_interval=4, moe_args={}), third | dict(factor=16.0, high=1.0), AGREES)
    yield tables("params.json with its numbers", meta | dict(rope_scaling_factor=16, rope_high_freq_factor=2),
                 third | dict(factor=16.0, high=2.0), AGREES)
    yarn = dict(factor=36, original_max_position_embeddings=8192, beta=32, alpha=1, apply_scale=False)
    mistral = dict(dim=4096, n_layers=40, n_heads=32, head_dim=128, rope_theta=10000.0, yarn=yarn)
    spec = dict(d=128, base=1e4, kind="yarn", factor=36.0, trained=8192, amplitude=1.0)
    yield tables("params.json of mistral", mistral, spec, AGREES)
    yield tables("params.json of mistral, scaled", mistral | dict(yarn=yarn | dict(apply_scale=True)), spec | dict(amplitude=None) | dict(
        amplitude=rm.mscale(36.0)), AGREES)
    yield tables("params.json of mistral, amplitude too", mistral, spec | dict(amplitude=rm.mscale(36.0)), "amplitude")
    yield tables("params.json of mistral, not extended", mistral, dict(d=128, base=1e4), "scaling-missing")
    yield tables("params.json of mistral, latent", mistral | dict(qk_rope_head_dim=64, kv_lora_rank=512), spec | dict(d=64), AGREES)
    yield refused("yarn of mistral with a key of nobody", mistral | dict(yarn=yarn | dict(gamma=2)), "yarn.gamma")
    llama = dict(model_type="llama", head_dim=128, rope_theta=10000, max_position_embeddings=4096)
    for name, scaling, says in (("a type of nobody", dict(type="something-new", factor=4), "something-new"),
                                ("a text", "yarn", "rope_scaling is the text"),
                                ("a number", 4.0, "rope_scaling is 4"),
                                ("a misspelt key", dict(type="yarn", factor=4, beta_fasst=64), "beta_fasst"),
                                ("a misspelt type", dict(rope_tpye="yarn", factor=4), "rope_tpye"),
                                ("no type", dict(factor=4), "no rope_type"),
                                ("lists without a type", dict(long_factor=[2] * 64, short_factor=[1] * 64), "no rope_type"),
                                ("a switch of vLLM", dict(type="yarn", factor=4, apply_yarn_scaling=False), "apply_yarn_scaling")):
        yield refused(f"rope_scaling with {name}", llama | dict(rope_scaling=scaling), says)
    for field, value in (("rope_type", "yarn"), ("use_scaled_rope", True), ("rope_scaling_factor", 8.0), ("rope_scalling", dict(factor=2)),
                         ("yarn", yarn), ("scaling", dict(type="yarn", factor=4)), ("rope_scaling_type", "dynamic")):
        yield refused(f"{field} beside the rest", llama | {field: value}, field)
    misspelt = llama | dict(rope_scaling=dict(type="linear", facor=4, factor=4))
    yield tables("a misspelt key, and options that say what is meant", misspelt, dict(d=128, base=1e4, kind="linear", factor=4.0), AGREES,
                 "--scaling", "linear", "--factor", "4", says=("facor",))
    for field, value in (("rope_scaling", None), ("rope_scaling", {}), ("use_scaled_rope", False), ("rope_scaling_factor", 1.0),
                         ("rope_type", "default"), ("rope_magic", 3)):
        yield tables(f"{field} {value} asks for nothing", llama | {field: value}, dict(d=128, base=1e4), AGREES)
    beside = llama | dict(rope_scaling=dict(type="yarn", factor=4.0, attn_factor=1.0, extrapolation_factor=1))
    yield tables("keys that change nothing", beside, dict(d=128, base=1e4, kind="yarn", factor=4.0, trained=4096), AGREES)


def all_cases():
    yield from profiles()
    yield from towers()
    yield from classes()
    yield from extensions()
