import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../src/core/errors.ts';
import { matchEach } from '../../src/matching/batch.ts';
import type { MatchAnswer, Matcher } from '../../src/matching/matching.ts';

const answer: MatchAnswer = { status: 'none', text: '', candidates: [], bounded: false };
const queries = Array.from({ length: 100 }, (_, at) => ({ query: { name: `Name ${at}` } }));

/** The deadline passes when `answered` queries have been asked for. */
function createAsked(answered: number) {
  let asked = 0;
  const matcher: Matcher = {
    async match() {
      asked++;
      return { version: '1-0', answers: [answer] };
    },
  };
  const requester = {
    account: 'account',
    get deadline() {
      return asked >= answered ? 0 : Number.POSITIVE_INFINITY;
    },
  };
  return { matcher, requester, count: () => asked };
}

test('a list whose deadline has passed stops: the other queries fail, and none of them is computed', async () => {
  const { matcher, requester, count } = createAsked(30);
  const { outcomes } = await matchEach(matcher, queries, requester);
  assert.equal(count(), 30);
  assert.equal(outcomes.filter((each) => 'answer' in each).length, 30);
  for (const each of outcomes) {
    if ('answer' in each) continue;
    assert.ok(each.error instanceof Failure && each.error.code === 'service_unavailable');
  }
});

test('a list whose caller has gone stops, and says what was answered', async () => {
  const { matcher, count } = createAsked(100);
  const requester = { account: 'account', deadline: Number.POSITIVE_INFINITY, isGone: () => count() >= 30 };
  const { outcomes } = await matchEach(matcher, queries, requester);
  assert.deepEqual([count(), outcomes.filter((each) => 'answer' in each).length], [30, 30]);
});

test('a list whose deadline has passed before its first query fails as a whole', async () => {
  const { matcher, requester, count } = createAsked(0);
  await assert.rejects(
    matchEach(matcher, queries, requester),
    (error) => error instanceof Failure && error.code === 'service_unavailable',
  );
  assert.equal(count(), 0);
});
