"""Makes clips: runs of shots with transitions and disturbances, and what is true about each frame."""

import cv2
import numpy as np

from disturbances import darken, exposure, flashes, graphics, letterbox, noise, strobe, timing
from pictures import neighbours
from shots import HEIGHT, WIDTH, Setup, render
from transitions import KINDS, LENGTHS, length_of, mix

# Panels of split screens as shares of the picture: left, top, width, height. None is more than half of it.
LAYOUTS = [
    [(0, 0, 0.5, 1), (0.5, 0, 0.5, 1)],
    [(0.02, 0.2, 0.46, 0.6), (0.52, 0.2, 0.46, 0.6)],
    [(0, 0, 0.5, 0.5), (0.5, 0, 0.5, 0.5), (0, 0.5, 0.5, 0.5), (0.5, 0.5, 0.5, 0.5)],
    [(0, 0, 0.34, 1), (0.34, 0, 0.33, 1), (0.67, 0, 0.33, 1)],
    [(0.03, 0.1, 0.45, 0.8), (0.52, 0.1, 0.45, 0.38), (0.52, 0.52, 0.45, 0.38)],
]


class ClipMaker:
    """Draws clips from pictures; `rng` decides everything."""

    def __init__(self, pictures, rng):
        self.pictures, self.rng = pictures, rng
        self.like = neighbours(pictures)

    def clip(self, count):
        """A clip: uint8 `[count, 27, 48, 3]`; cut and transition, float32 `[count]`: 1, 0, or -1 for not judged."""
        rng = self.rng
        times = timing(rng, count) if rng.random() < 0.3 else np.arange(count, dtype=np.float64)
        drawn = int(times[-1]) + 2
        frames, cut, transition = self._split(drawn) if rng.random() < 0.13 else self._run(drawn)
        for chance, disturb in ((0.12, exposure), (0.08, strobe), (0.14, flashes)):
            if rng.random() < chance:
                disturb(rng, frames)
                frames = np.clip(frames, 0, 255)
        if rng.random() < 0.12:
            darken(rng, frames)
        if rng.random() < 0.35:
            graphics(rng, frames)
        if rng.random() < 0.12:
            letterbox(rng, frames)
        if rng.random() < 0.05:
            frames[:] = frames.mean(3, keepdims=True)
        frames, cut, transition = resample(frames, cut, transition, times)
        if rng.random() < 0.6:
            noise(rng, frames)
        return np.clip(np.round(frames), 0, 255).astype(np.uint8), cut, transition

    def _run(self, count, kind=None):
        """Shots one after the other."""
        rng = self.rng
        # Room for a transition that begins with the last frame wanted.
        room = count + max(LENGTHS)
        frames = np.zeros((room, HEIGHT, WIDTH, 3), np.float32)
        cut, transition = np.zeros(room, np.float32), np.zeros(room, np.float32)
        pace = rng.choice([8, 16, 32, 64])
        setups = [self._setup([])]
        at, incoming, entering = 0, None, 0
        while at < room:
            length = 6 + int(rng.exponential(pace))
            leaving = kind or rng.choice(list(KINDS), p=list(KINDS.values()))
            mixed = length_of(rng, leaving)
            # The shot is on screen, at least in part, from the start of one transition to the end of the next.
            shot = render(rng, setups[-1], entering + length + mixed, self._cast)
            if incoming:
                self._join(frames, cut, transition, at - entering, incoming, shot[:entering])
            end = min(room, at + length)
            frames[at:end] = shot[entering : entering + end - at]
            if leaving == "hard" and rng.random() < 0.15:
                self._settle(frames[at:end])
            at, entering = at + length + mixed, mixed
            incoming = (leaving, shot[len(shot) - mixed :])
            setups.append(self._setup(setups))
        return frames[:count], cut[:count], transition[:count]

    def _join(self, frames, cut, transition, start, incoming, fresh):
        kind, old = incoming
        mixed, judged = mix(self.rng, kind, old, fresh)
        end = min(len(frames), start + len(old))
        frames[start:end] = mixed[: end - start]
        transition[start:end] = judged[: end - start]
        fresh_at = start + len(old)
        if kind == "flash":
            cut[start:end] = -1
        if kind == "gap" and start < len(frames):
            cut[start] = 1 if len(old) > 6 else -1
        if kind in ("hard", "blend", "flash", "gap") and fresh_at < len(frames):
            cut[fresh_at] = 1

    def _settle(self, frames):
        """Low bit rates: the first frames of a shot are soft."""
        for i in range(min(len(frames), int(self.rng.integers(1, 5)))):
            frames[i] = cv2.GaussianBlur(frames[i], (0, 0), self.rng.uniform(0.5, 1.5))

    def _split(self, count):
        """Split screens whose panels change one at a time, which is no cut, between whole pictures."""
        rng = self.rng
        frames, cut, transition = self._run(count, "hard")
        starts = [0, *np.flatnonzero(cut == 1), count]
        for start, end in zip(starts, starts[1:]):
            if rng.random() < 0.3 or end - start < 6:
                continue
            if rng.random() < 0.3:
                # A picture in the picture; it may stay when the rest is cut.
                size = rng.uniform(0.2, 0.45)
                panels = [(rng.choice([0.03, 0.97 - size]), rng.choice([0.05, 0.95 - size]), size, size)]
                end = min(count, end + int(rng.choice([0, 0, 30])))
            else:
                panels = LAYOUTS[rng.integers(len(LAYOUTS))]
                frames[start:end] = rng.uniform(0, 255, 3) * rng.uniform(0, 1)
            for left, top, width, height in panels:
                x, y = round(left * WIDTH), round(top * HEIGHT)
                w, h = min(WIDTH - x, round(width * WIDTH)), min(HEIGHT - y, round(height * HEIGHT))
                seen = self._run(end - start, "hard")[0] if rng.random() < 0.6 else self._still_run(end - start)
                scale = max(w / WIDTH, h / HEIGHT)
                size = (max(w, round(scale * WIDTH)), max(h, round(scale * HEIGHT)))
                for i, picture in enumerate(seen):
                    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
                    x0, y0 = (size[0] - w) // 2, (size[1] - h) // 2
                    frames[start + i, y : y + h, x : x + w] = small[y0 : y0 + h, x0 : x0 + w]
        # Where two panels happen to change at once, nobody can say; a whole change is known from the starts.
        return frames, cut, transition

    def _still_run(self, count):
        return render(self.rng, self._setup([]), count, self._cast)

    def _cast(self):
        return self.pictures[self.rng.integers(len(self.pictures))]

    def _setup(self, setups):
        """The next scene: the same from elsewhere, one that was seen before, one alike in colour, or a new one."""
        rng = self.rng
        chance = rng.random()
        earlier = [setup for setup in setups[-4:] if setup.differs(setups[-1])]
        if setups and chance < 0.22:
            fresh = (setups[-1] if not earlier or rng.random() < 0.7 else rng.choice(earlier)).closer(rng)
            if fresh.differs(setups[-1]):
                return fresh
        if earlier and chance < 0.42:
            return rng.choice(earlier)
        if setups and chance < 0.6:
            index = self.pictures.index(setups[-1].picture)
            fresh = Setup(rng, self.pictures[rng.choice(self.like[index])], self._cast)
            fresh.gain, fresh.gamma, fresh.tint = setups[-1].gain, setups[-1].gamma, setups[-1].tint
            return fresh
        return Setup(rng, self._cast(), self._cast)


def resample(frames, cut, transition, times):
    """Shows source frames at the given positions; those between two frames are blends of them."""
    first = np.floor(times).astype(int)
    part = (times - first).astype(np.float32)
    after = np.minimum(first + 1, len(frames) - 1)
    shown = frames[first]
    for i in np.flatnonzero(part > 0.01):
        shown[i] = (1 - part[i]) * frames[first[i]] + part[i] * frames[after[i]]
    cuts, transitions = np.zeros(len(times), np.float32), np.zeros(len(times), np.float32)
    for i, source in enumerate(first):
        passed = cut[first[i - 1] + 1 : source + 1] if i else cut[source : source + 1]
        cuts[i] = 0 if not len(passed) else 1 if passed.max() == 1 else passed.min()
        # Nearly all of the new shot is to be seen before its first own frame.
        if part[i] > 0.7 and cut[after[i]] == 1:
            cuts[i] = -1
        transitions[i] = transition[source]
    return shown, cuts, transitions
