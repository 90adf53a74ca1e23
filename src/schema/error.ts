/** One row per error code: the HTTP status of the REST contract and the sentence a person reads. */
const table = {
  source_unreachable: [422, 'The video could not be fetched.'],
  source_forbidden: [422, 'The host of the video does not allow other sites to read it.'],
  remote_needs_url: [422, 'The remote service can only work on a public address.'],
  source_unsupported: [422, 'This kind of video cannot be read here.'],
  source_encrypted: [422, 'The video is encrypted.'],
  source_changed: [422, 'The video changed since the job began.'],
  source_permission_needed: [422, 'The browser asks for permission to read the file again.'],
  decode_failed: [422, 'The video could not be decoded.'],
  no_video: [422, 'The file holds no video.'],
  model_unavailable: [503, 'A model that this step needs is not installed.'],
  model_corrupt: [500, 'A model file is damaged or is not the file it should be.'],
  device_lost: [500, 'The graphics device went away.'],
  worker_lost: [500, 'The background worker stopped.'],
  out_of_memory: [500, 'There is not enough memory.'],
  quota_exceeded: [507, 'There is not enough storage.'],
  encode_unsupported: [422, 'This browser cannot encode the asked video.'],
  invalid_request: [400, 'The request is not valid.'],
  not_found: [404, 'Not found.'],
  conflict: [409, 'The request does not fit the current state.'],
  too_large: [413, 'The input is too large.'],
  unsupported_media_type: [415, 'The content type is not supported.'],
  insufficient_credits: [402, 'There are not enough credits.'],
  unauthorized: [401, 'Invalid API key'],
  unavailable: [503, 'The service is not available.'],
  cv_backend_unreachable: [502, 'Failed to connect to CV service'],
  internal: [500, 'Something went wrong inside the library.'],
} as const satisfies Record<string, readonly [status: number, sentence: string]>;

/** What went wrong, as a word that survives threads, JSON and REST. */
export type ErrorCode = keyof typeof table;

/** Every {@link ErrorCode}. */
export const errorCodes = Object.keys(table) as ErrorCode[];

/** The HTTP status that the REST contract answers for a code. */
export const statusOf = (code: ErrorCode): number => table[code][0];

/**
 * The one error class of the library. `message` says what failed, on what, and what to try.
 * Mistakes of the caller (a wrong option) are `TypeError` or `RangeError` instead.
 */
export class ReframeError extends Error {
  override readonly name = 'ReframeError';
  readonly code: ErrorCode;

  /** @param detail - What failed and what to try; follows the code's own sentence. */
  constructor(code: ErrorCode, detail?: string, options?: { cause?: unknown }) {
    const sentence = table[code][1];
    super(detail ? `${sentence} ${detail}` : sentence, options);
    this.code = code;
  }

  toJSON(): { code: ErrorCode; message: string } {
    return { code: this.code, message: this.message };
  }
}

/** Whether a value is a {@link ReframeError}, also one that came from another realm or bundle. */
export const isReframeError = (value: unknown): value is ReframeError =>
  value instanceof Error && value.name === 'ReframeError' && 'code' in value;

/** Whether storage refused a write because it is full. */
export const isQuotaExceeded = (error: unknown): boolean =>
  error instanceof Error && error.name === 'QuotaExceededError';
