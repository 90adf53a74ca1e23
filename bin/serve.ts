import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { listenOnLoopback } from './http-adapter.js';
import { openModelFolder } from './model-folder.js';
import type { ServicePageOptions } from './service-page.js';
import { keepService } from './steady-service.js';

const usage = `npm run serve -- [options]

The REST service on this machine, for programs in any language. Says "listening on http://127.0.0.1:N" when it is ready.

  --port N           port on the loopback interface                     (8787; 0 takes a free one)
  --api-key KEY      a key that requests must carry; may be repeated    (none: every program of this machine may ask)
  --credits N        seconds of video that may be worked on in all      (no limit)
  --advance MODE     auto | poll: whether jobs run by themselves        (auto)
  --data DIR         folder for jobs, results and clips                 (out/serve)
  --models DIR       folder with the model files                        ($EDGE_REFRAME_MODELS, else models/cache)
  --device KIND      webgpu | wasm                                      (chosen by what the machine has)

Ends with SIGTERM or SIGINT; jobs go on at the next start with the same --data. A browser that dies is opened again.`;

/** A mistake on the command line. */
class UsageError extends Error {}

function readOptions(args: string[]): ServicePageOptions & { readonly port: number } {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: {
      port: text,
      'api-key': { type: 'string', multiple: true },
      credits: text,
      advance: text,
      data: text,
      models: text,
      device: text,
    },
  });
  const credits = values.credits === undefined ? undefined : wholeNumber('credits', values.credits);
  const device = values.device === undefined ? undefined : oneOf('device', values.device, ['webgpu', 'wasm']);
  const apiKeys = values['api-key'] ?? [];
  if (apiKeys.some(key => !key)) throw new UsageError('--api-key takes a key that is not empty.');
  return {
    port: wholeNumber('port', values.port ?? '8787', 65_535),
    apiKeys,
    ...(credits !== undefined && { credits }),
    advance: oneOf('advance', values.advance ?? 'auto', ['auto', 'poll']),
    profile: join(resolve(values.data ?? 'out/serve'), 'browser'),
    models: openModelFolder(values.models),
    engine: device ? { device } : {},
  };
}

function wholeNumber(name: string, value: string, most = Number.MAX_SAFE_INTEGER): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number > most)
    throw new UsageError(`--${name} takes a whole number up to ${most}.`);
  return number;
}

function oneOf<Word extends string>(name: string, value: string, words: readonly Word[]): Word {
  const word = words.find(one => one === value);
  if (!word) throw new UsageError(`--${name} takes one of: ${words.join(', ')}.`);
  return word;
}

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage);
    return 0;
  }
  let options: ReturnType<typeof readOptions>;
  try {
    options = readOptions(args);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  mkdirSync(options.profile, { recursive: true });
  const service = await keepService(options, () => console.error('The browser ended; it is opened again.'));
  const stopped = new Promise<void>(stop => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => stop());
    }
  });
  try {
    const http = await listenOnLoopback(service.fetch, options.port);
    console.log(`listening on ${http.url}`);
    try {
      await Promise.race([stopped, service.broken]);
    } finally {
      await http.close();
    }
    return 0;
  } finally {
    await service.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
