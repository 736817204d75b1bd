import { after, before, describe, test } from 'node:test';
import { engines } from '../harness/databases.ts';
import { startService, type TestService } from '../harness/service.ts';
import { connect, revisions } from './connect.ts';
import { doTask, importTask } from './task.ts';

for (const engine of engines) {
  describe(`a task of an assistant on ${engine}`, () => {
    let service: TestService;
    before(async () => {
      service = await startService(engine);
      await importTask(service);
    });
    after(() => service[Symbol.asyncDispose]());

    for (const revision of revisions) {
      test(`finds, reads and verifies a company with the official client (${JSON.stringify(revision)})`, async () => {
        await using client = await connect(service, await service.createKey(), revision);
        await doTask(client);
      });
    }
  });
}
