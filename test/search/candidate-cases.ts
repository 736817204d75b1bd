import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fold } from '../../src/base/fold.ts';
import type { AskedName, CandidateSource, Candidates } from '../../src/search/match/matching.ts';
import type { TestEngine } from './engines.ts';
import { company, type WorldEntity } from './worlds.ts';

export function askFor(name: string, more: Partial<AskedName> = {}): AskedName {
  const words = name.toLowerCase().split(' ');
  return { words, joined: [], numbers: [], country: undefined, limit: 60, ...more };
}

async function find(source: CandidateSource, asked: AskedName): Promise<Candidates> {
  return source.find(asked, { account: 'account', deadline: Number.POSITIVE_INFINITY });
}

export async function findNames(source: CandidateSource, name: string, more?: Partial<AskedName>): Promise<string[]> {
  const { candidates } = await find(source, askFor(name, more));
  return candidates.map(({ entity }) => entity.canonicalName);
}

const FIRST = 'Harwood Bannister Kestrel Marlowe Thistle Beacon Quantum Sterling Albion Vertex'.split(' ');
const SECOND = ['Engineering', 'Solutions', 'Catering', 'Plumbing', 'Properties', 'Marketing', 'Logistics', 'Foods'];
const PLACES = ['London', 'Leeds', 'Oslo', 'Bergen', 'Tallinn'];

/** 400 companies whose names share their words. */
export const crowd: readonly WorldEntity[] = FIRST.flatMap((first) =>
  SECOND.flatMap((second) => PLACES.map((place) => company(`${first} ${second} (${place}) Ltd`))),
);

const named = (name: string, previous: readonly string[], other: readonly string[] = []) =>
  company(name, name, {
    registry: {
      previousNames: previous.map((one) => ({ name: one })),
      otherNames: other.map((one) => ({ name: one })),
    },
  });

const world = [
  ...crowd,
  company('Wetherstone Crane Hire Ltd', '12 345-678'),
  company('Q 7 Ltd'),
  company('Vander Bilt Shipping Ltd'),
  company("O'Halloran & Sons Ltd"),
  company('A.B.C. Turbines Ltd'),
  company('Smith-Zellweger Gruppen AS'),
  company('Ρόδος Ναυτιλιακή ΑΕ'),
  company('Twin Name Ltd', '1'),
  company('TWIN NAME LTD', '2'),
  { ...company('Twin Name Ltd', '3'), country: 'NO' as const },
  { ...company('Fjellhammer Bygg AS', '912345678'), country: 'NO' as const },
  named('Nuvexia Group plc', ['Old Corner Bakery Limited', 'Xanthippe Biscuits Ltd'], ['Corner Shop "Online"']),
];

/** Ways to write "Wetherstone Crane Hire". */
const MISSPELT = {
  'a letter replaced': 'wetherstoke crane hire',
  'a letter added': 'wethersttone crane hire',
  'a letter left out': 'wethrstone crane hire',
  'letters swapped': 'wethertsone crane hire',
  'the first letter wrong': 'vetherstone crane hire',
  'two letters wrong': 'wethorstane crane',
  'a word too much': 'wetherstone crane hire international',
  'a word missing': 'wetherstone',
  'the end cut off': 'wetherstone crane hi',
  'a word cut off': 'wethers crane',
};

const FOUND: readonly (readonly [asked: string, name: string, more?: Partial<AskedName>])[] = [
  ['q 7', 'Q 7 Ltd'],
  ['q 7', 'Q 7 Ltd', { country: 'GB' }],
  ['harwood engineering london', 'Harwood Engineering (London) Ltd'],
  ['london engineering harwood', 'Harwood Engineering (London) Ltd'],
  ['vanderbilt shipping', 'Vander Bilt Shipping Ltd'],
  ['vanderbilt', 'Vander Bilt Shipping Ltd'],
  ['wether stone', 'Wetherstone Crane Hire Ltd', { joined: ['wetherstone'] }],
  ['ohalloran sons', "O'Halloran & Sons Ltd"],
  ['abc turbines', 'A.B.C. Turbines Ltd'],
  ['zellweger', 'Smith-Zellweger Gruppen AS'],
  ['smith gruppen', 'Smith-Zellweger Gruppen AS'],
  [fold('Ρόδος ναυτιλιακη'), 'Ρόδος Ναυτιλιακή ΑΕ'],
];

/** What a source of candidates must find, whatever it is made of. */
export function testCandidates(
  name: string,
  open: () => Promise<Pick<TestEngine, 'store' | 'candidates' | typeof Symbol.asyncDispose>>,
  options: { skip?: string | false } = {},
): void {
  describe(`candidates from ${name}`, options, () => {
    let opened: Awaited<ReturnType<typeof open>>;
    before(async () => {
      opened = await open();
      await opened.store(world);
    });
    after(() => opened?.[Symbol.asyncDispose]());

    const finds = async (asked: string, expected: string, more = {}) =>
      assert.ok(
        (await findNames(opened.candidates, asked, more)).includes(expected),
        `"${asked}" does not find ${expected}`,
      );

    test('every name that has all words, in any order', async () => {
      const names = world.map(({ record }) => fold(record.canonicalName));
      for (const asked of [
        'kestrel foods',
        'foods kestrel',
        'oslo albion marketing',
        'ltd london beacon catering',
        'twin name',
      ]) {
        const has = (text: string) => asked.split(' ').every((word) => text.split(/[^a-z]+/).includes(word));
        const expected = names.filter(has).sort();
        assert.ok(expected.length > 0);
        const found = (await findNames(opened.candidates, asked)).map(fold);
        for (const one of expected) assert.ok(found.includes(one), `${asked}: ${one}`);
        assert.ok(has(found[0] ?? ''), `${asked}: ${found[0]} comes first`);
      }
    });

    test('a rare word counts more than misspelt frequent ones', async () => {
      const [first] = await findNames(opened.candidates, 'wetherstone enginering londn');
      assert.equal(first, 'Wetherstone Crane Hire Ltd');
    });

    for (const [kind, asked] of Object.entries(MISSPELT)) {
      test(`a name with ${kind}`, () => finds(asked, 'Wetherstone Crane Hire Ltd'));
    }

    test('short and frequent words, joined and split ones, initials, hyphens, and other scripts', async () => {
      for (const [asked, expected, more] of FOUND) await finds(asked, expected, more);
      assert.deepEqual(await findNames(opened.candidates, '', { words: [], country: 'GB' }), []);
    });

    test('former and further names, with their kinds', async () => {
      await finds('old corner bakery', 'Nuvexia Group plc');
      await finds('xanthippe biscuits', 'Nuvexia Group plc');
      await finds('biscuits xanthippe', 'Nuvexia Group plc');
      await finds('corner shop online', 'Nuvexia Group plc');
      const { candidates } = await find(opened.candidates, askFor('xanthippe biscuits'));
      assert.deepEqual(candidates[0]?.names, [
        { text: 'Nuvexia Group plc', kind: 'current' },
        { text: 'Old Corner Bakery Limited', kind: 'former' },
        { text: 'Xanthippe Biscuits Ltd', kind: 'former' },
        { text: 'Corner Shop "Online"', kind: 'other' },
      ]);
    });

    test('numbers, without a name, and VAT numbers of their country', async () => {
      const numbers = { words: [], numbers: ['12345678'] };
      const { candidates } = await find(opened.candidates, askFor('', numbers));
      assert.deepEqual(
        candidates.map(({ entity, numbers }) => [entity.canonicalName, numbers]),
        [['Wetherstone Crane Hire Ltd', ['12345678']]],
      );
      await finds('nothing like it', 'Wetherstone Crane Hire Ltd', numbers);
      await finds('', 'Fjellhammer Bygg AS', { words: [], numbers: ['no912345678mva'] });
    });

    test('only companies of the country', async () => {
      const inNorway = await find(opened.candidates, askFor('twin name', { country: 'NO' }));
      assert.deepEqual(
        inNorway.candidates.map(({ entity }) => entity.countryCode),
        ['NO'],
      );
      assert.equal((await find(opened.candidates, askFor('twin name', { country: 'MD' }))).candidates.length, 0);
      assert.deepEqual(await findNames(opened.candidates, '', { words: [], numbers: ['12345678'], country: 'NO' }), []);
    });

    test('how many companies there are, have a word, and have the same name', async () => {
      const all = await find(opened.candidates, askFor('twin name'));
      assert.equal(all.entities, world.length);
      assert.equal(all.frequency('twin'), 3);
      assert.equal(all.frequency('wetherstone'), 1);
      assert.equal(all.frequency('absent'), 0);
      const [first] = all.candidates;
      assert.ok(first);
      assert.equal(all.sameName(first), 3);
      const inNorway = await find(opened.candidates, askFor('twin name', { country: 'NO' }));
      assert.equal(inNorway.entities, all.entities);
      assert.equal(inNorway.frequency('twin'), 3);
      assert.equal(inNorway.sameName(inNorway.candidates[0] ?? first), 1);
      assert.ok(all.frequency('ltd') > crowd.length * 0.9);
    });

    test('no words, unknown words and hostile names', async () => {
      assert.deepEqual(await findNames(opened.candidates, '', { words: [] }), []);
      assert.deepEqual(await findNames(opened.candidates, 'qqqqqqqq'), []);
      for (const words of [
        ['a'.repeat(10_000)],
        ['x'.repeat(64)],
        Array.from({ length: 200 }, (_, at) => `word${at}`),
        Array.from({ length: 200 }, (_, at) => crowd[at]?.record.canonicalName.toLowerCase().split(' ')[at % 2] ?? ''),
        ['%', '_', '\\', "'", '\u{10ffff}', ' '],
        Array.from({ length: 200 }, () => 'a'),
      ]) {
        const joined = [words.join('')];
        const { candidates } = await find(opened.candidates, askFor('', { words, joined, numbers: joined, limit: 7 }));
        assert.ok(candidates.length <= 7);
      }
    });
  });
}
