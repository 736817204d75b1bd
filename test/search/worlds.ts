import fc from 'fast-check';
import type { MappedRecord } from '../../src/registers/contract.ts';
import { anyCharacter } from '../harness/any-character.ts';

/**
 * Random sets of entities ("worlds") and changes to them. world-queries.ts makes queries that are likely to find something
 * in them; world-store.ts stores them.
 */
export interface WorldEntity {
  readonly country: Country;
  /** If it is not the register of the country: one that spans countries. */
  readonly register?: 'gleif';
  readonly record: MappedRecord;
}

/** A re-import. Entities are given by position, modulo their count. */
export interface Change {
  readonly changed: readonly (readonly [position: number, record: MappedRecord])[];
  readonly delisted: readonly number[];
  readonly added: readonly WorldEntity[];
}

export const COUNTRIES = ['GB', 'NO', 'MD', 'BE'] as const;
export const REGISTERS = ['gb', 'no', 'md', 'be', 'gleif'] as const;
export type Country = (typeof COUNTRIES)[number];

const WORDS = [
  'limited LTD Ltd. as A b bank Banka ban S.R.L. Holding o 7 24 007 Blåbær ØRE Łódź Straße STRASSE café cafe\u0301 ﬁn Ǆ',
  'İstanbul ŠIĻĶE №5 x² кредит КРЕДИТ Ёлка Компания й Щит її Ελλάς ΟΔΟΣ ς საქართველო შპს بنك شركة مـحـمد 株式会社 東京 トヨタ ﾄﾖﾀ 한국 한',
  "🏢 👩‍👩‍👧 𝔘𝔫𝔦 \ufffd \uffff 100% a_b C:\\x O'Neill O’Neill O`Neill O´Neill 24/7 #1 c++ a&b a–b a-b so\u00adft ze\u200bro „x“ «x»",
].flatMap((line) => line.split(' '));
const BETWEEN = ' | | |  |-| & |&|. |.|, | (|) |/|_|%|\\|\'|"|\u00a0|'.split('|');
const ODD = '\0|\u0001|\t|\n|\r\n|\u0085|\u200b|\u0301|\ud83c|\udfe2|\u2028|%|_|\\|"'.split('|');

const word = fc.constantFrom(...WORDS);
export const phrase = fc
  .array(fc.tuple(word, fc.constantFrom(...BETWEEN)), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.flat().slice(0, -1).join(''));
export const oddPhrase = fc
  .array(fc.oneof(word, fc.constantFrom(...ODD), fc.constantFrom(...BETWEEN)), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.join(''));
const longPhrase = fc
  .tuple(fc.array(phrase, { minLength: 8, maxLength: 60, size: 'max' }), fc.integer({ min: 1, max: 4 }))
  .map(([parts, times]) => parts.join(' ').repeat(times).slice(0, 1_000));

const name: fc.Arbitrary<string> = fc.oneof(
  { weight: 10, arbitrary: phrase },
  { weight: 3, arbitrary: word },
  { weight: 3, arbitrary: oddPhrase },
  {
    weight: 1,
    arbitrary: fc.tuple(word, fc.integer({ min: 2, max: 9 })).map(([text, times]) => `${text} `.repeat(times)),
  },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', 'Same Name AS', 'SAME NAME AS', 'Same  Name ÅS', '.', '%', 'a') },
  { weight: 1, arbitrary: longPhrase },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 40 }) },
);

/** Few different digits, so that fragments of one number occur in others. */
const digits = fc.string({ unit: fc.constantFrom('0', '0', '1', '2', '7'), minLength: 1, maxLength: 9 });
const number = fc.oneof(
  digits,
  fc.tuple(fc.constantFrom('SC', 'NO', 'ΑΦΜ', 'B-', 'LV ', '№', ''), digits).map(([prefix, rest]) => prefix + rest),
  fc
    .array(digits, { minLength: 1, maxLength: 3 })
    .chain((groups) => fc.constantFrom('-', '.', ' ', '/', ' - ', '_', '%').map((separator) => groups.join(separator))),
  fc.constantFrom('', '-', '0', 'ABC', 'abc.def', '１２３', '٣٤', '12\\7', 'x²'),
  fc.constantFrom('Sc12', 'a"b', '#1', '1#2-3', 'A&B', '100%', 'AB-CD 1', '24/7', '12\u200b7', 'RO.J40/12', '2-4.7'),
  // Numbers of the length that Norwegian and Belgian VAT numbers contain.
  fc.string({ unit: fc.constantFrom('0', '1'), minLength: 9, maxLength: 10 }).map(insertDots),
);

function insertDots(digits: string): string {
  return digits.length === 10 ? `${digits.slice(0, 4)}.${digits.slice(4, 7)}.${digits.slice(7)}` : digits;
}

/** The same code has different ISIC codes in different editions. */
export const CODES = '62020 62.02 01 1 0 46.18 4690 6810 01.13 74990 620 99999 6201-5'.split(' ');
const SCHEMES = [
  { scheme: 'NACE' },
  { scheme: 'NACE', edition: 'Rev. 2' },
  { scheme: 'TOL', edition: '2002' },
  { scheme: 'TOL', edition: '2008' },
  { scheme: 'TOL', edition: '2025' },
  { scheme: 'UK SIC', edition: '2007' },
  { scheme: 'SN' },
  { scheme: 'CNAE' },
];
export const WRITTEN = ['62020 - IT consultancy', ' 01', '1', 'a\\', ' \n'];
export const LABELS = "IT consultancy|it consultancy|Виноделие|a\nb|a\\nb|a\\|l62020|62.02|1|\n|d'Art".split('|');
const activity = fc
  .record({
    type: fc.constantFrom('licensed' as const, 'unlicensed' as const),
    classification: fc.constantFrom(...SCHEMES),
    main: fc.constantFrom({}, {}, { main: true }, { main: false }),
    code: fc.option(fc.constantFrom('', ...CODES)),
    label: fc.option(fc.constantFrom('', ...LABELS)),
    written: fc.option(fc.constantFrom('', ...WRITTEN)),
  })
  .map(({ written, classification, main, ...rest }) => {
    const shown = { ...rest, ...classification, ...main };
    return written === null ? shown : { ...shown, written };
  });

export const LEGAL_FORMS = [
  ...['Public Limited Company', 'Naamloze vennootschap', 'Private Limited Company'],
  ...['Societate cu răspundere limitată', 'AS', 'as', 'ENK', '', '100%', '株式会社'],
];
/** Some of them are also the name of a form. */
export const FORM_CODES = ['AS', 'ENK', 'NUF', 'H0PO', 'YI42', 'ZZZ9', '8888', '5710', '100%'];
const legalForm = fc.oneof(
  fc.constantFrom(...LEGAL_FORMS).map((label) => ({ label })),
  fc.constantFrom(...FORM_CODES).map((code) => ({ code })),
  fc.record({ code: fc.constantFrom('', ...FORM_CODES), label: fc.constantFrom(...LEGAL_FORMS) }),
);
export const JURISDICTIONS = ['US-NY', 'US-DE', 'GB'];
const city = fc.constantFrom('Oslo', 'OSLO', 'Chișinău', 'St. "Ives"', '\u0000', '');
const day = fc.constantFrom('1900-01-01', '1999-12-31', '2020-02-29', '2026-03-15');

const formerNames = fc.oneof(
  { weight: 4, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(fc.record({ name: fc.oneof(phrase, word) }), { minLength: 1, maxLength: 2 }) },
);

const mapped: fc.Arbitrary<MappedRecord> = fc.record({
  number: fc.integer({ min: 1, max: 400 }).map(String),
  canonicalName: name,
  status: fc.constantFrom('active', 'inactive', 'in_liquidation', 'dissolved', 'unknown'),
  legalForm: fc.option(legalForm),
  registeredAt: fc.option(day),
  registrations: fc.array(number.map(toRegistration), { maxLength: 3 }),
  activities: fc.array(activity, { maxLength: 3 }),
  registry: fc
    .tuple(fc.option(city), fc.option(fc.constantFrom(...JURISDICTIONS)), formerNames, formerNames)
    .map(([value, jurisdiction, previousNames, otherNames]) => ({
      ...(value !== null && { address: { text: value, city: value } }),
      ...(jurisdiction !== null && { jurisdiction }),
      ...(previousNames.length > 0 && { previousNames }),
      ...(otherNames.length > 0 && { otherNames }),
    })),
});

function toRegistration(value: string): MappedRecord['registrations'][0] {
  return { authority: 'a', type: 'national', number: value, status: null, registeredAt: null, endedAt: null };
}

const entity: fc.Arbitrary<WorldEntity> = fc
  .record({
    country: fc.constantFrom(...COUNTRIES),
    record: mapped,
    isGlobal: fc.constantFrom(true, false, false, false),
  })
  .map(({ isGlobal, ...rest }) => (isGlobal ? { ...rest, register: 'gleif' } : rest));

/** 0 to 120 entities. Numbers repeat; of several entities with the same id the first is stored. */
export const worlds: fc.Arbitrary<readonly WorldEntity[]> = fc.oneof(
  { weight: 1, arbitrary: fc.array(entity, { maxLength: 3, size: 'max' }) },
  { weight: 6, arbitrary: fc.array(entity, { minLength: 30, maxLength: 120, size: 'max' }) },
);

export const changes: fc.Arbitrary<Change> = fc.record({
  changed: fc.array(fc.tuple(fc.nat(), mapped), { maxLength: 20 }),
  delisted: fc.array(fc.nat(), { maxLength: 10 }),
  added: fc.array(entity, { maxLength: 20 }),
});

/** A company with this name and number; other fields have the same values for all. */
export function company(
  canonicalName: string,
  number = canonicalName,
  fields: Partial<MappedRecord> = {},
): WorldEntity {
  const registration = toRegistration(number);
  const common = { status: 'active', legalForm: null, registeredAt: null, activities: [], registry: {} } as const;
  return { country: 'GB', record: { ...common, number, canonicalName, registrations: [registration], ...fields } };
}
