import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { addCorrection, changeEdit, clearCorrections, redoEdit, undoEdit } from '../../../demo/edits.js';
import { firstEdit, type State } from '../../../demo/state.js';
import { createStore } from '../../../demo/store.js';
import type { Correction } from '../../../src/preview/index.js';

const open = () => createStore({ edit: firstEdit, undo: [], redo: [], news: '' } as unknown as State);
const window = (timeSec: number, x: number): Correction => ({
  kind: 'window',
  timeSec,
  box: { x, y: 0, width: 100, height: 200 },
});

describe('edits', () => {
  test('each step can be undone and done again, until something else is done', () => {
    const store = open();
    changeEdit(store, { aspect: '1:1' }, 'Square.');
    addCorrection(store, window(1, 10), 'Moved.');
    undoEdit(store);
    expect(store.state.edit).toEqual({ ...firstEdit, aspect: '1:1' });
    redoEdit(store);
    expect(store.state.edit.corrections).toHaveLength(1);
    undoEdit(store);
    undoEdit(store);
    undoEdit(store);
    expect(store.state.edit).toEqual(firstEdit);
    changeEdit(store, { camera: 'follow' }, 'Glides.');
    redoEdit(store);
    expect(store.state.edit).toEqual({ ...firstEdit, camera: 'follow' });
  });

  test('a window that is moved again at the same moment is one correction, at another moment a second', () => {
    const store = open();
    addCorrection(store, window(1, 10), '');
    addCorrection(store, window(1, 20), '');
    addCorrection(store, window(2, 30), '');
    expect(store.state.edit.corrections).toEqual([window(1, 20), window(2, 30)]);
  });

  test('a scene becomes automatic again, and no other', () => {
    const store = open();
    for (const timeSec of [1, 4, 7]) addCorrection(store, window(timeSec, 10), '');
    clearCorrections(store, { startSec: 4, endSec: 7 });
    expect(store.state.edit.corrections.map(({ timeSec }) => timeSec)).toEqual([1, 7]);
  });
});

test('the page imports the package by its entries only', () => {
  const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries = Object.values(exports as Record<string, { default: string }>).map(entry =>
    entry.default?.replace('./dist/', ''),
  );
  const foreign = readdirSync(join(root, 'demo'), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .flatMap(file =>
      [...readFileSync(join(root, 'demo', file), 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(
        match => relative(root, normalize(join(root, 'demo', dirname(file), match[1]!))),
      ),
    )
    .filter(target => !target.startsWith('demo/') && !entries.includes(target));
  expect(foreign).toEqual([]);
});
