import { isReframeError } from '../schema/error.js';
import type { BodyMessage, PageMessage, RelayedRequest, WorkerMessage } from '../schema/relay.js';
import type { LocalService } from './local.js';

/**
 * Lets a service worker hand its requests to this page's service; see `edge-reframe/service-worker`. A page whose
 * service waits for another tab's says so, and is left in peace.
 *
 * @returns Ends it.
 */
export function answerWorker(service: LocalService): () => void {
  const { serviceWorker } = navigator;
  const listen = (event: MessageEvent<WorkerMessage>) => {
    const port = event.ports[0];
    const kind = event.data?.kind;
    if (!port || (kind !== 'edge-reframe:find' && kind !== 'edge-reframe:fetch')) return;
    const message = event.data;
    runsHere(service)
      .then(async here => {
        if (!here) return post(port, { kind: 'elsewhere' });
        if (message.kind === 'edge-reframe:find') return post(port, { kind: 'here' });
        await relay(service, message.request, port);
      })
      .catch(error => post(port, { kind: 'broken', message: String(error) }));
  };
  serviceWorker.addEventListener('message', listen);
  serviceWorker.startMessages();
  return () => serviceWorker.removeEventListener('message', listen);
}

/** Resolves when a service worker sees this page's requests; on a page's very first load it does not yet. */
export async function untilControlled(): Promise<void> {
  const { serviceWorker } = navigator;
  if (serviceWorker.controller) return;
  await new Promise<void>(resolve =>
    serviceWorker.addEventListener('controllerchange', () => resolve(), { once: true }),
  );
}

const post = (port: MessagePort, message: PageMessage, transfer: Transferable[] = []) =>
  port.postMessage(message, transfer);

async function runsHere(service: LocalService): Promise<boolean> {
  try {
    await service.list();
    return true;
  } catch (error) {
    if (isReframeError(error) && error.code === 'unavailable') return false;
    throw error;
  }
}

async function relay(service: LocalService, { url, headers, ...init }: RelayedRequest, port: MessagePort) {
  const request = new Request(url, { ...init, headers: headers as [string, string][] });
  const response = await service.fetch(request);
  const reader = response.body?.getReader();
  port.onmessage = async ({ data }: MessageEvent<BodyMessage>) => {
    try {
      if (data.kind === 'cancel') return await reader?.cancel();
      const { done, value } = await reader!.read();
      if (done) return post(port, { kind: 'end' });
      // A copy of its own: pieces may be views of a larger buffer, which must not be given away.
      const bytes = value.slice();
      post(port, { kind: 'piece', bytes }, [bytes.buffer]);
    } catch (error) {
      post(port, { kind: 'broken', message: String(error) });
    }
  };
  const hasBody = reader !== undefined;
  post(port, { kind: 'answer', status: response.status, headers: [...response.headers], hasBody });
}
