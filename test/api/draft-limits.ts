import assert from 'node:assert/strict';
import { parseList } from 'structured-headers';

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
export function checkDraftLimits(headers: Headers): void {
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
