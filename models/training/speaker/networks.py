"""The student's three networks, and the teacher (LR-ASD) read from its ONNX files."""
import numpy as np, onnx, torch
from onnx import numpy_helper
from torch import nn
import torch.nn.functional as F

SIZE = 128  # numbers per embedding
FACE_HALO, SOUND_HALO = 9, 5  # frames seen on each side


def shifted(x, by):
    """x [B, T, …] read `by` frames later; the outermost frame goes on beyond the ends."""
    if by > 0: return torch.cat([x[:, by:], *[x[:, -1:]] * by], 1)
    return torch.cat([*[x[:, :1]] * -by, x[:, :by]], 1) if by else x


class Layer(nn.Sequential):
    def __init__(self, ins, outs, size, stride=1):
        super().__init__(nn.Conv2d(ins, outs, size, stride, size // 2, bias=False), nn.BatchNorm2d(outs), nn.ReLU())


class Visual(nn.Module):
    """Grey crops [B, T, 112, 112] in 0–255 → [B, T, 128]. Frames are halved; three in a row meet at the input and twice again."""

    def __init__(self, b=32, c=64, d=128):
        super().__init__()
        self.one = Layer(3, b, 5, 2)
        self.three = Layer(b, c, 3, 2)
        self.meet2 = Layer(3 * c, c, 1)
        self.four = Layer(c, c, 3)
        self.five = Layer(c, d, 3, 2)
        self.meet3 = Layer(3 * d, d, 1)
        self.mix = nn.ModuleList([nn.Conv1d(2 * d, SIZE, 1), nn.Conv1d(SIZE, SIZE, 5, padding=0), nn.Conv1d(SIZE, SIZE, 5, padding=0, dilation=2)])
        self.out = nn.Conv1d(SIZE, SIZE, 1)

    def forward(self, video):
        return self.look(F.avg_pool2d(video, 2))

    def look(self, video):
        """video [B, T, 56, 56]: the pictures at half their size, which training keeps ready."""
        batch = video.shape[0]

        def three(x):
            # Channels last in memory throughout: a step takes two thirds of the time.
            return torch.cat([shifted(x, k) for k in (-1, 0, 1)], 4).flatten(0, 1).permute(0, 3, 1, 2)

        def frames(x):
            _, channels, high, wide = x.shape
            return x.permute(0, 2, 3, 1).reshape(batch, -1, high, wide, channels)
        x = three(((video - 106) * (1 / 43))[..., None])
        x = self.four(self.meet2(three(frames(self.three(self.one(x))))))
        x = self.meet3(three(frames(self.five(x))))
        x = torch.cat([x.amax((2, 3)), x.mean((2, 3))], 1).reshape(batch, -1, 2 * x.shape[1])
        x = torch.relu(self.mix[0](x.transpose(1, 2)))
        for layer, reach in ((self.mix[1], 2), (self.mix[2], 4)):
            padded = torch.cat([*[x[:, :, :1]] * reach, x, *[x[:, :, -1:]] * reach], 2)
            x = x + torch.relu(layer(padded))
        return self.out(x).transpose(1, 2)


class Audio(nn.Module):
    """MFCC rows [B, 4T, 13] → [B, T, 128]."""

    def __init__(self, a=80, b=128):
        super().__init__()
        self.register_buffer('mean', torch.zeros(13))
        self.register_buffer('scale', torch.ones(13))
        layer = lambda i, o, k, s=1: nn.Sequential(nn.Conv1d(i, o, k, s, k // 2, bias=False), nn.BatchNorm1d(o), nn.ReLU())
        self.head = nn.Sequential(layer(13, a, 5), layer(a, b, 3, 2), layer(b, b, 3), layer(b, SIZE, 3, 2))
        self.body = nn.ModuleList([layer(SIZE, SIZE, 3) for _ in range(3)])
        self.out = nn.Conv1d(SIZE, SIZE, 1)

    def forward(self, audio):
        x = self.head(((audio - self.mean) * self.scale).transpose(1, 2))
        for layer in self.body: x = x + layer(x)
        return self.out(x).transpose(1, 2)


LAGS = range(-3, 7)  # sound ahead of the lips, in frames


class Backend(nn.Module):
    """Both embeddings [B, T, 128] → raw score [B, T]. Sees about 1.2 s on each side, and how lips and sound move together."""

    def __init__(self, width=96, parts=32, groups=4):
        super().__init__()
        self.face, self.sound = nn.Linear(SIZE, parts, bias=False), nn.Linear(SIZE, parts, bias=False)
        self.groups = groups
        self.enter = nn.Conv1d(2 * SIZE + groups * len(LAGS), width, 1)
        self.body = nn.ModuleList([nn.Conv1d(width, width, 3, padding=d, dilation=d) for d in (1, 2, 4, 8, 16)])
        self.out = nn.Conv1d(width, 1, 1)

    def together(self, faces, sound):
        """Products of the lips' and the sound's movements at each lag, [B, T, groups * lags]."""
        def moves(x):
            x = x - x.mean(1, keepdim=True)
            return x / torch.sqrt((x * x).mean(1, keepdim=True) + .1)
        v, a = moves(self.face(faces)), moves(self.sound(sound))
        early, late = max(LAGS), -min(LAGS)
        # Windows may be shorter than a lag, so ends are prolonged first and cut then.
        a = torch.cat([*[a[:, :1]] * early, a, *[a[:, -1:]] * late], 1)
        moments = [a[:, early - lag:(-(late + lag) or None)] for lag in LAGS]
        products = [(v * moment).reshape(*v.shape[:2], self.groups, -1).mean(3) for moment in moments]
        return torch.cat(products, 2)

    def forward(self, sound, faces):
        x = torch.cat([sound, faces, self.together(faces, sound)], 2).transpose(1, 2)
        x = torch.relu(self.enter(x))
        for layer in self.body: x = x + torch.relu(layer(x))
        return self.out(x)[:, 0]


def load_networks(checkpoint):
    """The averaged networks of a checkpoint of train.py: visual, audio, backend."""
    average = torch.load(checkpoint, map_location='cpu')['average']
    networks = dict(visual=Visual(), audio=Audio(), backend=Backend())
    for name, net in networks.items():
        net.load_state_dict({k[len(name) + 1:]: v for k, v in average.items() if k.startswith(name + '.')})
        net.eval()
    return networks


# ---- the teacher ------------------------------------------------------------------------------------------------

class Teacher:
    """LR-ASD's three networks, weights from the ONNX files (MIT); forward only."""

    def __init__(self, folder):
        self.w = {}
        for part in ('visual.w16', 'audio.w16', 'backend'):
            for t in onnx.load(f'{folder}/lr-asd-ava-{part}.onnx').graph.initializer:
                self.w[part[0] + '.' + t.name.replace('_h', '')] = torch.from_numpy(numpy_helper.to_array(t).astype(np.float32))
        self.grus = []
        for number in (233, 255):
            gru = nn.GRU(256, 64)
            order = lambda w: torch.cat([w[64:128], w[:64], w[128:]])  # ONNX: z r n; PyTorch: r z n
            w, r, b = (self.w[f'b.onnx::GRU_{number + i}'][0] for i in range(3))
            gru.weight_ih_l0.data, gru.weight_hh_l0.data = order(w), order(r)
            gru.bias_ih_l0.data, gru.bias_hh_l0.data = order(b[:192]), order(b[192:])
            self.grus.append(gru.eval())

    def conv(self, x, name, padding, stride=1):
        return torch.relu(F.conv2d(x, self.w[name + '.c.weight'], self.w[name + '.c.bias'], stride, padding))

    @torch.no_grad()
    def visual(self, crops):
        """uint8 [T, 112, 112] → [T, 128]"""
        frames = len(crops)
        x = ((torch.as_tensor(crops).float() / 255 - .4161) / .1688)[:, None]
        for block, stride in (('v.b1', 2), ('v.b2', 1), ('v.b3', 1)):
            x = self.conv(self.conv(x, block + '.s1', 2, stride), block + '.s2', 1)
            side = x.shape[2]
            x = x.reshape(frames, x.shape[1], -1).transpose(0, 1)[None]
            x = self.conv(self.conv(x, block + '.t1', (2, 0)), block + '.t2', (1, 0))
            x = x[0].transpose(0, 1).reshape(frames, -1, side, side)
            if block != 'v.b3': x = F.max_pool2d(x, 3, 2, 1)
        return x.amax((2, 3)).float().numpy()

    @torch.no_grad()
    def audio(self, rows):
        x = torch.as_tensor(rows)[None, None].transpose(2, 3)
        for block in ('a.b1', 'a.b2', 'a.b3'):
            x = self.conv(self.conv(x, block + '.m1', (2, 0)), block + '.m2', (1, 0))
            x = self.conv(self.conv(x, block + '.t1', (0, 2)), block + '.t2', (0, 1))
            if block != 'a.b3': x = F.max_pool2d(x, (1, 3), (1, 2), (0, 1))
        return x.mean(2)[0].T.numpy()

    @torch.no_grad()
    def backend(self, sound, faces):
        """[B, T, 128] each → [B, T]"""
        x = torch.cat([sound, faces], 2).transpose(1, 2)
        x = x * torch.sigmoid(F.conv1d(x, self.w['b.onnx::Conv_209'], self.w['b.onnx::Conv_210']))
        x = x.permute(2, 0, 1)
        y = torch.cat([self.grus[0](x)[0], self.grus[1](x.flip(0))[0].flip(0)], 2).permute(1, 2, 0)
        y = y * torch.sigmoid(F.conv1d(y, self.w['b.onnx::Conv_212'], self.w['b.onnx::Conv_213']))
        return (y.transpose(1, 2) @ self.w['b.onnx::MatMul_258'] + self.w['b.fc.bias'])[:, :, 1]
