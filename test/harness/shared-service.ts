import { after, before } from 'node:test';
import type { Engine } from './databases.ts';
import { startService, type TestService, type TestServiceOptions } from './service.ts';

/**
 * One service for the tests of the surrounding `describe`, whose data differ by account. Its clock goes on where the test
 * before has left it.
 */
export function shareService(engine: Engine, options?: TestServiceOptions) {
  let service: TestService;
  before(async () => {
    service = await startService(engine, options);
  });
  after(() => service?.[Symbol.asyncDispose]());
  return (work: (service: TestService) => Promise<void>): Promise<void> => work(service);
}
