"""One training step of the models of core/training, by NumPy alone: writes step.json beside this file.

    /usr/bin/python3 tests/reference/training/make.py

Written for this, from the formulas and not from the C++: a tape of NumPy operations in float64, gradients by reverse
mode. Parameters are 0.25 sin(1 + 0.37 i) in the order of the blocks (gains 1 more), tokens and targets follow from
small formulas too, so that the file need not hold them.
"""
import json
import pathlib

import numpy as np


class Node:
    def __init__(self, value, parents=()):
        self.value, self.parents, self.grad = np.asarray(value, float), parents, 0.0

    def __add__(self, other):
        other = other if isinstance(other, Node) else Node(other)
        return Node(self.value + other.value, ((self, lambda g: g), (other, lambda g: g)))

    def __mul__(self, other):
        other = other if isinstance(other, Node) else Node(other)
        return Node(self.value * other.value, ((self, lambda g: g * other.value), (other, lambda g: g * self.value)))

    def __matmul__(self, other):
        return Node(self.value @ other.value, ((self, lambda g: g @ np.swapaxes(other.value, -1, -2)),
                                               (other, lambda g: np.swapaxes(self.value, -1, -2) @ g)))

    def __getitem__(self, key):
        def back(g):
            whole = np.zeros_like(self.value)
            np.add.at(whole, key, g)
            return whole
        return Node(self.value[key], ((self, back),))

    def apply(self, f, slope):
        return Node(f(self.value), ((self, lambda g: g * slope(self.value)),))

    def reshape(self, *shape):
        return Node(self.value.reshape(shape), ((self, lambda g: g.reshape(self.value.shape)),))

    def transpose(self, *axes):
        return Node(self.value.transpose(axes), ((self, lambda g: g.transpose(np.argsort(axes))),))

    def sum(self, axis):
        return Node(self.value.sum(axis, keepdims=True), ((self, lambda g: np.broadcast_to(g, self.value.shape)),))


def backward(loss):
    order, seen = [], set()

    def visit(node):
        if id(node) not in seen:
            seen.add(id(node))
            for parent, _ in node.parents:
                visit(parent)
            order.append(node)
    visit(loss)
    loss.grad = np.ones_like(loss.value)
    for node in reversed(order):
        for parent, back in node.parents:
            g = back(node.grad)
            while g.ndim > parent.value.ndim:
                g = g.sum(0)
            for axis, size in enumerate(parent.value.shape):
                if size == 1 and g.shape[axis] != 1:
                    g = g.sum(axis, keepdims=True)
            parent.grad = parent.grad + g


def exp(x):
    return x.apply(np.exp, np.exp)


def inverse(x):
    return x.apply(lambda v: 1 / v, lambda v: -1 / v**2)


def softmax(x):
    e = exp(x + -x.value.max(-1, keepdims=True))
    return e * inverse(e.sum(-1))


def norm(x, gain, shift):
    width = x.value.shape[-1]
    centred = x + x.sum(-1) * (-1 / width)
    variance = (centred * centred).sum(-1) * (1 / width)
    return centred * variance.apply(lambda v: (v + 1e-5)**-0.5, lambda v: -0.5 * (v + 1e-5)**-1.5) * gain + shift


def gelu(x):
    c = np.sqrt(2 / np.pi)
    return x.apply(lambda v: v / 2 * (1 + np.tanh(c * (v + 0.044715 * v**3))),
                   lambda v: 0.5 * (1 + np.tanh(c * (v + 0.044715 * v**3))) + v / 2 /
                   np.cosh(c * (v + 0.044715 * v**3))**2 * c * (1 + 3 * 0.044715 * v**2))


def elu_plus_one(x):
    return x.apply(lambda v: np.where(v > 0, v + 1, np.exp(np.minimum(v, 0))),
                   lambda v: np.where(v > 0, 1.0, np.exp(np.minimum(v, 0))))


def bucket_of(relative, causal, count=32, furthest=128):
    """T5: relative = n - m."""
    found = 0
    if causal:
        distance = max(-relative, 0)
    else:
        count //= 2
        found, distance = (count if relative > 0 else 0), abs(relative)
    exact = count // 2
    if distance < exact:
        return found + distance
    return found + min(count - 1, exact + int(np.log(distance / exact) / np.log(furthest / exact) * (count - exact)))


def rotate(x, base=10000.0):
    """Pairs (0, 1), (2, 3), …; x [batch, heads, length, width]."""
    length, width = x.value.shape[-2:]
    angles = np.outer(np.arange(length), base**(-np.arange(0, width, 2) / width))
    matrix = np.zeros((length, width, width))
    for pair in range(width // 2):
        a, b = 2 * pair, 2 * pair + 1
        matrix[:, a, a] = matrix[:, b, b] = np.cos(angles[:, pair])
        matrix[:, a, b], matrix[:, b, a] = np.sin(angles[:, pair]), -np.sin(angles[:, pair])
    batch, heads = x.value.shape[:2]
    return (x.reshape(batch, heads, length, 1, width) @ Node(matrix)).reshape(batch, heads, length, width)


def step(encoding, linear, causal, layers=2, width=32, heads=2, length=6, batch=3, vocabulary=11):
    deep = width // heads
    positions = {"learned": (length, width), "t5": (heads, 32), "kerple": (heads, 2)}.get(encoding, (0, 0))
    shapes = [("tokens", (vocabulary, width)), ("positions", positions)]
    for i in range(layers):
        shapes += [(f"{i}.{n}", s) for n, s in (
            ("gain", (1, width)), ("shift", (1, width)), ("qkv", (width, 3 * width)), ("qkv_b", (1, 3 * width)),
            ("out", (width, width)), ("out_b", (1, width)), ("mlp_gain", (1, width)), ("mlp_shift", (1, width)),
            ("up", (width, 4 * width)), ("up_b", (1, 4 * width)), ("down", (4 * width, width)), ("down_b", (1, width)))]
    shapes += [("gain", (1, width)), ("shift", (1, width))]
    p, at = {}, 0
    for name, shape in shapes:
        count = shape[0] * shape[1]
        numbers = 0.25 * np.sin(1 + 0.37 * np.arange(at, at + count)) + (1 if name.endswith("gain") else 0)
        p[name] = Node(numbers.reshape(shape))
        at += count
    index = np.arange(batch * length)
    tokens, targets = (index * 7 + index // 5) % vocabulary, np.where(index % 4 == 3, -1, (index * 5 + 2) % vocabulary)

    x = p["tokens"][tokens].reshape(batch, length, width) * np.sqrt(width)
    if encoding == "learned":
        x = x + p["positions"] * np.sqrt(width)
    if encoding == "sinusoidal":
        angles = np.outer(np.arange(length), 10000.0**(-np.arange(0, width, 2) / width))
        x = x + np.stack([np.sin(angles), np.cos(angles)], -1).reshape(length, width)
    distance = np.arange(length)[:, None] - np.arange(length)[None]
    bias = None
    if encoding == "alibi":
        bias = Node(-np.array([2.0**(-8 * (h + 1) / heads) for h in range(heads)])[:, None, None] * abs(distance))
    if encoding == "t5":
        table = np.array([[bucket_of(n - m, causal) for n in range(length)] for m in range(length)])
        bias = p["positions"].transpose(1, 0)[table].transpose(2, 0, 1)
    if encoding == "kerple":
        r = exp(p["positions"])
        reach = r[:, 1].reshape(heads, 1, 1) * abs(distance)
        bias = r[:, 0].reshape(heads, 1, 1) * reach.apply(np.log1p, lambda v: 1 / (1 + v)) * -1.0
    seen = np.tril(np.ones((length, length))) if causal else np.ones((length, length))
    for i in range(layers):
        w = lambda name: p[f"{i}.{name}"]
        qkv = norm(x, w("gain"), w("shift")) @ w("qkv") + w("qkv_b")
        q, k, v = (qkv[:, :, j * width:(j + 1) * width].reshape(batch, length, heads, deep).transpose(0, 2, 1, 3)
                   for j in range(3))
        turn = rotate if encoding == "rope" else lambda y: y
        if linear:
            q, k = elu_plus_one(q), elu_plus_one(k)
            weights = (turn(q) @ turn(k).transpose(0, 1, 3, 2)) * seen
            plain = (q @ k.transpose(0, 1, 3, 2)) * seen
            mixed = (weights @ v) * inverse(plain.sum(-1))
        else:
            scores = turn(q) @ turn(k).transpose(0, 1, 3, 2) * (1.0 if encoding == "t5" else deep**-0.5)
            scores = scores + bias if bias is not None else scores
            mixed = softmax(scores + np.where(seen > 0, 0, -1e30)) @ v
        x = x + (mixed.transpose(0, 2, 1, 3).reshape(batch, length, width) @ w("out") + w("out_b"))
        hidden = gelu(norm(x, w("mlp_gain"), w("mlp_shift")) @ w("up") + w("up_b"))
        x = x + (hidden @ w("down") + w("down_b"))
    z = norm(x, p["gain"], p["shift"]).reshape(batch * length, width)
    chosen = targets >= 0
    share = softmax(z[np.flatnonzero(chosen)] @ p["tokens"].transpose(1, 0))
    picked = share[np.arange(chosen.sum()), targets[chosen]]
    loss = picked.apply(lambda v: -np.log(v), lambda v: -1 / v).reshape(1, int(chosen.sum())).sum(-1)
    loss = loss * (1 / chosen.sum())
    backward(loss)

    size = np.sqrt(sum((node.grad**2).sum() for node in p.values() if node.value.size))
    scale = min(1.0, 1 / (size + 1e-6))
    after, gradients = [], []
    for name, shape in shapes:
        node = p[name]
        if not node.value.size:
            continue
        g = node.grad * scale
        first, second = 0.1 * g / (1 - 0.9), 0.01 * g**2 / (1 - 0.99)
        rate = 1e-3 / 100  # the first step of 100 of warm-up
        decay = 0.01 if name != "positions" and shape[0] > 1 else 0.0
        after.append((node.value * (1 - rate * decay) - rate * first / (np.sqrt(second) + 1e-8)).ravel())
        gradients.append(node.grad.ravel())
    after, gradients = np.concatenate(after), np.concatenate(gradients)
    some = slice(0, None, 61)
    return {"encoding": encoding, "linear": linear, "causal": causal, "loss": float(loss.value.item()),
            "norm": float(size), "every": 61, "gradient": gradients[some].tolist(), "after": after[some].tolist()}


cases = [("none", False, True), ("rope", False, True), ("rope", True, True), ("rope", True, False),
         ("sinusoidal", False, False), ("learned", False, True), ("alibi", False, True), ("t5", False, False),
         ("t5", False, True), ("kerple", False, True)]
path = pathlib.Path(__file__).with_name("step.json")
path.write_text(json.dumps([step(*case) for case in cases]) + "\n")
