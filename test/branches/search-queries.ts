import type { OracleQuery } from '../search/oracle.ts';
import { everything } from '../search/world-queries.ts';

/** More words than a phrase has bridges that are looked at. */
export const MANY_WORDS = Array.from({ length: 120 }, (_, at) => `many${at}`).join(' ');

const TEXTS = [
  ...[
    '',
    'a',
    'ab',
    'abc',
    'abc1',
    'abc1 p',
    'c1 plain 1',
    'plain',
    'ain 12',
    '7771',
    '777',
    '77712',
    '7771000',
    'zz',
    'nowhere',
  ],
  ...[
    'ding lim',
    'bong lim',
    'ding lim1',
    '1ding lim',
    'ng li',
    'g l',
    'long lil',
    'x1ding lim1a',
    'ding or x',
    'ding of lim1a or x1',
    'a b',
  ],
  ...[
    'b 12',
    'wob 12',
    'b 12y',
    'm1',
    'm-1',
    'm.12',
    '12 3',
    'back\\',
    'slash "q',
    'same name',
    '%',
    'x1bong and lim1c of',
    'lim9',
    'qzx lim',
  ],
  ...[
    'NO 987000001',
    'no987000001mva',
    '987000001',
    '987 000 001',
    'no987',
    'NO 99',
    'be0123456789',
    'BE 0987654321',
    'RO123',
    'wxyz12',
    'esc "a',
    'esc',
    'long',
    'q 129',
    'rare form 1',
    'form',
    'along li',
    '34',
    'c-12',
    'sc123',
    'j40 12',
    '2 33',
    '223',
    '22-33',
    '1-2',
    '№ "5',
    'ｘ',
    'é',
    'é ж',
    'яé',
    'g1#',
    '1-#',
    '#1',
    '#10',
    'h7',
    'tab',
    'slash',
  ],
  // The whole name, most of it, and more words than any name has.
  ...[MANY_WORDS, MANY_WORDS.slice(2, -2), `${MANY_WORDS} ${MANY_WORDS}`],
  // More grams of a number than are looked at.
  ...['7771'.repeat(60), 'x'.repeat(4_000)],
];

const FILTERS: readonly Partial<OracleQuery>[] = [
  { country: 'NO' },
  { country: 'GB', register: 'gb' },
  { country: 'ZZ' },
  { status: 'active' },
  { status: 'dissolved', legalForm: 'Ltd' },
  { legalFormCode: 'L1', country: 'GB', status: 'dissolved' },
  { legalForm: 'Ltd' },
  { elf: 'H0PO' },
  { elf: 'XXXX' },
  { legalFormClass: 'limited_company,partnership', country: 'GB' },
  { elf: 'H0PO', legalFormClass: 'limited_company', register: 'gb' },
  { activity: '62020', country: 'GB', status: 'active', register: 'gb' },
  { activity: 'x' },
  { isic: 'J' },
  { isic: '6202,01', country: 'GB' },
  { isic: '99' },
  { isic: 'C' },
  { isic: 'G' },
  { isic: '62' },
  { register: 'zz' },
  { status: 'unknown' },
  { legalForm: 'x' },
  { legalFormCode: 'x' },
  { sort: '-registeredAt' },
  { sort: '-registeredAt', page: 30 },
  { sort: '-updatedAt', country: 'GB', page: 2 },
  { sort: '-updatedAt', page: 10_000 },
  { registeredFrom: '1980-06-01' },
  { registeredTo: '1981-06-01', status: 'active' },
  { registeredFrom: '1983-01-01', registeredTo: '1983-01-02', sort: '-registeredAt' },
];

/** Pages at the start, in the middle, at the end and beyond it. */
const PAGES: readonly Partial<OracleQuery>[] = [
  { page: 2, pageSize: 7 },
  { page: 5 },
  { page: 9 },
  { page: 60 },
  { page: 140 },
  { page: 2 ** 40 },
];

const FEW_TEXTS = ['', 'abc', 'ding lim', 'q 12', 'rare'];

export const queries: readonly OracleQuery[] = [
  // The first hits are in other blocks than the last ones.
  ...[42, 43, 44].map((page) => ({ ...everything, q: '7771', page })),
  ...TEXTS.map((q) => ({ ...everything, q })),
  ...FEW_TEXTS.flatMap((q) => [...FILTERS, ...PAGES].map((more) => ({ ...everything, q, ...more }))),
];

/** Of these, the whole result is read too. */
export const wholeQueries: readonly OracleQuery[] = [
  ...['7771', ...FEW_TEXTS].map((q) => ({ ...everything, q })),
  { ...everything, sort: '-registeredAt' },
  { ...everything, q: 'abc', sort: '-updatedAt' },
];
