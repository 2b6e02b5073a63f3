"""Seconds of a training step: ropescope's against PyTorch's, in one run.

    python3 tests/benchmarks/training_torch.py build/ropescope [THREADS]

2 layers, width 128, 4 heads, length 128, batch 16, RoPE, softmax, next byte: the same arithmetic (pre-norm, GELU by tanh,
tied output, AdamW, clipping) on both sides. ropescope's number is what its CSV says of the steps alone, batches
included; PyTorch's leaves the batches out.
"""
import csv
import subprocess
import sys
import tempfile
import time

import torch
import torch.nn.functional as F

LAYERS, WIDTH, HEADS, LENGTH, BATCH, VOCABULARY, STEPS = 2, 128, 4, 128, 16, 256, 60
program, threads = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2
torch.set_num_threads(threads)
torch.manual_seed(1)
deep = WIDTH // HEADS
angles = torch.outer(torch.arange(LENGTH).float(), 10000.0 ** (-torch.arange(0, deep, 2) / deep))
cosine, sine = angles.cos(), angles.sin()
hidden = torch.triu(torch.full((LENGTH, LENGTH), float("-inf")), 1)


def turn(x):
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cosine - b * sine, a * sine + b * cosine], -1).flatten(-2)


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.mlp_norm = torch.nn.LayerNorm(WIDTH), torch.nn.LayerNorm(WIDTH)
        self.qkv, self.out = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        self.up, self.down = torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = (y.view(BATCH, LENGTH, HEADS, deep).transpose(1, 2) for y in self.qkv(self.norm(x)).chunk(3, -1))
        weights = (turn(q) @ turn(k).transpose(-1, -2) * deep**-0.5 + hidden).softmax(-1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH))
        return x + self.down(F.gelu(self.up(self.mlp_norm(x)), approximate="tanh"))


tokens_of = torch.nn.Embedding(VOCABULARY, WIDTH)
layers = torch.nn.ModuleList([Layer() for _ in range(LAYERS)])
norm = torch.nn.LayerNorm(WIDTH)
parameters = [*tokens_of.parameters(), *layers.parameters(), *norm.parameters()]
adam = torch.optim.AdamW(parameters, 1e-3)
tokens = torch.randint(VOCABULARY, (BATCH, LENGTH + 1))


def step():
    x = tokens_of(tokens[:, :-1]) * WIDTH**0.5
    for layer in layers:
        x = layer(x)
    loss = F.cross_entropy((norm(x) @ tokens_of.weight.T).flatten(0, 1), tokens[:, 1:].flatten())
    adam.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(parameters, 1.0)
    adam.step()


for _ in range(5):
    step()
begin = time.perf_counter()
for _ in range(STEPS):
    step()
theirs = (time.perf_counter() - begin) / STEPS
with tempfile.TemporaryDirectory() as folder:
    path = folder + "/race.csv"
    subprocess.run([program, "race", "--encodings", "rope", "--seeds", "1", "--layers", str(LAYERS), "--width", str(WIDTH),
                    "--heads", str(HEADS), "--length", str(LENGTH), "--batch", str(BATCH), "--steps", str(STEPS + 5),
                    "--every", "5", "--threads", str(threads), "-o", path], check=True, stderr=subprocess.DEVNULL)
    rows = list(csv.DictReader(open(path)))
    ours = (float(rows[-1]["seconds"]) - float(rows[0]["seconds"])) / STEPS
print(f"ropescope {1000 * ours:.1f} ms, PyTorch {torch.__version__} {1000 * theirs:.1f} ms a step on {threads} threads: "
      f"ratio {ours / theirs:.2f}")
