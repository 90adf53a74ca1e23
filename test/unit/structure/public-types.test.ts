import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const out = mkdtempSync(join(tmpdir(), 'edge-reframe-types-'));
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, { types?: string }>;
};

beforeAll(() => {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const args = [tsc, '-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', out];
  execFileSync(process.execPath, args, { cwd: root, stdio: 'pipe' });
});
afterAll(() => rmSync(out, { recursive: true }));

/** What one declaration file says, without comments and strings of text. */
function read(file: string) {
  const source = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  const names = (list: string) =>
    list.split(',').flatMap(item => {
      const [from, to] = item
        .trim()
        .replace(/^type /, '')
        .split(' as ');
      return from ? [{ from, to: to ?? from }] : [];
    });
  const links = [...source.matchAll(/^(import|export) (?:type )?\{([^}]*)\} from '([^']+)';/gm)].map(
    ([, kind, list, target]) => ({ kind, names: names(list!), target: target! }),
  );
  // Each declaration begins in the first column, and ends where the next one begins.
  const blocks = source.split(
    /^(?=(?:export )?(?:declare )?(?:abstract )?(?:type|interface|class|function|const) )/m,
  );
  const declared = new Map<string, string>();
  for (const block of blocks) {
    const name = /^(?:export )?(?:declare )?(?:abstract )?(?:type|interface|class|function|const) (\w+)/.exec(
      block,
    )?.[1];
    if (name) declared.set(name, `${declared.get(name) ?? ''}${block}`);
  }
  return { links, declared };
}

const resolveLink = (file: string, target: string) => join(dirname(file), target.replace(/\.js$/, '.d.ts'));

/** Where an exported name is declared, followed through re-exports. */
function findDeclaration(file: string, name: string): { file: string; name: string } {
  const { links, declared } = read(file);
  if (declared.has(name)) return { file, name };
  for (const { names, target } of links) {
    const link = names.find(({ to }) => to === name);
    if (link && target.startsWith('.')) return findDeclaration(resolveLink(file, target), link.from);
  }
  throw new Error(`${name} is not declared in ${file}`);
}

const entries = Object.entries(exports).flatMap(([entry, { types }]) =>
  types && !entry.includes('standalone') ? [[entry, types.replace('./dist/', '')] as const] : [],
);

/** The names that an entry gives, with where each is declared. */
function exportsOf(entry: string) {
  const { links, declared } = read(entry);
  const given = links.flatMap(({ kind, names }) => (kind === 'export' ? names.map(({ to }) => to) : []));
  return [...given, ...declared.keys()].map(name => ({ ...findDeclaration(entry, name), as: name }));
}

/** Types of ours that the declaration of a name names, with where each is declared. */
function typesNamedBy({ file, name }: { readonly file: string; readonly name: string }) {
  const { links, declared } = read(file);
  const ours = new Map([...declared.keys()].map(key => [key, { file, name: key }]));
  for (const { kind, names, target } of links) {
    if (kind !== 'import' || !target.startsWith('.')) continue;
    for (const { from, to } of names) ours.set(to, findDeclaration(resolveLink(file, target), from));
  }
  // Types only: a name behind a dot is a package's, and one with a small letter a value.
  const named = declared.get(name)!.match(/(?<![.\w'])[A-Z]\w*(?=\W)/g) ?? [];
  return [...new Set(named)].flatMap(type => ours.get(type) ?? []);
}

test.each(entries)(
  '%s: types of ours that signatures name are exported there, or by the main entry',
  (_, types) => {
    const key = ({ file, name }: { file: string; name: string }) => `${file} ${name}`;
    const own = exportsOf(join(out, types));
    const known = new Set(entries.flatMap(([, file]) => exportsOf(join(out, file))).map(key));
    const missing = own.flatMap(given =>
      typesNamedBy(given)
        .filter(type => !known.has(key(type)))
        .map(type => `${given.as} names ${type.name} of ${type.file.slice(out.length)}`),
    );
    expect(missing.sort()).toEqual([]);
  },
);
