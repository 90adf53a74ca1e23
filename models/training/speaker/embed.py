#!/usr/bin/env python3
"""Between the encoders and the rest: every clip through both. usage: embed.py DATA TEACHER OUT [EVERY]. Writes OUT/embedded.pt.

Of made clips every n-th is taken (default 2). Each clip gets our embedding of its face and of its sound, as recorded and spoiled, beside
the teacher's; validation tracks get ours.
"""
import glob, os, sys
import numpy as np, torch
import clips as pack, sound
from networks import Audio, Teacher, Visual

SEED = 17


def main(data, teacher_folder, out, every=2):
    torch.set_num_threads(1)
    teacher, rng = Teacher(teacher_folder), np.random.default_rng(SEED)
    visual, audio = Visual().eval(), Audio().eval()
    visual.load_state_dict(torch.load(os.path.join(out, 'visual.pt'))['average'])
    audio.load_state_dict(torch.load(os.path.join(out, 'audio.pt'))['model'])

    def face(crops):
        with torch.no_grad(), torch.autocast('cpu', dtype=torch.bfloat16): return visual(torch.from_numpy(crops)[None].float())[0].float()

    def heard(pcm):
        rows = sound.features(np.rint(pcm))
        with torch.no_grad(): return audio(torch.from_numpy(rows)[None])[0], torch.from_numpy(teacher.audio(rows))

    clips = {}
    for path in sorted(glob.glob(os.path.join(out, 'clips', '*-????.npz'))):
        kind, number = os.path.basename(path)[:-4].split('-')
        if kind != 'real' and int(number) % int(every): continue
        with np.load(path) as f: clip = {k: f[k] for k in f.files}
        if len(clip['label']) < 25: continue
        sounds = [heard(clip['pcm'])]
        if clip['pcm'].any(): sounds.append(heard(sound.spoil(rng, clip['pcm'])))
        clips.setdefault(kind, []).append(dict(face=face(clip['crops']), sounds=sounds, truth=torch.from_numpy(clip['visual'].astype(np.float32)),
                                               label=clip['label'], speaks=bool((clip['label'] == 1).mean() > .6)))
    noises = []
    for i in range(60):
        make = (sound.music, sound.noise)[i % 2]
        noises.append(heard(np.zeros(102400) if i < 3 else make(rng, 102400) * 10 ** rng.uniform(.3, 3.6)))
    tracks = pack.validation(os.path.join(data, 'av'), out, teacher)
    for t in tracks:
        t['face'] = face(t.pop('crops'))
        with torch.no_grad(): t['sound'] = audio(torch.from_numpy(t.pop('rows'))[None])[0]
    torch.save(dict(clips=clips, noises=noises, tracks=tracks), os.path.join(out, 'embedded.pt'))
    print({k: (len(v), sum(len(c['label']) for c in v)) for k, v in clips.items()}, flush=True)


if __name__ == '__main__':
    if len(sys.argv) < 4: sys.exit(__doc__)
    main(*sys.argv[1:])
