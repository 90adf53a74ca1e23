"""The pictures that shots are made of: small copies of every training row that may be used."""

import json
import sys
from pathlib import Path

import cv2
import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent))
from split import is_row_of  # noqa: E402

LONG_SIDE = 288


class Picture:
    """A picture at three sizes (1, 1/2, 1/4), and the faces in it as (x, y, width, height) from 0 to 1."""

    def __init__(self, image, faces):
        self.levels = [image]
        for _ in range(2):
            height, width = self.levels[-1].shape[:2]
            size = (max(1, width // 2), max(1, height // 2))
            self.levels.append(cv2.resize(self.levels[-1], size, interpolation=cv2.INTER_AREA))
        self.faces = faces
        # Nine colours on a 3x3 grid: pictures with like signatures make hard pairs.
        self.signature = cv2.resize(image, (3, 3), interpolation=cv2.INTER_AREA).astype(np.float32).ravel()


def read_pictures(folder, part="train", all_rows=False):
    """Reads the rows of one part that may be trained on, or all of them. The second crops of a picture are left out."""
    folder = Path(folder)
    pictures = []
    for line in (folder / "labels.jsonl").read_text().splitlines():
        row = json.loads(line)
        if not is_row_of(row, part, all_rows) or row.get("crop_of"):
            continue
        image = cv2.imread(str(folder / row["file"]))
        if image is None:
            raise FileNotFoundError(row["file"])
        scale = LONG_SIDE / max(image.shape[:2])
        size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
        image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)[:, :, ::-1]
        faces = [(box["x"], box["y"], box["w"], box["h"]) for box in row["boxes"] if not box["ignore"]]
        pictures.append(Picture(np.ascontiguousarray(image), faces))
    return pictures


def neighbours(pictures, count=24):
    """For each picture the indices of those that are most like it in colour."""
    signatures = np.stack([picture.signature for picture in pictures])
    distances = ((signatures[:, None] - signatures[None]) ** 2).sum(2)
    return np.argsort(distances, axis=1)[:, 1 : count + 1]
