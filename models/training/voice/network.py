"""The network: log-mel rows of a piece of speech to 96 numbers of length one."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.fusion import fuse_conv_bn_eval

SIZE = 96
BANDS = 40
WIDTH, POOLED = 144, 240
RANGE = 8.0  # natural-log units under a band's peak that are heard; below is silence, noise floor or what a codec left out


def conv(inputs, outputs, size, stride=1, **more):
    kind, norm = (nn.Conv2d, nn.BatchNorm2d) if isinstance(size, tuple) else (nn.Conv1d, nn.BatchNorm1d)
    padding = more.pop('padding', 1)
    return nn.Sequential(kind(inputs, outputs, size, stride, padding, bias=False, **more), norm(outputs))


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a, self.b = conv(width, width, (3, 3)), conv(width, width, (3, 3))

    def forward(self, x):
        return F.relu(x + self.b(F.relu(self.a(x))))


class Block(nn.Module):
    """A dilated convolution over time, its channels weighed by the whole piece (squeeze and excitation)."""

    def __init__(self, dilation):
        super().__init__()
        self.conv = conv(WIDTH, WIDTH, 3, dilation=dilation, padding=dilation)
        self.squeeze, self.excite = nn.Conv1d(WIDTH, WIDTH // 4, 1), nn.Conv1d(WIDTH // 4, WIDTH, 1)

    def forward(self, x):
        y = F.relu(self.conv(x))
        return x + y * torch.sigmoid(self.excite(F.relu(self.squeeze(y.mean(2, keepdim=True)))))


class Voice(nn.Module):
    """Convolutions over bands and time, then over time as in ECAPA-TDNN (Desplanques and others, 2020), attentive statistics pooling."""

    def __init__(self):
        super().__init__()
        self.front = nn.Sequential(
            conv(1, 16, (3, 3), (2, 2)), nn.ReLU(),
            conv(16, 32, (3, 3), (2, 1)), nn.ReLU(), Residual(32),
        )
        self.enter = conv(32 * BANDS // 4, WIDTH, 1, padding=0)
        self.blocks = nn.ModuleList(Block(dilation) for dilation in (1, 2, 4))
        self.gather = conv(3 * WIDTH, POOLED, 1, padding=0)
        self.attend, self.weigh = conv(POOLED, 48, 1, padding=0), nn.Conv1d(48, POOLED, 1)
        self.norm, self.out = nn.BatchNorm1d(2 * POOLED), nn.Linear(2 * POOLED, SIZE)
        self.out_norm = nn.BatchNorm1d(SIZE)

    def forward(self, x):
        """[batch, 40, rows] to [batch, 96], each of length one."""
        x = torch.maximum(x, x.amax(2, keepdim=True) - RANGE)
        x = x - x.mean(2, keepdim=True)
        x = self.front(x[:, None]).flatten(1, 2)
        x, levels = F.relu(self.enter(x)), []
        for block in self.blocks:
            x = block(x)
            levels.append(x)
        x = F.relu(self.gather(torch.cat(levels, 1)))
        weight = torch.softmax(self.weigh(torch.tanh(self.attend(x))), 2)
        mean = (weight * x).sum(2)
        spread = ((weight * (x - mean[:, :, None]) ** 2).sum(2) + 1e-5).sqrt()
        x = self.out_norm(self.out(self.norm(torch.cat([mean, spread], 1))))
        return x / (x.square().sum(1, keepdim=True) + 1e-12).sqrt()


def as_shipped(path):
    """The averaged network of a checkpoint, its convolutions' norms folded and its weights rounded to float16: what export.py writes."""
    network = Voice()
    network.load_state_dict(torch.load(path, map_location='cpu')['average'])
    network.eval()
    for module in list(network.modules()):
        if isinstance(module, nn.Sequential) and len(module) == 2 and isinstance(module[1], (nn.BatchNorm1d, nn.BatchNorm2d)):
            module[0], module[1] = fuse_conv_bn_eval(module[0], module[1]), nn.Identity()
    with torch.no_grad():
        for values in (*network.parameters(), *network.buffers()):
            if values.is_floating_point():
                values.copy_(values.half())
    return network


class Margin(nn.Module):
    """Additive angular margin (ArcFace; Deng and others, 2019): cross entropy where one's own class counts `margin` radians further away."""

    def __init__(self, classes, scale=30.0):
        super().__init__()
        self.weight, self.scale = nn.Parameter(torch.randn(classes, SIZE) * 0.1), scale

    def forward(self, x, label, margin):
        cosine = (x @ F.normalize(self.weight).T).clamp(-1 + 1e-6, 1 - 1e-6)
        own = cosine.gather(1, label[:, None])
        moved = torch.cos(torch.acos(own) + margin)
        return F.cross_entropy(self.scale * cosine.scatter(1, label[:, None], moved), label)


def pair_loss(x, scale=20.0):
    """[pairs, 2, 96]: which of the batch's second pieces is of the same voice as a first piece, and the other way round (Chung and others, 2020)."""
    cosine = scale * x[:, 0] @ x[:, 1].T
    label = torch.arange(len(x))
    return (F.cross_entropy(cosine, label) + F.cross_entropy(cosine.T, label)) / 2
