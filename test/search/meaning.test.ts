import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_NAME_LENGTH } from '../../src/base/entity-summary.ts';
import { registers } from '../../src/registers/index.ts';
import { readVatNumber } from '../../src/registers/vat-numbers.ts';
import { createMatcher } from '../../src/search/memory/answer/matcher.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import type { MatchArrays } from '../../src/search/memory/search-index.ts';
import { use } from '../harness/use.ts';
import { openMemory } from './engines.ts';
import type { OracleQuery } from './oracle.ts';
import { everything } from './world-queries.ts';
import { company, type WorldEntity } from './worlds.ts';

const syllables = (count: number, word: (at: number) => string, between = ' ') =>
  Array.from({ length: count }, (_, at) => word(at)).join(between);

const SHORT = 'a a bank';
/** The longest names that the store accepts, of one word and of many, rare and repeated ones. */
const LONG = [
  syllables(800, (at) => `w${at % 900}`)
    .slice(0, 4_000)
    .trim(),
  syllables(1_999, () => 'a'),
  syllables(1_000, () => 'na', ''),
  'b'.repeat(MAX_NAME_LENGTH),
  `${'-'.repeat(300)} кооператив ${'ж'.repeat(900)} ${'𠮷'.repeat(150)}`,
  SHORT,
];

/** What queries mean, with literal expectations: the oracle of the other tests could share a mistake with the engines. */
describe('the meaning of a query', () => {
  const engine = use(openMemory, (opened) => opened[Symbol.asyncDispose]());

  async function find(query: Partial<OracleQuery>): Promise<string[]> {
    const { data } = JSON.parse(await engine.find({ ...everything, ...query }));
    return data.map(({ canonicalName }: { canonicalName: string }) => canonicalName);
  }

  async function assertFound(cases: Readonly<Record<string, readonly string[]>>): Promise<void> {
    for (const [q, names] of Object.entries(cases)) assert.deepEqual(await find({ q }), names, q);
  }

  test('punctuation other than separators never disappears', async () => {
    await engine.store([
      company('100% Wool', '11'),
      company('#1 Cars', '12'),
      company('A&B', '13'),
      company('C++ School', '14'),
      company('24/7 Locks', '15'),
      company('plain', '100-1-247'),
      company('other', 'AB 1'),
      company('third', 'C1'),
      company('percent', '5%'),
      company('a_b limited', '2'),
      company('C:\\dos', '3'),
    ]);
    await assertFound({
      '100%': ['100% Wool'],
      '#1': ['#1 Cars'],
      'a&b': ['A&B'],
      'c++': ['C++ School'],
      '24/7': ['24/7 Locks'],
      '5%': ['percent'],
      '%': ['100% Wool', 'percent'],
      '100%l': [],
      _: ['a_b limited'],
      a_b_lim: [],
      '\\': ['C:\\dos'],
      'c:\\\\dos': [],
      ab: ['other'],
      'a.b': [],
    });
  });

  test('numbers are found as written, and without separators if the query can be a number', async () => {
    await engine.store([
      company('belgian', '0760.701.219'),
      company('norwegian', '923609016'),
      company('romanian', 'ROONRC.J40/123/2005'),
      company('scottish', 'SC123456'),
      company('short', '24-7'),
      company('underscore', '55_66'),
    ]);
    await assertFound({
      '0760.701.219': ['belgian'],
      '0760701219': ['belgian'],
      '0760/701-219': ['belgian'],
      '60.70': ['belgian'],
      '6070': ['belgian'],
      '923 609 016': ['norwegian'],
      '923–609–016': ['norwegian'],
      'sc 123 456': ['scottish'],
      'J40/123': ['romanian'],
      'J40 123 2005': ['romanian'],
      // Only as written: it has no digit.
      'onrc.j': ['romanian'],
      onrcj: [],
      cj: [],
      cj4: ['romanian'],
      // Fewer than five letters and digits: the separators of the query count.
      '24/7': [],
      '24-7': ['short'],
      247: ['short'],
      '55_66': ['underscore'],
      '5566': [],
      '55-66': [],
    });
  });

  test('Japanese names are found by fragments of any length, full-width letters and digits by plain ones', async () => {
    await engine.store([
      company('株式会社Ｔ＆Ｍコンサルティング', '1280001005507'),
      company('有限会社ＨＡＰ観光', '1280002007428'),
      company('見本２１', '7000012050002'),
      company('ヴェルテックス株式会社', '1010001171342'),
      company('ﾍﾙﾒｽｼｽﾃﾑｽﾞ', '4010801014350'),
    ]);
    await assertFound({
      観: ['有限会社ＨＡＰ観光'],
      観光: ['有限会社ＨＡＰ観光'],
      光観: [],
      本: ['見本２１'],
      会社: ['ヴェルテックス株式会社', '有限会社ＨＡＰ観光', '株式会社Ｔ＆Ｍコンサルティング'],
      't&m': ['株式会社Ｔ＆Ｍコンサルティング'],
      hap観: ['有限会社ＨＡＰ観光'],
      ｈａｐ: ['有限会社ＨＡＰ観光'],
      21: ['見本２１'],
      '２１': ['見本２１'],
      // Half-width kana are the same signs, and a sign is found with and without its voice mark.
      ヘルメスシステムズ: ['ﾍﾙﾒｽｼｽﾃﾑｽﾞ'],
      システムス: ['ﾍﾙﾒｽｼｽﾃﾑｽﾞ'],
      テックス: ['ヴェルテックス株式会社'],
      '１２８０００２００７４２８': ['有限会社ＨＡＰ観光'],
      '７０００－０１２０': ['見本２１'],
    });
  });

  test('Chinese and Hebrew names are found by fragments of any length, and without their marks', async () => {
    await engine.store([
      company('台灣積體電路製造股份有限公司', '22099131'),
      company('和興２１商店', '61194605'),
      company('תנופה תעשיות בע"מ', '510000011'),
      company('תנופה אחזקות בע"מ', '510000029'),
    ]);
    await assertFound({
      製: ['台灣積體電路製造股份有限公司'],
      電路: ['台灣積體電路製造股份有限公司'],
      路電: [],
      '２１商': ['和興２１商店'],
      21: ['和興２１商店'],
      '６１１９': ['和興２１商店'],
      '２２０９９１３１': ['台灣積體電路製造股份有限公司'],
      ת: ['תנופה אחזקות בע"מ', 'תנופה תעשיות בע"מ'],
      תע: ['תנופה תעשיות בע"מ'],
      עת: [],
      תנופה: ['תנופה אחזקות בע"מ', 'תנופה תעשיות בע"מ'],
      // Quotation marks of all scripts are equal, also the one of Hebrew abbreviations.
      'בע״מ': ['תנופה אחזקות בע"מ', 'תנופה תעשיות בע"מ'],
      תְּנוּפָה: ['תנופה אחזקות בע"מ', 'תנופה תעשיות בע"מ'],
      '５１００００': ['תנופה אחזקות בע"מ', 'תנופה תעשיות בע"מ'],
    });
  });

  test('apostrophes, quotation marks and dashes are equal, invisible characters are ignored', async () => {
    await engine.store([
      company('O’Neill', '1'),
      company("O'Neill", '2'),
      company('Jean–Luc', '3'),
      company('„Alfa“', '4'),
      company('Soft\u00adware', '5'),
    ]);
    await assertFound({
      "o'neill": ["O'Neill", 'O’Neill'],
      'o‘neill': ["O'Neill", 'O’Neill'],
      'jean-luc': ['Jean–Luc'],
      'jean—luc': ['Jean–Luc'],
      '"alfa"': ['„Alfa“'],
      '«alfa»': ['„Alfa“'],
      software: ['Soft\u00adware'],
      'soft\u200bware': ['Soft\u00adware'],
    });
  });

  test('a VAT number with its prefix finds the company of that country', async () => {
    const foreign = (country: WorldEntity['country'], name: string, number: string): WorldEntity => {
      return { ...company(name, number), country };
    };
    await engine.store([
      foreign('BE', 'belgian', '0760.701.219'),
      foreign('BE', 'longer', '0760.701.219.1'),
      foreign('GB', 'british', '0760.701.219'),
      foreign('NO', 'norwegian', '923609016'),
      { ...foreign('BE', 'global', '0760701219'), register: 'gleif' },
    ]);
    await assertFound({
      BE0760701219: ['belgian', 'global'],
      'be 0760.701.219': ['belgian', 'global'],
      BE076070121: [],
      GB0760701219: [],
      NO923609016: ['norwegian'],
      'NO 923 609 016 MVA': ['norwegian'],
    });
    assert.deepEqual(await find({ q: 'BE0760701219', register: 'gleif' }), ['global']);
  });

  test('words are found in any order, in all names and in Latin letters, the most relevant first', async () => {
    const former = (...names: readonly string[]) => ({ registry: { previousNames: names.map((name) => ({ name })) } });
    await engine.store([
      company('ALBION ELM HOLDINGS LTD', '16802418'),
      company('Albion Holdings', '2', { status: 'dissolved' }),
      company('Albion & Holdings (UK)', '3', { status: 'dissolved' }),
      company('Albion-Holdings Zwei', '4'),
      company('Albionic Holdingsworth', '5'),
      company('Newalbion Shareholdings', '6'),
      company('Renamed', '7', former('Albion Holdings')),
      company('Half Albion', '8', former('Old Holdings')),
      { ...company('БЕРЕГИНЯ', '9'), country: 'UA' as 'MD' },
      company('Vinaria', '10', former('Київський завод')),
      company('SC1', 'SC123456'),
    ]);
    const cases: Readonly<Record<string, readonly string[]>> = {
      'holdings albion': [
        ...['ALBION ELM HOLDINGS LTD', 'Albion-Holdings Zwei', 'Albion & Holdings (UK)', 'Albion Holdings'],
        ...['Half Albion', 'Renamed', 'Albionic Holdingsworth', 'Newalbion Shareholdings'],
      ],
      'Albion Holdings': [
        ...['Albion Holdings', 'Renamed', 'ALBION ELM HOLDINGS LTD', 'Albion-Holdings Zwei', 'Albion & Holdings (UK)'],
        ...['Half Albion', 'Albionic Holdingsworth', 'Newalbion Shareholdings'],
      ],
      'hold alb elm': ['ALBION ELM HOLDINGS LTD'],
      berehynia: ['БЕРЕГИНЯ'],
      beregina: ['БЕРЕГИНЯ'],
      'zavod kyiv': ['Vinaria'],
      'albion 16802418': ['ALBION ELM HOLDINGS LTD'],
      '(sc123456)': ['SC1'],
      'albion ltd zzz': [],
      'ALBION albion ELM': ['ALBION ELM HOLDINGS LTD'],
    };
    for (const [words, names] of Object.entries(cases))
      assert.deepEqual(await find({ words, sort: 'relevance' }), names, words);
    assert.deepEqual(await find({ words: 'albion', q: 'holdings', status: 'dissolved', sort: 'name' }), [
      ...['Albion & Holdings (UK)', 'Albion Holdings'],
    ]);
    assert.equal((await find({ words: '& -' })).length, 11);
    assert.deepEqual(await find({ q: 'berehynia' }), []);
  });

  test('an activity is found by its code, its label and the value of the source', async () => {
    const activity = {
      type: 'unlicensed',
      code: '88990',
      label: 'Social work',
      written: '88990 - Social work ',
    } as const;
    const otherLabels = ['Callcenterverksamhet', 'Activities of call centres'];
    await engine.store([
      company('a', '1', { activities: [{ ...activity, scheme: 'SIC', otherLabels }] }),
      company('b', '2'),
    ]);
    for (const value of otherLabels) assert.deepEqual(await find({ activity: value }), ['a'], value);
    assert.deepEqual(await find({ activity: otherLabels[0], activityType: 'licensed' }), []);
    for (const value of Object.values(activity).slice(1))
      assert.deepEqual(await find({ activity: value }), ['a'], value);
    assert.deepEqual(await find({ activity: activity.written, activityType: 'licensed' }), []);
    assert.deepEqual(await find({ activity: activity.written.trim() }), []);
  });

  test('a jurisdiction is found by its code, and not by the country that it is in', async () => {
    await engine.store([
      company('a', '1', { registry: { jurisdiction: 'US-NY' } }),
      company('b', '2', { registry: { jurisdiction: 'US-DE' } }),
      company('c', '3', { registry: { jurisdiction: 'GB' } }),
      company('d', '4'),
    ]);
    assert.deepEqual(await find({ jurisdiction: 'US-NY' }), ['a']);
    assert.deepEqual(await find({ jurisdiction: 'GB' }), ['c']);
    assert.deepEqual(await find({ jurisdiction: 'US' }), []);
  });

  test('a legal form is found as written, and by its code with a filter of its own', async () => {
    await engine.store([
      company('a', '1', { legalForm: { code: 'AS', label: 'Aksjeselskap' } }),
      company('b', '2', { legalForm: { label: 'AS' } }),
      company('c', '3', { legalForm: { code: 'AS', label: 'AS' } }),
      company('d', '4', { legalForm: { code: 'H0PO' } }),
      company('e', '5'),
    ]);
    assert.deepEqual(await find({ legalForm: 'AS' }), ['b', 'c']);
    assert.deepEqual(await find({ legalFormCode: 'AS' }), ['a', 'c']);
    assert.deepEqual(await find({ legalForm: 'AS', legalFormCode: 'AS' }), ['c']);
    assert.deepEqual(await find({ legalFormCode: 'H0PO' }), ['d']);
    for (const code of ['as', 'Aksjeselskap']) assert.deepEqual(await find({ legalFormCode: code }), [], code);
    assert.deepEqual(await find({ legalForm: 'Aksjeselskap' }), ['a']);
    assert.deepEqual(await find({ legalForm: 'H0PO' }), ['d']);
    assert.deepEqual(await find({ legalForm: 'as' }), []);
  });

  test('status and register are exact and combine with everything else', async () => {
    await engine.store([
      company('a one', '1', { status: 'dissolved' }),
      company('a two', '2'),
      { ...company('a three', '3'), register: 'gleif' },
    ]);
    assert.deepEqual(await find({ status: 'dissolved' }), ['a one']);
    assert.deepEqual(await find({ status: 'active', q: 'a t' }), ['a three', 'a two']);
    assert.deepEqual(await find({ register: 'gleif', country: 'GB' }), ['a three']);
    assert.deepEqual(await find({ register: 'gb', status: 'active' }), ['a two']);
    assert.deepEqual(await find({ register: 'GB' }), []);
    assert.deepEqual(await find({ status: 'insolvent' }), []);
  });

  test('results show the register, the first registration number as published, and the city', async () => {
    const numbers = ['SC123456', '0760.701.219', 'sc1', 'Sc2', 'a"b\\c', '№5', '１２', 'HRB 12/B'];
    await engine.store([
      ...numbers.map((number, at) =>
        company(`n${at}`, number, { registry: { address: { text: 'x', city: `C"${at}` } } }),
      ),
      company('n8', 'none', { registrations: [], registry: { address: { text: 'x' } } }),
    ]);
    const { data } = JSON.parse(await engine.find(everything));
    const shown = data.map((one: Record<string, string>) => [one.register, one.registrationNumber, one.city]);
    assert.deepEqual(shown, [...numbers.map((number, at) => ['gb', number, `C"${at}`]), ['gb', null, null]]);
  });

  test('the newest registration first, those without a date last, names within a day', async () => {
    const day = (registeredAt: string | null) => ({ registeredAt });
    await engine.store([
      company('Delta', '1', day('2020-01-01')),
      company('Alpha', '2', day(null)),
      company('Beta', '3', day('2024-12-31')),
      company('Alpha', '4', day('2020-01-01')),
      company('Gamma', '5', day('1850-06-30')),
    ]);
    for (const [fields, numbers] of [
      [{ sort: '-registeredAt' }, '34152'],
      [{ sort: '-registeredAt', page: 2, pageSize: 2 }, '15'],
      [{ sort: '-registeredAt', q: 'alpha' }, '42'],
      [{ registeredFrom: '2020-01-01' }, '431'],
      [{ registeredTo: '2020-01-01', sort: '-registeredAt' }, '415'],
      [{ registeredFrom: '2020-01-02', registeredTo: '2024-12-31' }, '3'],
      [{ registeredFrom: '2021-01-01', registeredTo: '2020-01-01' }, ''],
    ] as const) {
      const { data } = JSON.parse(await engine.find({ ...everything, ...fields }));
      const found = data.map((one: { registrationNumber: string }) => one.registrationNumber);
      assert.equal(found.join(''), numbers, JSON.stringify(fields));
    }
  });

  test('a page after the last one is empty and has the same total', async () => {
    await engine.store([company('a'), company('b'), company('abc')]);
    for (const page of [2, 1_000, 2 ** 31, 2 ** 53 - 1]) {
      for (const [q, total] of Object.entries({ '': 3, a: 2, abc: 1 })) {
        const expected = `{"data":[],"meta":{"page":${page},"pageSize":100,"pageCount":1,"total":${total}}}`;
        assert.equal(await engine.find({ ...everything, q, page }), expected);
      }
    }
    await engine.store([]);
    const none = '{"data":[],"meta":{"page":1,"pageSize":100,"pageCount":0,"total":0}}';
    assert.equal(await engine.find(everything), none);
  });

  test('long names are found by all of them and by all but their edges, and any difference counts', async () => {
    await engine.store(LONG.map((one, at) => company(one, `n${at}`)));
    for (const wanted of LONG) {
      const start = wanted.slice(0, 20);
      const rest = [...wanted].slice(1, -1).join('');
      assert.ok((await find({ q: rest })).includes(wanted), start);
      const found = await find({ q: wanted });
      if (wanted === SHORT) assert.ok(found.includes(wanted));
      else assert.deepEqual(found, [wanted], start);
      for (const at of [0, 1, wanted.length >> 1, wanted.length - 1]) {
        const other = `${wanted.slice(0, at)}q${wanted.slice(at + 1)}`;
        assert.deepEqual(await find({ q: other }), [], `${start} at ${at}`);
      }
      assert.deepEqual(await find({ q: `${wanted}x` }), []);
    }
    for (const q of [' bank ', '\tbank\n', 'a  bank', 'a \u00a0 a\u3000bank'])
      assert.deepEqual(await find({ q }), [SHORT], `outer blanks are ignored, and several count as one: "${q}"`);
    assert.deepEqual(await find({ q: 'ban k' }), []);
  });
});
test('the work for a long fragment does not grow with it, in memory', async () => {
  await using engine = await openMemory();
  const letters = (count: number) => syllables(count, (at) => 'abc'[at % 3] as string);
  await engine.store([
    ...Array.from({ length: 300 }, (_, at) => company(`a b c ${at}`, `12345678${at}`)),
    company(letters(1_999), 'long'),
  ]);
  const { arrays, texts } = await buildIndex(engine.db);
  const countReads = (name: keyof MatchArrays, work: (matcher: ReturnType<typeof createMatcher>) => unknown) => {
    let reads = 0;
    const watched = new Proxy(arrays[name] as object, {
      get(of, key) {
        reads++;
        return Reflect.get(of, key);
      },
    });
    work(createMatcher({ ...arrays, [name]: watched }, texts));
    return reads;
  };
  const phrase = (words: number) => countReads('bridgeTailsStarts', (matcher) => matcher.matchName(letters(words)));
  assert.ok(phrase(90) > 0, 'bridges are read');
  assert.ok(phrase(1_900) <= phrase(101), 'no more bridges are read for 1,900 words than for 101');
  const grams = (length: number) =>
    countReads('grams', (matcher) => matcher.matchNumber({ text: '12345678'.repeat(length / 8), asWritten: false }));
  assert.ok(grams(4_000) <= grams(400), 'no more grams are looked up');
});

test('VAT numbers of every country whose register declares them', () => {
  const numbers = {
    BE0760701219: ['BE', '0760701219'],
    CZ27082440: ['CZ', '27082440'],
    FI01120389: ['FI', '01120389'],
    FR40303265045: ['FR', '303265045'],
    LV40003032949: ['LV', '40003032949'],
    NO923609016MVA: ['NO', '923609016'],
    RO14399840: ['RO', '14399840'],
    SE556001240201: ['SE', '5560012402'],
  };
  for (const [vat, [country, number]] of Object.entries(numbers)) {
    assert.deepEqual(readVatNumber(vat.toLowerCase()), { country, number });
  }
  const declaring = registers.flatMap(({ country, vatNumber }) => (vatNumber === undefined ? [] : country));
  assert.deepEqual(
    declaring,
    Object.values(numbers).map(([country]) => country),
  );
  for (const other of ['be', 'be076070121', 'gb123456789', 'xbe0760701219', '0760701219', 'no923609016x']) {
    assert.equal(readVatNumber(other), undefined, other);
  }
});
