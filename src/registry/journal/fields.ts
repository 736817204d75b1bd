import type { Value } from '../../base/db/db.ts';
import { sourceNames, storedNames, summaryFields } from '../../base/entity-summary.ts';
import { type ContentColumn, contentColumns, type FormerEntity } from '../records/store.ts';

/** Which fields of a record differ between two versions. */

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

/** The names of the fields as a JSON list. */
export function writeFields(fields: ReadonlySet<FieldName>): string {
  return JSON.stringify(fields.size === 0 ? ['updatedAt'] : changedFieldNames.filter((name) => fields.has(name)));
}
