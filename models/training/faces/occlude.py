"""What comes between a face and the camera, heads turned aside, and letters and shapes that are no faces.

A face is a row of 16 numbers: x1 y1 x2 y2, five landmarks (left eye, right eye, nose, left and right corner of the
mouth, as seen), score, weight of the landmarks. Pictures are changed in place.
"""

import cv2
import numpy as np

LETTERS = np.array(list('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789OOCGDQ08eaosg.,:;!?&@#%+()[]'))
FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_TRIPLEX,
         cv2.FONT_HERSHEY_SCRIPT_COMPLEX)
COVERED, TURNED = 0.16, 0.12  # shares of the faces


def colour(rng):
    return tuple(int(v) for v in rng.integers(0, 256, 3))


def skin(rng, image, face):
    """The colour between the eyes and the mouth, a little lighter or darker."""
    x, y = face[8:10] if face[15] else (face[:2] + face[2:4]) / 2
    at = image[int(np.clip(y, 0, image.shape[0] - 1)), int(np.clip(x, 0, image.shape[1] - 1))]
    return tuple(int(v) for v in np.clip(at * rng.uniform(0.6, 1.2), 0, 255))


def bar(rng, image, face):
    """A third of the face at most, by a plain colour or a piece of the same picture."""
    w, h = face[2:4] - face[:2]
    cw, ch = w * rng.uniform(0.25, 1), h * rng.uniform(0.1, 0.33)
    if rng.random() < 0.5:
        cw, ch = w * rng.uniform(0.1, 0.33), h * rng.uniform(0.25, 1)
    x, y = face[:2] + rng.uniform(-0.1, 1.1, 2) * (w, h) - np.array((cw, ch)) / 2
    x1, y1, x2, y2 = (int(max(0, v)) for v in (x, y, x + cw, y + ch))
    part = image[y1:y2, x1:x2]
    if not part.size:
        return
    if rng.random() < 0.5:
        part[:] = colour(rng)
    else:
        sy, sx = (rng.integers(0, max(1, n - m + 1)) for n, m in zip(image.shape[:2], part.shape[:2]))
        part[:] = image[sy : sy + part.shape[0], sx : sx + part.shape[1]].copy()


def polygon(image, points, ink):
    cv2.fillPoly(image, [np.round(points).astype(np.int32)], ink, cv2.LINE_AA)


def mask(rng, image, face):
    """From the bridge of the nose to under the chin."""
    x1, _, x2, y2 = face[:4]
    left, right, nose = face[4:6], face[6:8], face[8:10]
    top = nose + (0, rng.uniform(-0.3, 0.2) * (nose[1] - (left[1] + right[1]) / 2))
    w = x2 - x1
    chin = y2 + rng.uniform(-0.04, 0.1) * w
    ink = colour(rng) if rng.random() < 0.4 else tuple(int(v) for v in (235, 225, 215) * rng.uniform(0.1, 1, 1))
    points = [(x1, top[1] + 0.05 * w), top, (x2, top[1] + 0.05 * w), (x2 - 0.12 * w, chin - 0.15 * w),
              ((x1 + x2) / 2, chin), (x1 + 0.12 * w, chin - 0.15 * w)]
    polygon(image, np.array(points), ink)


def hat(rng, image, face):
    """Over the forehead, with or without a brim."""
    x1, y1, x2, y2 = face[:4]
    w, h = x2 - x1, y2 - y1
    low = min((face[5] + face[7]) / 2 - 0.12 * h, y1 + rng.uniform(0.12, 0.35) * h)
    ink = colour(rng)
    points = [(x1 - 0.08 * w, low), (x1, y1 - 0.15 * h), ((x1 + x2) / 2, y1 - rng.uniform(0.2, 0.45) * h),
              (x2, y1 - 0.15 * h), (x2 + 0.08 * w, low)]
    polygon(image, np.array(points), ink)
    if rng.random() < 0.5:
        out = rng.uniform(0.1, 0.5) * w
        polygon(image, np.array([(x1 - out, low), (x2 + out, low), (x2 + 0.1 * w, low + 0.08 * h),
                                 (x1 - 0.1 * w, low + 0.08 * h)]), tuple(int(v * 0.7) for v in ink))


def glasses(rng, image, face):
    """Dark or mirroring discs on the eyes."""
    radius = max(1, int((face[2] - face[0]) * rng.uniform(0.12, 0.2)))
    ink = tuple(int(v) for v in rng.integers(0, 60, 3)) if rng.random() < 0.7 else colour(rng)
    left, right = ((int(round(float(v))) for v in face[k : k + 2]) for k in (4, 6))
    left, right = tuple(left), tuple(right)
    thick = 1 if rng.random() < 0.3 else -1  # rims, or sunglasses
    for eye in (left, right):
        cv2.ellipse(image, eye, (radius, max(1, int(radius * rng.uniform(0.7, 1)))), 0, 0, 360, ink, thick, cv2.LINE_AA)
    cv2.line(image, left, right, ink, max(1, radius // 4), cv2.LINE_AA)


def hand(rng, image, face):
    """A palm and fingers before the lower half or one side, in the colour of the skin; or a microphone."""
    w, h = face[2:4] - face[:2]
    start = face[:2] + (rng.uniform(-0.1, 1.1) * w, rng.uniform(0.55, 1.15) * h)
    if rng.random() < 0.35:
        ink = tuple(int(v) for v in rng.integers(0, 90, 3))
        end = start + (rng.uniform(-0.6, 0.6) * w, 0.9 * h)
        cv2.line(image, tuple(start.astype(int)), tuple(end.astype(int)), ink, max(1, int(0.14 * w)), cv2.LINE_AA)
        cv2.circle(image, tuple(start.astype(int)), max(1, int(w * rng.uniform(0.12, 0.22))), ink, -1, cv2.LINE_AA)
        return
    ink = skin(rng, image, face)
    toward = np.array((face[0] + face[2], face[1] + face[3])) / 2 - start + rng.normal(0, 0.3, 2) * w
    angle = np.arctan2(toward[1], toward[0])
    cv2.circle(image, tuple(start.astype(int)), max(1, int(0.22 * w)), ink, -1, cv2.LINE_AA)
    for k in range(4):
        a = angle + (k - 1.5) * rng.uniform(0.1, 0.35)
        tip = start + np.array((np.cos(a), np.sin(a))) * w * rng.uniform(0.35, 0.55)
        shade = tuple(int(v * (0.85 + 0.05 * k)) for v in ink)
        cv2.line(image, tuple(start.astype(int)), tuple(tip.astype(int)), shade, max(1, int(0.11 * w)), cv2.LINE_AA)


def caption(rng, image, face):
    """Letters across a third of the face, on a ground or none."""
    w, h = face[2:4] - face[:2]
    high = max(4.0, h * rng.uniform(0.08, 0.22))
    y = int(face[1] + rng.uniform(0.1, 1.05) * h)
    x = int(face[0] - rng.uniform(0, 1) * w)
    text = ''.join(rng.choice(LETTERS, rng.integers(4, 16)))
    font, thick = FONTS[rng.integers(len(FONTS))], max(1, int(high * 0.12))
    if rng.random() < 0.4:
        cv2.rectangle(image, (x, int(y - 1.3 * high)), (x + int(3 * w), int(y + 0.4 * high)), colour(rng), -1)
    cv2.putText(image, text, (x, y), font, high / 22, colour(rng), thick, cv2.LINE_AA)


def occlude(rng, image, face):
    """Covers a part of one face in six. The face still counts."""
    if rng.random() > COVERED:
        return
    marked = bool(face[15]) and face[2] - face[0] > 14
    kinds = (bar, mask, hat, glasses, hand, caption) if marked else (bar, bar, caption)
    kinds[rng.integers(len(kinds))](rng, image, face)


def turn(rng, image, face):
    """Turns one frontal head in eight by up to 50 degrees: its texture is drawn on an ellipsoid that rotates."""
    x1, y1, x2, y2 = face[:4]
    w, h = x2 - x1, y2 - y1
    if rng.random() > TURNED or w < 24 or not face[15]:
        return
    points = face[4:14].reshape(5, 2)
    eyes = points[1] - points[0]
    # Already turned or tilted heads have no far side to show.
    if abs(points[2, 0] - points[:2, 0].mean()) > 0.18 * abs(eyes[0]) or abs(eyes[1]) > 0.25 * abs(eyes[0]):
        return
    theta = np.deg2rad(rng.uniform(15, 50)) * rng.choice((-1, 1))
    cx, cy, rx, ry = (x1 + x2) / 2, (y1 + y2) / 2, 0.62 * w, 0.75 * h
    left, top = int(max(0, cx - rx)), int(max(0, cy - ry))
    right, low = int(min(image.shape[1], cx + rx + 1)), int(min(image.shape[0], cy + ry + 1))
    y, x = np.mgrid[top:low, left:right].astype(np.float32)
    radius = rx * np.sqrt(np.clip(1 - ((y - cy) / ry) ** 2, 1e-4, 1))
    u = (x - cx) / radius
    source = np.sin(np.clip(np.arcsin(np.clip(u, -1, 1)) - theta, -np.pi / 2, np.pi / 2))
    across = np.where(np.abs(u) < 1, cx + source * radius, x).astype(np.float32)
    part = image[top:low, left:right]
    part[:] = cv2.remap(image, across, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    radius = rx * np.sqrt(np.clip(1 - ((points[:, 1] - cy) / ry) ** 2, 1e-4, 1))
    phi = np.arcsin(np.clip((points[:, 0] - cx) / radius, -1, 1)) + theta
    points[:, 0] = cx + radius * np.sin(np.clip(phi, -np.pi / 2, np.pi / 2))


def write(rng, image, faces):
    """Captions, signs and round or square shapes beside the faces: outlines and letters pass for faces too easily."""
    side = image.shape[0]
    for _ in range(rng.integers(1, 5)):
        # cv2 letters of scale 1 are about 22 pixels high.
        high = np.exp(rng.uniform(np.log(8), np.log(90)))
        text = ''.join(rng.choice(LETTERS, rng.integers(1, 2 + int(160 / high))))
        font, thick = FONTS[rng.integers(len(FONTS))], int(max(1, high * rng.uniform(0.04, 0.3)))
        (w, h), _ = cv2.getTextSize(text, font, high / 22, thick)
        x, y = int(rng.uniform(-0.2 * w, side - 0.5 * w)), int(rng.uniform(h, side))
        area = np.array([x - 4, y - h - 6, x + w + 4, y + 6])
        if len(faces) and ((np.minimum(faces[:, 2:4], area[2:]) - np.maximum(faces[:, :2], area[:2])).min(1) > 0).any():
            continue
        ink, ground = colour(rng), colour(rng)
        if rng.random() < 0.4:
            cv2.rectangle(image, tuple(int(v) for v in area[:2]), tuple(int(v) for v in area[2:]), ground, -1)
        if rng.random() < 0.25:
            axes = int(h * rng.uniform(0.4, 0.8)), int(h * rng.uniform(0.4, 0.8))
            cv2.ellipse(image, (x + w // 2, y - h // 2), axes, 0, 0, 360, ink, -1 if rng.random() < 0.5 else thick, cv2.LINE_AA)
        else:
            cv2.putText(image, text, (x, y), font, high / 22, ink, thick, cv2.LINE_AA)
