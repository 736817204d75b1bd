import { hash } from 'node:crypto';
import type { MappedRecord } from '../../src/registers/contract.ts';
import { type Change, company, type WorldEntity } from '../search/worlds.ts';
import { MANY_WORDS } from './search-queries.ts';

/**
 * Companies and queries that reach every branch of the index in memory. Each group says what it is there for. There are more than
 * three blocks of 4,096 documents, and lists of more than 4,096.
 */
export function createWorld(): WorldEntity[] {
  let number = 0;
  const make = (
    count: number,
    name: (at: number) => string,
    fields: (at: number) => Partial<MappedRecord> = () => ({}),
  ) => Array.from({ length: count }, (_, at) => company(name(at), `m${number++}`, fields(at)));
  return [
    // More than 1,000 cities and dates, and more words than the tables start with. Words with `ab` have long lists of their own.
    ...make(
      5_000,
      (at) => `abc${at % 10} plain ${at}`,
      (at) => ({
        registeredAt: new Date(Date.UTC(1980, 0, 1 + (at % 1_500))).toISOString().slice(0, 10),
        registry: { address: { text: `City ${at % 1_300}`, city: `City ${at % 1_300}` } },
        activities: [
          { type: 'unlicensed', scheme: 'NACE', code: at % 3 === 0 ? '62020' : '01', label: null },
          ...CODES_OF_ALL,
          ...(at % 500 === 0
            ? [{ type: 'unlicensed', scheme: 'NACE', code: '7', label: null, written: '62020' } as const]
            : []),
        ],
      }),
    ),
    // In numbers and in names: two long lists that are united.
    ...make(4_300, (at) => `7771 sevens ${at}`),
    ...make(
      4_210,
      (at) => `zz${at}`,
      (at) => ({ registrations: register(`7771${hash('sha1', String(at)).slice(0, 12)}`) }),
    ),
    // Both are in one bridge, `ng` before `li`. Neither word is frequent, and too many have the ending or the beginning to be
    // listed, so the words of each candidate are checked; half of the candidates do not match.
    ...make(40, (at) => `x${at}ding lim${at}a`),
    ...make(40, (at) => `x${at}bong lim${at}b`),
    ...make(40, (at) => `x${at}bong and lim${at}c of x${at}ding or x${at}ding`),
    ...make(400, (at) => `x${at % 40}ding of lim${at % 40}${'abc'[at % 3]} or x${at % 40}ding`),
    // Frequent words in the same bridge, which cannot match.
    ...make(30, (at) => `x${at}bong lilac`),
    ...make(30, (at) => `along lio${at}`),
    ...make(30, () => 'along lilac'),
    // The phrase is also a part of many numbers, as they are written.
    ...make(
      600,
      (at) => `qq${at}`,
      (at) => ({ registrations: register(`q 12${at}`) }),
    ),
    ...make(
      20,
      (at) => `woq 12y${at}`,
      (at) => ({ legalForm: at % 2 === 0 ? { label: 'Ltd', code: 'L1' } : null }),
    ),
    ...make(
      300,
      (at) => `rare form ${at}`,
      () => ({ legalForm: { label: 'Ltd', code: 'L1' }, status: 'dissolved' }),
    ),
    // More than fits the first buffers.
    ...make(110, (at) => `long ${[1, 2, 3, 4, 5, 6].map((part) => hash('sha512', `${part} ${at}`)).join('')}`),
    // Names that are equal when folded, and differ after a character that JSON escapes.
    ...make(2, (at) => (at === 0 ? 'esc "a' : 'esc "A')),
    ...make(1, () => 'plainls'),
    // Grams of one number in two others.
    ...make(
      2,
      () => 'split',
      (at) => ({ registrations: register(at === 0 ? 'wxyz1' : 'xyz12') }),
    ),
    ...make(
      NUMBERS.length,
      () => 'numbers',
      (at) => ({ registrations: NUMBERS[at] as MappedRecord['registrations'] }),
    ),
    ...make(
      600,
      (at) => `grams ${at}`,
      (at) => ({ registrations: [...register(`g${at}-#${at}`), ...register(`h${(at * 7919) % 1000}x${at}`)] }),
    ),
    ...make(3, () => 'Same Name'),
    ...make(1, () => MANY_WORDS),
    ...make(1, () => ''),
    // Names that differ only in what folding ignores, with characters that JSON escapes.
    ...make(2, (at) => (at === 0 ? 'Back\\Slash "q"' : 'back\\slash "Q"')),
    ...make(2, (at) => (at === 0 ? 'Tab\there' : 'tab\tHere')),
    // Edges of more than one byte.
    ...make(40, (at) => `${'éßжя'[at % 4]}é ${'жéяß'[at % 4]}ж ${at}`),
    ...make(
      1,
      () => 'no number at all',
      () => ({ registrations: [], number: '' }),
    ),
    ...Array.from({ length: 30 }, (_, at): WorldEntity => {
      return {
        ...company(`Norsk ${at}`, `no${at}`, { registrations: register(String(987_000_000 + at)) }),
        country: 'NO',
      };
    }),
    // Found by VAT numbers that are short, written with dots, and not the first number.
    { ...company('Scurt SRL', 'scurt', { registrations: register('123') }), country: 'RO' as WorldEntity['country'] },
    {
      ...company('Belge', 'belge', { registrations: [...register('0123.456.789'), ...register('0987654321')] }),
      country: 'BE',
    },
    { ...company('Kort AS', 'kort', { registrations: register('987') }), country: 'NO' },
    // Industries: a main activity, one whose number means something else in another edition, one without a code, and a label with
    // characters that JSON escapes.
    ...make(
      90,
      (at) => `industry ${at}`,
      (at) => ({ activities: INDUSTRIES[at % 3] ?? [], legalForm: { label: 'Private Limited Company' } }),
    ),
  ];
}

function register(number: string): MappedRecord['registrations'] {
  return [{ authority: 'a', type: 'national', number, status: null, registeredAt: null, endedAt: null }];
}

/** Written in other ways. */
const NUMBERS = [
  ...['Sc-12/34', 'RO.J40 12', 'SC123456', '№ "5"', 'a"b'].map(register),
  [...register('11-22'), ...register('3344')],
];

/** Of so many companies that counting them takes several turns. */
const CODES_OF_ALL = Array.from({ length: 11 }, (_, at) => {
  return { type: 'licensed', scheme: 'NACE', code: `c${at}`, label: null } as const;
});

const INDUSTRIES: readonly MappedRecord['activities'][] = [
  [
    { type: 'unlicensed', scheme: 'UK SIC', edition: '2007', code: '6202', label: 'say "x\\y"', main: true },
    { type: 'unlicensed', scheme: 'UK SIC', edition: '2007', code: '0147', label: null },
    // Of several divisions of one section.
    { type: 'unlicensed', scheme: 'NACE-BEL', edition: '2025', code: '13', label: null },
    { type: 'unlicensed', scheme: 'NACE-BEL', edition: '2025', code: '15', label: null },
  ],
  [{ type: 'unlicensed', scheme: 'NACE-BEL', edition: '2025', code: '0147', label: null }],
  [{ type: 'unlicensed', scheme: 'own', code: null, label: 'of its own' } as never],
];

/** Changes companies all over the index, so that segments have documents between any two of the base. */
export function createChange(round: number): Change {
  const names = ['abc1', 'rare', 'x1ding lim1a', 'q 12'];
  const added = [
    // All before the first of the base.
    ...Array.from({ length: 2_000 }, (_, at) => company(`0 ${names[at % 4]} added ${at}`, `added${round} ${at}`)),
    // Beside names of the base that are equal, when folded or as they are.
    ...['esc', 'esc "a', 'ESC "a', 'esc "b', 'esc "a more'].map((name) => company(name, `${name}${round}`)),
  ];
  return {
    changed: Array.from({ length: 200 }, (_, at) => {
      const name = `${at % 2 === 0 ? 'abc1' : 'x1ding lim1a'} changed ${round} ${at}`;
      return [at * 71 + round, company(name, `changed${round}-${at}`).record];
    }),
    // All of one block, and some of the others.
    delisted: Array.from({ length: 100 }, (_, at) => at * 3 + round),
    added,
  };
}
