"""Draws the training curve from the log: python3 plot.py --log log.json --picture curve.svg"""

import argparse
import json

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", default="log.json")
    parser.add_argument("--picture", default="curve.svg")
    args = parser.parse_args()
    with open(args.log) as file:
        rows = json.load(file)
    figure, (losses, scores) = pyplot.subplots(1, 2, figsize=(9, 3.2))
    for name in ("cut_loss", "transition_loss"):
        losses.semilogy([row["step"] for row in rows], [row[name] for row in rows], label=name.replace("_", " "))
    judged = [row for row in rows if "cut_f1" in row]
    for name, label in (("cut_f1", "cuts, exact frame"), ("transition_f1", "frames of transitions")):
        scores.plot([row["step"] for row in judged], [row[name] for row in judged], "o-", label=label)
    losses.set_title("loss on clips made as it trains")
    scores.set_title("F1 on clips of val pictures")
    scores.set_ylim(0.5, 1)
    for axes in (losses, scores):
        axes.set_xlabel("step")
        axes.grid(alpha=0.3)
        axes.legend()
    figure.tight_layout()
    figure.savefig(args.picture)


if __name__ == "__main__":
    main()
