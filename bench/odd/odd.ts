import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type LibraryPage, openLibraryPage, root } from '../../bin/browser.js';
import { openSheet } from '../harness/sheet.js';

const usage = `npm run bench:odd -- [NAME …] [--whole]

Plays every file of ../shared/media/odd through both readers, next to what native ffprobe says of it.

  NAME     only files whose name contains one of these
  --whole  plays large files to their end too, instead of their first second`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { whole: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' } },
});
const folder = join(root, '../shared/media/odd');
/** Pixels of all frames together above which a file is played in part: ffmpeg.wasm takes some 20 s for them. */
const largePixels = 1.2e8;
const timeoutSec = 300;
const sheet = openSheet('odd');
const { say } = sheet;

if (values.help) console.log(usage);
else if (!existsSync(folder)) console.log('The odd files (../shared/media/odd) are not here.');
else await main();

async function main(): Promise<void> {
  const files = readdirSync(folder).filter(
    name => !positionals.length || positionals.some(part => name.includes(part)),
  );
  const library = await openLibraryPage('odd.html', 'bench/odd/page');
  try {
    const start = await residentMegabytes(library);
    let [faults, played, refused] = [0, 0, 0];
    for (const file of files) {
      const native = probe(join(folder, file));
      say(file);
      say(`  native     ${native.text}`);
      await library.page.setInputFiles('#file', join(folder, file));
      const whole = values.whole || native.pixels < largePixels;
      for (const decoder of ['webcodecs', 'ffmpeg'] as const) {
        const request = { decoder, timeoutSec, ...(!whole && { endSec: 1 }) };
        const row = await library.page.evaluate(asked => globalThis.playChosen(asked), request);
        sheet.keep({ what: file, decoder, whole, ...row });
        if ('fault' in row) {
          faults++;
          say(`  ${decoder.padEnd(10)} FAULT: ${row.fault}`);
        } else if (row.refused) {
          refused++;
          say(`  ${decoder.padEnd(10)} refused, ${row.refused}: ${row.message} (${row.tookSec} s)`);
        } else {
          played++;
          const count = `${row.frames}${whole ? '' : ' in the first second'} of ${row.totalFrames} frames`;
          const disorder = row.disorder ? `, ${row.disorder} OUT OF ORDER` : '';
          say(
            `  ${decoder.padEnd(10)} ${count}, ${row.durationSec} s, first at ${row.firstFrameSec} s, ${row.display}, sound ${row.soundSec} s${disorder} (${row.tookSec} s)`,
          );
        }
      }
    }
    say();
    say(`${played} played, ${refused} refused with a code, ${faults} faults (no code, or no end)`);
    say(`memory of the browser: ${start} MB before, ${await residentMegabytes(library)} MB after`);
  } finally {
    await library.close();
    sheet.save();
  }
}

async function residentMegabytes(library: LibraryPage): Promise<string> {
  const bytes = await library.residentBytes();
  return bytes === undefined ? '?' : (bytes / 1e6).toFixed(0);
}

/** What native ffprobe says: packets, length, coded size, aspect and rotation of the first video stream. */
function probe(file: string): { readonly text: string; readonly pixels: number } {
  const entries =
    'stream=codec_name,width,height,sample_aspect_ratio,nb_read_packets:stream_side_data=rotation:format=duration';
  const args = ['-v', 'error', '-select_streams', 'v:0', '-count_packets', '-show_entries', entries];
  try {
    const { streams, format } = JSON.parse(
      execFileSync('ffprobe', [...args, '-of', 'json', file], { encoding: 'utf8', stdio: 'pipe' }),
    );
    const [stream] = streams;
    if (!stream) return { text: 'no video', pixels: 0 };
    const { codec_name, width, height, sample_aspect_ratio: aspect, nb_read_packets } = stream;
    const rotation = stream.side_data_list?.find((data: object) => 'rotation' in data)?.rotation;
    const extras = [
      aspect && aspect !== '1:1' && `pixel aspect ${aspect}`,
      rotation && `rotation ${rotation}°`,
    ];
    return {
      text: [
        `${codec_name}, ${nb_read_packets} packets, ${format.duration} s, ${width}x${height}`,
        ...extras.filter(Boolean),
      ].join(', '),
      pixels: width * height * Number(nb_read_packets),
    };
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const said = String((error as { stderr?: string }).stderr ?? error).trim();
    return { text: missing ? 'ffprobe is not here' : `refused: ${said.split('\n').at(-1)}`, pixels: 0 };
  }
}
