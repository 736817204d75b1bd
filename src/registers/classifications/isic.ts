/**
 * Maps national codes to international classifications. This folder owns official tables (`*.tsv`, written by
 * `scripts/classifications.ts`) and pure functions over them. International codes are not stored with a company: records, results
 * and filters compute them, so a new edition of a table changes no company (docs/decisions/0042-classifications.md).
 *
 * This file: activities in ISIC Rev. 4 and NACE. A code is only classified as deep as the official tables are exact.
 */
import { hash } from 'node:crypto';
import { readRows } from '../data-files.ts';
import { manifests, type NaceEdition, type Relation } from '../manifest.ts';
import { type IsicLevel, isicLevels, levelOf, shareIsic } from './isic-code.ts';

const ISIC_EDITION = '4';

/** A code of ISIC or NACE with its parents. The parts below `level` are missing. */
export interface Classified {
  readonly section: string;
  readonly division?: string;
  readonly group?: string;
  readonly class?: string;
  readonly label: string;
  readonly level: IsicLevel;
  readonly edition: string;
}

/** The fields of an activity of `registry.activities` that decide its codes. */
export interface ClassifiableActivity {
  readonly type?: string;
  readonly code?: string;
  readonly scheme?: string;
  readonly edition?: string;
  readonly main?: boolean;
}

/** Relations by scheme, then by edition as the registers write the edition; '' if the register publishes no edition. */
const SCHEMES: Readonly<Record<string, Readonly<Record<string, Relation>>>> = Object.assign(
  {},
  ...Array.from(manifests.values(), ({ schemes }) => schemes),
);

/** Codes that publishers add to a classification for companies without an activity, or without an activity that is classified. */
const OWN_CODES: Readonly<Record<string, Readonly<Record<string, string>>>> = Object.assign(
  {},
  ...Array.from(manifests.values(), ({ unclassified }) => unclassified),
);

interface Row {
  readonly code: string;
  readonly section: string;
  /** The ISIC code; '' if the parts of a NACE code are in different sections of ISIC, or unknown. */
  readonly isic: string;
  readonly title: string;
}

type Rows = ReadonlyMap<string, Row>;

/** The rows by the digits of their code: `6201` for `62.01`. A section comes before the codes that belong to it. */
function readTable(name: string, toRow: (cells: string[]) => Omit<Row, 'section'>): Rows {
  let section = '';
  return new Map(
    readRows(`classifications/${name}`).map((cells) => {
      const row = toRow(cells);
      if (levelOf(row.code) === 'section') section = row.code;
      return [row.code.replace('.', ''), { ...row, section }];
    }),
  );
}

const ISIC = readTable('isic-4.tsv', ([code = '', title = '']) => ({ code, isic: code, title }));
const readNace = (name: string) => readTable(name, ([code = '', isic = '', title = '']) => ({ code, isic, title }));
const NACE: Readonly<Record<NaceEdition, Rows>> = { '2': readNace('nace-2.tsv'), '2.1': readNace('nace-2.1.tsv') };
const TABLES: Readonly<Record<Relation, readonly Rows[]>> = {
  '2': [NACE['2']],
  '2.1': [NACE['2.1']],
  either: Object.values(NACE),
  division: [new Map([...ISIC].filter(([digits]) => digits.length === 2))],
};

function sectionOf(code: string): string {
  return ISIC.get(code)?.section ?? '';
}

/** A hash that changes with the tables, and with the relations between schemes and tables. */
export const tablesVersion = hash(
  'sha256',
  JSON.stringify([[...ISIC], SCHEMES, OWN_CODES, ...TABLES.either.map((rows) => [...rows])]),
).slice(0, 16);

/** All codes of ISIC in the order of the classification. */
export const isicCodes: readonly string[] = [...ISIC.keys()];

export function titleOf(code: string): string {
  return ISIC.get(code)?.title ?? '';
}

/** The codes that contain this code, from its section to itself. */
export function withParents(code: string): readonly string[] {
  if (levelOf(code) === 'section') return [code];
  return [
    sectionOf(code),
    ...[2, 3, 4].filter((length) => length <= code.length).map((length) => code.slice(0, length)),
  ];
}

/** Returns a function that checks whether the codes of a filter, separated by commas, contain a code: `62,J` contains `6201` and `58`. */
export function compileIsicFilter(filter: string): (code: string) => boolean {
  const wanted = new Set(filter.split(','));
  return (code) => withParents(code).some((part) => wanted.has(part));
}

/**
 * The leading digits of a national code that decide, or undefined: `62.01Z` and `62012` begin with `6201`. A code may also be the
 * letter of a section of NACE.
 */
function readDigits(code: string, relation: Relation): string | undefined {
  const digits = NACE_DIGITS.exec(code.replaceAll('.', ''))?.[0];
  if (relation !== 'division') return digits;
  return digits === undefined || levelOf(digits) === 'section' ? undefined : digits.slice(0, 2);
}

const NACE_DIGITS = /^(?:\d{2,4}|[A-V]$)/;

function findRelation({ type, scheme = '', edition = '' }: ClassifiableActivity): Relation | undefined {
  return type === 'licensed' ? undefined : SCHEMES[scheme]?.[edition];
}

/** The ISIC code of leading digits; '' if the digits have no ISIC code. */
function findByDigits(digits: string, relation: Relation): string {
  const found = TABLES[relation].flatMap((rows) => rows.get(digits)?.isic ?? []);
  return found.length === 1 ? (found[0] ?? '') : shareIsic(found, sectionOf);
}

/** The deepest ISIC code that is certain; undefined if no code is certain. */
export function findIsic(activity: ClassifiableActivity): string | undefined {
  const { scheme = '', code } = activity;
  const relation = findRelation(activity);
  if (relation === undefined || code === undefined || OWN_CODES[scheme]?.[code] !== undefined) return undefined;
  const digits = readDigits(code, relation);
  return (digits !== undefined && findByDigits(digits, relation)) || undefined;
}

/** Why an activity has no ISIC code. */
function explainMissing(activity: ClassifiableActivity): string {
  const { type, scheme = '', edition, code } = activity;
  if (type === 'licensed') return 'licensed activities are not classified';
  if (code === undefined) return 'the source has no code';
  const own = OWN_CODES[scheme]?.[code];
  if (own !== undefined) return own;
  if (SCHEMES[scheme] === undefined) return `no official table connects ${scheme || 'this scheme'} with ISIC`;
  const relation = findRelation(activity);
  if (relation === undefined) {
    return edition === undefined
      ? `the source does not say which edition of ${scheme} this is`
      : `no official table connects edition ${edition} of ${scheme} with ISIC Rev. 4`;
  }
  const digits = readDigits(code, relation) ?? '';
  return TABLES[relation].some((rows) => rows.has(digits))
    ? 'its parts are in several sections of ISIC Rev. 4'
    : `the code is not in the tables of ${scheme}`;
}

/** The code with its parents and English title. */
function describe(rows: Rows, digits: string, edition: string): Classified | undefined {
  const row = rows.get(digits);
  if (row === undefined) return undefined;
  const parts = isicLevels.slice(1).flatMap((level, at) => {
    const part = digits.length < at + 2 ? undefined : rows.get(digits.slice(0, at + 2))?.code;
    return part === undefined ? [] : [[level, part]];
  });
  return { section: row.section, ...Object.fromEntries(parts), label: row.title, level: levelOf(digits), edition };
}

function findNace(activity: ClassifiableActivity): Classified | undefined {
  const relation = findRelation(activity);
  if (relation === undefined || relation === 'either' || relation === 'division') return undefined;
  return describe(NACE[relation], readDigits(activity.code ?? '', relation) ?? '', relation);
}

/** What `registry.activities` shows besides the published fields. */
export interface ActivityClasses {
  readonly isic?: Classified;
  /** Why there is no `isic`. */
  readonly isicNote?: string;
  readonly nace?: Classified;
}

export function classifyActivity(activity: ClassifiableActivity): ActivityClasses {
  const isic = describe(ISIC, findIsic(activity) ?? '', ISIC_EDITION);
  const nace = findNace(activity);
  return {
    ...(isic === undefined ? { isicNote: explainMissing(activity) } : { isic }),
    ...(nace !== undefined && { nace }),
  };
}

/**
 * The ISIC code of a company: the code of its main activity, or of its first activity if the source marks no main activity.
 * Sources repeat the main activity in several editions; the deepest code is the most exact.
 */
export function findMainIsic(activities: readonly ClassifiableActivity[]): string | null {
  const main = activities.filter((activity) => activity.main === true);
  const candidates = main.length > 0 ? main : activities.filter(({ type }) => type !== 'licensed').slice(0, 1);
  let deepest: string | undefined;
  for (const activity of candidates) {
    const code = findIsic(activity);
    if (code !== undefined && (deepest === undefined || depthOf(code) > depthOf(deepest))) deepest = code;
  }
  return deepest ?? null;
}

function depthOf(code: string): number {
  return isicLevels.indexOf(levelOf(code));
}

/**
 * The rules as data, for engines that apply them themselves: the family of each `scheme|edition`; the ISIC code of each
 * `family|digits`, with its section before it (`J6201`, or `J` alone); and the codes of publishers, as `scheme|code`. `digits` are the
 * first two digits of a code in the family `division` and up to four in others, without full stops, or the letter of a section of NACE.
 */
export function listRules() {
  const families = new Map<string, string>();
  const codes = new Map<string, string>();
  for (const [scheme, editions] of Object.entries(SCHEMES)) {
    for (const [edition, family] of Object.entries(editions)) {
      const isListed = families.values().some((listed) => listed === family);
      families.set(`${scheme}|${edition}`, family);
      if (isListed) continue;
      for (const digits of TABLES[family].flatMap((rows) => [...rows.keys()])) {
        const code = findByDigits(digits, family);
        if (code !== '') codes.set(`${family}|${digits}`, `${sectionOf(code)}${code.replace(/^[A-Z]/, '')}`);
      }
    }
  }
  const own = Object.entries(OWN_CODES).flatMap(([scheme, of]) => Object.keys(of).map((code) => `${scheme}|${code}`));
  return { families, codes, own };
}
