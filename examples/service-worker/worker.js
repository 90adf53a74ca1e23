import { createStoredAnswers, openBrowserStore } from '../../dist/standalone/src/service/index.js';
import { handleFetch } from '../../dist/standalone/src/service-worker/index.js';

const stored = createStoredAnswers(openBrowserStore);
addEventListener('install', () => skipWaiting());
addEventListener('activate', event => event.waitUntil(clients.claim()));
addEventListener('fetch', event => void handleFetch(event, { stored }));
