import { type ChildProcess, spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openLibraryPage, root } from '../../bin/browser.js';
import { type CommandPage, openCommandPage } from '../../bin/command-page.js';
import { openModelFolder } from '../../bin/model-folder.js';

const folder = mkdtempSync(join(tmpdir(), 'edge-reframe-doors-'));
const mark = 'nobody but its owner reads this line';
const secret = join(folder, 'secret.txt');
writeFileSync(secret, mark);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Ways of asking a server of this machine for its files. None is normalised before it is sent. */
const strays = [
  ...[secret, join(root, 'package.json')].flatMap(path => [
    path,
    `/@fs${path}`,
    `/@fs${path}?raw`,
    `/@fs${path}?import&raw`,
    `/@fs/%2e%2e${path}`,
    `/@fs${path.replaceAll('/', '%2f')}`,
    `/@id/${path}?raw`,
    ...['..', '%2e%2e', '.%2e', '%252e%252e', '..%2f..', '..%5c..', '..%00'].map(
      up => `/${`${up}/`.repeat(9)}${path.slice(1)}`,
    ),
  ]),
  ...['/', '/package.json', '/reframe.html', '/serve.html', '/serve.ts', '/page/serve.ts', '/@vite/client'],
  '/source/?url=http://127.0.0.1/',
];

/** Starts a command of the package and waits until it says something on one of its outputs. */
async function start(output: 'stdout' | 'stderr', script: string, ...args: string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...args], { cwd: root });
  await new Promise<void>((resolve, reject) => {
    child.once('exit', code => reject(new Error(`${script} ended with ${code}`)));
    child[output].once('data', () => resolve());
  });
  return child;
}

describe.skipIf(process.platform !== 'linux').each([
  ['serve', 'stdout', ['--port', '0', '--data', join(folder, 'data')]],
  ['reframe', 'stderr', [join(inject('material'), 'clip.mp4'), '--out', join(folder, 'out')]],
] as const)('while npm run %s is at work (needs /proc)', (name, output, args) => {
  test('no port of the process gives any file of this machine', async () => {
    const models = join(inject('material'), 'models');
    const child = await start(output, `bin/${name}.ts`, ...args, '--models', models, '--device', 'wasm');
    try {
      const doors = listenersOf(child.pid!);
      expect(doors.length).toBeGreaterThan(0);
      expect(doors.filter(({ address }) => address !== '127.0.0.1')).toEqual([]);
      const open: string[] = [];
      for (const { port } of doors)
        for (const path of strays) {
          const { status, text } = await ask(port, path);
          if (status < 400 || text.includes(mark)) open.push(`${status} ${path}`);
        }
      expect(open).toEqual([]);
    } finally {
      const ended = new Promise(resolve => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    }
  });
});

describe('who knows the address of a command page', () => {
  const models = join(folder, 'models');
  let library: CommandPage;
  let url: URL;
  beforeAll(async () => {
    cpSync(join(inject('material'), 'models'), models, { recursive: true });
    writeFileSync(join(models, 'notes.txt'), mark);
    symlinkSync(secret, join(models, 'link.onnx'));
    symlinkSync(folder, join(models, 'folder'));
    library = await openCommandPage('reframe', { models: openModelFolder(models) });
    url = new URL(library.page.url());
  });
  afterAll(() => library.close());
  const statusOf = async (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    (await ask(Number(url.port), path, { Host: url.host, ...headers }, method)).status;
  const pathOf = (file: string) => new URL(file, library.base).pathname;

  test('reads the page, its modules and workers, the models of the folder, and ffmpeg', async () => {
    const [entry] = openModelFolder(models)!.files;
    for (const path of [
      url.pathname,
      pathOf('standalone/src/reframe.js'),
      pathOf('standalone/workers/analysis.worker.js'),
      pathOf('standalone/workers/ort-wasm-simd-threaded.wasm'),
      pathOf('models/edge-face.onnx'),
      pathOf(`given/${basename(entry!)}`),
      pathOf('ffmpeg/ffmpeg-core.wasm'),
    ])
      expect([path, await statusOf(path)]).toEqual([path, 200]);
    expect(await statusOf(url.pathname, { Origin: url.origin })).toBe(200);
  });

  test('reads nothing else from there, neither upwards nor through links', async () => {
    const names = ['link.onnx', 'notes.txt', 'manifest.json', 'folder/secret.txt', ''];
    const paths = [...names.map(name => pathOf(`given/${name}`)), pathOf(''), ...strays];
    const upwards = ['', 'given/', 'standalone/workers/'].flatMap(from =>
      strays.map(path => pathOf(from) + path.slice(1)),
    );
    const open: string[] = [];
    for (const path of [...paths, ...upwards]) if ((await statusOf(path)) !== 404) open.push(path);
    expect(open).toEqual([]);
  });

  test.for([
    ['Host', 'stranger.example'],
    ['Host', 'stranger.example:PORT'],
    ['Host', '127.0.0.1.stranger.example:PORT'],
    ['Host', '127.0.0.1'],
    ['Origin', 'https://stranger.example'],
    ['Origin', 'http://127.0.0.1:1'],
    ['Origin', 'null'],
  ] as const)('reads nothing with %s: %s', async ([name, value]) => {
    expect(await statusOf(url.pathname)).toBe(200);
    expect(await statusOf(url.pathname, { [name]: value.replace('PORT', url.port) })).toBe(404);
  });

  test('writes nothing', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect(await statusOf(url.pathname, {}, method)).toBe(404);
  });
});

test('a model that is a link out of its folder is refused by name', () => {
  const linked = join(folder, 'linked');
  mkdirSync(linked);
  symlinkSync(secret, join(linked, 'edge-face.onnx'));
  expect(() => openModelFolder(linked)).toThrow(/edge-face\.onnx is a link out of its folder/);
});

test('the server for measurements reads the checkout and what it was told to, for names of this machine', async () => {
  const library = await openLibraryPage('clip.html', 'test/e2e/page');
  try {
    const { port } = new URL(library.page.url());
    const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
      ask(Number(port), path, headers);
    expect((await get(`/@fs${join(root, 'package.json')}`)).status).toBe(200);
    expect((await get(`/@fs${join(root, 'package.json')}`, { Host: 'stranger.example' })).status).toBe(403);
    const asked = new URL(library.page.url());
    const foreign = await get(asked.pathname, { Origin: 'http://localhost:1' });
    expect(foreign.headers['access-control-allow-origin']).toBeUndefined();
    expect((await get(`/@fs${secret}`)).text).not.toContain(mark);
    const { pathname } = new URL(library.urlOf(folder));
    expect((await get(`${pathname}/secret.txt`)).text).toContain(mark);
  } finally {
    await library.close();
  }
});

type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
};

/** Sends one request exactly as it is given. */
function ask(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, method, headers: { ...headers } }, answer => {
      let text = '';
      answer.setEncoding('utf8').on('data', piece => (text += piece));
      answer.on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, text }));
    })
      .once('error', reject)
      .end();
  });
}

/** Where a process listens, as the kernel tells it. */
function listenersOf(pid: number): { readonly address: string; readonly port: number }[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap(fd => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return []; // Closed between the two questions.
      }
    }),
  );
  return ['tcp', 'tcp6'].flatMap(family =>
    readFileSync(`/proc/${pid}/net/${family}`, 'utf8')
      .split('\n')
      .slice(1)
      .map(line => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === '0A' && sockets.has(inode!))
      .map(([, local]) => {
        const [address, port] = local!.split(':') as [string, string];
        return { address: dottedOf(address), port: Number.parseInt(port, 16) };
      }),
  );
}

/** Four bytes are written as a number of this machine's byte order; longer addresses stay as they are. */
const dottedOf = (hex: string): string =>
  hex.length === 8 ? Buffer.from(hex, 'hex').reverse().join('.') : hex;
