import type { Value } from '../../base/db/db.ts';
import { sourceNames, storedNames, summaryFields } from '../../base/entity-summary.ts';
import { type ContentColumn, contentColumns, type FormerEntity } from '../records/store.ts';

/**
 * Which fields of a record differ between two versions. Sets of fields are bits: many records of an import change in the
 * same fields, so their names are written once per set.
 */
export type FieldSet = number;

/** The fields in the order in which a record shows them. Provenance is left out, because it is not content. */
export const changedFieldNames = [
  ...storedNames.filter((name) => name !== 'id'),
  'registry',
  'sourceData',
  'registrations',
  'related',
  'parties',
] as const;
type FieldName = (typeof changedFieldNames)[number];

const bitOf = (name: FieldName): FieldSet => 1 << changedFieldNames.indexOf(name);

export const RELATED = bitOf('related');
export const PARTIES = bitOf('parties');
const UPDATED_AT = bitOf('updatedAt');

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

const BITS = contentColumns.map((column) => bitOf(FIELDS_OF_COLUMNS[column] as FieldName));
const NUMBER_KEYS = contentColumns.indexOf('number_keys');

/** The stored `number_keys` end with the numbers of linked entities, which are not content of this entity. */
export function compareContent({ content: before, linkedNumbers }: FormerEntity, after: readonly Value[]): FieldSet {
  let fields: FieldSet = 0;
  for (let index = 0; index < BITS.length; index++) {
    const stored =
      index === NUMBER_KEYS ? (before[index] as string).slice(0, -linkedNumbers.length || undefined) : before[index];
    if (stored !== after[index]) fields |= BITS[index] as number;
  }
  return fields;
}

const texts = new Map<FieldSet, string>();

/**
 * The names of the fields as a JSON list. A record that is written again with the same content, because another version of the program
 * computes another hash, has only a new `updatedAt`.
 */
export function writeFields(fields: FieldSet): string {
  return texts.getOrInsertComputed(fields === 0 ? UPDATED_AT : fields, (set) =>
    JSON.stringify(changedFieldNames.filter((name) => (set & bitOf(name)) !== 0)),
  );
}
