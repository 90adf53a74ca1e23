import { expect, test } from 'vitest';
import { describeApi } from '../../../../src/service/http/openapi.js';

type Operation = {
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, object>>;
};
const api = describeApi(true) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties?: object; anyOf?: object[]; oneOf?: object[] }> };
};

test('every reference names a schema, and every schema says something', () => {
  const names = [...JSON.stringify(api).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(match => match[1]!);
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) expect(Object.keys(api.components.schemas)).toContain(name);
  for (const { properties, anyOf, oneOf } of Object.values(api.components.schemas))
    expect(properties ?? anyOf ?? oneOf).toBeDefined();
});

test('paths declare their parameters, and every operation a key and its absence', () => {
  for (const [path, operations] of Object.entries(api.paths)) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1]);
    for (const { parameters, responses } of Object.values(operations)) {
      expect(parameters.filter(one => one.in === 'path').map(one => one.name)).toEqual(inPath);
      expect(responses).toHaveProperty('401');
    }
  }
});

test('the fields of the speaker result are those of the service', () => {
  const { ActiveSpeaker } = api.components.schemas;
  expect(Object.keys(ActiveSpeaker!.properties!)).toEqual([
    'model',
    'video_fps',
    'total_frames',
    'track_count',
    'tracks',
  ]);
});
