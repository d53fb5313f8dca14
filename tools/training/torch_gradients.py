#!/usr/bin/env python3
"""The oracle for the trainer's gradients: the same small case in PyTorch, in double precision.

Prints the loss, the outputs, and sums over the gradient that training/tests/gradient.rs holds the trainer against. The
inputs are worked out here from the FEN, independently of the Rust code. Needs PyTorch (`pip install torch`).
"""

import math

import torch

HIDDEN, BUCKETS, FEATURES, SCALE, WDL = 32, 2, 768, 400.0, 0.3
# Position, score in centipawns and points for the side to move.
CASES = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 25, 0.5),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1", -310, 0.0),
    ("2kr4/ppp2ppp/8/8/8/8/PPP2PPP/3RK3 b - - 0 1", 140, 1.0),
    ("8/8/4k3/3p4/3P4/4K3/8/8 w - - 0 1", -7, 0.5),
]


def value(i):
    """The i-th parameter, in the order of the file format."""
    output = FEATURES * HIDDEN + HIDDEN
    return (0.6 if i >= output else 0.2) * math.sin(0.37 * i + 0.001 * (i % 977))


def inputs(fen, color):
    """The inputs that are on, as `color` (0 White, 1 Black) sees the board of a FEN."""
    pieces = []
    for row, rank in enumerate(fen.split()[0].split("/")):
        file = 0
        for letter in rank:
            if letter.isdigit():
                file += int(letter)
            else:
                pieces.append((letter, file, 7 - row))
                file += 1
    king = next(file for letter, file, _ in pieces if letter == "Kk"[color])
    found = []
    for letter, file, rank in pieces:
        other = letter.islower() != bool(color)
        file = 7 - file if king >= 4 else file
        rank = 7 - rank if color else rank
        found.append("pnbrqk".index(letter.lower()) * 128 + other * 64 + rank * 8 + file)
    return found


def main():
    f32 = lambda x: torch.tensor(x, dtype=torch.float32).double()  # the trainer's numbers are single precision
    total = FEATURES * HIDDEN + HIDDEN + BUCKETS * (2 * HIDDEN + 1)
    flat = f32([value(i) for i in range(total)]).requires_grad_()
    rows = flat[: FEATURES * HIDDEN].view(FEATURES, HIDDEN)
    biases = flat[FEATURES * HIDDEN :][:HIDDEN]
    outputs = flat[FEATURES * HIDDEN + HIDDEN :][: BUCKETS * 2 * HIDDEN].view(BUCKETS, 2 * HIDDEN)
    output_biases = flat[-BUCKETS:]
    losses = []
    for fen, score, points in CASES:
        us = 0 if fen.split()[1] == "w" else 1
        hidden = torch.cat([rows[inputs(fen, color)].sum(0) + biases for color in (us, 1 - us)])
        bucket = (sum(letter.isalpha() for letter in fen.split()[0]) - 2) * BUCKETS // 31
        out = hidden.clamp(0, 1).square() @ outputs[bucket] + output_biases[bucket]
        target = WDL * points + (1 - WDL) / (1 + math.exp(-score / SCALE))
        losses.append((torch.sigmoid(out) - target) ** 2)
        print(f"output {out.item():.9f}")
    loss = torch.stack(losses).mean()
    loss.backward()
    gradient = flat.grad
    print(f"loss {loss.item():.12e}")
    parts = [FEATURES * HIDDEN, HIDDEN, BUCKETS * 2 * HIDDEN, BUCKETS]
    for name, part in zip(("inputs", "biases", "outputs", "output biases"), gradient.split(parts)):
        weights = torch.cos(0.1 * torch.arange(len(part), dtype=torch.float64))
        print(f"{name}: norm {part.norm().item():.12e} weighted sum {(part * weights).sum().item():.12e}")


if __name__ == "__main__":
    main()
