import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { mulberry32 } from '../../bench/harness/random.js';
import { root } from '../../bin/browser.js';
import { createClient, type ReframeJob } from '../../src/client/index.js';
import { type FolderServer, serveFolders } from '../consumer/serve-folder.js';
import { malformedRequests } from '../fixtures/malformed-requests.js';

const data = mkdtempSync(join(tmpdir(), 'edge-reframe-serve-'));
const apiKey = 'the-key';
let media: FolderServer;
/** What the clip costs, as the service says it. */
let price: number;
let server: { readonly child: ChildProcess; readonly url: string };

/** Starts the command and waits for its one line. */
function startServer(more: readonly string[] = []): Promise<typeof server> {
  const models = join(inject('material'), 'models');
  const options = ['--port', '0', '--api-key', apiKey, '--credits', '3', '--data', data, '--models', models];
  const command = ['--import', 'tsx', 'bin/serve.ts', ...options, '--device', 'wasm', ...more];
  const child = spawn(process.execPath, command, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.once('exit', code => reject(new Error(`serve ended with ${code}`)));
    child.stdout.once('data', (line: Buffer) => {
      const url = /^listening on (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(String(line))?.[1];
      if (url) resolve({ child, url });
      else reject(new Error(`serve said ${line}`));
    });
  });
}

async function stopServer(): Promise<number | null> {
  const ended = new Promise<number | null>(resolve => server.child.once('exit', resolve));
  server.child.kill('SIGTERM');
  return ended;
}

const clientOf = (url: string) => createClient({ baseUrl: url, apiKey });

beforeAll(async () => {
  media = await serveFolders({ '/': inject('material') });
  server = await startServer();
});
afterAll(async () => {
  if (server.child.exitCode === null) await stopServer();
  await media[Symbol.asyncDispose]();
  rmSync(data, { recursive: true, force: true });
});

test('a clip is made by REST alone, while a thousand malformed requests come in', async () => {
  const client = clientOf(server.url);
  const { job_id } = await client.reframe({ url: `${media.origin}/clip.mp4`, transcription: true });
  let end: ReframeJob | undefined;
  const watching = (async () => {
    for await (const job of client.watch(job_id, { longestPauseSec: 1 })) end = job;
  })();
  const statuses = new Set<number>();
  for (const { method, path, headers, body } of malformedRequests(1000, mulberry32(11))) {
    const known: [string, string][] = [
      ...headers.filter(([name]) => name !== 'Authorization'),
      ['Authorization', `Bearer ${apiKey}`],
    ];
    const response = await fetch(server.url + path, {
      method,
      headers: known,
      ...(body && { body }),
    });
    await response.arrayBuffer();
    statuses.add(response.status);
  }
  expect([...statuses].sort()).toEqual([200, 400, 404, 415]);
  await watching;
  if (end?.status !== 'completed') throw new Error(JSON.stringify(end));
  const { stream, sizeBytes } = await client.download(end.video_id);
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  expect(bytes.length).toBe(sizeBytes);
  expect(new TextDecoder().decode(bytes.subarray(4, 8))).toBe('ftyp');
  const captions = await client.download(end.video_id, { file: 'transcription.vtt' });
  expect(await new Response(captions.stream).text()).toMatch(/^WEBVTT\nLanguage: en\n/);
});

test('after a clean stop everything is there again, the account too', async () => {
  expect(await stopServer()).toBe(0);
  server = await startServer();
  const client = clientOf(server.url);
  // The first clip took nearly all: another of its length is too much.
  const { job_id } = await client.reframe({ url: `${media.origin}/clip.mp4` });
  let end: ReframeJob | undefined;
  for await (const job of client.watch(job_id, { firstPauseSec: 0.1 })) end = job;
  expect(end).toMatchObject({ status: 'failed', code: 'insufficient_credits' });
  const [, cost] = /costs ([23]), [01] are left/.exec((end?.status === 'failed' && end.error) || '')!;
  price = Number(cost);
});

test('strangers are turned away', async () => {
  const stranger = createClient({ baseUrl: server.url, apiKey: 'another' });
  await expect(stranger.job('x')).rejects.toMatchObject({ code: 'unauthorized' });
});

test('a browser that is killed over a job is opened again: the job is completed, and charged once', async () => {
  await stopServer();
  server = await startServer(['--credits', String(2 * price)]);
  const client = clientOf(server.url);
  const { job_id } = await client.reframe({ url: `${media.origin}/clip.mp4` });
  let killed = false;
  let end: ReframeJob | undefined;
  for await (const job of client.watch(job_id, { firstPauseSec: 0.05, longestPauseSec: 0.2 })) {
    end = job;
    if (killed || job.status !== 'processing' || job.step === 'ingesting') continue;
    killed = true;
    process.kill(browserOf(data), 'SIGKILL');
  }
  expect(killed).toBe(true);
  expect(end).toMatchObject({ status: 'completed' });
  // There were credits for two clips, and two were made: a third is too much.
  const third = await client.reframe({ url: `${media.origin}/clip.mp4` });
  for await (const job of client.watch(third.job_id, { firstPauseSec: 0.1 })) end = job;
  expect(end).toMatchObject({ status: 'failed', code: 'insufficient_credits' });
});

/** Process of the browser whose profile lies in a folder. */
function browserOf(folder: string): number {
  const found = readdirSync('/proc').find(name => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      return (
        words.some(word => word.startsWith(`--user-data-dir=${folder}`)) &&
        !words.some(word => word.startsWith('--type='))
      );
    } catch {
      return false;
    }
  });
  return Number(found);
}
