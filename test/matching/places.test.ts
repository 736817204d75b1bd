import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preparePlaces, readPlace } from '../../src/matching/places.ts';

test('the names of countries are read in many turns of the event loop, once for all who wait', async () => {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all([preparePlaces(), preparePlaces()]);
  isDone = true;
  assert.ok(turns > 3, `${turns} turns`);
  assert.deepEqual(readPlace(['banco', 'korea'], 1), { code: 'KR', length: 1 });
  assert.deepEqual(readPlace(['republica', 'dominicana'], 0), { code: 'DO', length: 2 });
  assert.equal(readPlace(['banco'], 0), undefined);
  turns = 0;
  await preparePlaces();
  assert.equal(turns, 0, 'they are not read again');
});
