import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../../bin/browser.js';
import { buildLibrary } from '../../bin/build.js';

/** The apps of `apps/` in a folder outside the repository, with the package installed as its users install it. */
export type PackedApps = Disposable & {
  /** Has `package.json`, `node_modules` and one folder per app. */
  readonly folder: string;
  /** What the tarball holds. */
  readonly files: readonly string[];
  readonly tarballBytes: number;
  /** Adds an optional peer, in the version that this repository tests with. */
  readonly install: (name: string) => void;
};

type PackReport = { readonly filename: string; readonly size: number; readonly files: { path: string }[] };

/** Builds, packs and installs the package. The optional reader is there, the optional AAC encoder is not. */
export async function installPackedApps(): Promise<PackedApps> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-reframe-consumer-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const install = (...packages: string[]) =>
    void npm(
      ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', ...packages],
      folder,
    );
  try {
    await buildLibrary();
    const report = npm(['pack', '--ignore-scripts', '--json', '--pack-destination', folder], root);
    const packed = Object.values(JSON.parse(report) as Record<string, PackReport>)[0]!;
    cpSync(join(dirname(fileURLToPath(import.meta.url)), 'apps'), folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    install(`./${packed.filename}`, inOurVersion('@ffmpeg/core'));
    return {
      folder,
      files: packed.files.map(({ path }) => path),
      tarballBytes: packed.size,
      install: name => install(inOurVersion(name)),
      [Symbol.dispose]: remove,
    };
  } catch (error) {
    remove();
    throw error;
  }
}

function inOurVersion(name: string): string {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return `${name}@${devDependencies[name]}`;
}

function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
