import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fail } from '../../src/base/errors.ts';
import { startDeadline } from '../../src/base/system/deadline.ts';
import type { SearchQuery, SearchReply } from '../../src/search/search.ts';
import { DETAIL, UNKNOWN } from '../api/metered-service.ts';
import { usualEngines } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import type { RawReply } from '../harness/raw.ts';
import type { TestService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';
import { company } from '../registry/gb-file.ts';
import { openClient, type PipelinedClient } from './pipelined-client.ts';
import { freezeTime, type Held, type SlowApp, startSlowApp } from './slow-app.ts';

const SEARCH = '/api/v1/entities?q=alpha';
/** How long a request may take. */
const ANSWER_MS = startDeadline(0);

/** In the order of a request. */
const STEPS = ['key', 'meter', 'data'] as const;

const write = (path: string, key: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`;
const codeOf = ({ status, text }: RawReply) => `${status} ${JSON.parse(text).error?.code ?? ''}`.trim();
const remainingOf = ({ headers }: RawReply) =>
  ['x-ratelimit-remaining', 'x-monthly-quota-remaining'].map((name) => Number(headers.get(name)));

for (const engine of usualEngines) {
  describe(`a data request that fails on ${engine}`, () => {
    const service = useService(engine);
    before(() => importCompanies(service, [company('00000001', 'ALPHA LTD')]));
    testFailures(service);
  });
}

function testFailures(service: TestService): void {
  let app: SlowApp;
  let client: PipelinedClient;
  let sent = 0;
  before(async () => {
    app = await startSlowApp(service);
    client = openClient(app.url);
  });
  after(() => app?.close());

  /** A new account, whose key is not cached. */
  async function createAccount() {
    const { signIn, services } = service;
    const { accountId } = (await signIn({ plan: 'free' })).account;
    const { secret, id } = await services.apiKeys.create(accountId, 'test');
    const sql = 'SELECT used FROM quotas WHERE account_id = $1';
    const readUsed = async () => (await services.accountsDb.one<{ used: number }>(sql, [accountId]))?.used ?? 0;
    return { accountId, keyId: id, secret, readUsed };
  }

  /**
   * Sends a request, always on the same connection. Returns the reply, the log line, and how often it has called the database for
   * the key, the meter and the data.
   */
  async function send(path: string, key: string, during: () => Promise<void> = async () => undefined) {
    const counts = () => [app.count('key'), app.count('meter'), app.count('data')] as const;
    const [before, linesBefore] = [counts(), app.requestLines().length];
    client.write(write(path, key));
    await during();
    const reply = (await client.receive(++sent))[sent - 1] ?? assert.fail('the connection was closed');
    await until('the request is logged', () => app.requestLines().length > linesBefore);
    const [line, ...others] = app.requestLines().slice(linesBefore);
    assert.deepEqual(others, []);
    return { reply, line, calls: counts().map((count, at) => count - (before[at] ?? 0)) };
  }

  test('a company that does not exist is charged once and refunded once', async () => {
    const { secret, readUsed } = await createAccount();
    const { reply, calls } = await send(UNKNOWN, secret);
    assert.equal(codeOf(reply), '404 entity_not_found');
    assert.deepEqual(calls.slice(0, 2), [1, 2]);
    assert.deepEqual(remainingOf(reply), [59, 1_000]);
    await until('the charge is refunded', async () => (await readUsed()) === 0);
  });

  for (const step of STEPS) {
    test(`the deadline passes at the step "${step}": 503, nothing stays charged, the connection stays usable`, async () => {
      const { secret, readUsed, accountId } = await createAccount();
      const held = app.hold(step);
      {
        using time = freezeTime();
        const { reply, line } = await send(DETAIL, secret, async () => {
          await held.reached;
          time.advance(ANSWER_MS);
        });
        assert.equal(codeOf(reply), '503 service_unavailable');
        assert.equal(reply.headers.get('retry-after'), '1');
        assert.equal(line?.durationMs, ANSWER_MS);
        assert.equal(line?.accountId, step === 'key' ? null : accountId);
      }
      held.release();
      await until('nothing is charged', async () => (await readUsed()) === 0);
      assert.equal((await send(DETAIL, secret)).reply.status, 200);
      await until('only the served request is charged', async () => (await readUsed()) === 1);
    });

    test(`the client disconnects at the step "${step}": one line, with "aborted" and the address, and no charge`, async () => {
      const { secret, accountId, readUsed } = await createAccount();
      const held = app.hold(step);
      const linesBefore = app.requestLines().length;
      const hasty = openClient(app.url);
      hasty.write(write(DETAIL, secret));
      await held.reached;
      hasty.socket.destroy();
      await until('the request is logged', () => app.requestLines().length > linesBefore);
      held.release();
      // The request is completed all the same. Its reply has nowhere to go, and must neither be logged nor charged nor throw.
      await send(DETAIL, secret);
      await until('only the served request is charged', async () => (await readUsed()) === 1);
      const [line, ...others] = app.requestLines().slice(linesBefore);
      assert.deepEqual([line?.aborted, line?.address], [true, '127.0.0.1']);
      assert.equal(line?.accountId, step === 'key' ? null : accountId);
      assert.equal(others.length, 1);
    });
  }

  test('all steps share one deadline: each is fast enough by itself, all together are not', async () => {
    const { secret, readUsed } = await createAccount();
    const held = STEPS.map((step) => app.hold(step));
    {
      using time = freezeTime();
      const { reply, line } = await send(DETAIL, secret, async () => {
        for (const [index, { reached, release }] of held.entries()) {
          await reached;
          time.advance(ANSWER_MS / STEPS.length);
          if (index < 2) release();
        }
      });
      assert.equal(codeOf(reply), '503 service_unavailable');
      assert.equal(line?.durationMs, ANSWER_MS);
    }
    held.at(-1)?.release();
    await until('nothing is charged', async () => (await readUsed()) === 0);
  });

  test('the deadline passes during the refund: the reply is sent, and the refund is stored later', async () => {
    const { secret, readUsed } = await createAccount();
    const reading = app.hold('data');
    let refunding: Held | undefined;
    {
      using time = freezeTime();
      const { reply } = await send(UNKNOWN, secret, async () => {
        await reading.reached;
        refunding = app.hold('meter');
        reading.release();
        await refunding.reached;
        time.advance(ANSWER_MS);
      });
      assert.equal(codeOf(reply), '404 entity_not_found');
      assert.equal(await readUsed(), 1);
    }
    refunding?.release();
    await until('the charge is refunded', async () => (await readUsed()) === 0);
    assert.equal((await send(DETAIL, secret)).reply.status, 200);
  });

  test('searches that fail, or whose reply cannot be written, are refunded and do not affect others', async () => {
    const { services } = service;
    const answers: Readonly<Record<string, () => SearchReply>> = {
      busy() {
        throw fail('service_unavailable');
      },
      unreadable: () => ({
        version: '1',
        total: 1,
        get body(): Uint8Array {
          throw new Error('broken body');
        },
      }),
      unsendable: () => ({ version: '1', total: 1, body: { byteLength: 1 } as Uint8Array }),
      good: () => ({ version: '1', total: 1, body: Buffer.from('{}') }),
    };
    const find = ({ q }: SearchQuery) => answers[q]?.() ?? assert.fail(q);
    const odd = await startSlowApp(service, { services: { search: { ...services.search, find } } });
    try {
      const { secret, readUsed } = await createAccount();
      const held = odd.hold('meter');
      const names = Object.keys(answers);
      const clients = names.map((q) => {
        const requesting = openClient(odd.url);
        requesting.write(write(`/api/v1/entities?q=${q}`, secret));
        return requesting;
      });
      await held.reached;
      held.release();
      const replies = await Promise.all(clients.map((requesting) => requesting.receive(1)));
      const statuses = replies.map(([reply]) => reply?.status);
      assert.deepEqual(statuses, [503, 500, 500, 200]);
      await until('all are logged', () => odd.requestLines().length >= names.length);
      assert.equal(odd.requestLines().length, names.length);
      await until('failures are refunded', async () => (await readUsed()) === 1);
    } finally {
      await odd.close();
    }
  });

  test('the client disconnects while the reply is compressed: one line, and the next request is answered', async () => {
    const { services } = service;
    const body = Buffer.from(JSON.stringify(Array.from({ length: 300_000 }, (_, index) => index)));
    const found = Promise.withResolvers<void>();
    const find = () => {
      found.resolve();
      return { version: '1', total: 1, body };
    };
    const large = await startSlowApp(service, {
      services: { search: { ...services.search, find } },
    });
    try {
      const { secret } = await createAccount();
      const request = write(SEARCH, secret).replace('Host', 'Accept-Encoding: gzip\r\nHost');
      const hasty = openClient(large.url);
      hasty.write(request);
      await found.promise;
      hasty.socket.destroy();
      await until('the request is logged', () => large.requestLines().length === 1);
      const patient = openClient(large.url);
      patient.write(request);
      const [reply] = await patient.receive(1);
      assert.deepEqual([reply?.status, reply?.headers.get('content-encoding')], [200, 'gzip']);
      await until('both are logged', () => large.requestLines().length >= 2);
      assert.equal(large.requestLines().length, 2);
    } finally {
      await large.close();
    }
  });

  test('pipelined requests are counted one after the other', async () => {
    const { secret, readUsed } = await createAccount();
    const held = app.hold('meter');
    const before = app.count('meter');
    const pipelining = openClient(app.url);
    pipelining.write(write(DETAIL, secret).repeat(5));
    await held.reached;
    await new Promise(setImmediate);
    assert.equal(app.count('meter') - before, 1);
    held.release();
    const replies = await pipelining.receive(5);
    assert.deepEqual(
      replies.map((reply) => remainingOf(reply)[0]),
      [59, 58, 57, 56, 55],
    );
    assert.equal(await readUsed(), 5);
    assert.equal(app.count('meter') - before, 5);
  });
}
