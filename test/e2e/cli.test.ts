import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ALL_FORMATS, BufferSource, Input } from 'mediabunny';
import * as v from 'valibot';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { root } from '../../bin/browser.js';
import {
  activeSpeakerSchema,
  diarizationSchema,
  faceTrackingSchema,
  planSchema,
  sceneDetectionSchema,
  transcriptionSchema,
} from '../../src/index.js';
import { readPng } from '../fixtures/read-png.js';
import { type Sent, standInServer } from '../fixtures/stand-in-advisor.js';

const material = inject('material');
const clip = join(material, 'clip.mp4');
const models = join(material, 'models');
const realModels = join(root, '../shared/models');
const folder = mkdtempSync(join(tmpdir(), 'edge-reframe-cli-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Run = { readonly code: number | null; readonly out: string; readonly err: string };

/** Runs the command line as `npm run reframe -- …` does after its set-up. */
const reframe = (...args: string[]): Promise<Run> => reframeWith({}, ...args);

function reframeWith(variables: Record<string, string>, ...args: string[]): Promise<Run> {
  return new Promise((resolve, reject) => {
    const { EDGE_REFRAME_MODELS: _models, EDGE_REFRAME_ADVISOR_KEY: _key, ...others } = process.env;
    const env = { ...others, ...variables };
    const child = spawn(process.execPath, ['--import', 'tsx', 'bin/reframe.ts', ...args], { cwd: root, env });
    let [out, err] = ['', ''];
    child.stdout.on('data', text => (out += text));
    child.stderr.on('data', text => (err += text));
    child.on('error', reject);
    child.on('close', code => resolve({ code, out, err }));
  });
}

/** How much of a contact sheet is pure green: it shows source and clip at twelve moments. */
function greenShare(file: string): number {
  const { rgb } = readPng(readFileSync(file));
  let green = 0;
  for (let at = 0; at < rgb.length; at += 3)
    green += Number(rgb[at]! < 80 && rgb[at + 1]! > 180 && rgb[at + 2]! < 80);
  return green / (rgb.length / 3);
}

const jsonOf = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

/** Size, frames and length of a clip's picture, and whether it has sound. */
async function probeClip(path: string) {
  using input = new Input({ formats: ALL_FORMATS, source: new BufferSource(readFileSync(path)) });
  const track = (await input.getPrimaryVideoTrack())!;
  const { packetCount } = await track.computePacketStats();
  return {
    width: track.displayWidth,
    height: track.displayHeight,
    frames: packetCount,
    durationSec: await track.computeDuration(),
    hasSound: (await input.getPrimaryAudioTrack()) !== null,
  };
}

describe('wrong usage ends with 2 and says what to type', () => {
  test.for([
    { args: ['--speed', '2'], says: /Unknown option '--speed'/ },
    { args: ['a.mp4', 'b.mp4'], says: /One FILE at a time, not 2/ },
    { args: ['no-such-file.mp4'], says: /There is no file no-such-file\.mp4/ },
    { args: ['--models', 'no-such-folder'], says: /There is no folder .*no-such-folder/ },
    { args: ['--aspect', 'tall'], says: /--aspect takes W:H, for example 9:16/ },
    { args: ['--camera', 'shaky'], says: /--camera takes one of: lock, follow, center/ },
    { args: ['--export', 'otio,avi'], says: /--export takes one of: json, otio, fcpxml, edl/ },
    { args: ['--captions', 'sung'], says: /--captions takes one of: burn, track, srt, off/ },
    {
      args: ['--captions', 'burn', '--caption-style', 'neon'],
      says: /--caption-style: style\.look/,
    },
    { args: ['--keep-ranges', '1-2,1.5-3'], says: /--keep-ranges takes START-END .*not “1\.5-3”/ },
    { args: ['--keep-ranges', 'all'], says: /--keep-ranges takes START-END/ },
    { args: ['--advisor', 'http://127.0.0.1:1/v1'], says: /--advisor needs --advisor-model/ },
    { args: ['--advisor', 'ftp://a', '--advisor-model', 'm'], says: /--advisor takes an http\(s\) address/ },
    { args: ['--advisor-words'], says: /--advisor-words goes with --advisor\./ },
    { args: ['--caption-style', 'box'], says: /--caption-style goes with --captions burn/ },
    { args: ['--pace', 'slow'], says: /--pace takes one of: calm, standard, lively/ },
    { args: ['--subjects', '0:star'], says: /--subjects takes ID:ROLE or ID:ROLE:WEIGHT/ },
    { args: ['--cut-offset', '-0.2'], says: /--cut-offset=-/ },
    { args: ['--layout', 'pile'], says: /--layout takes one of: auto, single, stack/ },
    { args: ['--height', 'x'], says: /--height takes a number of at least 16/ },
    { args: ['--start', '3', '--end', '2'], says: /--end must be greater than --start/ },
  ])('$args', async ({ args, says }) => {
    const { code, out, err } = await reframe(...args);
    expect(err).toMatch(says);
    expect(err).toContain('npm run reframe -- [FILE] [options]');
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });

  test('a broken manifest among the models', async () => {
    const broken = join(folder, 'broken');
    mkdirSync(broken);
    writeFileSync(join(broken, 'manifest.json'), '{"models":[{}]}');
    const { code, err } = await reframe(clip, '--models', broken);
    expect(err).toMatch(/manifest\.json: Not a model manifest: models\.0\.id/);
    expect(code).toBe(2);
  });
});

test('--help ends with 0', async () => {
  const { code, out } = await reframe('--help');
  expect(out).toMatch(/Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a model is missing/);
  expect(code).toBe(0);
});

test('without a model that was asked for it ends with 3, names the file and the command to type', async () => {
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  const { code, err } = await reframe(
    clip,
    ...['--faces', 'yolov8n-face', '--models', empty, '--out', join(folder, 'none')],
  );
  expect(err).toMatch(/model_unavailable: .*\.onnx: HTTP 404/);
  expect(err).toContain('npm run models -- --from DIR');
  expect(code).toBe(3);
  expect(existsSync(join(folder, 'none/portrait.mp4'))).toBe(false);
});

test('a model that is another file than its name says ends with 1', async () => {
  const wrong = join(folder, 'wrong');
  cpSync(models, wrong, { recursive: true });
  rmSync(join(wrong, 'manifest.json'));
  const { code, err } = await reframe(clip, '--models', wrong, '--out', join(folder, 'corrupt'));
  expect(err).toMatch(/model_corrupt: .*expected \d+ bytes/);
  expect(code).toBe(1);
});

test('a file that is no video ends with 1', async () => {
  const path = join(folder, 'notes.mp4');
  writeFileSync(path, 'These are not pictures.');
  const { code, err } = await reframe(path, '--models', models, '--out', join(folder, 'notes'));
  expect(err).toMatch(/source_unsupported: /);
  expect(code).toBe(1);
  expect(existsSync(join(folder, 'notes/portrait.mp4'))).toBe(false);
});

test('a clip, its analysis, the report and the contact sheet are written; nothing leaves this machine', async () => {
  const out = join(folder, 'whole');
  const exports = ['--export', 'fcpxml,edl'];
  const run = await reframe(clip, '--models', models, '--device', 'wasm', '--out', out, ...exports);
  expect(run).toMatchObject({ code: 0, out: expect.stringMatching(/2 shots, 3 face tracks/) });
  expect(run.err).toMatch(/100 %/);
  const scenes = v.parse(sceneDetectionSchema, jsonOf(join(out, 'scene_detection.json')));
  const faces = v.parse(faceTrackingSchema, jsonOf(join(out, 'face_tracking_yolov8.json')));
  const speakers = v.parse(activeSpeakerSchema, jsonOf(join(out, 'active_speaker.json')));
  const plan = v.parse(planSchema, jsonOf(join(out, 'crop_path.json')));
  expect(scenes.scenes.map(scene => scene.start_frame)).toEqual([0, 50]);
  expect(speakers.tracks.map(track => track.face_id)).toEqual(faces.tracks.map(track => track.face_id));
  expect(plan).toMatchObject({ output_width: 720, output_height: 1280, frame_count: 75 });
  expect(await probeClip(join(out, 'portrait.mp4'))).toMatchObject({
    width: 720,
    height: 1280,
    frames: 75,
    durationSec: expect.closeTo(3, 1),
    hasSound: true,
  });
  const timeline = readFileSync(join(out, 'portrait.fcpxml'), 'utf8');
  expect(timeline).toContain(`src="${pathToFileURL(clip).href}"`);
  expect(readFileSync(join(out, 'portrait.edl'), 'utf8')).toContain('* FROM CLIP NAME: clip.mp4');
  const report = jsonOf(join(out, 'report.json'));
  expect(report).toMatchObject({ media_seconds: 3, analysis: { device: { kind: 'wasm' } } });
  expect(report.requested_origins).toEqual([
    expect.stringMatching(/^http:\/\/(localhost|127\.0\.0\.1):\d+$/),
  ]);
  expect(readFileSync(join(out, 'contact-sheet.png')).subarray(1, 4).toString()).toBe('PNG');
});

test('range, shape, size, frame rate, camera and reader are as asked', async () => {
  const out = join(folder, 'range');
  const run = await reframe(
    ...[clip, '--models', models, '--out', out, '--device', 'wasm', '--decoder', 'ffmpeg'],
    ...['--start', '1', '--end', '2.6', '--aspect', '4:5', '--height', '320', '--frame-rate', '10'],
    ...['--camera', 'center', '--layout', 'single'],
  );
  expect(run).toMatchObject({ code: 0 });
  const plan = v.parse(planSchema, jsonOf(join(out, 'crop_path.json')));
  expect(plan).toMatchObject({ first_frame: 25, frame_count: 40, output_width: 256, output_height: 320 });
  expect(plan.segments.every(segment => segment.layout === 'single')).toBe(true);
  expect(await probeClip(join(out, 'portrait.mp4'))).toMatchObject({
    width: 256,
    height: 320,
    frames: 16,
    durationSec: expect.closeTo(1.6, 1),
  });
  expect(jsonOf(join(out, 'report.json')).analysis.media.backend).toBe('ffmpeg');
});

test('what fills the free space is as asked', async () => {
  const out = join(folder, 'filled');
  const run = await reframe(
    ...[clip, '--models', models, '--out', out, '--device', 'wasm', '--start', '1', '--end', '1.6'],
    ...['--height', '320', '--layout', 'fit', '--background', 'colour', '--background-colour', '#123456'],
    ...['--subjects', '0:host,1:ignore', '--corners', '0.1'],
  );
  expect(run).toMatchObject({ code: 0 });
  const { segments } = v.parse(planSchema, jsonOf(join(out, 'crop_path.json')));
  expect(segments[0]).toMatchObject({ background: 'colour', background_colour: '#123456' });
  expect(segments[0]!.panels[0]!.corner_radius).toBe(18);
});

test('--words without its files ends with 3 and one sentence that says how to get them', async () => {
  const bare = join(folder, 'bare');
  mkdirSync(bare);
  for (const args of [['--words'], ['--captions', 'track'], ['--remove-fillers']]) {
    const { code, out, err } = await reframe(clip, '--models', bare, ...args);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err.trim()).toMatch(
      /^model_unavailable: .*moonshine-tiny-encoder.*npm run models -- --add words.*\.$/,
    );
    expect(err.trim()).not.toContain('\n');
  }
});

test('--identities without its file ends with 3 and one sentence that says how to get it', async () => {
  const bare = join(folder, 'bare-identities');
  mkdirSync(bare);
  const { code, out, err } = await reframe(clip, '--models', bare, '--identities');
  expect({ code, out }).toEqual({ code: 3, out: '' });
  expect(err.trim()).toMatch(
    /^model_unavailable: .*dlib-face-recognition.*npm run models -- --add identities.*\.$/,
  );
  expect(err.trim()).not.toContain('\n');
});

test('--identities gives faces of one person one number over a cut, and no file tells what they look like', async () => {
  const out = join(folder, 'identities');
  const run = await reframe(
    ...[clip, '--models', models, '--device', 'wasm', '--out', out, '--height', '320', '--identities'],
  );
  expect(run).toMatchObject({ code: 0 });
  const { tracks } = v.parse(faceTrackingSchema, jsonOf(join(out, 'face_tracking_yolov8.json')));
  expect(tracks.length).toBeGreaterThan(1);
  const people = tracks.map(({ person_id }) => person_id);
  expect(people.every(id => id !== undefined)).toBe(true);
  expect(new Set(people).size).toBeLessThan(tracks.length);
  for (const { person_confidence } of tracks) expect(person_confidence).toBeGreaterThan(0.5);
  const { analysis } = jsonOf(join(out, 'report.json'));
  expect(analysis.models.map(({ id }: { id: string }) => id)).toContain('dlib-face-recognition');
  expect(analysis.stages.identities.count).toBeGreaterThan(0);
  for (const file of readdirSync(out).filter(name => name.endsWith('.json')))
    expect(readFileSync(join(out, file), 'utf8')).not.toMatch(/descriptor/);
});

test('--captions track puts what is said beside the clip and into it', async () => {
  const out = join(folder, 'words');
  const run = await reframe(
    ...[clip, '--models', models, '--device', 'wasm', '--out', out, '--height', '320'],
    ...['--start', '2.2', '--captions', 'track'],
  );
  expect(run).toMatchObject({ code: 0, out: expect.stringMatching(/\d+ words in \d+ sentences/) });
  const { words, language } = v.parse(transcriptionSchema, jsonOf(join(out, 'portrait.transcript.json')));
  expect(language).toBe('en');
  expect(words[0]!.start).toBeGreaterThanOrEqual(2.2);
  const lines = readFileSync(join(out, 'portrait.srt'), 'utf8');
  expect(lines).toContain(words[0]!.word);
  const vtt = readFileSync(join(out, 'portrait.vtt'), 'utf8');
  expect(vtt).toMatch(/^WEBVTT\nLanguage: en/);
  const [first] = /\d\d:\d\d\.\d{3}(?= -->)/.exec(vtt)!;
  // The clip's clock: it begins 2.2 s into the source.
  expect(Number(first.slice(3))).toBeCloseTo(words[0]!.start - 2.2, 1);
  expect(readdirSync(out)).not.toContain('transcription.json');
  const file = readFileSync(join(out, 'portrait.mp4'));
  // ISO 14496-30: a sample entry of this name, and a box for each cue.
  expect([file.includes('wvtt'), file.includes('vttc'), file.includes(words[0]!.word)]).toEqual([
    true,
    true,
    true,
  ]);
  expect((await probeClip(join(out, 'portrait.mp4'))).hasSound).toBe(true);
});

test('pieces that are kept, without what is not said, make one clip with its captions and contact sheet', async () => {
  const [pieces, spoken] = [join(folder, 'pieces'), join(folder, 'spoken')];
  const small = ['--models', models, '--device', 'wasm', '--height', '320'];
  const run = await reframe(
    clip,
    ...small,
    '--out',
    pieces,
    '--keep-ranges',
    '0.2-0.8,2-2.6',
    '--export',
    'edl',
  );
  expect(run).toMatchObject({ code: 0, out: expect.stringMatching(/2 pieces .*\n(?:.*\n)*?note: exported/) });
  expect(await probeClip(join(pieces, 'portrait.mp4'))).toMatchObject({ frames: 30, hasSound: true });
  expect(readPng(readFileSync(join(pieces, 'contact-sheet.png'))).width).toBeGreaterThan(500);
  const quiet = join(material, 'words.mp4');
  const ended = await reframe(quiet, ...small, '--out', spoken, '--remove-silences', '--remove-fillers');
  expect(ended).toMatchObject({ code: 0, out: expect.stringMatching(/\d+ words in/) });
  const { words } = v.parse(transcriptionSchema, jsonOf(join(spoken, 'portrait.transcript.json')));
  const { durationSec } = await probeClip(join(spoken, 'portrait.mp4'));
  const saidSec = words.at(-1)!.end - words[0]!.start;
  expect(durationSec).toBeLessThan(Math.min(5, saidSec + 0.5));
  const cues = readFileSync(join(spoken, 'portrait.srt'), 'utf8').match(/(?<=--> )[\d:,]+/g)!;
  const [hours, minutes, seconds] = cues.at(-1)!.replace(',', '.').split(':').map(Number);
  expect(hours! * 3600 + minutes! * 60 + seconds!).toBeLessThanOrEqual(durationSec + 0.05);
});

describe('an advisor', () => {
  const crowd = join(material, 'crowd.mp4');
  const right = { layout: 'fit', faces: [], reason: 'nobody matters most', confidence: 0.6 };

  test('is told numbers only, and its answer is in the plan', async () => {
    await using server = await standInServer(right);
    const out = join(folder, 'advised');
    const run = await reframe(
      ...[crowd, '--models', models, '--device', 'wasm', '--height', '320', '--out', out],
      ...['--advisor', server.baseUrl, '--advisor-model', 'tiny'],
    );
    expect(run).toMatchObject({ code: 0, out: expect.stringContaining('nobody matters most') });
    const [sent] = server.sent as [Sent];
    expect(server.sent).toHaveLength(1);
    expect(sent.url).toBe('/v1/chat/completions');
    expect(sent.headers.authorization).toBe(undefined);
    expect(JSON.parse(sent.body)).toMatchObject({ model: 'tiny', response_format: { type: 'json_object' } });
    expect(sent.body).not.toMatch(/image_url|words_said/);
    const { segments } = v.parse(planSchema, jsonOf(join(out, 'crop_path.json')));
    expect(segments.some(({ layout, reason }) => layout === 'fit' && reason === 'override')).toBe(true);
    const { advice, requested_origins } = jsonOf(join(out, 'report.json'));
    expect(advice.overrides).toMatchObject([{ source: 'advisor', layout: 'fit', confidence: 0.6 }]);
    expect(requested_origins).toContain(new URL(server.baseUrl).origin);
  });

  test('is sent pictures, words and a key where that is asked for; a wrong answer leaves the plan', async () => {
    await using server = await standInServer({ ...right, layout: 'hologram' });
    const out = join(folder, 'unadvised');
    const run = await reframeWith(
      { EDGE_REFRAME_ADVISOR_KEY: 'secret-7' },
      ...[crowd, '--models', models, '--device', 'wasm', '--height', '320', '--out', out],
      ...['--advisor', server.baseUrl, '--advisor-model', 'tiny', '--advisor-pictures', '--advisor-words'],
    );
    expect(run).toMatchObject({
      code: 0,
      out: expect.stringMatching(/the plan stays, because of this: .*layout/),
    });
    const [sent] = server.sent as [Sent];
    expect(sent.headers.authorization).toBe('Bearer secret-7');
    expect(sent.body).toMatch(/data:image\/jpeg;base64,/);
    expect(sent.body).toContain('words_said_meanwhile');
    expect(run.out + run.err + readFileSync(join(out, 'report.json'), 'utf8')).not.toContain('secret-7');
    expect(
      v.parse(planSchema, jsonOf(join(out, 'crop_path.json'))).segments.map(s => s.reason),
    ).not.toContain('override');
  });
});

const debate = join(root, '../shared/media/talking/debate_cuts_mexcaR_640x360.mp4');
const recogniser = join(root, 'models/cache/moonshine-tiny-decoder.onnx');

test.skipIf(!existsSync(debate) || !existsSync(recogniser))(
  'a debate is written down, sentence by sentence and speaker by speaker (needs npm run models -- --add words, ../shared)',
  async () => {
    const out = join(folder, 'debate');
    const run = await reframe(
      ...[debate, '--device', 'wasm', '--height', '320', '--end', '9', '--words', '--captions', 'off'],
      ...['--out', out],
    );
    expect(run).toMatchObject({ code: 0 });
    const { text, words } = v.parse(transcriptionSchema, jsonOf(join(out, 'portrait.transcript.json')));
    expect(text).toMatch(/finally negotiated and the terms were laid out\..*called it the gold standard/);
    expect(new Set(words.map(({ speaker }) => speaker)).size).toBeGreaterThan(1);
    expect(v.parse(diarizationSchema, jsonOf(join(out, 'diarization.json'))).model).toBe('edge-voice');
    expect(readdirSync(out).filter(file => /\.(srt|vtt)$/.test(file))).toEqual([]);
  },
);

test('--captions burn draws what is said into the picture, in the style that is asked for', async () => {
  const common = [clip, '--models', models, '--device', 'wasm', '--height', '320', '--start', '2.2'];
  const [bare, burned] = [join(folder, 'bare-words'), join(folder, 'burned')];
  expect(await reframe(...common, '--out', bare, '--captions', 'srt')).toMatchObject({ code: 0 });
  const style = '{"look":"box","boxColour":"#00ff00","boxOpacityRatio":1,"sizeRatio":0.12}';
  const run = await reframe(...common, '--out', burned, '--captions', 'burn', '--caption-style', style);
  expect(run).toMatchObject({ code: 0 });
  const greenIn = (out: string) => greenShare(join(out, 'contact-sheet.png'));
  expect(greenIn(bare)).toBeLessThan(0.0005);
  expect(greenIn(burned)).toBeGreaterThan(0.005);
  expect(await probeClip(join(burned, 'portrait.mp4'))).toEqual(await probeClip(join(bare, 'portrait.mp4')));
});

test.skipIf(!existsSync(realModels))(
  'without FILE it reframes its own sample (needs ../shared)',
  async () => {
    const out = join(folder, 'sample');
    const run = await reframe('--models', realModels, '--device', 'wasm', '--height', '640', '--out', out);
    expect(run).toMatchObject({ code: 0 });
    const { scenes } = jsonOf(join(out, 'scene_detection.json'));
    expect(scenes).toHaveLength(2);
    const { tracks } = jsonOf(join(out, 'active_speaker.json'));
    expect(
      tracks.filter((track: { speaking_fraction: number }) => track.speaking_fraction > 0.2).length,
    ).toBeGreaterThanOrEqual(2);
    expect((await probeClip(join(out, 'portrait.mp4'))).height).toBe(640);
  },
);
