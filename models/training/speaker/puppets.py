"""Moving faces made of pictures and of other faces' movements. A clip is uint8 [T, 112, 112]."""
import json, os, sys
import cv2
import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from split import is_training_row

SIDE, CHIP = 112, 176  # pixels of a crop, and of the larger piece of picture that moves under it
YY, XX = np.mgrid[0:SIDE, 0:SIDE].astype(np.float32)


def load_faces(folder, least_px=48):
    """Chips around the lower face (the crop rule of the product) with the mouth's corners in crop pixels."""
    faces = []
    for line in open(os.path.join(folder, 'labels.jsonl')):
        row = json.loads(line)
        if not is_training_row(row) or row['source'] in ('maskcc0', 'helmets'): continue
        boxes = [b for b in row['boxes'] if not b['ignore'] and b['landmarks']]
        boxes = [b for b in boxes if max(b['w'] * row['width'], b['h'] * row['height']) >= least_px]
        if not boxes: continue
        picture = cv2.imread(os.path.join(folder, row.get('file') if '/' in row['file'] else 'images/' + row['file']), cv2.IMREAD_GRAYSCALE)
        if picture is None: continue
        high, wide = picture.shape
        for b in boxes:
            half = max(b['w'] * wide, b['h'] * high) / 2
            cx, cy = (b['x'] + b['w'] / 2) * wide, (b['y'] + b['h'] / 2) * high
            scale = SIDE / (1.4 * half)
            left, top = cx - .7 * half, cy - .3 * half  # of the crop, in picture pixels
            shift = (CHIP - SIDE) / 2
            move = np.float32([[scale, 0, shift - left * scale], [0, scale, shift - top * scale]])
            chip = cv2.warpAffine(picture, move, (CHIP, CHIP), flags=cv2.INTER_LINEAR if scale > 1 else cv2.INTER_AREA, borderValue=110)
            corners = (np.array(b['landmarks'])[3:5] * (wide, high) - (left, top)) * scale
            corners = corners[corners[:, 0].argsort()]
            width = np.linalg.norm(corners[1] - corners[0])
            if not (14 < width < 75) or not (20 < corners[:, 1].mean() < 105): continue
            faces.append(dict(chip=chip.astype(np.float32), mouth=corners.astype(np.float32)))
    return faces


def wander(rng, frames, slow):
    """A smooth random walk of spread about 1."""
    x = rng.standard_normal(frames + 8 * slow)
    kernel = np.exp(-.5 * (np.arange(-3 * slow, 3 * slow + 1) / slow) ** 2)
    x = np.convolve(x, kernel / np.sqrt((kernel ** 2).sum()), 'same')[4 * slow:4 * slow + frames]
    return x


def head(rng, frames, lively):
    """2×3 matrices from crop pixels to chip pixels: nods, turns and a hand-held camera."""
    slow = int(rng.integers(3, 16))
    tx, ty = (wander(rng, frames, slow) * lively * 3 for _ in range(2))
    angle = np.deg2rad(wander(rng, frames, slow) * lively * 2.5 + rng.normal(0, 4))
    zoom = np.exp(wander(rng, frames, slow) * lively * .02 + rng.normal(0, .07))
    tx, ty = tx + rng.normal(0, 4), ty + rng.normal(0, 4)
    mirror = rng.random() < .5
    out = []
    for i in range(frames):
        c, s = np.cos(angle[i]) * zoom[i], np.sin(angle[i]) * zoom[i]
        m = np.float32([[c, -s, 0], [s, c, 0]])
        if mirror: m[:, 0] *= -1
        m[:, 2] = np.float32([CHIP / 2 + tx[i], CHIP / 2 + ty[i]]) - m[:, :2] @ np.float32([SIDE / 2, SIDE / 2])
        out.append(m)
    return out


def finish(rng, clip):
    """Exposure, blur and noise of a camera, the same through the clip."""
    x = np.stack(clip) if isinstance(clip, list) else clip
    if rng.random() < .3:
        sigma = rng.uniform(.5, 1.6)
        x = np.stack([cv2.GaussianBlur(f, (0, 0), sigma) for f in x])
    gain, gamma = np.exp(rng.normal(0, .15)), np.exp(rng.normal(0, .15))
    x = 255 * np.clip(x / 255, 0, 1) ** gamma * gain + rng.normal(0, 8)
    if rng.random() < .4: x = x + rng.standard_normal(x.shape) * rng.uniform(.5, 4)
    return np.clip(np.rint(x), 0, 255).astype(np.uint8)


def look(chip, to_chip, dx, dy):
    """The chip seen through a head pose, after moving crop pixels by a field that says where each one comes from."""
    x, y = XX + dx, YY + dy
    m = to_chip
    return cv2.remap(chip, m[0, 0] * x + m[0, 1] * y + m[0, 2], m[1, 0] * x + m[1, 1] * y + m[1, 2], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=110)


def talk(rng, face, lips, lively):
    """The picture says something: jaw, lips and the dark between them follow `lips` [T, 2] (opening, width)."""
    frames = len(lips)
    chip, mouth = face['chip'], face['mouth']
    middle, width = mouth.mean(0), np.linalg.norm(mouth[1] - mouth[0])
    tilt = np.arctan2(*(mouth[1] - mouth[0])[::-1])
    c, s = np.cos(tilt), np.sin(tilt)
    u = ((XX - middle[0]) * c + (YY - middle[1]) * s) / width  # along the mouth, ±.5 at its corners
    v = (-(XX - middle[0]) * s + (YY - middle[1]) * c) / width  # below it
    jaw, wide = rng.uniform(.2, .5), rng.uniform(.08, .25)
    lift = rng.uniform(.05, .3)
    dark, teeth, tongue = rng.uniform(5, 45), rng.random() < .6, rng.uniform(.1, .5)
    local = float(np.median(chip[CHIP // 2 - 20:CHIP // 2 + 40, CHIP // 2 - 30:CHIP // 2 + 30]))
    out = []
    for (opening, spread), pose in zip(lips, head(rng, frames, lively)):
        gap = opening * jaw
        around = np.exp(-(u / .75) ** 2)
        below = np.clip(v + gap * (1 - lift), 0, None)
        falls = gap * (1 - lift) * around * np.exp(-np.clip(v - gap, 0, None) / 1.1) * (v > 0)
        rises = gap * lift * around * np.exp(v / .25) * (v <= 0)
        stretch = 1 + wide * spread * np.exp(-(u / .8) ** 2 - (v / .5) ** 2)
        du, dv = u / stretch - u, -falls + rises * 1.0
        dx, dy = (du * c - dv * s) * width, (du * s + dv * c) * width
        # Crop pixels come from (x + dx, y + dy) of the picture at rest; the chip is drawn without its pose first.
        rest = look(chip, np.float32([[1, 0, (CHIP - SIDE) / 2], [0, 1, (CHIP - SIDE) / 2]]), dx, dy)
        if gap > .01:
            reach = .5 * (1 + wide * spread)
            centre = gap * (.5 - lift)
            inside = 1 - ((u / reach) ** 2 + ((v - centre) / (gap * .5 + 1e-3)) ** 2)
            alpha = np.clip(inside * width * gap * .35, 0, 1) * min(1, gap * 10)
            fill = np.full_like(rest, min(dark, local * .5))
            if teeth: fill = np.where(v < centre - gap * .15, .8 * local + 20, fill)
            fill = np.where(v > centre + gap * (.5 - tongue), local * .55, fill)
            rest = rest * (1 - alpha) + fill * alpha
        shift = np.float32([[1, 0, -(CHIP - SIDE) / 2], [0, 1, -(CHIP - SIDE) / 2]])
        m = pose.copy()
        m[:, 2] += shift[:, 2]
        moved = cv2.remap(rest.astype(np.float32), m[0, 0] * XX + m[0, 1] * YY + m[0, 2], m[1, 0] * XX + m[1, 1] * YY + m[1, 2], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
        out.append(moved)
    return finish(rng, out)


def still(rng, face, frames, lively):
    """A head that moves and says nothing; with `lively` 0 a photo."""
    zero = np.zeros_like(XX)
    poses = head(rng, frames, lively)
    return finish(rng, [look(face['chip'], m, zero, zero) for m in poses])


def borrow(rng, clip, face, lively):
    """Another face makes the movements of a recorded one: its optical flow, and the light and dark that flow cannot explain."""
    flow = cv2.DISOpticalFlow_create(cv2.DISOPTICAL_FLOW_PRESET_FAST)
    base = clip[len(clip) // 2]
    near_mouth = np.exp(-((XX - 56) / 30) ** 4 - ((YY - 66) / 24) ** 4)
    rest = look(face['chip'], np.float32([[1, 0, (CHIP - SIDE) / 2], [0, 1, (CHIP - SIDE) / 2]]), np.zeros_like(XX), np.zeros_like(XX))
    # The recorded mouth lies near (56, 66) of its crop; put the picture's mouth there.
    dx, dy = face['mouth'].mean(0) - (56, 66)
    rest = cv2.warpAffine(rest, np.float32([[1, 0, -dx], [0, 1, -dy]]), (SIDE, SIDE), borderMode=cv2.BORDER_REFLECT)
    ratio = np.clip((rest.std() + 5) / (base.astype(np.float32).std() + 5), .4, 1.6)
    out = []
    for frame, m in zip(clip, head(rng, len(clip), lively)):
        f = flow.calc(frame, base, None)
        f = cv2.GaussianBlur(f, (0, 0), 1.5)
        x, y = XX + f[..., 0], YY + f[..., 1]
        told = cv2.remap(base.astype(np.float32), x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        left_over = cv2.GaussianBlur(frame.astype(np.float32) - told, (0, 0), .7) * near_mouth
        face_now = cv2.remap(rest, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT) + left_over * ratio
        m = m.copy()
        m[:, 2] -= (CHIP - SIDE) / 2
        out.append(cv2.remap(face_now, m[0, 0] * XX + m[0, 1] * YY + m[0, 2], m[1, 0] * XX + m[1, 1] * YY + m[1, 2], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT))
    return finish(rng, out)


def idle(rng, frames, kind):
    """Lips that say nothing: closed, smiling, chewing, or opening now and then, [T, 2]."""
    zero = np.zeros(frames)
    if kind == 'smile': return np.stack([np.clip(wander(rng, frames, 12) * .1, 0, 1), wander(rng, frames, 12)], 1)
    if kind == 'chew':
        rate = rng.uniform(1, 2)
        wave = .5 + .5 * np.sin(2 * np.pi * rate * np.arange(frames) / 25 + wander(rng, frames, 10))
        return np.stack([wave ** 2 * rng.uniform(.05, .4), wander(rng, frames, 5) * .4], 1)
    if kind == 'gape': return np.stack([np.clip(wander(rng, frames, 10) * .6, 0, 1), wander(rng, frames, 10) * .3], 1)
    return np.stack([zero, zero], 1)
