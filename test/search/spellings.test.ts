import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMatcher } from '../../src/search/match/matcher.ts';
import { requester } from '../matching/source.ts';
import { openMemory } from './engines.ts';
import { company } from './worlds.ts';

const names = [
  'Société Minière du Delta (SOMIDE)',
  'Mersey Irrigation and Dairy Association (MIDA)',
  'North Wessex Zonal Transport Ltd',
  'Fu Bao Trading',
  'Yunshengda Textile',
  'Kazenergoy Service',
  'Жамбыл Цемент',
  'Ձորային Էներգիա',
  'Halgreen Ostrander',
  'Kestrel',
] as const;

/** How a name is asked for, and the company that is meant. */
const asked: readonly (readonly [asked: string, name: (typeof names)[number]])[] = [
  ['SOMIDE', 'Société Minière du Delta (SOMIDE)'],
  ['MIDA', 'Mersey Irrigation and Dairy Association (MIDA)'],
  ['NWZT', 'North Wessex Zonal Transport Ltd'],
  ['SMD', 'Société Minière du Delta (SOMIDE)'],
  ['Fubao', 'Fu Bao Trading'],
  ['Yun Sheng Da Textile', 'Yunshengda Textile'],
  ['Kazenergoi', 'Kazenergoy Service'],
  ['HadgreenOstrander', 'Halgreen Ostrander'],
  ['AbKestrel Canada', 'Kestrel'],
  ['Dzhambyl Tsement', 'Жамбыл Цемент'],
  ['Jambyl Cement', 'Жамбыл Цемент'],
  ['Dzorayin Energiya', 'Ձորային Էներգիա'],
];

test('acronyms, joined and split words, and several romanisations are found first', async () => {
  await using engine = await openMemory();
  await engine.store(names.map((name) => company(name)));
  const matcher = createMatcher(engine.candidates);
  for (const [name, expected] of asked) {
    const { answer } = await matcher.match({ name }, requester);
    assert.equal(answer.candidates[0]?.entity.canonicalName, expected, name);
  }
});
