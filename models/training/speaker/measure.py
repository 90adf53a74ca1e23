"""What the networks make of validation people: two mouths and one voice, speaking against quiet."""
import torch
from held_out import two_mouths


def auc(high, low):
    order = torch.cat([high, low]).argsort().argsort().float()[:len(high)]
    return ((order.sum() - len(high) * (len(high) - 1) / 2) / (len(high) * len(low))).item()


@torch.no_grad()
def check(net, tracks):
    """With all tracks, and without the news anchors (`arn_*`), who are many and alike."""
    for t in tracks:
        with torch.autocast('cpu', dtype=torch.bfloat16): face = net.visual.look(torch.from_numpy(t['small'])[None].float())
        t['face'], t['sound'] = face[0].float(), net.audio(torch.from_numpy(t['rows'])[None])[0]
    score = lambda voices, mouths: net.backend(torch.stack(voices), torch.stack(mouths)).mean(1)
    figures = {}
    for name, some in (('', tracks), ('_others', [t for t in tracks if not t['id'].startswith('arn_')])):
        for frames in (25, 50):
            pairs = two_mouths(some, frames)
            voices = [some[i]['sound'][at:at + frames] for i, at, *_ in pairs]
            own = score(voices, [some[i]['face'][at:at + frames] for i, at, *_ in pairs])
            other = score(voices, [some[j]['face'][at:at + frames] for _, _, j, at in pairs])
            figures[f'afc_{frames}{name}'] = round((own > other).float().mean().item(), 4)
            figures[f'auc_{frames}{name}'] = round(auc(own, other), 4)
            quiet = [(t, at) for t in some for at in range(0, len(t['face']) - frames + 1, frames) if (t['label'][at:at + frames] == 0).all()]
            if not quiet: continue
            mouths = [t['face'][at:at + frames] for t, at in quiet]
            figures[f'quiet_{frames}{name}'] = round(auc(own, score([t['sound'][at:at + frames] for t, at in quiet], mouths)), 4)
            figures[f'foreign_{frames}{name}'] = round(auc(own, score([voices[k % len(voices)] for k in range(len(quiet))], mouths)), 4)
    return figures
