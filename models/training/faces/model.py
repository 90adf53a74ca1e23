"""The detector: plain dense 3x3 convolutions in residual blocks, a feature pyramid, one class and five landmarks.

Made for training on a CPU as much as for WebAssembly. There, passes over large feature maps cost more than
multiplications: hence no normalisation layers (with ReLU they took two fifths of a step), a first
convolution that takes patches of 4x4 at once, sums in place of concatenations and one tower per head.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

STRIDES = (8, 16, 32)
LANDMARKS = 5
OUTPUTS = 1 + 4 + 2 * LANDMARKS  # class logit; middle and logarithm of the size, in cells; landmarks
POINT_GAIN = 2.0  # cells per unit of a landmark's channel
SIZE_LIMIT = 4.5  # logarithm of the largest side in cells: e^4.5 = 90


class Conv(nn.Module):
    """Convolution and ReLU. The weights are drawn so that the variance stays the same from layer to layer."""

    def __init__(self, cin, cout, k=1, s=1, padding=None, gain=2.0):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, k, s, k // 2 if padding is None else padding)
        nn.init.normal_(self.conv.weight, 0, (gain / (cin * k * k)) ** 0.5)
        nn.init.zeros_(self.conv.bias)

    def forward(self, x):
        return F.relu_(self.conv(x))


class Residual(nn.Module):
    """x + two 3x3 convolutions through fewer channels; the branch starts small (Fixup, arXiv 1901.09321)."""

    def __init__(self, c, hidden):
        super().__init__()
        self.a, self.b = Conv(c, hidden, 3), Conv(hidden, c, 3, gain=0.1)

    def forward(self, x):
        return x + self.b(self.a(x))


class Head(nn.Module):
    """One 3x3 tower, then all outputs of a level."""

    def __init__(self, cin, stride, c=32):
        super().__init__()
        self.tower, self.out = Conv(cin, c, 3), nn.Conv2d(c, OUTPUTS, 1)
        nn.init.normal_(self.out.weight, 0, 0.01)
        nn.init.zeros_(self.out.bias)
        # A picture of 640x640 holds about five faces: the class starts out as rare as that; boxes start 3 cells wide.
        self.out.bias.data[0] = torch.log(torch.tensor(5 / (640 / stride) ** 2))
        self.out.bias.data[3:5] = 1.1

    def forward(self, x):
        return self.out(self.tower(x))


def blocks(c, hidden, n):
    return nn.Sequential(*(Residual(c, hidden) for _ in range(n)))


class EdgeFace(nn.Module):
    """Input RGB 0..1, sides multiples of 32; output per level [B, OUTPUTS, H / stride, W / stride]."""

    def __init__(self):
        super().__init__()
        self.stem = Conv(3, 32, 4, 4, 0)
        self.p3 = nn.Sequential(Conv(32, 48, 3, 2), blocks(48, 16, 1))
        self.p4 = nn.Sequential(Conv(48, 80, 3, 2), blocks(80, 32, 2))
        self.p5 = nn.Sequential(Conv(80, 128, 3, 2), blocks(128, 48, 2))
        self.lateral5, self.lateral4, self.smooth4 = Conv(128, 64), Conv(80, 64), Conv(64, 64, 3)
        self.lateral3, self.smooth3 = Conv(64, 48), Conv(48, 32, 3)
        self.heads = nn.ModuleList(Head(c, s) for c, s in zip((32, 64, 128), STRIDES))

    def forward(self, x):
        c3 = self.p3(self.stem(x - 0.45))
        c4 = self.p4(c3)
        c5 = self.p5(c4)
        u4 = self.smooth4(F.interpolate(self.lateral5(c5), scale_factor=2.0) + self.lateral4(c4))
        u3 = self.smooth3(F.interpolate(self.lateral3(u4), scale_factor=2.0) + c3)
        return [head(f) for head, f in zip(self.heads, (u3, u4, c5))]


def flatten(levels):
    """Levels to [B, N, OUTPUTS] in float32, stride 8 first, row by row."""
    return torch.cat([level.permute(0, 2, 3, 1).flatten(1, 2) for level in levels], 1).float()


def cells(height, width):
    """Column, row and stride of every cell: [N, 2], [N]."""
    grids, strides = [], []
    for s in STRIDES:
        y, x = torch.meshgrid(torch.arange(height // s), torch.arange(width // s), indexing='ij')
        grids.append(torch.stack((x, y), -1).reshape(-1, 2).float())
        strides.append(torch.full((grids[-1].shape[0],), float(s)))
    return torch.cat(grids), torch.cat(strides)


def boxes(out, grid, stride):
    """Boxes x1 y1 x2 y2 in pixels from outputs [..., OUTPUTS] of cells [..., 2] with strides [...]."""
    middle = grid + 0.5 + out[..., 1:3]
    half = out[..., 3:5].clamp(max=SIZE_LIMIT).exp() / 2
    return torch.cat((middle - half, middle + half), -1) * stride.unsqueeze(-1)


def landmarks(out, grid, stride):
    """Landmarks [..., 5, 2] in pixels, likewise."""
    points = out[..., 5:].unflatten(-1, (LANDMARKS, 2))
    return (points * POINT_GAIN + grid.unsqueeze(-2)) * stride[..., None, None]


def count_macs(model, height=640, width=640):
    """Multiply-accumulates of the convolutions for one picture."""
    total = 0

    def hook(m, _, y):
        nonlocal total
        total += y[0].numel() * m.weight[0].numel()

    hooks = [m.register_forward_hook(hook) for m in model.modules() if isinstance(m, nn.Conv2d)]
    with torch.no_grad():
        model(torch.zeros(1, 3, height, width))
    for h in hooks:
        h.remove()
    return total


if __name__ == '__main__':
    net = EdgeFace()
    print(f'{sum(p.numel() for p in net.parameters()):,} parameters, {count_macs(net) / 1e6:.0f} MMAC at 640x640')
