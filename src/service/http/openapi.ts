import { toJsonSchema } from '@valibot/to-json-schema';
import { errorCodes, statusOf } from '../../schema/error.js';
import {
  analyzeRequestSchema,
  downloadNames,
  ingestRequestSchema,
  reframeAcceptedSchema,
  reframeJobSchema,
  reframeRequestSchema,
  refusalSchema,
  transformRequestSchema,
  vadAcceptedSchema,
  vadRequestSchema,
  vadTaskSchema,
  videoStatusSchema,
} from '../../schema/job.js';
import { planSchema } from '../../schema/plan.js';
import { activeSpeakerSchema, faceTrackingSchema, sceneDetectionSchema } from '../../schema/result.js';
import { diarizationSchema, transcriptionSchema } from '../../schema/transcription.js';

/** Everything that crosses the wire, by the name it has in the document. */
const schemas = {
  VadRequest: vadRequestSchema,
  VadAccepted: vadAcceptedSchema,
  VadTask: vadTaskSchema,
  ReframeRequest: reframeRequestSchema,
  ReframeAccepted: reframeAcceptedSchema,
  ReframeJob: reframeJobSchema,
  IngestRequest: ingestRequestSchema,
  AnalyzeRequest: analyzeRequestSchema,
  TransformRequest: transformRequestSchema,
  VideoStatus: videoStatusSchema,
  SceneDetection: sceneDetectionSchema,
  FaceTracking: faceTrackingSchema,
  ActiveSpeaker: activeSpeakerSchema,
  Transcription: transcriptionSchema,
  Diarization: diarizationSchema,
  Plan: planSchema,
  Refusal: refusalSchema,
} as const;
type SchemaName = keyof typeof schemas;

type Endpoint = {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly summary: string;
  readonly body?: SchemaName;
  readonly answer?: readonly [status: number, SchemaName];
  readonly refusals: readonly number[];
};

const endpoints: readonly Endpoint[] = [
  {
    method: 'post',
    path: '/api/vad/analyze',
    summary: 'Asks who speaks on every frame of a video.',
    body: 'VadRequest',
    answer: [200, 'VadAccepted'],
    refusals: [400, 401, 404, 413, 502],
  },
  {
    method: 'get',
    path: '/api/vad/result/{taskId}',
    summary: 'The speaker detection task and, when completed, its result.',
    answer: [200, 'VadTask'],
    refusals: [401, 404],
  },
  {
    method: 'post',
    path: '/api/v2/reframe',
    summary: 'Turns a landscape video into a 9:16 clip that follows the active speaker.',
    body: 'ReframeRequest',
    answer: [202, 'ReframeAccepted'],
    refusals: [400, 401, 404, 413, 415],
  },
  {
    method: 'get',
    path: '/api/v2/reframe/{job_id}',
    summary: 'The state of a reframe job.',
    answer: [200, 'ReframeJob'],
    refusals: [401, 404],
  },
  {
    method: 'post',
    path: '/api/v2/ingest',
    summary: 'Makes a video known; the first step of the granular sequence.',
    body: 'IngestRequest',
    answer: [202, 'VideoStatus'],
    refusals: [400, 401, 404, 413, 415],
  },
  {
    method: 'post',
    path: '/api/v2/analyze',
    summary: 'Starts an analysis. The step before it must be completed.',
    body: 'AnalyzeRequest',
    answer: [202, 'VideoStatus'],
    refusals: [400, 401, 404, 409, 413, 415],
  },
  {
    method: 'post',
    path: '/api/v2/transform',
    summary: 'Starts making a clip. The step before it must be completed.',
    body: 'TransformRequest',
    answer: [202, 'VideoStatus'],
    refusals: [400, 401, 404, 409, 413, 415],
  },
  {
    method: 'get',
    path: '/api/v2/status/{video_id}',
    summary: 'The most recent step of a video and, when completed, its result.',
    answer: [200, 'VideoStatus'],
    refusals: [401, 404],
  },
  {
    method: 'get',
    path: '/api/v2/download/{video_id}',
    summary: 'A finished clip, or the captions of a transcript; whole, or a range of it.',
    refusals: [401, 402, 404],
  },
];

/**
 * The service in OpenAPI 3.1, made from the schemas that check its requests.
 *
 * @param hasKeys - Whether requests need a key.
 */
export function describeApi(hasKeys: boolean): object {
  const components = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      // Rules that JSON Schema cannot say (start before end) are told by the answers.
      const { $schema: _dialect, ...json } = toJsonSchema(schema, { errorMode: 'ignore' });
      return [name, json];
    }),
  );
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) (paths[endpoint.path] ??= {})[endpoint.method] = describe(endpoint);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Video speaker detection and portrait reframing',
      version: '2',
      description: `Refusals carry one of these codes: ${errorCodes.map(code => `${code} (${statusOf(code)})`).join(', ')}.`,
    },
    ...(hasKeys && { security: [{ key: [] }] }),
    paths,
    components: { schemas: components, securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  };
}

const reference = (name: SchemaName) => ({
  'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
});

function describe({ path, summary, body, answer, refusals }: Endpoint): object {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1]!);
  const text = { type: 'string' };
  const parameters = names.map(name => ({ name, in: 'path', required: true, schema: text }));
  const file = {
    'video/mp4': { schema: { type: 'string', contentEncoding: 'binary' } },
    'application/x-subrip': { schema: text },
    'text/vtt': { schema: text },
  };
  const suffix = {
    name: 'suffix',
    in: 'query',
    required: true,
    schema: { enum: downloadNames.map(one => `_${one}`) },
  };
  return {
    summary,
    parameters: answer ? parameters : [...parameters, suffix],
    ...(body && { requestBody: { required: true, content: reference(body) } }),
    responses: {
      ...(answer
        ? { [answer[0]]: { description: 'Accepted, or as it stands.', content: reference(answer[1]) } }
        : {
            200: { description: 'The whole file.', content: file },
            206: { description: 'The asked range of it.', content: file },
            416: { description: 'The range lies outside of the file.' },
          }),
      ...Object.fromEntries(
        refusals.map(status => [status, { description: 'Refused.', content: reference('Refusal') }]),
      ),
    },
  };
}
