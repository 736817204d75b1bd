import type { Chance } from '../../synthetic/chance.ts';
import { toCyrillic, toGreek } from './words.ts';

/** How companies of a country are named and numbered. The shares in a list add up to about 1. */
export interface Country {
  readonly code: string;
  readonly share: number;
  readonly forms: readonly Form[];
  /** Writes a name, given in lower case, as the register would. */
  write(words: string, chance: Chance): string;
  /** Returns a different number for each serial, except for about 1 % in small ranges. */
  number(serial: number): string;
}

export interface Form {
  readonly share: number;
  readonly legalForm: string;
  readonly before?: string;
  readonly after?: string;
}

const upper = (words: string) => words.toUpperCase();
const title = (words: string) => words.replace(/(^|[ (&.])\p{L}/gu, (start) => start.toUpperCase());

/** Spreads serial numbers over a range without collisions: the factor shares no divisor with a power of ten. */
function spread(serial: number, range: number): number {
  return (serial * 7_368_787) % range;
}

const digits = (value: number, length: number) => String(value).padStart(length, '0');

function withLetters(pairs: Readonly<Record<string, string>>, share: number) {
  const letters = new RegExp(`[${Object.keys(pairs).join('')}]`);
  return (words: string, chance: Chance) =>
    title(chance.is(share) ? words.replace(letters, (letter) => pairs[letter] ?? letter) : words);
}

function numberBritain(serial: number): string {
  const prefix = ['SC', 'NI', 'OC', 'SC', 'CE', 'RC'][serial % 50];
  if (prefix === undefined) return digits(spread(serial, 16_000_000), 8);
  return prefix + digits(spread(serial, 1_000_000), 6);
}

export const COUNTRIES: readonly Country[] = [
  {
    code: 'GB',
    share: 0.6,
    write: upper,
    number: numberBritain,
    forms: [
      { share: 0.47, legalForm: 'Private Limited Company', after: ' LTD' },
      { share: 0.4, legalForm: 'Private Limited Company', after: ' LIMITED' },
      {
        share: 0.05,
        legalForm: 'PRI/LTD BY GUAR/NSC (Private, limited by guarantee, no share capital)',
        after: ' LIMITED',
      },
      { share: 0.025, legalForm: 'Limited Liability Partnership', after: ' LLP' },
      { share: 0.02, legalForm: 'Limited Partnership', after: ' L.P.' },
      { share: 0.012, legalForm: 'Charitable Incorporated Organisation', after: ' CIO' },
      { share: 0.01, legalForm: 'Community Interest Company', after: ' C.I.C.' },
      { share: 0.006, legalForm: 'Public Limited Company', after: ' PLC' },
      { share: 0.004, legalForm: 'Registered Society' },
      { share: 0.003, legalForm: 'Royal Charter' },
    ],
  },
  {
    code: 'NO',
    share: 0.15,
    write: withLetters({ o: 'ø', a: 'å' }, 0.15),
    number: (serial) => String(800_000_000 + spread(serial, 199_000_000)),
    forms: [
      { share: 0.5, legalForm: 'AS', after: ' AS' },
      { share: 0.32, legalForm: 'ENK' },
      { share: 0.1, legalForm: 'FLI' },
      { share: 0.03, legalForm: 'NUF', after: ' NUF' },
      { share: 0.02, legalForm: 'DA', after: ' DA' },
      { share: 0.02, legalForm: 'SA', after: ' SA' },
      { share: 0.01, legalForm: 'ASA', after: ' ASA' },
    ],
  },
  {
    code: 'EE',
    share: 0.09,
    write: withLetters({ o: 'õ', u: 'ü', a: 'ä' }, 0.2),
    number: (serial) => String(10_000_000 + spread(serial, 7_000_000)),
    forms: [
      { share: 0.75, legalForm: 'Osaühing', after: ' OÜ' },
      { share: 0.12, legalForm: 'Mittetulundusühing', after: ' MTÜ' },
      { share: 0.08, legalForm: 'Füüsilisest isikust ettevõtja', before: 'FIE ' },
      { share: 0.05, legalForm: 'Aktsiaselts', before: 'AS ' },
    ],
  },
  {
    code: 'LV',
    share: 0.06,
    write: withLetters({ a: 'ā', e: 'ē', i: 'ī', s: 'š' }, 0.3),
    number: (serial) => `4${digits(serial % 4, 4)}${digits(spread(serial, 1_000_000), 6)}`,
    forms: [
      { share: 0.8, legalForm: 'SIA', before: 'SIA "', after: '"' },
      { share: 0.1, legalForm: 'ZEM', after: ' ZS' },
      { share: 0.06, legalForm: 'IK', before: 'IK ' },
      { share: 0.04, legalForm: 'AS', before: 'Akciju sabiedrība "', after: '"' },
    ],
  },
  {
    code: 'MD',
    share: 0.04,
    write: withLetters({ a: 'ă', s: 'ș', t: 'ț', i: 'î' }, 0.2),
    number: (serial) => `1${digits(serial % 21, 3)}600${digits(spread(serial, 1_000_000), 6)}`,
    forms: [
      { share: 0.7, legalForm: 'Societate cu răspundere limitată', before: 'Societatea cu Răspundere Limitată ' },
      { share: 0.2, legalForm: 'Întreprindere individuală', before: 'Î.I. "', after: '"' },
      { share: 0.1, legalForm: 'Societate pe acțiuni', after: ' S.A.' },
    ],
  },
  {
    code: 'BG',
    share: 0.035,
    write: (words) => title(toCyrillic(words)),
    number: (serial) => String(100_000_000 + spread(serial, 99_000_000)),
    forms: [
      { share: 0.6, legalForm: 'ЕООД', after: ' ЕООД' },
      { share: 0.3, legalForm: 'ООД', after: ' ООД' },
      { share: 0.1, legalForm: 'АД', after: ' АД' },
    ],
  },
  {
    code: 'GR',
    share: 0.025,
    write: (words) => upper(toGreek(words)),
    // Written in groups. Search finds it with and without the hyphens.
    number: (serial) => `${digits(spread(serial, 1_000_000), 6)}-${digits(serial % 90, 2)}-000`,
    forms: [
      { share: 0.6, legalForm: 'ΙΚΕ', after: ' ΙΚΕ' },
      { share: 0.25, legalForm: 'ΕΠΕ', after: ' Ε.Π.Ε.' },
      { share: 0.15, legalForm: 'ΑΕ', after: ' Α.Ε.' },
    ],
  },
];

/** Picks an item of a list by its share. */
export function pickShare<T extends { readonly share: number }>(items: readonly T[], at: number): T {
  let left = at;
  for (const item of items) {
    left -= item.share;
    if (left < 0) return item;
  }
  return items[0] as T;
}
