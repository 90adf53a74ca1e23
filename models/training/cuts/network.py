"""
The network: what TransNet V2 (Souček and Lokoč, 2020) does, with two-dimensional convolutions within frames and
dilated one-dimensional ones over time, because three-dimensional ones are slow in browsers.

Each answer depends on at most 25 frames before and after its own.
"""

import torch
from torch import nn
from torch.nn import functional

WIDTH, HEIGHT = 48, 27
REACH = 8


def shift(x, frames):
    """`x [batch, time, …]` moved so that each frame holds what was `frames` before it; the ends are repeated."""
    if frames == 0:
        return x
    if frames > 0:
        return torch.cat([x[:, :1]] * frames + [x[:, :-frames]], 1)
    return torch.cat([x[:, -frames:]] + [x[:, -1:]] * -frames, 1)


def conv(inputs, outputs, size, stride=1):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()
    )


class TemporalBlock(nn.Module):
    """A residual pair of convolutions over time, the first of them dilated."""

    def __init__(self, width, dilation):
        super().__init__()
        self.along = nn.Conv1d(width, width, 3, 1, dilation, dilation, bias=False)
        self.norm = nn.BatchNorm1d(width)
        self.across = nn.Conv1d(width, width, 1)

    def forward(self, x):
        return functional.relu(x + self.across(functional.relu(self.norm(self.along(x)))))


class CutNet(nn.Module):
    """`frames [batch, time, 27, 48, 3]`, 0 to 255 → logits of cut and transition, each `[batch, time]`."""

    def __init__(self, stem=12, cells=24, pair=48, embed=48, colours=24, width=64):
        super().__init__()
        self.stem = conv(4, stem, 3, 2)
        self.cells = conv(stem, cells, 3, 2)
        self.compare = nn.Sequential(conv(3 * cells + 5, 32, 1), conv(32, pair, 3, 2))
        self.scene = conv(cells, 32, 3, 2)
        self.embed = nn.Linear(32 * 6, embed)
        self.colours = nn.Sequential(nn.Conv2d(3, colours, 1), nn.ReLU())
        known = 2 * pair + 2 * (2 * REACH) + colours + 3
        self.enter = nn.Sequential(nn.Conv1d(known, width, 1, bias=False), nn.BatchNorm1d(width), nn.ReLU())
        self.time = nn.Sequential(*[TemporalBlock(width, dilation) for dilation in (1, 2, 4, 8)])
        self.leave = nn.Sequential(nn.Conv1d(width, 32, 1), nn.ReLU(), nn.Conv1d(32, 2, 1))

    def forward(self, frames):
        batch, time = (int(size) for size in frames.shape[:2])
        picture = frames.flatten(0, 1).permute(0, 3, 1, 2) / 255
        structure = self._structure(picture)
        cells = self.cells(self.stem(torch.cat([picture - 0.5, structure], 1)))

        def over_time(x):
            return x.reshape(batch, time, *x.shape[1:])

        maps = over_time(cells)
        before, after = shift(maps, 1), shift(maps, -1)
        unit = over_time(functional.normalize(cells, dim=1, eps=1e-3))
        detail = over_time(structure)
        likeness = [
            (unit * shift(unit, 1)).sum(2, keepdim=True),
            (unit * shift(unit, 2)).sum(2, keepdim=True),
            (shift(unit, -1) * shift(unit, 1)).sum(2, keepdim=True),
            self._pool(detail * shift(detail, 1), batch, time),
            self._pool(shift(detail, -1) * shift(detail, 1), batch, time),
        ]
        pairs = torch.cat([maps, before, (maps - before).abs(), *likeness], 2).flatten(0, 1)
        pairs = self.compare(pairs)

        scene = self.embed(functional.adaptive_avg_pool2d(self.scene(cells), (2, 3)).flatten(1))
        hues = self.colours(functional.avg_pool2d(picture, 3)).mean((2, 3))
        luma = picture.mean(1)
        steps = (frames - shift(frames, 1)).abs().mean((2, 3, 4)) / 16
        level = luma.mean((1, 2))
        spread = ((luma - level[:, None, None]) ** 2).mean((1, 2)).sqrt()
        light = torch.stack([level, spread], 1)
        known = torch.cat([pairs.mean((2, 3)), pairs.amax((2, 3)), hues, light], 1)
        colour = self._around(over_time(hues - hues.mean(1, keepdim=True)))
        known = torch.cat([over_time(known), steps[..., None], self._around(over_time(scene)), colour], 2)
        out = self.leave(self.time(self.enter(known.transpose(1, 2))))
        return out[:, 0], out[:, 1]

    @staticmethod
    def _structure(picture):
        """Brightness less its mean around, in units of its spread around: light may change, edges may not."""
        luma = picture.mean(1, keepdim=True)
        mean = functional.avg_pool2d(luma, 5, 1, 2, count_include_pad=False)
        square = functional.avg_pool2d(luma * luma, 5, 1, 2, count_include_pad=False)
        return (luma - mean) / ((square - mean * mean).clamp(min=0) + 4e-4).sqrt()

    @staticmethod
    def _pool(x, batch, time):
        """To the grid of cells, `[batch, time, 1, 7, 12]`."""
        small = functional.avg_pool2d(functional.pad(x.flatten(0, 1), (0, 0, 0, 1)), 4)
        # The last row of cells has three rows of pixels, and one of padding.
        return (small * x.new_tensor([1, 1, 1, 1, 1, 1, 4 / 3])[:, None]).reshape(batch, time, *small.shape[1:])

    @staticmethod
    def _around(x):
        """Likeness of each frame to the eight before and after, `[batch, time, 16]`."""
        unit = functional.normalize(x, dim=2, eps=1e-3)
        return torch.stack(
            [(unit * shift(unit, offset)).sum(2) for offset in range(-REACH, REACH + 1) if offset], 2
        )
