import { serialize } from 'node:v8';
import { beforeAll, describe, expect, test } from 'vitest';
import { analyse } from '../../../../src/pipeline/analysis/analyse.js';
import type { Analysis, AnalysisRequest } from '../../../../src/pipeline/analysis/analysis-request.js';
import type { AnalysisWork } from '../../../../src/pipeline/analysis/analysis-work.js';
import type { SpeakersState } from '../../../../src/pipeline/analysis/passes/speakers-pass.js';
import { type AnalysisState, analysisStateVersion } from '../../../../src/schema/analysis-state.js';
import type { PartName } from '../../../../src/schema/result.js';
import { type InventedSource, inventMedia, inventTools } from '../../../fixtures/invented-source.js';

const all: readonly PartName[] = ['scene_detection', 'face_tracking_yolov8', 'active_speaker'];

type Case = InventedSource & { readonly network: boolean } & Partial<AnalysisRequest>;

const run = async (given: Case, request: Partial<AnalysisRequest> = {}) => {
  const { frameRateHz, durationSec, hasSound, network, ...rest } = given;
  const { media, asked } = inventMedia({ frameRateHz, durationSec, hasSound });
  const tools = inventTools(asked, { network });
  const analysis = await analyse(media, tools, { want: all, have: {}, ...rest, ...request });
  expect(asked.openPictures).toBe(0);
  return { analysis, asked };
};

/** All states of one analysis, each as it comes back from storage. */
async function statesOf(given: Case): Promise<{ states: AnalysisState[]; analysis: Analysis }> {
  const states: AnalysisState[] = [];
  const { analysis } = await run(given, { onSave: async state => void states.push(structuredClone(state)) });
  return { states, analysis };
}

const talk: Case = { frameRateHz: 10, durationSec: 24, hasSound: true, network: true };

describe('an analysis that goes on from a saved state', () => {
  const cases: [string, Case][] = [
    ['with the network for cuts', talk],
    ['without a model for cuts', { ...talk, network: false }],
    ['in a range, at another frame rate', { ...talk, frameRateHz: 29.97, startSec: 3.21, endSec: 18 }],
    ['at sixty frames a second', { ...talk, frameRateHz: 60, durationSec: 13 }],
    ['at four frames a second', { ...talk, frameRateHz: 4 }],
    ['without sound', { ...talk, hasSound: false }],
    ['that wants faces only', { ...talk, want: ['face_tracking_yolov8'] }],
    ['that looks at everything in the picture', { ...talk, want: [...all, 'content'] }],
    ['that looks for content only, at 29.97', { ...talk, frameRateHz: 29.97, want: ['content'] }],
    ['that writes down what is said', { ...talk, want: [...all, 'diarization', 'transcription'] }],
    ['that wants words only, in a range', { ...talk, startSec: 1.3, want: ['transcription'] }],
    ['that wants shots only', { ...talk, want: ['scene_detection'] }],
  ];
  test.each(cases)('gives what it gives at one go: %s', async (_, given) => {
    const { states, analysis } = await statesOf(given);
    expect(analysis.parts.active_speaker?.tracks.length ?? 4).toBeGreaterThanOrEqual(4);
    expect(analysis.parts.transcription?.words.length ?? 9).toBeGreaterThan(8);
    for (const resume of states) {
      const resumed = await run(given, { resume });
      const { resumedFromSec, refusal, ...again } = resumed.analysis;
      expect(refusal).toBe(undefined);
      expect(again).toEqual(analysis);

      // Nothing before the settling zone is read again, and of the sound little before what was heard.
      const { frames, soundFromSec } = resumed.asked;
      expect(frames[0]! / given.frameRateHz).toBeCloseTo(resumedFromSec!, 4);
      expect(resume.untilSec - resumedFromSec!).toBeLessThan(2);
      expect(frames).toEqual(frames.map((_, i) => frames[0]! + i));
      for (const fromSec of soundFromSec) expect(fromSec).toBeGreaterThan(resume.untilSec);
    }
  });

  test('gives it too when the speaker model has judged the first minute before', async () => {
    const given = { ...talk, frameRateHz: 5, durationSec: 82 };
    const { states, analysis } = await statesOf(given);
    const resume = states.at(-1)!;
    const { runs } = ((resume.work as AnalysisWork).passes.speakers as SpeakersState).scorer;
    expect(Math.max(...runs.map(({ scored }) => scored))).toBe(1500);
    const { resumedFromSec, ...again } = (await run(given, { resume })).analysis;
    expect(again).toEqual(analysis);
    expect(resumedFromSec).toBeGreaterThan(78);
  });

  test('gives it too with the parts of another analysis', async () => {
    const { parts } = (await run({ ...talk, want: all.slice(0, 2) })).analysis;
    const given = { ...talk, have: parts };
    const { states, analysis } = await statesOf(given);
    const { resumedFromSec, ...again } = (await run(given, { resume: states[1]! })).analysis;
    expect(again).toEqual(analysis);
    expect(resumedFromSec).toBeGreaterThan(18);
  });

  test('names the same people, though a state says nothing of what they look like', async () => {
    const given = { ...talk, want: [...all, 'diarization'] as const, identities: true };
    const { states, analysis } = await statesOf(given);
    const { tracks } = analysis.parts.face_tracking_yolov8!;
    const sides = tracks.map(({ boxes }) => (boxes[0]!.x < 300 ? 'left' : 'right'));
    const people = new Map(tracks.map(({ person_id }, i) => [person_id, sides[i]]));
    expect(new Set(tracks.map(({ face_id }) => face_id)).size).toBeGreaterThan(5);
    expect([...people.values()].sort()).toEqual(['left', 'right']);
    expect(sides).toEqual(tracks.map(({ person_id }) => people.get(person_id)));
    for (const { person_confidence } of tracks) expect(person_confidence).toBeGreaterThan(0.9);
    for (const resume of states) {
      const { passes } = resume.work as AnalysisWork;
      // Where it was looked, in numbers and names of fields: no list of numbers, as pictures and descriptors are.
      expect(JSON.stringify(passes.identities)).not.toMatch(/\[-?[\d.]|"\d+":/);
      const resumed = await run(given, { resume });
      const { resumedFromSec, ...again } = resumed.analysis;
      expect(again).toEqual(analysis);
      expect(resumedFromSec).toBe(0);
    }
  });

  test('may be cut again and again, and saves at the same moments as before', async () => {
    const { states, analysis } = await statesOf(talk);
    let resume: AnalysisState | undefined;
    const moments: number[] = [];
    for (const _ of states) {
      const killed = new AbortController();
      const onSave = async (state: AnalysisState) => {
        resume = structuredClone(state);
        moments.push(state.untilSec);
        killed.abort(new Error('killed'));
      };
      const call = { onSave, signal: killed.signal, ...(resume && { resume }) };
      await expect(run(talk, call)).rejects.toThrow('killed');
    }
    expect(moments).toEqual(states.map(state => state.untilSec));
    const { resumedFromSec: _, ...again } = (await run(talk, { resume: resume! })).analysis;
    expect(again).toEqual(analysis);
  });

  test('tells what it knows so far from the first frame on', async () => {
    const { states } = await statesOf(talk);
    const ranges: Analysis['range'][] = [];
    await run(talk, { resume: states[1]!, onPartial: async ({ range }) => void ranges.push(range) });
    expect(ranges[0]!.firstFrame).toBe(0);
    expect(ranges[0]!.frameCount / 10).toBeGreaterThan(18);
  });

  test.each([10, 60, 4])('has lost at most 15 s, wherever it was killed (%d frames a second)', async rate => {
    const given = { ...talk, frameRateHz: rate, durationSec: rate > 30 ? 21 : 33 };
    for (const killedSec of rate > 30 ? [19.9] : [19.9, 21.3, 30]) {
      let resume: AnalysisState | undefined;
      const killed = new AbortController();
      const { media, asked } = inventMedia(given);
      const dying = analyse(media, inventTools(asked, { network: true }), {
        ...{ want: all, have: {}, signal: killed.signal },
        onSave: async state => void (resume = structuredClone(state)),
        onTime: timeSec => timeSec >= killedSec && killed.abort(new Error('killed')),
      });
      await expect(dying).rejects.toThrow('killed');
      const again = await run(given, { resume: resume! });
      const twice = again.asked.frames.filter(frame => asked.frames.includes(frame));
      expect(twice.length / rate).toBeLessThanOrEqual(15);
      expect(twice.length).toBeGreaterThan(0);
    }
  });
});

describe('a saved state', () => {
  test('does not change while the analysis goes on', async () => {
    const kept: [AnalysisState, Buffer][] = [];
    await run(talk, { onSave: async state => void kept.push([state, serialize(state)]) });
    expect(kept).toHaveLength(2);
    for (const [state, then] of kept) expect(serialize(state).equals(then)).toBe(true);
  });

  test('says what it is of, and is as large as it says', async () => {
    const { states } = await statesOf(talk);
    const { work: _, ...shown } = states[0]!;
    expect(shown).toEqual({
      version: analysisStateVersion,
      untilSec: 10.1,
      startSec: 0,
      endSec: 24,
      want: [...all].sort(),
      have: [],
      models: ['invented-cuts', 'invented-faces', 'invented-speaker', 'invented-voice'],
    });
    const megabytes = states.map(state => serialize(state).length / 1e6);
    expect(Math.max(...megabytes)).toBeLessThan(7);
  });

  const given: Case = { ...talk, durationSec: 13 };
  let saved: AnalysisState;
  beforeAll(async () => {
    [saved] = (await statesOf(given)).states as [AnalysisState];
  });
  const misfits: [string, RegExp, Case, Partial<AnalysisState>][] = [
    ['of another version', /version 0/, given, { version: 0 }],
    ['of another range', /0–13 s, and this of 1–13 s/, { ...given, startSec: 1 }, {}],
    ['of other parts', /other parts/, { ...given, want: ['active_speaker'] }, {}],
    ['of another source', /another source/, { ...given, frameRateHz: 12 }, {}],
    ['made with other models', /invented-cuts/, { ...given, network: false }, {}],
    ['with nothing in it', /no work/, given, { work: undefined }],
  ];
  test.each(misfits)('%s is not used, and one sentence says so', async (_, why, other, change) => {
    const { refusal, resumedFromSec, ...rest } = (await run(other, { resume: { ...saved, ...change } }))
      .analysis;
    expect(refusal).toMatch(why);
    expect(refusal).toMatch(/^The analysis began at the start/);
    expect(resumedFromSec).toBe(undefined);
    expect(rest.range.frameCount).toBe(Math.round((13 - (other.startSec ?? 0)) * other.frameRateHz));
  });
});
