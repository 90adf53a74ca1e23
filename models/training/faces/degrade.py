"""Sends the training pictures through video encoders at low bitrates, once, into a folder of JPEGs.

    python3 degrade.py --data FOLDER --out FOLDER

Each picture is shown for four frames while it drifts by some pixels; the last one is kept, so that it carries what
prediction from frame to frame leaves. Needs ffmpeg with libx264 and libvpx.
"""

import argparse
import os
import subprocess

import cv2
import numpy as np

from dataset import is_training_row, read_image, read_rows, stem_of

SIDE, FRAMES = 528, 4
ENCODERS = (
    ['libx264', '-preset', 'veryfast', '-crf', '30'],
    ['libx264', '-preset', 'veryfast', '-crf', '36'],
    ['libx264', '-preset', 'superfast', '-crf', '41'],
    ['mpeg4', '-q:v', '14'],
    ['libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-crf', '50', '-b:v', '1M'],
)
DRIFT = ((0, 0), (2, 0), (3, 1), (6, 2))  # pixels of the four frames


def frame(image, shift):
    """The picture in a square of SIDE, its edges repeated outwards."""
    h, w = image.shape[:2]
    dx, dy = shift
    return cv2.copyMakeBorder(image, dy, SIDE - h - dy, dx, SIDE - w - dx, cv2.BORDER_REPLICATE)


def encode(rows, data, out, encoder, video):
    size = f'{SIDE}x{SIDE}'
    raw = ['-f', 'rawvideo', '-pix_fmt', 'bgr24', '-s', size, '-r', '25']
    quiet = ['ffmpeg', '-y', '-v', 'error', '-threads', '1']
    sizes = []
    with subprocess.Popen(
        [*quiet, *raw, '-i', '-', '-c:v', *encoder, '-pix_fmt', 'yuv420p', '-threads', '1', video], stdin=subprocess.PIPE
    ) as writer:
        for row in rows:
            image = read_image(os.path.join(data, row['file']))
            sizes.append(image.shape[:2])
            for shift in DRIFT:
                writer.stdin.write(frame(image, shift).tobytes())
    if writer.returncode:
        raise RuntimeError(f'ffmpeg could not encode with {encoder[0]}')
    decode = [*quiet, '-i', video, '-fps_mode', 'passthrough', '-f', 'rawvideo', '-pix_fmt', 'bgr24', '-']
    with subprocess.Popen(decode, stdout=subprocess.PIPE) as reader:
        for row, (h, w) in zip(rows, sizes):
            shown = reader.stdout.read(SIDE * SIDE * 3 * FRAMES)
            picture = np.frombuffer(shown, np.uint8).reshape(FRAMES, SIDE, SIDE, 3)[-1]
            dx, dy = DRIFT[-1]
            path = os.path.join(out, stem_of(row))
            cv2.imwrite(path + '.part.jpg', picture[dy : dy + h, dx : dx + w], [cv2.IMWRITE_JPEG_QUALITY, 93])
            os.replace(path + '.part.jpg', path + '.jpg')
    os.remove(video)


def degrade(data, out):
    """Fills `out` with what is missing of the training pictures."""
    os.makedirs(out, exist_ok=True)
    rows = [r for r in read_rows(data, is_training_row) if not os.path.exists(os.path.join(out, stem_of(r) + '.jpg'))]
    for k, encoder in enumerate(ENCODERS):
        if rows[k :: len(ENCODERS)]:
            encode(rows[k :: len(ENCODERS)], data, out, encoder, os.path.join(out, 'encoding.mkv'))


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument('--data', default='../shared/data/faces')
    p.add_argument('--out', default='out/training/faces/degraded')
    o = p.parse_args()
    degrade(o.data, o.out)


if __name__ == '__main__':
    main()
