import type { ErrorCode } from './error.js';

/** A request on its way from a service worker or another tab to the page that runs the service. */
export type RelayedRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: ArrayBuffer;
};

/** What a service worker posts to a page, each with a port for the answer. */
export type WorkerMessage =
  /** Asks whether the page runs the service. */
  | { readonly kind: 'edge-reframe:find' }
  | { readonly kind: 'edge-reframe:fetch'; readonly request: RelayedRequest };

/** An error on its way between threads, as plain data: error classes do not survive posting. */
export type RelayedError = { readonly name: string; readonly message: string; readonly code?: ErrorCode };

/** What one tab asks the tab that runs the service. */
export type TabMessage =
  | { readonly kind: 'fetch'; readonly request: RelayedRequest }
  | { readonly kind: 'call'; readonly method: string; readonly argument: unknown };

/** What the page posts to the port. Pieces of a body follow one by one, each for a `pull`. */
export type PageMessage =
  | { readonly kind: 'here' }
  /** This page does not run the service (any more). */
  | { readonly kind: 'elsewhere' }
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: readonly (readonly [string, string])[];
      readonly hasBody: boolean;
    }
  | { readonly kind: 'piece'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'end' }
  /** What a call gave, or what it was refused with. */
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly error: RelayedError }
  | { readonly kind: 'broken'; readonly message: string };

/** What the service worker posts to the port while a body is on its way. */
export type BodyMessage = { readonly kind: 'pull' } | { readonly kind: 'cancel' };
