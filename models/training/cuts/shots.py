"""One shot: a picture under a moving camera, with people and things that move before it.

Everything is drawn at twice the size of a thumbnail and averaged over areas, as the product does with video frames.
"""

import math

import cv2
import numpy as np

WIDTH, HEIGHT = 48, 27
CANVAS = (2 * WIDTH, 2 * HEIGHT)


class View:
    """Where a camera stands: centre and width of the window as shares of the picture's width, angle in radians."""

    def __init__(self, x, y, span, angle=0.0, mirror=False):
        self.x, self.y, self.span, self.angle, self.mirror = x, y, span, angle, mirror

    def differs(self, other):
        """Whether going from one to the other in one frame is seen as a cut."""
        moved = math.hypot(self.x - other.x, self.y - other.y) / min(self.span, other.span)
        return self.mirror != other.mirror or moved > 0.2 or abs(math.log(self.span / other.span)) > 0.17


def any_view(rng, picture):
    """A window that lies in the picture; y too is in units of the picture's width."""
    height, width = picture.levels[0].shape[:2]
    tall = height / width
    widest = min(1.0, tall * 16 / 9)
    span = widest * rng.uniform(0.35, 1.0)
    half = span / 2 * 9 / 16
    x = rng.uniform(span / 2, 1 - span / 2)
    y = rng.uniform(half, tall - half) if tall > 2 * half else tall / 2
    return View(x, y, span, rng.normal(0, 0.02), rng.random() < 0.2)


def other_view(rng, picture, view):
    """Another window of the same picture that an editor would cut to: closer, wider, or clearly elsewhere."""
    for _ in range(20):
        fresh = any_view(rng, picture)
        fresh.mirror = view.mirror
        if rng.random() < 0.5:
            # A cut along the axis.
            fresh.x = view.x + rng.normal(0, 0.05) * view.span
            fresh.y = view.y + rng.normal(0, 0.05) * view.span
            fresh.span = view.span * rng.choice([rng.uniform(0.45, 0.84), rng.uniform(1.2, 2.0)])
        if fresh.span < 1.3 and fresh.differs(view):
            return fresh
    return any_view(rng, picture)


def warp(picture, view):
    """The window as `[54, 96, 3]`, from the level whose pixels are about as large as the canvas's."""
    width = picture.levels[0].shape[1]
    scale = view.span * width / CANVAS[0]
    level = min(len(picture.levels) - 1, max(0, round(math.log2(max(scale, 0.5)) - 0.2)))
    image = picture.levels[level]
    step = scale * image.shape[1] / width
    cos, sin = step * math.cos(view.angle), step * math.sin(view.angle)
    flip = -1 if view.mirror else 1
    x, y = view.x * image.shape[1], view.y * image.shape[1]
    matrix = np.array(
        [
            [flip * cos, -sin, x - flip * cos * CANVAS[0] / 2 + sin * CANVAS[1] / 2],
            [flip * sin, cos, y - flip * sin * CANVAS[0] / 2 - cos * CANVAS[1] / 2],
        ]
    )
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return cv2.warpAffine(image, matrix, CANVAS, flags=flags, borderMode=cv2.BORDER_REFLECT_101)


def shrink(canvas):
    """Averages a canvas to a thumbnail."""
    return cv2.resize(canvas, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)


def smooth_noise(rng, count, period):
    """A random curve of unit size that turns about every `period` frames."""
    points = max(4, int(count / period) + 4)
    knots = rng.normal(0, 1, points)
    return np.interp(np.arange(count) / period + rng.random(), np.arange(points), knots)


def camera_path(rng, count):
    """Shifts (in thumbnail pixels), logarithm of the zoom and angle for each frame."""
    x, y, zoom, angle = (np.zeros(count) for _ in range(4))
    kind = rng.choice(
        ["static", "held", "slow", "zoom", "fast", "shake", "drift"], p=[0.28, 0.2, 0.15, 0.07, 0.14, 0.1, 0.06]
    )
    if kind in ("held", "fast", "zoom", "drift"):
        size = 10 ** rng.uniform(-1, 0.3)
        period = rng.uniform(4, 20)
        x += size * smooth_noise(rng, count, period)
        y += size * smooth_noise(rng, count, period)
        angle += 0.01 * size * smooth_noise(rng, count, period)
    if kind in ("slow", "drift"):
        speed = 10 ** rng.uniform(-1.5, 0.4)
        way = rng.uniform(0, 2 * math.pi)
        x += speed * math.cos(way) * np.arange(count)
        y += 0.5 * speed * math.sin(way) * np.arange(count)
    if kind == "zoom":
        zoom += rng.choice([-1, 1]) * 10 ** rng.uniform(-3, -1.3) * np.arange(count)
        zoom = np.clip(zoom, -1.0, 0.6)
    if kind == "fast":
        # Whips: still, quick, still again.
        for _ in range(rng.integers(1, 3)):
            start, length = rng.integers(0, max(1, count)), rng.integers(4, 18)
            speed = rng.uniform(1.5, 7.0)
            way = rng.choice([0, math.pi, rng.uniform(0, 2 * math.pi)])
            ease = np.sin(np.linspace(0, math.pi, length)) ** rng.uniform(0.3, 1)
            steps = np.zeros(count)
            end = min(count, start + length)
            steps[start:end] = ease[: end - start] * speed
            x += math.cos(way) * np.cumsum(steps)
            y += 0.5 * math.sin(way) * np.cumsum(steps)
    if kind == "shake":
        start, length = rng.integers(0, max(1, count)), rng.integers(5, 60)
        size = rng.uniform(0.5, 3.0)
        end = min(count, start + length)
        x[start:end] += size * rng.normal(0, 1, end - start)
        y[start:end] += size * rng.normal(0, 0.7, end - start)
        angle[start:end] += 0.01 * size * rng.normal(0, 1, end - start)
    return x, y, zoom, angle


class Sprite:
    """Something with an outline, as premultiplied RGBA of 64x64, that moves before the picture."""

    def __init__(self, rgba, path, scale):
        self.rgba, self.path, self.scale = rgba, path, scale

    def draw(self, canvas, frame):
        x, y, grow, angle = self.path[:, frame]
        side = self.rgba.shape[0]
        step = max(0.2, self.scale[0] * (1 + grow)) * CANVAS[0] / side
        tall = max(0.2, self.scale[1] * (1 + grow)) * CANVAS[0] / side
        cos, sin = math.cos(angle), math.sin(angle)
        matrix = np.array(
            [
                [step * cos, -tall * sin, x * CANVAS[0] - (step * cos - tall * sin) * side / 2],
                [step * sin, tall * cos, y * CANVAS[1] - (step * sin + tall * cos) * side / 2],
            ]
        )
        layer = cv2.warpAffine(self.rgba, matrix, CANVAS, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        clear = cv2.merge([255 - layer[:, :, 3]] * 3)
        return cv2.add(cv2.multiply(canvas, clear, scale=1 / 255), cv2.cvtColor(layer, cv2.COLOR_RGBA2RGB))


_grid = np.stack(np.meshgrid(np.linspace(-1, 1, 64), np.linspace(-1, 1, 64)), 0)


def cover_of(rng, kind):
    """Outline of a sprite, 0 to 1 on 64x64."""
    u, v = _grid
    if kind == "person":
        head = (u / 0.38) ** 2 + ((v + 0.45) / 0.48) ** 2
        body = (np.abs(u / 0.95) ** 2.5) + (np.abs((v - 0.75) / 0.75) ** 2.5)
        return (np.minimum(head, body) < 1).astype(np.float32)
    if kind == "box":
        return np.ones((64, 64), np.float32)
    wobble = sum(
        rng.normal(0, 0.12) * np.cos(k * np.arctan2(v, u) + rng.uniform(0, 6.3)) for k in range(2, 6)
    )
    return ((np.hypot(u, v) * (1.15 + wobble)) < 1).astype(np.float32)


def sprite_of(rng, picture, kind):
    """Cuts a sprite out of a picture: around a face where a person is asked for and one is there."""
    image = picture.levels[0]
    height, width = image.shape[:2]
    if kind == "person" and picture.faces:
        x, y, w, h = picture.faces[rng.integers(len(picture.faces))]
        side = 2.6 * max(w * width, h * height)
        centre = ((x + w / 2) * width, (y + h / 2) * height + 0.22 * side)
    else:
        side = rng.uniform(0.2, 0.6) * width
        centre = (rng.uniform(0, width), rng.uniform(0, height))
    texture = cv2.getRectSubPix(image, (max(8, int(side)),) * 2, centre)
    texture = cv2.resize(texture, (64, 64), interpolation=cv2.INTER_AREA).astype(np.float32)
    if kind != "person" and rng.random() < 0.5:
        # Plain things and things out of focus.
        texture = cv2.GaussianBlur(texture, (0, 0), rng.uniform(4, 20)) * rng.uniform(0.2, 1)
    cover = cover_of(rng, kind)
    if rng.random() < 0.5:
        cover = cv2.GaussianBlur(cover, (0, 0), rng.uniform(0.7, 4))
    return np.dstack([texture * cover[:, :, None], 255 * cover]).astype(np.uint8)


def sprite_path(rng, count, kind):
    """Place (shares of the picture), growth and angle per frame, `[4, count]`."""
    path = np.zeros((4, count))
    if kind == "crossing":
        length = rng.integers(4, 40)
        start = rng.integers(-length // 2, max(1, count))
        side = rng.choice([-1, 1])
        path[0] = 0.5 + side * ((np.arange(count) - start) / length * 2.6 - 1.3)
        path[1] = rng.uniform(0.3, 0.8)
        return path
    path[0] = rng.uniform(0.1, 0.9)
    path[1] = rng.uniform(0.35, 0.8)
    size = 10 ** rng.uniform(-2.6, -1.2)
    period = rng.uniform(3, 16)
    path[0] += size * smooth_noise(rng, count, period)
    path[1] += size * smooth_noise(rng, count, period)
    path[2] = 2 * size * smooth_noise(rng, count, 2 * period)
    path[3] = 4 * size * smooth_noise(rng, count, 2 * period)
    if rng.random() < 0.25:
        path[0] += rng.normal(0, 0.008) * np.arange(count)
    return path


class Setup:
    """What a camera of one scene sees: a picture, a window of it, people before it, and a colour grade."""

    def __init__(self, rng, picture, cast, view=None):
        self.picture = picture
        self.view = view or any_view(rng, picture)
        self.people = []
        for _ in range(rng.choice([0, 1, 2], p=[0.5, 0.35, 0.15])):
            scale = rng.uniform(0.2, 0.7)
            kind = "person" if rng.random() < 0.75 else rng.choice(["box", "blob"])
            self.people.append((sprite_of(rng, cast(), kind), (scale, scale * rng.uniform(0.9, 1.3))))
        self.gain = 2 ** rng.normal(0, 0.25)
        self.gamma = 2 ** rng.normal(0, 0.25)
        self.tint = 2 ** rng.normal(0, 0.07, 3)

    def differs(self, other):
        """Whether this is another picture, or clearly another window of the same."""
        return self.picture is not other.picture or self.view.differs(other.view)

    def closer(self, rng):
        """The same scene from another window of the same picture; people may or may not stand elsewhere."""
        fresh = Setup.__new__(Setup)
        fresh.__dict__.update(self.__dict__)
        fresh.view = other_view(rng, self.picture, self.view)
        fresh.people = self.people if rng.random() < 0.5 else []
        return fresh


def render(rng, setup, count, cast):
    """Thumbnails of a shot, float32 `[count, 27, 48, 3]`, 0 to 255."""
    x, y, zoom, angle = camera_path(rng, count)
    view = setup.view
    sprites = [Sprite(rgba, sprite_path(rng, count, "standing"), scale) for rgba, scale in setup.people]
    if rng.random() < 0.08:
        size = rng.uniform(0.2, 1.3)
        rgba = sprite_of(rng, cast(), rng.choice(["person", "blob", "box"]))
        sprites.append(Sprite(rgba, sprite_path(rng, count, "crossing"), (size, size * rng.uniform(0.8, 1.6))))
    still = not sprites and not np.any(x) and not np.any(zoom)
    blurs = rng.random() < 0.7
    frames = np.empty((count, HEIGHT, WIDTH, 3), np.float32)
    pixel = view.span / WIDTH

    def at(i):
        moved = View(
            view.x + x[i] * pixel, view.y + y[i] * pixel, view.span * math.exp(zoom[i]), view.angle + angle[i], view.mirror
        )
        return warp(setup.picture, moved)

    for i in range(1 if still else count):
        canvas = at(i)
        speed = math.hypot(x[i] - x[i - 1], y[i] - y[i - 1]) if i else 0
        if blurs and speed > 1:
            # The shutter is open for half of the time between frames: a blur along the way.
            reach = min(9, int(2 * speed) | 1)
            kernel = np.zeros((9, 9), np.float32)
            dx, dy = x[i] - x[i - 1], y[i] - y[i - 1]
            cv2.line(
                kernel,
                (round(4 - dx / speed * reach / 2), round(4 - dy / speed * reach / 2)),
                (round(4 + dx / speed * reach / 2), round(4 + dy / speed * reach / 2)),
                1.0,
            )
            canvas = cv2.filter2D(canvas, -1, kernel / max(1, kernel.sum()))
        for sprite in sprites:
            canvas = sprite.draw(canvas, i)
        frames[i] = shrink(canvas)
    if still:
        frames[:] = frames[0]
    graded = 255 * (np.clip(frames / 255, 0, 1) ** setup.gamma) * setup.gain * setup.tint.astype(np.float32)
    return np.clip(graded, 0, 255)
