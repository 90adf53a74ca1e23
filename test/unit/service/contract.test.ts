import { listenOnLoopback } from '../../../bin/http-adapter.js';
import { createLocalService } from '../../../src/service/index.js';
import { testService } from '../../contract/service-contract.js';
import type { ServiceSetup } from '../../contract/service-driver.js';
import { createFakePipeline, fakeFetch } from '../../fixtures/fake-pipeline.js';
import { createStandInRemote } from '../../fixtures/stand-in-remote.js';

const baseUrl = 'http://service.test';

const createService = ({ backend, apiKeys, credits, words }: ServiceSetup) =>
  createLocalService({
    reframer:
      backend === 'up'
        ? createFakePipeline({ ...(words && { words }) })
        : () => Promise.reject(new Error('the workers do not start')),
    apiKeys,
    ...(credits !== undefined && { credits }),
    advance: 'poll',
    fetch: fakeFetch,
  });

testService({
  name: 'the local service in process',
  open: async setup => ({ baseUrl, ...createService(setup) }),
});

testService({
  name: 'the local service over HTTP',
  async open(setup) {
    const service = createService(setup);
    const http = await listenOnLoopback(service.fetch, 0);
    return {
      baseUrl: http.url,
      fetch: request => fetch(request),
      async close() {
        await http.close();
        await service.close();
      },
    };
  },
});

testService({
  name: 'a stand-in for the remote service',
  open: async setup => ({ baseUrl, ...createStandInRemote(setup), close: async () => {} }),
  skip: { ours: 'the stand-in knows the document alone' },
});
