"""Which rows a recipe may train on: the one place that decides it.

usage: split.py SHARED    writes split.json from SHARED/data/faces, SHARED/data/av and SHARED/media

split.json assigns every group of clips to train, val or test, for faces and for speech; scene cuts are trained on the
pictures of faces. A clip of SHARED/media is test everywhere, whatever its row says, and so is all of its group.
"""

import hashlib
import json
import os
import re
import sys

# What ships is trained on these; `none` and `nc` serve comparison builds that are not shipped.
CLEAN_RIGHTS = ('open', 'repo', 'research')
PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'split.json')
_parts = {}


def is_row_of(row, part, all_rows=False):
    """Whether a line of labels.jsonl or meta.jsonl is of `train` or `val`.

    `all_rows` adds the rows whose rights do not allow shipping. Groups that split.json does not know, of another
    team's data, are of the part that their rows name.
    """
    if not _parts:
        with open(PATH, encoding='utf-8') as file:
            split = json.load(file)
        _parts.update({group: name for pack in ('faces', 'speech') for name in ('val', 'test') for group in split[pack][name]})
    allowed = all_rows or row['rights'] in CLEAN_RIGHTS
    return row['split'] == part and allowed and _parts.get(row['group'], part) == part


def is_training_row(row, all_rows=False):
    return is_row_of(row, 'train', all_rows)


def clip_of(row):
    """The clip that a row was taken from, as ../shared/media would call it."""
    return row['clip'] if 'clip' in row else re.sub(r'-\d+\.jpg$', '', row['origin'])


def digest(path):
    with open(path, 'rb') as file:
        return hashlib.sha256(file.read()).hexdigest()[:12]


def assign(folder, rows, tested, files_of):
    """Groups by part, the hashes of what is trained on, and of what is never."""
    parts = {}
    for row in rows:
        parts.setdefault(row['group'], set()).add('test' if clip_of(row) in tested else row['split'])
    # One row decides for its group: test before val before train.
    part_of = {group: next(p for p in ('test', 'val', 'train') if p in found) for group, found in parts.items()}
    clean = {row['group'] for row in rows if row['rights'] in CLEAN_RIGHTS}
    out = {part: sorted(g for g, p in part_of.items() if p == part) for part in ('train', 'val', 'test')}
    # Groups without any row that may be trained on for what ships.
    out['comparison'] = [group for group in out['train'] if group not in clean]
    out['train'] = [group for group in out['train'] if group in clean]
    chosen = [r for r in rows if r['split'] == 'train' and r['rights'] in CLEAN_RIGHTS and part_of[r['group']] == 'train']
    out['trainHashes'] = sorted(digest(os.path.join(folder, f)) for r in chosen for f in files_of(r))
    out['testHashes'] = sorted(
        digest(os.path.join(folder, f)) for r in rows if part_of[r['group']] == 'test' for f in files_of(r))
    return out


def main(shared):
    def lines(*path):
        with open(os.path.join(shared, *path), encoding='utf-8') as file:
            return [json.loads(line) for line in file]
    media = sorted(os.path.join(at, name) for at, _, names in os.walk(os.path.join(shared, 'media')) for name in names
                   if not name.endswith(('.md', '.json')))
    faces, speech = lines('data', 'faces', 'labels.jsonl'), lines('data', 'av', 'meta.jsonl')
    # The clips of the media folder, and those that either pack keeps for tests.
    tested = {os.path.splitext(os.path.basename(path))[0] for path in media}
    tested |= {clip_of(row) for row in faces + speech if row['split'] == 'test'}
    out = {
        'faces': assign(os.path.join(shared, 'data', 'faces'), faces, tested, lambda row: [row['file']]),
        'speech': assign(os.path.join(shared, 'data', 'av'), speech, tested, lambda row: [row['video'], row['audio']]),
        'media': {'testHashes': [digest(path) for path in media]},
    }
    with open(PATH, 'w', encoding='utf-8') as file:
        json.dump(out, file, separators=(',', ':'))
        file.write('\n')
    for pack in ('faces', 'speech'):
        print(pack, {part: len(names) for part, names in out[pack].items()})


if __name__ == '__main__':
    main(sys.argv[1])
