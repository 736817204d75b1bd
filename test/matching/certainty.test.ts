import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMatcher } from '../../src/search/match/matcher.ts';
import type { MatchQuery } from '../../src/search/match/matching.ts';
import { createChance } from '../../synthetic/chance.ts';
import { openMemory } from '../search/engines.ts';
import { company, type WorldEntity } from '../search/worlds.ts';
import { requester } from './source.ts';

/** Each word is in some 40 names, so that most companies have rivals in their country and in others. */
const chance = createChance(12);
const FIRST = Array.from({ length: 64 }, () =>
  Array.from({ length: 3 }, () => chance.pick([...'bdfgklmnprstvz']) + chance.pick([...'aeiou'])).join(''),
);
const SECOND = 'foods energy shipping timber design transport consulting holding'.split(' ');
const FORMS = { GB: 'Ltd', NO: 'AS', MD: 'SRL', BE: 'NV' } as const;
const CODES = Object.keys(FORMS) as (keyof typeof FORMS)[];

function inventCompany(at: number): WorldEntity {
  const country = chance.pick(CODES);
  const words = [chance.pick(FIRST), chance.pick(FIRST), chance.pick(SECOND)].slice(0, chance.between(2, 3));
  const name = `${[...new Set(words)].join(' ')} ${FORMS[country]}`;
  const address = { text: 'x', city: `Town ${at % 7}` };
  const legalForm = { label: FORMS[country], scheme: 'test' };
  const more = { legalForm, registeredAt: `20${10 + (at % 9)}-02-03`, registry: { address } };
  return { ...company(name, String(10_000_000 + at), more), country };
}

function change(name: string): string {
  const at = chance.between(2, name.length - 3);
  return chance.pick([
    name,
    name.toUpperCase(),
    name.split(' ').slice(0, -1).join(' '),
    name.slice(0, at) + name.slice(at + 1),
    name.split(' ').reverse().join(' '),
  ]);
}

test('what a caller adds never lowers the certainty of the right company', async () => {
  await using engine = await openMemory();
  const world = Array.from({ length: 1_500 }, (_, at) => inventCompany(at));
  const records = await engine.store(world);
  const matcher = createMatcher(engine.candidates);
  async function certaintyOf(id: string, query: MatchQuery): Promise<number> {
    const { answer } = await matcher.match({ ...query, limit: 100 }, requester);
    return answer.candidates.find(({ entity }) => entity.id === id)?.score ?? 0;
  }
  for (let asked = 0; asked < 200; asked++) {
    const at = chance.between(0, world.length - 1);
    const { id, canonicalName, countryCode, city, registrationNumber, legalForm, registeredAt } = records[
      at
    ] as (typeof records)[number];
    const additions: Partial<MatchQuery>[] = [
      { country: countryCode },
      { city: city ?? assert.fail() },
      { registrationNumber: registrationNumber ?? assert.fail() },
      { legalForm: legalForm ?? assert.fail() },
      { registeredAt: registeredAt ?? assert.fail() },
      { status: 'active' },
    ];
    const name = change(canonicalName);
    const given = Object.assign({ name }, ...additions.filter(() => chance.is(0.3)));
    const before = await certaintyOf(id, given);
    for (const more of additions) {
      const certainty = await certaintyOf(id, { ...given, ...more });
      assert.ok(
        certainty >= before - 0.001,
        `${canonicalName}: ${JSON.stringify(given)} ${before}, with ${JSON.stringify(more)} ${certainty}`,
      );
    }
  }
});
