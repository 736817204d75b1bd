import assert from 'node:assert/strict';
import { before, beforeEach } from 'node:test';
import type { PlanId } from '../../src/base/plans.ts';
import type { Caller } from '../../src/base/usage.ts';
import type { MatchQuery } from '../../src/search/match/matching.ts';
import type { Engine } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { useService } from '../harness/shared-service.ts';
import { company } from '../registry/gb-file.ts';
import { useSimpleMatcher } from './simple-matcher.ts';

export const PATH = '/api/v1/reconcile';
/** UUIDv5 of GB/gb/00000001. */
export const ALPHA = '8cfb7733-0cb1-511b-8310-bbbf2455fb10';
export const UNKNOWN = '00000000-0000-5000-8000-000000000000';
const ADDRESS = { 'RegAddress.AddressLine1': '1 High Street', 'RegAddress.PostTown': 'LONDON' };

/** A reconcile link with its account. */
export interface TestLink {
  readonly id: string;
  readonly secret: string;
  readonly path: string;
  readonly caller: Caller;
}

export interface Heard {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read different members of each reply
  readonly body: any;
}

/** A service with three companies and a simple matcher, for the tests of the surrounding `describe`. */
export function useReconcile(engine: Engine) {
  const service = useService(engine, { limits: { guessDelayMs: 0 } });
  const seen: MatchQuery[] = [];
  let failure: Error | undefined;
  before(async () => {
    await importCompanies(service, [
      company('00000001', 'ALPHA HOLDINGS LTD', { ...ADDRESS, 'RegAddress.PostCode': 'EC1A 1AA' }),
      company('00000002', 'BETA ONE LTD'),
      company('00000003', 'BETA TWO LTD'),
    ]);
    useSimpleMatcher(service, (query) => {
      seen.push(query);
      return failure;
    });
  });
  beforeEach(() => {
    seen.length = 0;
    failure = undefined;
    service.clock.advance(60_000);
  });

  async function newLink(plan: PlanId = 'pro'): Promise<TestLink> {
    const { account } = await service.signIn({ plan });
    const { id, secret } = await service.services.reconcileLinks.create(account.accountId, 'test');
    const caller = (await service.services.reconcileLinks.findKey(secret)) ?? assert.fail('the link is not found');
    return { id, secret, path: `${PATH}/l/${secret}`, caller };
  }

  async function ask(path: string, init: RequestInit = {}): Promise<Heard> {
    const response = await fetch(service.url + path, { redirect: 'manual', ...init });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const body = isJson ? JSON.parse(text) : undefined;
    assert.equal(response.headers.get('access-control-allow-origin'), '*', path);
    return { status: response.status, headers: response.headers, text, body };
  }

  const post = (path: string, fields: Record<string, unknown>, headers: Record<string, string> = {}) => {
    const texts = Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    return ask(path, { method: 'POST', headers, body: new URLSearchParams(texts) });
  };
  return {
    service,
    seen,
    ask,
    post,
    newLink,
    /** What the matcher throws instead of answering, until the test ends or repairs it. */
    breakMatcher: (error: Error | undefined) => {
      failure = error;
    },
    usedBy: async ({ caller }: { caller: Caller }) => (await service.services.meter.readUsage(caller)).used,
    leave: ({ caller }: { caller: Caller }, left: number) =>
      service.services.meter.takeUnits(caller, caller.plan.monthlyRequests - left),
  };
}

export const named = (names: readonly string[]) =>
  Object.fromEntries(names.map((query, at) => [`q${at}`, { query }] as const));
