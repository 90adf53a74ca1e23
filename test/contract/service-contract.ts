import { describe } from 'vitest';
import { testDefined } from './service-defined.js';
import { testDocumented } from './service-documented.js';
import { createServiceDriver, type ServiceImplementation } from './service-driver.js';

/** Every case of the REST contract: first what its document says, then what we add where it shows nothing. */
export function testService(implementation: ServiceImplementation): void {
  describe(implementation.name, () => {
    const driver = createServiceDriver(implementation);
    describe('as its document says it', () => testDocumented(driver));
    describe.skipIf(implementation.skip?.ours)('what we define where the document shows nothing', () =>
      testDefined(driver),
    );
  });
}
