import type { Value } from '../../base/db/db.ts';
import { sourceNames, storedNames, summaryFields } from '../../base/entity-summary.ts';
import { type ContentColumn, contentColumns, type FormerEntity } from '../records/store.ts';
import { isRecord, type JsonRecord } from '../records/withheld.ts';
import { omitFreeTexts } from '../records/withholding.ts';

/** How one value inside a record changed. Values are texts; objects are written as JSON. Null if there is no value. */
export interface ChangedDetail {
  /** Such as `city` or `registry.address.postCode`. Items of a list have the path of the list. */
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Keeps the journal small. A change with more details is listed by the names of its fields as well. */
export const MAX_DETAILS = 20;
const MAX_TEXT = 200;
/** Records with longer texts have thousands of list items. Comparing them would slow down imports. */
const MAX_COMPARED = 256 * 1024;

const PLAIN: readonly (readonly [field: string, index: number])[] = (
  ['countryCode', 'registrationNumber', 'city'] as const
).map((name) => [name, contentColumns.indexOf(summaryFields[name].column)]);

const JSON_COLUMNS: readonly (readonly [field: string, index: number])[] = (
  ['registry', 'registrations'] satisfies ContentColumn[]
).map((name) => [name, contentColumns.indexOf(name)]);

/**
 * What differs between two versions of a record besides name, status, legal form and registration date. Null if nothing differs. `hideFields`
 * removes the fields of `registry` that may name natural persons, who are never named here.
 */
export function describeDetails(
  before: readonly Value[],
  after: readonly Value[],
  hideFields: (registry: JsonRecord) => JsonRecord,
): string | null {
  const details: ChangedDetail[] = [];
  for (const [field, index] of PLAIN) compare(field, before[index] ?? null, after[index] ?? null, details);
  for (const [field, index] of JSON_COLUMNS) {
    const [old, current] = [String(before[index]), String(after[index])];
    if (old === current || old.length + current.length > MAX_COMPARED) continue;
    const parse = (text: string) => (field === 'registry' ? hideFields(JSON.parse(text)) : JSON.parse(text));
    compare(field, parse(old), parse(current), details);
  }
  return details.length === 0 ? null : JSON.stringify(details.slice(0, MAX_DETAILS));
}

function compare(field: string, before: unknown, after: unknown, details: ChangedDetail[]): void {
  if (before === after || details.length >= MAX_DETAILS) return;
  if (Array.isArray(before) || Array.isArray(after)) compareLists(field, before, after, details);
  else if (isRecord(before) || isRecord(after)) {
    const [old, current] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}];
    for (const key of new Set([...Object.keys(old), ...Object.keys(current)])) {
      compare(`${field}.${key}`, old[key] ?? null, current[key] ?? null, details);
    }
  } else details.push({ field, before: write(before), after: write(after) });
}

/** The items that only one list has, removed items first. Two items with the same number, code or name are one changed item. */
function compareLists(field: string, before: unknown, after: unknown, details: ChangedDetail[]): void {
  const [old, current] = [indexItems(before), indexItems(after)];
  const added = new Map([...current].filter(([text]) => !old.has(text)));
  const byIdentity = Map.groupBy(added.values(), identify);
  byIdentity.delete(undefined);
  for (const [text, item] of old) {
    if (current.has(text)) continue;
    const [same, ...others] = byIdentity.get(identify(item)) ?? [];
    if (same === undefined || others.length > 0) details.push({ field, before: write(item), after: null });
    else {
      compare(field, item, same, details);
      added.delete(JSON.stringify(same));
    }
  }
  for (const item of added.values()) details.push({ field, before: null, after: write(item) });
}

function indexItems(list: unknown): Map<string, unknown> {
  return new Map((Array.isArray(list) ? list : []).map(omitPersons).map((item) => [JSON.stringify(item), item]));
}

/** Of a party that may be a natural person, only the role is listed. */
function omitPersons(item: unknown): unknown {
  if (!isRecord(item) || !('role' in item)) return item;
  return item.kind === 'organisation' ? omitFreeTexts(item) : { role: item.role };
}

/** Undefined for items that nothing identifies. */
function identify(item: unknown): string | undefined {
  if (!isRecord(item)) return undefined;
  const { type, role, number, code, name } = item;
  const own = number ?? code ?? name;
  return own === undefined ? undefined : JSON.stringify([type, role, own]);
}

function write(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  // A text must not end with half of a character.
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).replace(/\p{Surrogate}$/u, '')}…` : text;
}

/** The fields in the order in which a record shows them. Provenance is left out, because it is not content. */
export const changedFieldNames = [
  ...storedNames.filter((name) => name !== 'id'),
  'registry',
  'sourceData',
  'registrations',
  'related',
  'parties',
] as const;
export type FieldName = (typeof changedFieldNames)[number];

/** The field that shows the column, or from which its search keys are derived. */
const FIELDS_OF_COLUMNS: Readonly<Record<string, FieldName>> = {
  ...Object.fromEntries(sourceNames.map((name) => [summaryFields[name].column, name])),
  name_key: 'canonicalName',
  number_keys: 'registrations',
  activity_keys: 'registry',
  legal_form_code: 'registry',
  registrations: 'registrations',
  registry: 'registry',
  layout: 'sourceData',
  source_data: 'sourceData',
} satisfies Readonly<Partial<Record<ContentColumn, FieldName>>>;

const NUMBER_KEYS = contentColumns.indexOf('number_keys');

/**
 * The fields that differ. The stored `number_keys` end with the numbers of linked entities, which are not content of this entity. A record
 * that is written again with the same content, because another version of the program computes another hash, has only a new `updatedAt`.
 */
export function compareContent({ content: before, linkedNumbers }: FormerEntity, after: readonly Value[]) {
  const fields = new Set<FieldName>();
  for (const [index, column] of contentColumns.entries()) {
    const stored =
      index === NUMBER_KEYS ? (before[index] as string).slice(0, -linkedNumbers.length || undefined) : before[index];
    if (stored !== after[index]) fields.add(FIELDS_OF_COLUMNS[column] as FieldName);
  }
  return fields;
}

export function writeFields(fields: ReadonlySet<FieldName>): string {
  return JSON.stringify(fields.size === 0 ? ['updatedAt'] : changedFieldNames.filter((name) => fields.has(name)));
}
