import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createWebhookSecret, signMessage } from '../../src/watch/webhooks/secrets.ts';
import { writeExport } from '../exports/exports.ts';
import { importCompanies } from '../harness/entities.ts';
import { useService } from '../harness/shared-service.ts';
import { company } from '../registry/gb-file.ts';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('../../clients/python', import.meta.url));

describe('the Python client', () => {
  const service = useService('sqlite');
  before(async () => {
    // The feed has what changes after the first import.
    await importCompanies(service, [company('00000000', 'FIRST LTD')]);
    await importCompanies(
      service,
      ['A', 'B', 'C', 'D', 'ELM ALBION'].map((name, at) => company(`0000000${at}`, `HOLDING ${name} LTD`)),
    );
    await writeExport(`${service.database.dataDir}/exports`);
  });

  function signWebhook(): string {
    const [secret, id, timestamp] = [createWebhookSecret(), 'msg_1', Math.floor(Date.now() / 1_000)];
    const body = JSON.stringify({ type: 'entity.changed', timestamp: '2026-03-15T12:00:00Z', data: { entityId: 'ä' } });
    const headers = {
      'Webhook-Id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,AAAA ${signMessage({ id, timestamp, body }, [secret])}`,
    };
    return JSON.stringify([headers, body, secret]);
  }

  test('passes its tests with the service', async (t) => {
    const version = await run('python3', ['-c', 'import sys; print(sys.version_info >= (3, 10))']).catch(
      () => undefined,
    );
    if (version?.stdout.trim() !== 'True') {
      t.diagnostic('python3 (3.10 or newer) is not installed: the Python client was not tested');
      return;
    }
    const env = {
      PATH: process.env.PATH,
      FIRMAMENT_URL: service.url,
      FIRMAMENT_KEY: await service.createKey(),
      WEBHOOK: signWebhook(),
      PYTHONDONTWRITEBYTECODE: '1',
    };
    const { stderr } = await run('python3', ['-W', 'error', '-m', 'unittest'], { cwd: folder, env });
    assert.match(stderr, /^Ran \d{2} tests in .*\n\nOK\n$/m);
  });
});
