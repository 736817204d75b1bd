import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import '../harness/impatient.ts';
import type { Db } from '../../src/db/db.ts';
import { openStore } from '../../src/db/open.ts';
import { useHeldService } from '../harness/held-service.ts';
import { until } from '../harness/until.ts';
import { callMessage, post, readJson } from './connect.ts';

const UNKNOWN = '00000000-0000-5000-8000-000000000000';

/** The database does not answer this statement while a tool is called. */
const steps: readonly { statement: RegExp; tool: string; given: object; expected: RegExp }[] = [
  {
    statement: /INTO rate_windows/,
    tool: 'search_companies',
    given: { q: 'alpha' },
    expected: /^service_unavailable: /,
  },
  {
    statement: /INTO rate_windows/,
    tool: 'check_registration_number',
    given: { number: '1' },
    expected: /^service_un/,
  },
  {
    statement: /FROM generation g/,
    tool: 'search_companies',
    given: { q: 'alpha' },
    expected: /^service_unavailable: /,
  },
  { statement: /FROM journal/, tool: 'recent_changes', given: {}, expected: /^service_unavailable: / },
  // The answer is known by then. It is sent, and the refund continues.
  { statement: /UPDATE quotas SET/, tool: 'get_company', given: { id: UNKNOWN }, expected: /^entity_not_found: / },
];

describe('the call of a tool has one deadline: PostgreSQL does not answer', () => {
  /** Not behind the proxy. */
  let accounts: Db;
  after(() => accounts?.close());
  const started = useHeldService();
  before(() => {
    accounts = openStore('accounts', started().database);
  });

  async function createAccount() {
    const { service } = started();
    const { accountId } = (await service.signIn()).account;
    const { secret } = await service.services.apiKeys.create(accountId, 'test');
    const sql = 'SELECT used FROM quotas WHERE account_id = $1';
    return {
      headers: { authorization: `Bearer ${secret}` },
      readUsed: async () => (await accounts.one<{ used: number }>(sql, [accountId]))?.used ?? 0,
    };
  }

  for (const { statement, tool, given, expected } of steps) {
    test(`${tool} says what to do and costs nothing if ${statement.source} hangs`, async () => {
      const { held, service } = started();
      const { headers, readUsed } = await createAccount();
      const release = held.hold(statement);
      try {
        const reply = await post(service, callMessage(tool, given), headers);
        const { result } = await readJson(reply);
        assert.deepEqual([reply.status, result.isError], [200, true]);
        assert.match(result.content[0].text, expected);
        assert.ok(held.held() > 0, 'the statement was not held');
      } finally {
        release();
      }
      await until('nothing is charged', async () => (await readUsed()) === 0);
      const { result } = await readJson(await post(service, callMessage('list_countries', {}), headers));
      assert.notEqual(result.isError, true, 'calls are answered again');
    });
  }

  test('a message that calls no tool gets 503', async () => {
    const { held, service } = started();
    const { headers } = await createAccount();
    const release = held.hold(/INTO rate_windows/);
    try {
      const reply = await post(service, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers);
      assert.deepEqual([reply.status, (await readJson(reply)).error.code], [503, 'service_unavailable']);
      assert.ok(Number(reply.headers.get('retry-after')) >= 1);
    } finally {
      release();
    }
  });
});
