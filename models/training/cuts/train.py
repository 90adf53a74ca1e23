"""
Trains the network on clips that are made as it goes. One command, which goes on where it was stopped:

    python3 train.py --pictures ../../../../shared/data/faces --out ../../../out/training/cuts
"""

import argparse
import json
import math
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from torch.nn import functional

from clips import ClipMaker
from network import CutNet
from pictures import read_pictures

CLIP = 200
# The ends of a clip are not judged: there the network sees too little.
EDGE = 10


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", default="../../../../shared/data/faces", help="folder with labels.jsonl and images/")
    parser.add_argument("--out", default="../../../out/training/cuts", help="checkpoints and log")
    parser.add_argument("--steps", type=int, default=2800)
    parser.add_argument("--clips", type=int, default=4, help="clips of 200 frames per step")
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all-rows", action="store_true", help="also pictures that must not ship; for comparison only")
    return parser.parse_args()


def losses(model, frames, cut, transition):
    """Mean losses over what is judged. A cut is one frame among many, so it weighs more."""
    inner = slice(EDGE, CLIP - EDGE)
    logits = [x[:, inner].float() for x in model(frames)]
    total = []
    for logit, truth, positive in zip(logits, (cut[:, inner], transition[:, inner]), (4.0, 1.5)):
        judged = (truth >= 0).float()
        weight = torch.tensor(positive)
        each = functional.binary_cross_entropy_with_logits(logit, truth.clamp(min=0), pos_weight=weight, reduction="none")
        total.append((each * judged).sum() / judged.sum())
    return total


def seen_again(rng, frames):
    """A clip in another look: mirrored, upside down in colour order, lighter or darker."""
    if rng.random() < 0.5:
        frames = frames[:, :, ::-1]
    frames = frames[..., rng.permutation(3)]
    return np.clip(frames * np.float32(2 ** rng.normal(0, 0.3)), 0, 255)


@torch.no_grad()
def validate(model, clips):
    """Hard cuts found on their frame at a fixed threshold, and frames in transition: precision, recall."""
    model.eval()
    counts = np.zeros((2, 3))
    for frames, *truths in clips:
        answers = model(torch.from_numpy(frames[None].astype(np.float32)))
        for i, (logit, truth) in enumerate(zip(answers, truths)):
            found = (logit[0] > 0).numpy()
            counts[i] += [(found & (truth == 1)).sum(), (found & (truth == 0)).sum(), (~found & (truth == 1)).sum()]
    model.train()
    f1 = 2 * counts[:, 0] / (2 * counts[:, 0] + counts[:, 1] + counts[:, 2])
    return {"cut_f1": round(float(f1[0]), 4), "transition_f1": round(float(f1[1]), 4), "counts": counts.astype(int).tolist()}


def main():
    args = options()
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(args.seed)
    model, average = CutNet(), CutNet()
    average.load_state_dict(model.state_dict())
    optimiser = torch.optim.AdamW(model.parameters(), lr=args.rate, weight_decay=0.01)
    step, log = 0, []
    checkpoint = out / "checkpoint.pt"
    if checkpoint.exists():
        state = torch.load(checkpoint)
        model.load_state_dict(state["model"])
        average.load_state_dict(state["average"])
        optimiser.load_state_dict(state["optimiser"])
        step, log = state["step"], state["log"]
    pictures = read_pictures(args.pictures, all_rows=args.all_rows)
    maker = ClipMaker(pictures, np.random.default_rng([args.seed, step]))
    judge = ClipMaker(read_pictures(args.pictures, "val"), np.random.default_rng(4))
    checks = [judge.clip(CLIP) for _ in range(60)]
    rng = maker.rng
    kept = []
    started, sums = time.time(), np.zeros(2)

    while step < args.steps:
        progress = step / args.steps
        for group in optimiser.param_groups:
            group["lr"] = args.rate * min(1, (step + 1) / 200) * (0.5 + 0.5 * math.cos(math.pi * progress))
        # Half of each batch is new; half has been seen once, and looks otherwise now.
        fresh = [maker.clip(CLIP) for _ in range((args.clips + 1) // 2)]
        again = [kept.pop(rng.integers(len(kept))) for _ in range(min(args.clips // 2, len(kept)))]
        kept = (kept + fresh)[-300:]
        batch = [(clip[0].astype(np.float32), *clip[1:]) for clip in fresh]
        batch += [(seen_again(rng, clip[0]), *clip[1:]) for clip in again]
        tensors = [torch.from_numpy(np.ascontiguousarray(np.stack(part))) for part in zip(*batch)]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            cut_loss, transition_loss = losses(model, *tensors)
        optimiser.zero_grad(set_to_none=True)
        (cut_loss * 2 + transition_loss).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        optimiser.step()
        step += 1
        sums += [cut_loss.item(), transition_loss.item()]
        decay = min(0.998, 1 - 1 / (step + 1))
        with torch.no_grad():
            for mean, now in zip(average.state_dict().values(), model.state_dict().values()):
                if mean.dtype.is_floating_point:
                    mean.lerp_(now, 1 - decay)
                else:
                    mean.copy_(now)
        if step % 100 == 0 or step == args.steps:
            row = {"step": step, "cut_loss": round(sums[0] / 100, 5), "transition_loss": round(sums[1] / 100, 5)}
            row["seconds_per_step"] = round((time.time() - started) / 100, 3)
            if step % 500 == 0 or step == args.steps:
                row.update(validate(average, checks))
            log.append(row)
            print(json.dumps(row), flush=True)
            state = {"model": model.state_dict(), "average": average.state_dict()}
            state.update(optimiser=optimiser.state_dict(), step=step, log=log)
            torch.save(state, out / "checkpoint.new")
            (out / "checkpoint.new").replace(checkpoint)
            (out / "log.json").write_text("[\n" + ",\n".join(json.dumps(row) for row in log) + "\n]\n")
            started, sums = time.time(), np.zeros(2)


if __name__ == "__main__":
    main()
