import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import type { ModelOptions } from '../src/index.js';
import { packagedManifest } from '../src/inference/manifest.js';
import type { FfmpegUrls } from '../src/media/ffmpeg/ffmpeg-urls.js';
import { type OpenPage, openPage, root } from './browser.js';
import type { ModelFolder } from './model-folder.js';
import { bytesRoute, fileRoute, type Route, servePage } from './page-server.js';
import { runtimeFiles, standaloneOptions } from './standalone.js';

/** Where the page's reframer finds what is no code of its own; plain data. */
export type PageAssets = {
  readonly ffmpeg: FfmpegUrls;
  readonly modelsUrl?: string;
  /** Says which files the folder has; absent: the package's own list. */
  readonly manifest?: NonNullable<ModelOptions['manifest']>;
};

/** A page of `bin/page` in a headless browser. */
export type CommandPage = OpenPage & {
  /** What the addresses of its server begin with. */
  readonly base: string;
  readonly assets: PageAssets;
};

export type CommandPageOptions = {
  readonly models?: ModelFolder | undefined;
  /** Folder of the browser's profile. What the page stores lies there, and is found again the next time. */
  readonly profile?: string;
  /** Further answers of the page's server, by path after its base. */
  readonly routes?: Readonly<Record<string, Route>>;
};

/** Host of a page with a profile: storage belongs to an origin, and the server's own port is another each time. */
const profileHost = 'edge-reframe.localhost';

/** Builds the page of a command in memory, serves it with the files that the library may ask for, and opens it. */
export async function openCommandPage(
  name: 'reframe' | 'serve',
  { models, profile, routes = {} }: CommandPageOptions = {},
): Promise<CommandPage> {
  const server = await servePage(
    {
      ...(await pageRoutes(name)),
      ...libraryRoutes(),
      ...fileRoutes('given', models?.files ?? []),
      ...routes,
    },
    profile ? profileHost : undefined,
  );
  const { base } = server;
  const page = await openPage(server, `${base}standalone/src/${name}.html`, profile);
  return {
    ...page,
    base,
    assets: {
      ffmpeg: { coreUrl: `${base}ffmpeg/ffmpeg-core.js`, wasmUrl: `${base}ffmpeg/ffmpeg-core.wasm` },
      ...(models && { modelsUrl: `${base}given/` }),
      ...(models?.manifest && { manifest: models.manifest }),
    },
  };
}

/** The page with its modules and workers. */
async function pageRoutes(name: string): Promise<Record<string, Route>> {
  const outdir = join(root, 'standalone');
  const { outputFiles } = await build({
    ...standaloneOptions({ [`src/${name}`]: `bin/page/${name}.ts` }),
    outdir,
    write: false,
  });
  const modules = outputFiles.map(({ path, contents }) => {
    const file = relative(outdir, path).replaceAll('\\', '/');
    return [`standalone/${file}`, bytesRoute(file, contents)] as const;
  });
  const html = `${name}.html`;
  return {
    ...Object.fromEntries(modules),
    [`standalone/src/${html}`]: bytesRoute(html, readFileSync(join(root, 'bin/page', html))),
  };
}

/** What the modules look for beside themselves, and ffmpeg. */
function libraryRoutes(): Record<string, Route> {
  const require = createRequire(import.meta.url);
  // The build that is a module: a worker that is one itself can load no other.
  const ffmpeg = join(dirname(require.resolve('@ffmpeg/core')), '../esm');
  const models = packagedManifest().models.flatMap(({ file, bundled }) =>
    bundled ? [join(root, 'models', file)] : [],
  );
  return {
    ...fileRoutes('standalone/workers', runtimeFiles),
    ...fileRoutes('models', models.filter(existsSync)),
    ...fileRoutes('ffmpeg', [join(ffmpeg, 'ffmpeg-core.js'), join(ffmpeg, 'ffmpeg-core.wasm')]),
  };
}

const fileRoutes = (folder: string, paths: readonly string[]): Record<string, Route> =>
  Object.fromEntries(paths.map(path => [`${folder}/${basename(path)}`, fileRoute(path)]));
