#!/usr/bin/env python3
"""Decodes the voice pack once, and makes what training draws from. usage: prepare.py DATA OUT

OUT gets int16 sound at 16 kHz, mono, all pieces one after another: clean.npy (every piece), and of the training
pieces codec-*.npy (the same samples through a lossy codec) and voice-*.npy (further voices, see VOICES);
noise.npy; index.json with where each piece lies. Then their log-mel rows, which training mixes (a sum of powers, so that
a step costs no Fourier transform): rows.npy, float16 [rows, 40], and rows.json. What is there is not made again.
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from features import RATE, log_mel
from split import is_row_of, is_training_row

GAP = RATE // 4  # silence between pieces, so that a codec or a filter does not carry one into the next
CODECS = {
    'opus': ('ogg', ['-c:a', 'libopus', '-b:a', '12k']),
    'mp3': ('mp3', ['-c:a', 'libmp3lame', '-b:a', '32k']),
    'aac': ('m4a', ['-c:a', 'aac', '-b:a', '32k']),
}
# Further voices: played slower or faster, so pitch and vocal tract change together.
VOICES = {'slower': 13280, 'slow': 14560, 'fast': 17600, 'faster': 19360}
FURTHER = tuple('voice-' + name for name in VOICES)
ROOMS = 4  # times that a true voice's piece is heard in a room of chance
# What validation hears and training never does: other sources, not other seconds of the same.
HELD_NOISE = ('sc-exercise-bike', 'asc-washing-machine', 'esc10-helicopter', 'esc10-dog-bark', 'esc10-sea-waves', 'music-bgm1-7', 'music-bgm1-8')
HELD_ROOMS = ('rir-openair-3', 'rir-openair-5', 'rir-synth-21', 'rir-synth-22', 'rir-synth-23', 'rir-synth-24')
DEV_SPEAKERS = 60  # of the pack's train, for calibration and for choosing between builds


def ffmpeg(*arguments, data=None):
    return subprocess.run(['ffmpeg', '-v', 'error', '-y', *arguments], input=data, capture_output=True, check=True).stdout


def decode(paths):
    """Sound of many files; a process for fifty of them."""
    out = []
    for at in range(0, len(paths), 50):
        some = paths[at:at + 50]
        with tempfile.TemporaryDirectory() as folder:
            raw = [os.path.join(folder, f'{i}.raw') for i in range(len(some))]
            arguments = [a for path in some for a in ('-i', path)]
            for i, path in enumerate(raw):
                arguments += ['-map', f'{i}:a', '-ac', '1', '-ar', str(RATE), '-f', 's16le', path]
            ffmpeg(*arguments)
            out += [np.fromfile(path, np.int16) for path in raw]
    return out


def filtered(sound, chain):
    raw = ('-f', 's16le', '-ar', str(RATE), '-ac', '1')
    return np.frombuffer(ffmpeg(*raw, '-i', '-', '-af', chain, *raw, '-', data=sound.tobytes()), np.int16)


def round_trip(sound, extension, options):
    raw = ('-f', 's16le', '-ar', str(RATE), '-ac', '1')
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f'a.{extension}')
        ffmpeg(*raw, '-i', '-', *options, path, data=sound.tobytes())
        back = np.frombuffer(ffmpeg('-i', path, *raw, '-'), np.int16)
    return np.resize(back, len(sound)) if len(back) >= len(sound) else np.pad(back, (0, len(sound) - len(back)))


def parts_of(rows):
    """train, dev or val for each row. Dev speakers have two recordings and are spread over the corpora."""
    given = ['train' if is_training_row(row) else 'val' for row in rows]
    recordings = {}
    for row, part in zip(rows, given):
        if part == 'train' and not row.get('doubt'):
            recordings.setdefault((row['corpus'].split()[0], row['speaker']), set()).add(row['recording'])
    eligible = [speaker for (_, speaker), names in sorted(recordings.items()) if len(names) > 1]
    dev = set(eligible[:: max(1, len(eligible) // DEV_SPEAKERS)][:DEV_SPEAKERS])
    return ['dev' if row['speaker'] in dev else part for row, part in zip(rows, given)]


def joined(pieces, keep):
    """All kept pieces in one array, and where each begins."""
    starts, parts, at = [], [], 0
    for piece, kept in zip(pieces, keep):
        starts.append(at if kept else None)
        if kept:
            parts += [piece, np.zeros(GAP, np.int16)]
            at += len(piece) + GAP
    return np.concatenate(parts), starts


def in_room(sound, room):
    """Sound through a room's response, moments and loudness kept."""
    room = room[np.abs(room).argmax():][:RATE // 2].astype(np.float32)
    size = 1 << (len(sound) + len(room) - 1).bit_length()
    wet = np.fft.irfft(np.fft.rfft(sound, size) * np.fft.rfft(room, size), size)[:len(sound)]
    return (wet * np.sqrt((sound ** 2).mean() / ((wet ** 2).mean() + 1e-12))).astype(np.float32)


def babble(rng, pieces):
    """Two to five people who talk at once, about 3.5 s."""
    some = [pieces[i] for i in rng.integers(0, len(pieces), rng.integers(2, 6))]
    return sum(np.resize(x / (np.sqrt((x ** 2).mean()) + 1e-4), 56000) for x in some) * 0.05


def make_rows(out):
    """Rows of every training piece: as it is, through codecs, in rooms, as further voices; and of noise, music, babble."""
    rng = np.random.default_rng(3)
    load = lambda name: np.load(os.path.join(out, name + '.npy'), mmap_mode='r')
    with open(os.path.join(out, 'index.json'), encoding='utf-8') as file:
        index = json.load(file)
    train = [row for row in index['pieces'] if row['part'] == 'train']
    noises = [n for n in index['noises'] if not n['held']]
    sounds = load('noise')
    other = lambda n: sounds[n['start']:n['start'] + n['samples']].astype(np.float32) / 32768
    rooms = [other(n) for n in noises if n['kind'] in ('rir', 'device')]
    parts, where, at = [], {}, 0

    def add(name, sound):
        nonlocal at
        rows = log_mel(torch.from_numpy(sound)[None])[0].T.numpy().astype(np.float16)
        where.setdefault(name, []).append((at, len(rows)))
        parts.append(rows)
        at += len(rows)

    versions = {'train': 1.0} | {'codec-' + name: 1.0 for name in CODECS} | {'voice-' + name: RATE / rate for name, rate in VOICES.items()}
    for name, longer in versions.items():
        whole = load(name)
        pieces = []
        for row in train:
            begin = int(row['train_start'] * longer)
            pieces.append(whole[begin:begin + int(row['samples'] * longer)].astype(np.float32) / 32768)
            add(name, pieces[-1])
        for k in range(ROOMS if name == 'train' else name in FURTHER):
            for piece in pieces:
                add(f'{name}-room-{k}', in_room(piece, rooms[rng.integers(len(rooms))]))
        if name == 'train':
            for _ in range(150):
                add('babble', babble(rng, pieces))
    for n in noises:
        if n['kind'] in ('noise', 'music'):
            add(n['kind'], other(n))
    np.save(os.path.join(out, 'rows.npy'), np.concatenate(parts))
    with open(os.path.join(out, 'rows.json'), 'w', encoding='utf-8') as file:
        json.dump({'speakers': [row['speaker'] for row in train], 'where': where}, file)


def main(data, out):
    torch.set_num_threads(1)
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(data, 'meta.jsonl'), encoding='utf-8') as file:
        rows = [row | {'group': row['speaker']} for row in map(json.loads, file)]
    rows = [row for row in rows if is_row_of(row, 'train') or is_row_of(row, 'val')]
    parts = parts_of(rows)
    with open(os.path.join(data, 'noise.jsonl'), encoding='utf-8') as file:
        noises = [json.loads(line) for line in file]
    path = lambda name: os.path.join(out, name)

    if not os.path.exists(path('index.json')):
        pieces = decode([os.path.join(data, r['file']) for r in rows])
        sound, starts = joined(pieces, [True] * len(rows))
        np.save(path('clean.npy'), sound)
        train, train_starts = joined(pieces, [p == 'train' for p in parts])
        np.save(path('train.npy'), train)
        others = decode([os.path.join(data, n['file']) for n in noises])
        sound, noise_starts = joined(others, [True] * len(noises))
        np.save(path('noise.npy'), sound)
        fields = ('id', 'speaker', 'corpus', 'language', 'sex', 'recording')
        index = {
            'pieces': [{k: r.get(k) for k in fields} | {'part': p, 'start': s, 'train_start': t, 'samples': len(x)}
                       for r, p, s, t, x in zip(rows, parts, starts, train_starts, pieces)],
            'noises': [{'id': n['id'], 'kind': n['kind'], 'start': s, 'samples': len(x), 'held': n['id'].startswith(HELD_NOISE) or n['id'] in HELD_ROOMS}
                       for n, s, x in zip(noises, noise_starts, others)],
        }
        with open(path('index.json'), 'w', encoding='utf-8') as file:
            json.dump(index, file)
    train = np.load(path('train.npy'))
    for name, (extension, options) in CODECS.items():
        if not os.path.exists(path(f'codec-{name}.npy')):
            np.save(path(f'codec-{name}.npy'), round_trip(train, extension, options))
    for name, rate in VOICES.items():
        if not os.path.exists(path(f'voice-{name}.npy')):
            np.save(path(f'voice-{name}.npy'), filtered(train, f'asetrate={rate},aresample={RATE}'))
    if not os.path.exists(path('rows.json')):
        make_rows(out)


if __name__ == '__main__':
    if len(sys.argv) != 3: sys.exit(__doc__)
    main(*sys.argv[1:])
