"""What training draws from: prepared clips in memory, their sounds spoiled anew all the time, and windows of both."""
import glob, json, os, sys
import cv2
import numpy as np, torch
import sound

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from split import is_training_row

#: How often a window of each kind is drawn. Recorded faces come first; puppets bring faces and voices that no recording has.
SHARE = dict(real=.62, borrowed=.22, talking=.16)
QUIET = dict(real=.5, idle=.35, photo=.15)
MARGIN = 16  # frames of sound on each side of a window, where the clip has them
VERSIONS = 3  # spoiled versions of each clip's sound that are kept at a time
TEACHER_REACH = 5  # frames at each end of a window whose teacher's embedding saw more than the window shows


class Clip:
    """One face track with its sound; `voices` are versions of it as (MFCC rows, the teacher's embeddings)."""

    def __init__(self, path, person, teacher):
        self.kind = os.path.basename(path).split('-')[0]
        with np.load(path) as f: self.small, self.pcm, self.label, self.visual = (f[k] for k in ('small', 'pcm', 'label', 'visual'))
        self.person, self.frames = person, len(self.label)
        self.hears = bool(self.pcm.any())
        self.voices = [voice(teacher, self.pcm)]

    def speaks(self, at, frames):
        return (self.label[at:at + frames] == 1).mean() >= .6

    def quiet(self, at, frames):
        return (self.label[at:at + frames] == 0).mean() >= .9


def voice(teacher, pcm):
    rows = sound.features(np.rint(pcm))
    return rows.astype(np.float16), teacher.audio(rows).astype(np.float16)


def load_noises(folder):
    """Noise, music and impulse responses of the voices pack whose rights allow it: kind → list of float32."""
    noises = {}
    for line in open(os.path.join(folder, 'noise.jsonl')):
        row = json.loads(line)
        if not is_training_row(row | dict(split='train', group=row['id'])): continue  # noises have no parts
        pcm = np.frombuffer(sound.decode(os.path.join(folder, row['file']), '-f', 's16le', '-ac', '1', '-ar', '16000'), np.int16)
        kind = 'rir' if row['kind'] == 'device' else row['kind']  # a telephone answers an impulse as a room does
        noises.setdefault(kind, []).append(pcm.astype(np.float32))
    return noises


def load_voices(folder, count, seed):
    """Speech of people who are not seen: a piece each of `count` training speakers, int16."""
    rows = [json.loads(line) for line in open(os.path.join(folder, 'meta.jsonl'))]
    rows = [r for r in rows if is_training_row(r | dict(group=r['speaker'])) and r['seconds'] >= 2.5]
    first = list({r['speaker']: r for r in rows}.values())
    chosen = np.random.default_rng(seed).permutation(len(first))[:count]
    return [np.frombuffer(sound.decode(os.path.join(folder, first[i]['file']), '-f', 's16le', '-ac', '1', '-ar', '16000'), np.int16) for i in chosen]


def spoil(rng, pcm, noises):
    """`sound.spoil`, and now and then a recorded room, a recorded background or a phone's narrow band."""
    x = pcm.astype(np.float32)
    if noises.get('rir') and rng.random() < .3:
        echo = noises['rir'][rng.integers(len(noises['rir']))]
        start = int(np.abs(echo).argmax())  # the direct sound stays where it was
        wet = np.fft.irfft(np.fft.rfft(x, len(x) + len(echo)) * np.fft.rfft(echo, len(x) + len(echo)))[start:start + len(x)]
        x = (wet * (x.std() + 1) / (wet.std() + 1e-3)).astype(np.float32)
    if rng.random() < .35:
        kind = rng.choice([k for k in noises if k != 'rir'])
        back = noises[kind][rng.integers(len(noises[kind]))]
        back = np.resize(np.roll(back, -int(rng.integers(len(back)))), len(x))
        x = x + back * (x.std() + 1) / (back.std() + 1) * 10 ** rng.uniform(-1.1, -.1)
    if rng.random() < .1:
        spectrum = np.fft.rfft(x)
        hz = np.arange(len(spectrum)) * sound.RATE / max(1, len(x))
        x = np.fft.irfft(spectrum * ((hz > 250) & (hz < 3500)), len(x))
    return sound.spoil(rng, x)


def seen_otherwise(rng, crops):
    """uint8 [T, 56, 56] through another camera: turned, shifted, lit, blurred, compressed; the lips keep their moments."""
    frames, side = crops.shape[:2]
    mirror = rng.random() < .5
    angle, zoom, shift = np.deg2rad(rng.normal(0, 5)), np.exp(rng.normal(0, .08)), rng.normal(0, 2, 2)
    shake = rng.normal(0, rng.choice([0, 0, .4, .9]), (frames, 2))  # a tracker's box trembles
    coarse = int(rng.integers(14, 44)) if rng.random() < .3 else 0  # a small face in the picture
    gain, lift, gamma = np.exp(rng.normal(0, .18)), rng.normal(0, 10), np.exp(rng.normal(0, .18))
    table = np.clip(255 * (np.arange(256) / 255) ** gamma * gain + lift, 0, 255).astype(np.uint8)
    blur = rng.uniform(.4, 1.1) if rng.random() < .2 else 0
    grain = rng.uniform(1, 6) if rng.random() < .25 else 0
    quality = int(rng.integers(12, 60)) if rng.random() < .3 else 0
    c, s = np.cos(angle) * zoom, np.sin(angle) * zoom
    turn = np.float32([[c, -s, 0], [s, c, 0]])
    if mirror: turn[:, 0] *= -1
    middle = np.float32([side / 2 - .5] * 2)
    out = np.empty_like(crops)
    for i, frame in enumerate(crops):
        m = turn.copy()
        m[:, 2] = middle + shift + shake[i] - m[:, :2] @ middle
        x = cv2.warpAffine(frame, m, (side, side), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE)
        if coarse: x = cv2.resize(cv2.resize(x, (coarse, coarse), interpolation=cv2.INTER_AREA), (side, side), interpolation=cv2.INTER_LINEAR)
        if blur: x = cv2.GaussianBlur(x, (0, 0), blur)
        if quality: x = cv2.imdecode(cv2.imencode('.jpg', x, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_GRAYSCALE)
        out[i] = cv2.LUT(x, table)
    if grain: out = np.clip(out + rng.standard_normal(out.shape).astype(np.float32) * grain, 0, 255).astype(np.uint8)
    return out


def around(array, at, frames, per_frame=1):
    """`array` from `at` on, beyond its ends the outermost row: what a network sees at the ends of a recording."""
    index = np.clip(np.arange(at * per_frame, (at + frames) * per_frame), 0, len(array) - 1)
    return array[index].astype(np.float32)


class Examples:
    """Batches follow from seed and number, but for the spoiled sounds, which are renewed a few at a time."""

    def __init__(self, data, out, teacher, seed):
        self.teacher, self.seed = teacher, seed
        people = [json.loads(line) for line in open(os.path.join(out, 'real.jsonl'))]
        self.clips = []
        for path in sorted(glob.glob(os.path.join(out, 'clips', '*-????.npz'))):
            kind, number = os.path.basename(path)[:-4].split('-')
            clip = Clip(path, people[int(number)] if kind == 'real' else None, teacher)
            if clip.frames >= 25: self.clips.append(clip)
        self.noises = load_noises(os.path.join(data, 'voices'))
        self.unseen = [voice(teacher, spoil(np.random.default_rng([seed, i]), pcm, self.noises)) for i, pcm in enumerate(load_voices(os.path.join(data, 'voices'), 300, seed))]
        rng = np.random.default_rng([seed, 1])
        self.background = [voice(teacher, x) for x in self.backgrounds(rng)]
        for clip in self.clips:
            if clip.hears: clip.voices += [voice(teacher, spoil(rng, clip.pcm, self.noises))]
        real = [c for c in self.clips if c.kind == 'real']
        minutes = {}
        for c in real: minutes[c.person] = minutes.get(c.person, 0) + c.frames
        # Two minutes of one person teach less than two minutes of twenty.
        self.weight = {id(c): c.frames / minutes[c.person] ** .6 for c in real}

    def backgrounds(self, rng):
        yield np.zeros(4 * sound.RATE)
        for i in range(60):
            kind = rng.choice([k for k in self.noises if k != 'rir'] + ['music made', 'noise made'])
            if kind in self.noises:
                x = self.noises[kind][rng.integers(len(self.noises[kind]))][:4 * sound.RATE]
                x = np.resize(x, 4 * sound.RATE) / (x.std() + 1)
            else: x = (sound.music if kind == 'music made' else sound.noise)(rng, 4 * sound.RATE)
            yield x * 10 ** rng.uniform(.3, 3.6)

    def renew(self, rng, count):
        """Takes other spoiled versions of some clips' sounds."""
        for _ in range(count):
            clip = self.clips[rng.integers(len(self.clips))]
            if not clip.hears: continue
            clip.voices.append(voice(self.teacher, spoil(rng, clip.pcm, self.noises)))
            if len(clip.voices) > 1 + VERSIONS: del clip.voices[1]

    def windows(self, rng, frames, count, shares, fits, one_each):
        """`count` windows of clips that fit, no two of one person where `one_each`."""
        found, taken, pools = [], set(), {}
        for kind in shares:
            pool = [c for c in self.clips if c.kind == kind and c.frames >= frames]
            weight = np.array([self.weight.get(id(c), 1.) for c in pool])
            if pool: pools[kind] = pool, weight / weight.sum()
        kinds = list(pools)
        share = np.array([shares[k] for k in kinds])
        for _ in range(40 * count):
            if len(found) == count: break
            pool, weight = pools[kinds[rng.choice(len(kinds), p=share / share.sum())]]
            clip = pool[rng.choice(len(pool), p=weight)]
            if one_each and clip.person is not None and clip.person in taken: continue
            at = int(rng.integers(0, clip.frames - frames + 1))
            if not fits(clip, at): continue
            found.append((clip, at))
            taken.add(clip.person)
        return found

    def batch(self, step, budget):
        """Talking and quiet windows of one length, about `budget` frames: see the entries of what it gives."""
        rng = np.random.default_rng([self.seed, 2, step])
        self.renew(rng, 2)
        frames = int(rng.choice([25, 28, 38, 50, 75, 100], p=[.25, .2, .2, .15, .12, .08]))
        count = int(np.clip(budget / frames, 6, 20))
        talkers = self.windows(rng, frames, -(-count * 2 // 3), SHARE, lambda c, at: c.speaks(at, frames), True)
        quiet = self.windows(rng, frames, count // 3, QUIET, lambda c, at: c.quiet(at, frames), False)
        faces, truth, valid, labels, rows, answers, shifts, inside = ([] for _ in range(8))
        for clip, at in talkers + quiet:
            index = np.arange(at, at + frames)
            exact = np.ones(frames, bool)
            if rng.random() < .12:  # a camera of fewer pictures a second
                hold = rng.choice([5 / 3, 2])
                index = at + np.floor(np.floor(np.arange(frames) / hold) * hold).astype(int)
                exact[:] = False
            exact[:TEACHER_REACH] &= at == 0
            exact[-TEACHER_REACH:] &= at + frames == clip.frames
            small = clip.small[index]
            faces.append(seen_otherwise(rng, small) if rng.random() < .85 else small)
            truth.append(clip.visual[at:at + frames].astype(np.float32))
            valid.append(exact)
            labels.append(clip.label[at:at + frames].astype(np.float32))
        for clip, at in talkers:
            # Recordings are not sure within a frame or two, players even less.
            shift = int(rng.integers(-2, 3))
            sounds, told = clip.voices[0 if rng.random() < .35 else rng.integers(len(clip.voices))]
            first = at - shift - MARGIN
            rows.append(around(sounds, first, frames + 2 * MARGIN, 4))
            answers.append(around(told, first, frames + 2 * MARGIN))
            shifts.append(shift)
            inside.append((np.arange(first, first + frames + 2 * MARGIN) >= 0) & (np.arange(first, first + frames + 2 * MARGIN) < clip.frames))
        others = []
        for k in range(len(talkers) // 2 + 1):  # voices of people who are not seen, and sound that nobody says
            pool = self.unseen if k % 3 else self.background
            sounds, told = pool[rng.integers(len(pool))]
            at = int(rng.integers(0, max(1, len(told) - frames - 2 * MARGIN)))
            others.append((around(sounds, at, frames + 2 * MARGIN, 4), around(told, at, frames + 2 * MARGIN), k % 3 == 0))
        tensor = lambda xs: torch.from_numpy(np.stack(xs))
        return dict(
            faces=tensor(faces),  # uint8 [N, T, 56, 56]: talkers first
            truth=tensor(truth), valid=tensor(valid),  # the teacher's embeddings, and where they are of what is shown
            labels=tensor(labels),
            rows=torch.cat([tensor(rows), tensor([o[0] for o in others])]),  # MFCC [V, 4 (T + 2 MARGIN), 13]: the talkers' first
            answers=torch.cat([tensor(answers), tensor([o[1] for o in others])]),
            shifts=torch.tensor(shifts),  # frames by which the talkers' sound is late
            inside=tensor(inside),  # [K, T + 2 MARGIN]: where the talkers' clips have sound
            silent=torch.tensor([o[2] for o in others]),  # of the further sounds: nobody speaks
        )
