"""Small torch models, each dumped to CASE.safetensors by assets/dump/ropescope_dump.py. One argument: its folder.

Their formulas are those of the models that they stand for: Hugging Face's modeling_llama.py, modeling_gptj.py, diffusers'
transformer_flux.py and black-forest-labs/flux src/flux/math.py.
"""
import os
import sys

import torch
from torch import nn

sys.path.insert(0, sys.argv[1])
import ropescope_dump  # noqa: E402

HEADS, HEAD_DIM, TOKENS = 4, 32, 48


# --- Text, as transformers has it ---------------------------------------------------------------------------------------

class LlamaRotaryEmbedding(nn.Module):
    """cos and sin [batch, tokens, head_dim], each frequency twice, by halves."""

    def __init__(self, base, slower=1.0, dtype=torch.float32):
        super().__init__()
        self.dtype = dtype
        inverse = 1.0 / base ** (torch.arange(0, HEAD_DIM, 2).float() / HEAD_DIM)
        self.register_buffer("inv_freq", inverse / slower)

    @torch.no_grad()
    def forward(self, x, position_ids):
        angle = position_ids[:, :, None].float() * self.inv_freq
        angle = torch.cat((angle, angle), dim=-1)
        return angle.cos().to(self.dtype), angle.sin().to(self.dtype)


def apply_rope_in_place(x, cos, sin):
    x.copy_(x * cos[:, None] + rotate_half(x) * sin[:, None])
    return x


def rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def apply_rotary_pos_emb(q, k, cos, sin, unsqueeze_dim=1):
    cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


class Attention(nn.Module):
    def __init__(self, inline):
        super().__init__()
        self.q_proj = nn.Linear(64, HEADS * HEAD_DIM)
        self.k_proj = nn.Linear(64, HEADS // 2 * HEAD_DIM)
        self.inline = inline

    def forward(self, x, cos, sin):
        q, k = (y.view(*y.shape[:2], -1, HEAD_DIM).transpose(1, 2) for y in (self.q_proj(x), self.k_proj(x)))
        if self.inline == "in place":
            q, k = apply_rope_in_place(q, cos, sin), apply_rope_in_place(k, cos, sin)
        elif self.inline:  # no function to be seen, only torch's attention
            c, s = cos[:, None], sin[:, None]
            q, k = q * c + rotate_half(q) * s, k * c + rotate_half(k) * s
        else:
            q, k = apply_rotary_pos_emb(q, k, cos, sin)
        return nn.functional.scaled_dot_product_attention(q, k.repeat_interleave(2, 1), k.repeat_interleave(2, 1))


class Llama(nn.Module):
    def __init__(self, config, rotary, inline=False, dtype=torch.float32):
        super().__init__()
        self.config = config
        self.rotary_emb = rotary
        self.layers = nn.ModuleList(Attention(inline).to(dtype) for _ in range(2))

    def forward(self, x, position_ids):
        cos, sin = self.rotary_emb(x, position_ids=position_ids)
        for layer in self.layers:
            layer(x, cos, sin)


class Config:
    """As PretrainedConfig: not a mapping, but it says itself as one."""

    def __init__(self, **fields):
        self.fields = fields

    def to_dict(self):
        return dict(self.fields, _name_or_path="nowhere", torch_dtype="float32")


def llama_config(**more):
    return Config(model_type="llama", hidden_size=HEADS * HEAD_DIM, num_attention_heads=HEADS, head_dim=HEAD_DIM,
                  rope_theta=10000.0, max_position_embeddings=2048, **more)


def run_llama(model, first=0, **more):
    """A batch of two whose items stand at other positions."""
    positions = torch.stack([torch.arange(TOKENS) + first, torch.arange(TOKENS) + 700])
    with ropescope_dump.capture(model, "out.safetensors", **more):
        for _ in range(2):  # only the first call counts
            model(torch.randn(2, TOKENS, 64, dtype=model.rotary_emb.dtype), positions)
            positions = positions + 1


# --- Adjacent channels, as GPT-J has them: no module, the sine before the cosine ------------------------------------------

def rotate_every_two(x):
    return torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)


def apply_rotary_pos_emb_adjacent(tensor, sin, cos):
    sin, cos = (t[:, :, None, :].repeat_interleave(2, 3) for t in (sin, cos))
    return tensor * cos + rotate_every_two(tensor) * sin


class GPTJ(nn.Module):
    config = Config(model_type="gptj", n_embd=HEADS * HEAD_DIM, n_head=HEADS, rotary_dim=16, n_positions=2048)

    def forward(self, positions):
        angle = positions[:, :, None] * 10000.0 ** (-torch.arange(0, 16, 2) / 16)
        q, k = torch.randn(2, 1, positions.shape[1], HEADS, HEAD_DIM)
        for x in (k, q):
            apply_rotary_pos_emb_adjacent(x[..., :16], angle.sin(), angle.cos())


# --- Images, as diffusers and FLUX have them ----------------------------------------------------------------------------

class FluxPosEmbed(nn.Module):
    """ids [tokens, 3] → cos and sin [tokens, head_dim], each frequency twice, side by side."""

    def __init__(self, axes, base=10000.0):
        super().__init__()
        self.axes, self.base = axes, base

    def angles(self, ids):
        ladders = [self.base ** (-torch.arange(0, n, 2, dtype=torch.float64) / n) for n in self.axes]
        return torch.cat([ids[..., i, None].double() * ladder for i, ladder in enumerate(ladders)], dim=-1)

    def forward(self, ids):
        angle = self.angles(ids).repeat_interleave(2, dim=-1)
        return angle.cos().float(), angle.sin().float()


class EmbedND(FluxPosEmbed):
    """ids [batch, tokens, 3] → [batch, 1, tokens, pairs, 2, 2], as in FLUX's own code."""

    def forward(self, ids):
        angle = self.angles(ids)
        c, s = angle.cos(), angle.sin()
        return torch.stack([c, -s, s, c], dim=-1).unflatten(-1, (2, 2)).float().unsqueeze(1)


class RopeEmbedder(FluxPosEmbed):
    """Complex numbers."""

    def forward(self, ids):
        return torch.polar(torch.ones(()).double(), self.angles(ids)).to(torch.complex64)


def apply_rotary_emb(x, freqs_cis, sequence_dim=2):
    cos, sin = (t[:, None] if sequence_dim == 1 else t for t in freqs_cis)
    return x * cos + rotate_every_two(x) * sin


class FluxAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.to_q, self.to_k = nn.Linear(16, width), nn.Linear(16, width)
        self.norm_q = nn.LayerNorm(width // HEADS)

    def forward(self, x, rotation):
        for projection in (self.to_q, self.to_k):
            y = projection(x)
            apply_rotary_emb(self.norm_q(y.view(*y.shape[:2], HEADS, -1)), rotation, sequence_dim=1)


class FluxTransformer2DModel(nn.Module):
    def __init__(self, axes, embed=FluxPosEmbed, **more):
        super().__init__()
        self.config = {"attention_head_dim": sum(axes), "num_attention_heads": HEADS, "axes_dims_rope": list(axes),
                       "patch_size": 1, "_diffusers_version": "0"}
        self.pos_embed = embed(axes, **more)
        self.attn = FluxAttention(HEADS * sum(axes))

    def forward(self, ids):
        rotation = self.pos_embed(ids)
        if isinstance(rotation, tuple):
            self.attn(torch.randn(1, len(ids), 16), rotation)


def flux_ids(rows, columns, text):
    """[text + rows · columns, 3]: (0, 0, 0) for text, then (0, row, column)."""
    grid = torch.zeros(rows, columns, 3)
    grid[..., 1] += torch.arange(rows)[:, None]
    grid[..., 2] += torch.arange(columns)[None, :]
    return torch.cat([torch.zeros(text, 3), grid.reshape(-1, 3)])


def run_flux(model, ids, **more):
    with ropescope_dump.capture(model, "out.safetensors", **more):
        model(ids)


class Pipeline:
    """Holds models, and is none; that of the prompt has a ladder of its own, and comes first."""

    def __init__(self, transformer):
        self.text_encoder, self.transformer, self.tokenizer = Llama(llama_config(), LlamaRotaryEmbedding(10000.0)), transformer, None

    def __call__(self, ids):
        self.text_encoder(torch.randn(1, TOKENS, 64), torch.arange(TOKENS)[None])
        self.transformer(ids)


class TwoLadders(nn.Module):
    """As Gemma 3: a local ladder that comes first in every way, and the global one that the config describes."""

    config = llama_config()

    def __init__(self):
        super().__init__()
        self.rotary_emb_local, self.rotary_emb = LlamaRotaryEmbedding(500.0), LlamaRotaryEmbedding(10000.0)
        self.layers = nn.ModuleList(Attention(False) for _ in range(2))

    def forward(self, x, positions):
        for layer, rotary in zip(self.layers, (self.rotary_emb_local, self.rotary_emb)):
            layer(x, *rotary(x, positions))


# --- Families that store halves and turn neighbours, parts of heads, and two ladders --------------------------------------

def apply_rotary_pos_emb_glm(q, k, cos, sin):
    """As GLM, Helium and ERNIE 4.5: the first half of each table, every number for two neighbours."""
    cos, sin = (t[:, None, :, :t.shape[-1] // 2].repeat_interleave(2, dim=-1) for t in (cos, sin))
    turned = cos.shape[-1]
    return tuple(torch.cat([x[..., :turned] * cos + rotate_every_two(x[..., :turned]) * sin, x[..., turned:]], dim=-1)
                 for x in (q, k))


def apply_rotary_pos_emb_interleave(q, k, cos, sin):
    """As DeepSeek V3: neighbours in, halves out."""
    cos, sin = cos[:, None], sin[:, None]
    sorted_ = (x.unflatten(-1, (-1, 2)).transpose(-1, -2).flatten(-2) for x in (q, k))
    return tuple(x * cos + rotate_half(x) * sin for x in sorted_)


class Family(nn.Module):
    """One layer: a rotary module, and the function that turns q and k by what it gives."""

    def __init__(self, apply, base=10000.0, width=HEAD_DIM, head=HEAD_DIM, **config):
        super().__init__()
        self.config = Config(hidden_size=HEADS * HEAD_DIM, num_attention_heads=HEADS, num_key_value_heads=HEADS,
                             max_position_embeddings=2048, **config)
        self.rotary_emb = LlamaRotaryEmbedding(base)
        self.rotary_emb.inv_freq = 1.0 / base ** (torch.arange(0, width, 2).float() / width)
        self.apply, self.head = apply, head

    def forward(self, x, positions):
        cos, sin = self.rotary_emb(x, position_ids=positions)
        q, k = torch.randn(2, 1, HEADS, TOKENS, self.head)
        globals()[self.apply](q, k, cos, sin)


def run_family(model):
    with ropescope_dump.capture(model, "out.safetensors"):
        model(torch.randn(1, TOKENS, 8), torch.arange(TOKENS)[None])


# --- As vLLM has it -----------------------------------------------------------------------------------------------------

class RotaryEmbedding(nn.Module):
    """Shapes of vllm/model_executor/layers/rotary_embedding/base.py: a cache [positions, cos and sin], q and k as
    [tokens, heads x channels], turned in place."""

    def __init__(self, base):
        super().__init__()
        self.head_size = HEAD_DIM
        angle = torch.outer(torch.arange(2048.0), 1.0 / base ** (torch.arange(0, HEAD_DIM, 2).float() / HEAD_DIM))
        self.register_buffer("cos_sin_cache", torch.cat((angle.cos(), angle.sin()), dim=-1))

    def forward(self, positions, query, key=None):
        cos, sin = self.cos_sin_cache[positions][:, None].chunk(2, dim=-1)
        for x in (query, key):
            first, second = x.view(len(positions), -1, HEAD_DIM).chunk(2, dim=-1)
            x.copy_(torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1).view(x.shape))
        return query, key


class LlamaForCausalLM(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.config = llama_config()
        self.rotary_emb = RotaryEmbedding(base)

    def forward(self, positions):
        for _ in range(2):  # two layers share it
            q, k = torch.randn(len(positions), HEADS * HEAD_DIM), torch.randn(len(positions), HEADS // 2 * HEAD_DIM)
            self.rotary_emb(positions, q, k)


def run_vllm(base):
    model = LlamaForCausalLM(base)
    with ropescope_dump.capture(model, "out.safetensors"):
        model(torch.arange(7, 7 + TOKENS))
    assert "forward" not in vars(model.rotary_emb)


GEMMA = dict(model_type="gemma3_text", head_dim=HEAD_DIM, rope_theta=1e6, rope_local_base_freq=10000.0, sliding_window=1024,
             sliding_window_pattern=6, num_hidden_layers=6)
DEEPSEEK = dict(model_type="deepseek_v3", rope_theta=10000.0, qk_rope_head_dim=HEAD_DIM, qk_nope_head_dim=64, v_head_dim=64,
                q_lora_rank=None, kv_lora_rank=64)

AXES = (16, 56, 56)
CASES = {
    "llama": lambda: run_llama(Llama(llama_config(), LlamaRotaryEmbedding(10000.0)), first=5),
    "llama-second-item": lambda: run_llama(Llama(llama_config(), LlamaRotaryEmbedding(10000.0)), item=1),
    "llama-bfloat16": lambda: run_llama(Llama(llama_config(), LlamaRotaryEmbedding(10000.0, dtype=torch.bfloat16),
                                               dtype=torch.bfloat16)),
    "llama-inline": lambda: run_llama(Llama(llama_config(), LlamaRotaryEmbedding(10000.0), inline=True)),
    "llama-in-place": lambda: run_llama(Llama(llama_config(), LlamaRotaryEmbedding(10000.0), inline="in place")),
    "llama-unscaled": lambda: run_llama(
        Llama(llama_config(rope_scaling={"rope_type": "linear", "factor": 4.0}), LlamaRotaryEmbedding(10000.0))),
    "llama-scaled": lambda: run_llama(
        Llama(llama_config(rope_scaling={"rope_type": "linear", "factor": 4.0}), LlamaRotaryEmbedding(10000.0, 4.0))),
    "two-ladders": lambda: run_llama(TwoLadders()),
    "gptj": lambda: run_flux(GPTJ(), torch.arange(TOKENS)[None]),
    "glm4": lambda: run_family(Family("apply_rotary_pos_emb_glm", width=HEAD_DIM // 2, model_type="glm4", head_dim=HEAD_DIM,
                                      partial_rotary_factor=0.5, rope_theta=10000.0)),
    "helium": lambda: run_family(Family("apply_rotary_pos_emb_glm", model_type="helium", head_dim=HEAD_DIM, rope_theta=10000.0)),
    "ernie4.5": lambda: run_family(Family("apply_rotary_pos_emb_glm", base=5e5, model_type="ernie4_5", head_dim=HEAD_DIM,
                                          rope_theta=5e5)),
    "deepseek-v3": lambda: run_family(Family("apply_rotary_pos_emb_interleave", **DEEPSEEK)),
    "gemma3-sliding": lambda: run_family(Family("apply_rotary_pos_emb", **GEMMA)),
    "gemma3-full": lambda: run_family(Family("apply_rotary_pos_emb", base=1e6, **GEMMA)),
    "helium-halves": lambda: run_family(Family("apply_rotary_pos_emb", model_type="helium", head_dim=HEAD_DIM, rope_theta=10000.0)),
    "vllm": lambda: run_vllm(10000.0),
    "vllm-base": lambda: run_vllm(500.0),
    "flux": lambda: run_flux(FluxTransformer2DModel(AXES), flux_ids(9, 13, 20), size="208x144", text=20),
    "flux-size-unsaid": lambda: run_flux(Pipeline(FluxTransformer2DModel(AXES)), flux_ids(9, 13, 20)),
    "flux-turned": lambda: run_flux(FluxTransformer2DModel(AXES), flux_ids(13, 9, 20), size=(208, 144), text=20),
    "flux-base": lambda: run_flux(FluxTransformer2DModel(AXES, base=2000.0), flux_ids(9, 13, 20), size="208x144", text=20),
    "flux-matrices": lambda: run_flux(FluxTransformer2DModel(AXES, EmbedND), flux_ids(9, 13, 20)[None], grid="9x13", text=20),
    "flux-complex": lambda: run_flux(FluxTransformer2DModel(AXES, RopeEmbedder), flux_ids(9, 13, 20), grid="9x13", text=20),
}

if not hasattr(nn.functional, "scaled_dot_product_attention"):  # torch 1.13
    def attend(q, k, v):
        return (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-1) @ v
    nn.functional.scaled_dot_product_attention = attend
torch.manual_seed(0)
with torch.no_grad():
    for name, case in CASES.items():
        case()
        os.rename("out.safetensors", name + ".safetensors")
