"""The detector: a narrow YOLOv8-style network with one class and five landmarks.

Widths are multiples of 16 because both oneDNN (training) and blocked WebAssembly kernels work in such
groups; ReLU because onnxruntime folds it into the convolution, where SiLU costs two more passes over memory.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

STRIDES = (8, 16, 32)
BINS = 16  # each side of a box is a distribution over 0..15 cells
LANDMARKS = 5


class Conv(nn.Sequential):
    """Convolution, batch normalisation, ReLU."""

    def __init__(self, cin, cout, k=1, s=1):
        super().__init__(
            nn.Conv2d(cin, cout, k, s, k // 2, bias=False),
            nn.BatchNorm2d(cout, eps=1e-3, momentum=0.03),
            nn.ReLU(inplace=True),
        )


class Bottleneck(nn.Module):
    def __init__(self, c, shortcut):
        super().__init__()
        self.a, self.b, self.shortcut = Conv(c, c, 3), Conv(c, c, 3), shortcut

    def forward(self, x):
        y = self.b(self.a(x))
        return x + y if self.shortcut else y


class C2f(nn.Module):
    """Cross-stage block: half of the channels pass through n bottlenecks, every stage of them is kept."""

    def __init__(self, cin, cout, hidden, n=1, shortcut=False):
        super().__init__()
        self.cv1 = Conv(cin, 2 * hidden)
        self.m = nn.ModuleList(Bottleneck(hidden, shortcut) for _ in range(n))
        self.cv2 = Conv((2 + n) * hidden, cout)

    def forward(self, x):
        y = list(self.cv1(x).split(self.m[0].a[0].in_channels, 1))
        for m in self.m:
            y.append(m(y[-1]))
        return self.cv2(torch.cat(y, 1))


class SPPF(nn.Module):
    """Three max-pools in a row: the deepest level sees the whole picture."""

    def __init__(self, c, hidden):
        super().__init__()
        self.cv1, self.cv2 = Conv(c, hidden), Conv(4 * hidden, c)

    def forward(self, x):
        y = [self.cv1(x)]
        for _ in range(3):
            y.append(F.max_pool2d(y[-1], 5, 1, 2))
        return self.cv2(torch.cat(y, 1))


class Head(nn.Module):
    """One shared 3x3, then a tower for geometry (box bins and landmarks) and a thinner one for the class."""

    def __init__(self, cin, stride, c=32, c_class=16):
        super().__init__()
        self.stem = Conv(cin, c, 3)
        self.geometry = Conv(c, c, 3)
        self.box = nn.Conv2d(c, 4 * BINS, 1)
        self.points = nn.Conv2d(c, 2 * LANDMARKS, 1)
        self.classify = Conv(c, c_class, 3)
        self.score = nn.Conv2d(c_class, 1, 1)
        nn.init.constant_(self.box.bias, 1.0)
        # A picture of 640x640 holds about five faces: the class starts out as rare as that.
        nn.init.constant_(self.score.bias, torch.log(torch.tensor(5 / (640 / stride) ** 2)).item())

    def forward(self, x):
        x = self.stem(x)
        g = self.geometry(x)
        return self.box(g), self.score(self.classify(x)), self.points(g)


class EdgeFace(nn.Module):
    """Input RGB 0..1, sides multiples of 32; output per level (bins, class logit, landmarks)."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(Conv(3, 16, 3, 2), Conv(16, 32, 3, 2))
        self.p3 = nn.Sequential(Conv(32, 48, 3, 2), C2f(48, 48, 16, 2, True))
        self.p4 = nn.Sequential(Conv(48, 96, 3, 2), C2f(96, 96, 32, 2, True))
        self.p5 = nn.Sequential(Conv(96, 128, 3, 2), C2f(128, 128, 48, 1, True), SPPF(128, 64))
        self.up4 = C2f(128 + 96, 96, 32)
        self.up3 = C2f(96 + 48, 48, 16, 2)
        self.down4, self.pan4 = Conv(48, 48, 3, 2), C2f(48 + 96, 96, 32)
        self.down5, self.pan5 = Conv(96, 64, 3, 2), C2f(64 + 128, 128, 48)
        self.heads = nn.ModuleList(Head(c, s) for c, s in zip((48, 96, 128), STRIDES))

    def features(self, x):
        """Feature maps at strides 8, 16 and 32."""
        c3 = self.p3(self.stem(x))
        c4 = self.p4(c3)
        c5 = self.p5(c4)
        u4 = self.up4(torch.cat((F.interpolate(c5, scale_factor=2.0), c4), 1))
        u3 = self.up3(torch.cat((F.interpolate(u4, scale_factor=2.0), c3), 1))
        d4 = self.pan4(torch.cat((self.down4(u3), u4), 1))
        d5 = self.pan5(torch.cat((self.down5(d4), c5), 1))
        return u3, d4, d5

    def forward(self, x):
        return [head(f) for head, f in zip(self.heads, self.features(x))]


def flatten(levels):
    """Levels to [B, N, 64], [B, N] and [B, N, 10] in float32, stride 8 first, row by row."""
    box, score, points = (torch.cat([l[i].flatten(2).float() for l in levels], 2) for i in range(3))
    return box.transpose(1, 2), score[:, 0], points.transpose(1, 2)


def cells(height, width):
    """Column, row and stride of every cell: [N, 2], [N]."""
    grids, strides = [], []
    for s in STRIDES:
        y, x = torch.meshgrid(torch.arange(height // s), torch.arange(width // s), indexing='ij')
        grids.append(torch.stack((x, y), -1).reshape(-1, 2).float())
        strides.append(torch.full((grids[-1].shape[0],), float(s)))
    return torch.cat(grids), torch.cat(strides)


def sides(box):
    """Bins [..., 64] to expected distances [..., 4] in cells."""
    return box.unflatten(-1, (4, BINS)).softmax(-1) @ torch.arange(BINS, dtype=torch.float32)


def count_macs(model, height=640, width=640):
    """Multiply-accumulates of the convolutions for one picture."""
    total = 0

    def hook(m, _, y):
        nonlocal total
        total += y[0].numel() * m.weight[0].numel()

    hooks = [m.register_forward_hook(hook) for m in model.modules() if isinstance(m, nn.Conv2d)]
    training = model.training
    model.eval()
    with torch.no_grad():
        model(torch.zeros(1, 3, height, width))
    model.train(training)
    for h in hooks:
        h.remove()
    return total


if __name__ == '__main__':
    net = EdgeFace()
    print(f'{sum(p.numel() for p in net.parameters()):,} parameters, {count_macs(net) / 1e6:.0f} MMAC at 640x640')
