"""The prepared clips in memory, and the validation tracks."""
import glob, json, os
import numpy as np
import sound

SHARE = dict(real=.22, varied=.34, borrowed=.18, talking=.16, idle=.08, photo=.02)


def load(folder, teacher):
    """Kind → clips: small (crops of half the size), rows (MFCC), label, visual and audio (the teacher's embeddings)."""
    clips = {}
    for path in sorted(glob.glob(os.path.join(folder, 'clips', '*-????.npz'))):
        kind = os.path.basename(path).split('-')[0]
        with np.load(path) as f: clip = {k: f[k] for k in f.files}
        if len(clip['crops']) < 20: continue
        clip['rows'] = sound.features(clip['pcm'])
        clip['audio'] = teacher.audio(clip['rows']).astype(np.float16)
        crops = clip.pop('crops').astype(np.float16)
        clip['small'] = (crops[:, ::2, ::2] + crops[:, ::2, 1::2] + crops[:, 1::2, ::2] + crops[:, 1::2, 1::2]) / 4
        clips.setdefault(kind, []).append(clip)
    return clips


def pick(rng, clips, kinds=None):
    kinds = kinds or [k for k in clips]
    share = np.array([SHARE[k] for k in kinds])
    pool = clips[kinds[rng.choice(len(kinds), p=share / share.sum())]]
    return pool[rng.integers(len(pool))]


def validation(pack, out, teacher, splits=('val',)):
    """Real talkers of these splits with the teacher's embeddings: only ever measured on."""
    import torch
    tracks, folder = [], os.path.join(out, 'check')
    os.makedirs(folder, exist_ok=True)
    for line in open(os.path.join(pack, 'meta.jsonl')):
        m = json.loads(line)
        if m['split'] not in splits or m['generated'] or m['still']: continue
        path = os.path.join(folder, m['id'] + '.npz')
        if not os.path.exists(path):
            crops = np.frombuffer(sound.decode(os.path.join(pack, m['video']), '-f', 'rawvideo', '-pix_fmt', 'gray'), np.uint8).reshape(-1, 112, 112)
            pcm = np.frombuffer(sound.decode(os.path.join(pack, m['audio']), '-f', 's16le'), np.int16)
            rows = sound.features(pcm)
            with torch.autocast('cpu', dtype=torch.bfloat16): visual = teacher.visual(crops)
            np.savez(path, crops=crops, pcm=pcm, rows=rows, visual=visual, audio=teacher.audio(rows))
        with np.load(path) as f: track = {k: f[k] for k in f.files}
        tracks.append(track | dict(id=m['id'], person=m['person'], talker=m['talker'], label=np.array(m['label']), vad=np.array(m['vad'])))
    return tracks


def two_mouths(tracks, frames, seed=1, partners=3):
    """Windows in which somebody talks, each with moving mouths of other people: (track, at, other, at)."""
    rng, windows = np.random.default_rng(seed), []
    for i, t in enumerate(tracks):
        if not t['talker']: continue
        for at in range(0, len(t['vad']) - frames + 1, frames):
            if (t['vad'][at:at + frames] >= .5).mean() >= .8: windows.append((i, at))
    pairs = []
    for i, at in windows:
        others = [w for w in windows if tracks[w[0]]['person'] != tracks[i]['person']]
        for k in rng.choice(len(others), min(partners, len(others)), replace=False): pairs.append((i, at, *others[k]))
    return pairs
