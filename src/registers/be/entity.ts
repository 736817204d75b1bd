/** Names, contacts and activities of one entity: an enterprise, an establishment or a branch. */
import type { Activity, Cell, MapContext } from '../contract.ts';
import type { nameTypes } from '../vocabulary-values.ts';
import type { Codes } from './codes.ts';

type Context = MapContext<Codes>;

/** In order of preference: official, commercial, branch, abbreviated. Within a type the order of the file is kept. */
const NAME_TYPES = ['001', '003', '004', '002'];
type NameType = keyof typeof nameTypes;
const TYPES: ReadonlyMap<string, NameType> = new Map([
  ['002', 'short'],
  ['003', 'trading'],
  ['004', 'branch'],
]);
const LANGUAGES: ReadonlyMap<string, string> = new Map([
  ['1', 'fr'],
  ['2', 'nl'],
  ['3', 'de'],
  ['4', 'en'],
]);

/** The best name, and the others as `otherNames`. An official name in a second language is a translation. */
export function describeNames(rows: readonly Cell[]) {
  const filled = rows.filter((row) => row('Denomination').trim() !== '');
  const [first, ...others] = filled.length < 2 ? filled : filled.sort((one, other) => rankName(one) - rankName(other));
  if (first === undefined) return { name: null, language: null, typeCode: null, otherNames: null };
  const [typeCode, language] = [typeOf(first), languageOf(first)];
  return {
    name: first('Denomination').trim(),
    language,
    typeCode,
    otherNames: others.map((row) => {
      const [code, otherLanguage] = [typeOf(row), languageOf(row)];
      const isTranslation = code === typeCode && otherLanguage !== null && otherLanguage !== language;
      const type: NameType = TYPES.get(code) ?? (isTranslation ? 'translation' : 'other');
      return {
        name: row('Denomination').trim(),
        type,
        ...(otherLanguage !== null && { language: otherLanguage }),
        ...(type === 'other' && { typeCode: code }),
      };
    }),
  };
}

function rankName(row: Cell): number {
  const index = NAME_TYPES.indexOf(typeOf(row));
  return index < 0 ? NAME_TYPES.length : index;
}

function typeOf(row: Cell): string {
  return row('TypeOfDenomination').trim();
}

function languageOf(row: Cell): string | null {
  return LANGUAGES.get(row('Language').trim()) ?? null;
}

type ContactKind = 'emails' | 'phones' | 'websites' | 'faxes';
const CONTACTS: ReadonlyMap<string, ContactKind> = new Map([
  ['EMAIL', 'emails'],
  ['TEL', 'phones'],
  ['WEB', 'websites'],
  ['FAX', 'faxes'],
]);

/** The values by kind, each once. A value of any other type is kept with its type. */
export function describeContacts(rows: readonly Cell[]) {
  if (rows.length === 0) return null;
  const contacts: Partial<Record<ContactKind, string[]>> = {};
  const other: { type: string; value: string }[] = [];
  for (const row of rows) {
    const [value, type] = [row('Value').trim(), row('ContactType').trim()];
    const kind = CONTACTS.get(type);
    if (value === '') continue;
    if (kind === undefined) other.push({ type, value });
    else if (contacts[kind] === undefined) contacts[kind] = [value];
    else if (!contacts[kind].includes(value)) contacts[kind].push(value);
  }
  return other.length === 0 ? contacts : { ...contacts, other };
}

interface Declaration {
  readonly code: string;
  readonly label: string | null;
  readonly edition: string;
  readonly groups: { group: string; classification: string }[];
  main: boolean;
}

/**
 * Each code of an edition once, the newest edition first and main activities before others, with the authorities
 * (`ActivityGroup`) that hold it. The files repeat an activity for each edition of NACE-BEL.
 */
function mergeActivities(rows: readonly Cell[], { codes, reportUnknown }: Context): Declaration[] {
  const found = new Map<string, Declaration>();
  for (const row of rows) {
    const code = row('NaceCode').trim();
    if (code === '') continue;
    const edition = row('NaceVersion').trim();
    const classification = row('Classification').trim();
    const key = `${edition}/${code}`;
    let declared = found.get(key);
    if (declared === undefined) {
      const labels = codes.labels(`Nace${edition}`);
      const label = labels.get(code) ?? null;
      if (label === null && labels.size > 0) reportUnknown('activity', 'NaceCode', key);
      declared = { code, label, edition, groups: [], main: false };
      found.set(key, declared);
    }
    if (classification === 'MAIN') declared.main = true;
    declared.groups.push({ group: row('ActivityGroup').trim(), classification });
  }
  const sorted = [...found.values()];
  return sorted.length < 2 ? sorted : sorted.sort(compareActivities);
}

function compareActivities(one: Declaration, other: Declaration): number {
  if (one.edition !== other.edition) return one.edition > other.edition ? -1 : 1;
  return Number(other.main) - Number(one.main);
}

export function listActivities(rows: readonly Cell[], context: Context): Activity[] {
  return mergeActivities(rows, context).map(({ code, label, edition, groups, main }) => ({
    type: 'unlicensed',
    code,
    label,
    otherLabels: context.codes.otherLabels(`Nace${edition}`, code),
    scheme: 'NACE-BEL',
    edition,
    main,
    national: { groups },
  }));
}

/** Without `type` and `scheme`, which are the same everywhere: there are tens of millions of them. */
export function describeActivities(rows: readonly Cell[], context: Context) {
  return mergeActivities(rows, context).map(({ label, ...activity }) =>
    label === null ? activity : { ...activity, label },
  );
}

/** The texts of the codes of activities, once per record: repeated in each activity they would take gigabytes. */
export function describeCodes(category: 'ActivityGroup' | 'Classification', rows: readonly Cell[], codes: Codes) {
  const labels = codes.labels(category);
  const texts: Record<string, string> = {};
  for (const row of rows) {
    const code = row(category).trim();
    const label = labels.get(code);
    if (label !== undefined) texts[code] = label;
  }
  return texts;
}
