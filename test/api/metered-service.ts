import assert from 'node:assert/strict';
import { before, beforeEach } from 'node:test';
import { parseList } from 'structured-headers';
import type { PlanId } from '../../src/base/plans.ts';
import type { Caller } from '../../src/base/usage.ts';
import type { Reply } from '../harness/contract-check.ts';
import type { Engine } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { grantPlan } from '../harness/payment-events.ts';
import type { TestSession } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { company } from '../registry/gb-file.ts';

/** The exact spelling is part of the contract. */
export const METERING_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Monthly-Quota-Limit',
  'X-Monthly-Quota-Remaining',
  'X-Monthly-Quota-Reset',
];
/** UUIDv5 of GB/gb/00000001. */
const ALPHA = '8cfb7733-0cb1-511b-8310-bbbf2455fb10';
export const DETAIL = `/api/v1/entities/${ALPHA}`;
export const UNKNOWN = '/api/v1/entities/00000000-0000-5000-8000-000000000000';
export const ENDPOINTS = ['/api/v1/countries', '/api/v1/entities?q=alpha', DETAIL];
export const INVALID = ['/api/v1/countries?x=1', '/api/v1/entities?page=0', '/api/v1/entities/malformed'];

/** The headers of draft-ietf-httpapi-ratelimit-headers. */
export const DRAFT_HEADERS = ['RateLimit-Policy', 'RateLimit'] as const;

type Limit = Readonly<Record<string, unknown>>;

/** The parameters of the items of both headers by name, parsed as structured fields. */
export function readDraftLimits(headers: Headers): { policy: Record<string, Limit>; state: Record<string, Limit> } {
  const [policy, state] = DRAFT_HEADERS.map((name) => {
    const items = parseList(headers.get(name) ?? assert.fail(`there is no ${name}`));
    return Object.fromEntries(items.map(([item, parameters]) => [item, Object.fromEntries(parameters)]));
  });
  return { policy: policy ?? {}, state: state ?? {} };
}

/** Checks that they are sent together with the `X-` headers, and say the same. */
function checkDraftLimits(headers: Headers): void {
  if (headers.get('X-RateLimit-Limit') === null) {
    assert.deepEqual(
      DRAFT_HEADERS.map((name) => headers.get(name)),
      [null, null],
    );
    return;
  }
  const number = (name: string) => Number(headers.get(name));
  const { policy, state } = readDraftLimits(headers);
  assert.deepEqual([Object.keys(policy), Object.keys(state)], Array(2).fill(['window', 'quota']));
  assert.deepEqual([policy.window?.q, policy.window?.w], [number('X-RateLimit-Limit'), 60]);
  assert.equal(policy.quota?.q, number('X-Monthly-Quota-Limit'));
  assert.equal(state.window?.r, number('X-RateLimit-Remaining'));
  assert.equal(state.quota?.r, number('X-Monthly-Quota-Remaining'));
  // Both were computed at the same instant, and rounded up.
  const between = Date.parse(headers.get('X-Monthly-Quota-Reset') ?? '') / 1000 - number('X-RateLimit-Reset');
  const difference = Number(state.quota?.t) - Number(state.window?.t);
  assert.ok(Math.abs(difference - between) <= 1, `${difference} instead of ${between} seconds`);
}

/** The values of the `X-` headers. The others must say the same. */
export function limitsOf({ headers }: Pick<Reply, 'headers'>): (string | null)[] {
  checkDraftLimits(headers);
  return METERING_HEADERS.map((name) => headers.get(name));
}
export const codeOf = ({ status, body }: Reply) => `${status} ${body?.error?.code ?? ''}`.trim();

/** An API key with its account. */
export interface TestKey {
  readonly session: TestSession;
  readonly secret: string;
  readonly keyId: string;
  readonly caller: Caller;
  readonly headers: Record<string, string>;
}

/** A service with two companies for the tests of the surrounding `describe`, and the counters of its meter. */
export function useMeteredService(engine: Engine) {
  const service = useService(engine, { limits: { guessDelayMs: 0 } });
  before(async () => {
    await importCompanies(service, [company('00000001', 'ALPHA LTD'), company('00000002', 'BETA LTD')]);
  });
  beforeEach(() => service.clock.set('2026-03-15T12:00:17.250Z'));

  const get = (path: string, { headers }: Pick<TestKey, 'headers'>, more: Record<string, string> = {}) =>
    service.client.get(path, { headers: { ...headers, ...more } });

  async function addKey(session: TestSession, of = service): Promise<TestKey> {
    const { secret, id } = await of.services.apiKeys.create(session.account.accountId, 'test');
    const caller = (await of.services.apiKeys.findKey(secret)) ?? assert.fail('the new key is not found');
    return { session, secret, keyId: id, caller, headers: { 'x-api-key': secret } };
  }
  const newKey = async (plan: PlanId = 'free', of = service) => addKey(await of.signIn({ plan }), of);

  async function setQuota({ caller }: TestKey, used: number, periodStart = '2026-03-01T00:00:00Z'): Promise<void> {
    await service.services.accountsDb.run(
      `INSERT INTO quotas (account_id, period_start, used, granted, most) VALUES ($1, $2, $3, 0, 0)
        ON CONFLICT (account_id, period_start) DO UPDATE SET used = excluded.used`,
      [caller.accountId, Date.parse(periodStart), used],
    );
  }
  async function setWindow({ caller }: TestKey, used: number): Promise<void> {
    const minute = Math.floor(service.clock.now() / 60_000) * 60_000;
    await service.services.accountsDb.run(
      `INSERT INTO rate_windows (key_id, minute, used, granted, most) VALUES ($1, $2, $3, 0, 0)
        ON CONFLICT (key_id) DO UPDATE SET minute = excluded.minute, used = excluded.used`,
      [caller.keyId, minute, used],
    );
  }
  /** The stored counts: rate window, and quota of all periods. */
  async function counts({ caller }: TestKey, { services } = service): Promise<[number, number]> {
    const window = await services.accountsDb.one<{ used: number }>('SELECT used FROM rate_windows WHERE key_id = $1', [
      caller.keyId,
    ]);
    const quota = await services.accountsDb.one<{ used: number }>(
      'SELECT CAST(sum(used) AS BIGINT) AS used FROM quotas WHERE account_id = $1',
      [caller.accountId],
    );
    return [window?.used ?? 0, quota?.used ?? 0];
  }
  async function setPlan({ caller }: TestKey, plan: PlanId, anchor: string | null = null): Promise<void> {
    await grantPlan(service.services, caller.accountId, plan, anchor === null ? {} : { period: { start: anchor } });
  }

  return {
    get service() {
      return service;
    },
    get,
    addKey,
    newKey,
    setQuota,
    setWindow,
    counts,
    setPlan,
  };
}
