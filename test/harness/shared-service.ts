import { after, before } from 'node:test';
import type { Engine } from './databases.ts';
import { startService, type TestService, type TestServiceOptions } from './service.ts';

/**
 * One service for the tests of the surrounding `describe`, whose data differ by account. It has no members before the first hook,
 * and its clock goes on where the test before has left it.
 */
export function useService(engine: Engine, options?: TestServiceOptions): TestService {
  const service = {} as TestService;
  before(async () => {
    Object.assign(service, await startService(engine, options));
  });
  after(() => service[Symbol.asyncDispose]?.());
  return service;
}

/** The service of a process without its clock, its log and its end, which belong to all files of the process. */
export type ProcessService = Omit<TestService, 'clock' | 'logLines' | 'app' | 'database' | typeof Symbol.asyncDispose>;

const started = new Map<Engine, Promise<TestService>>();

/**
 * The service that all files of this process share, because starting one takes longer than most tests. It holds no companies. A test creates its
 * own account (`createKey`, `signIn`), and changes nothing that another account would notice. A test that needs companies, a clock, the log
 * or other settings shares a service within its file (`useService`), or starts one (`startService`).
 */
export function processService(engine: Engine): Promise<ProcessService> {
  const service = started.get(engine) ?? startService(engine);
  started.set(engine, service);
  return service;
}

after(async () => {
  for (const service of started.values()) await (await service)[Symbol.asyncDispose]();
});
