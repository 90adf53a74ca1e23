import { giveAnswer } from '../../rpc/relay.js';
import type { PageMessage, WorkerMessage } from '../../schema/relay.js';
import type { LocalService } from '../local.js';

/**
 * Lets a service worker hand its requests to this page's service; see `edge-reframe/service-worker`. A page whose
 * service waits for another tab's says so, and is left in peace.
 *
 * @returns Ends the answering.
 */
export function answerWorker(service: LocalService): () => void {
  const { serviceWorker } = navigator;
  const listen = (event: MessageEvent<WorkerMessage>) => {
    const port = event.ports[0];
    const message = event.data;
    if (!port || (message?.kind !== 'edge-reframe:find' && message?.kind !== 'edge-reframe:fetch')) return;
    const post = (answer: PageMessage) => port.postMessage(answer);
    service
      .runsHere()
      .then(async here => {
        if (!here) return post({ kind: 'elsewhere' });
        if (message.kind === 'edge-reframe:find') return post({ kind: 'here' });
        await giveAnswer(port, message.request, service.fetch);
      })
      .catch(error => post({ kind: 'broken', message: String(error) }));
  };
  serviceWorker.addEventListener('message', listen);
  serviceWorker.startMessages();
  return () => serviceWorker.removeEventListener('message', listen);
}

/**
 * Resolves when a service worker sees this page's requests; on a page's very first load no worker does yet.
 */
export async function untilControlled(): Promise<void> {
  const { serviceWorker } = navigator;
  if (serviceWorker.controller) return;
  await new Promise<void>(resolve =>
    serviceWorker.addEventListener('controllerchange', () => resolve(), { once: true }),
  );
}
