"""Small torch models whose rotary code stands for that of others: transformers' modeling_llama.py (both at once, tables by
a module), and code that turns q and k by two calls, or inline between projection and attention."""
import torch
from torch import nn

HEADS, DIM = 4, 128


def rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def apply_rotary_pos_emb(q, k, cos, sin, unsqueeze_dim=1):
    cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


def apply_rope(x, cos, sin):
    return x * cos[:, None] + rotate_half(x) * sin[:, None]


class RotaryEmbedding(nn.Module):
    def __init__(self, frequencies, dtype):
        super().__init__()
        self.dtype = dtype
        self.register_buffer("inv_freq", torch.as_tensor(frequencies, dtype=torch.float32))

    @torch.no_grad()
    def forward(self, x, position_ids):
        angle = position_ids[:, :, None].float() * self.inv_freq
        angle = torch.cat((angle, angle), dim=-1)
        return angle.cos().to(self.dtype), angle.sin().to(self.dtype)


class Attention(nn.Module):
    """how: "together", "apart" or "inline"."""

    def __init__(self, how):
        super().__init__()
        self.how = how
        self.q_proj, self.k_proj = nn.Linear(64, HEADS * DIM), nn.Linear(64, HEADS // 2 * DIM)

    def forward(self, x, cos, sin):
        q, k = (y.view(*y.shape[:2], -1, DIM).transpose(1, 2) for y in (self.q_proj(x), self.k_proj(x)))
        if self.how == "together":
            q, k = apply_rotary_pos_emb(q, k, cos, sin)
        elif self.how == "apart":
            q, k = apply_rope(q, cos, sin), apply_rope(k, cos, sin)
        return (q @ k.repeat(1, 2, 1, 1).transpose(2, 3)).mean((1, 3))[..., None] + x


class Model(nn.Module):
    def __init__(self, base_frequencies, layers=2, how="together", dtype=torch.float32):
        super().__init__()
        self.rotary_emb = RotaryEmbedding(base_frequencies, dtype)
        self.layers = nn.ModuleList(Attention(how) for _ in range(layers))

    def forward(self, x):
        cos, sin = self.rotary_emb(x, torch.arange(x.shape[1])[None])
        for layer in self.layers:
            x = layer(x, cos, sin)
        return x
