import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeAnswer, PAUSES } from '../../src/webhooks/delivery/outcome.ts';

const NOW = Date.parse('2026-03-15T12:00:00Z');
const answerWith = (status: number | null, retryAfter: string | null = null) => {
  return { isSent: true, status, retryAfter, reason: null, body: '', tookMs: 1 };
};

test('2xx is success, 410 the end, everything else is tried again', () => {
  for (const status of [200, 201, 202, 204, 299]) {
    assert.deepEqual(judgeAnswer(answerWith(status), 1, NOW), { kind: 'delivered' }, String(status));
  }
  assert.deepEqual(judgeAnswer(answerWith(410), 1, NOW), { kind: 'gone' });
  for (const status of [null, 100, 199, 300, 301, 302, 304, 307, 308, 400, 401, 404, 409, 429, 500, 502, 503]) {
    const expected = { kind: 'retry', at: NOW + 5_000, pausedUntil: 0 };
    assert.deepEqual(judgeAnswer(answerWith(status), 1, NOW), expected, String(status));
  }
});

test('ten attempts within a little more than three days', () => {
  const pauses = PAUSES.map((_, index) => {
    const outcome = judgeAnswer(answerWith(500), index + 1, NOW);
    assert.ok(outcome.kind === 'retry');
    return (outcome.at - NOW) / 1_000;
  });
  assert.deepEqual(pauses, [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
  assert.deepEqual(judgeAnswer(answerWith(500), 10, NOW), { kind: 'exhausted' });
});

test('Retry-After of 429 and 503 is honoured up to a day. It pauses the endpoint, and never shortens the pause of the delivery', () => {
  const pausesOf = (status: number, header: string, attempts = 1) => {
    const outcome = judgeAnswer(answerWith(status, header), attempts, NOW);
    assert.ok(outcome.kind === 'retry');
    return [(outcome.at - NOW) / 1_000, Math.max(0, outcome.pausedUntil - NOW) / 1_000];
  };
  for (const status of [429, 503]) {
    assert.deepEqual(pausesOf(status, '120'), [120, 120]);
    assert.deepEqual(pausesOf(status, 'Sun, 15 Mar 2026 12:10:00 GMT'), [600, 600]);
    assert.deepEqual(pausesOf(status, '1'), [5, 1]);
    assert.deepEqual(pausesOf(status, '999999999'), [86_400, 86_400]);
    // Other deliveries do not wait as long as one that has failed often.
    assert.deepEqual(pausesOf(status, '60', 4), [7_200, 60]);
    assert.deepEqual(pausesOf(status, 'soon'), [5, 0]);
  }
  assert.deepEqual(pausesOf(500, '120'), [5, 0]);
});
