/** The files of Level 2, in all editions. Their rows are parties of companies, which are identified by their LEI. */
import { type MapContext, type MappedParty, type Rejection, rejectRecord, type Source } from '../contract.ts';
import { createTreeReader, type Entry, readCsvEntry } from './entry.ts';
import { mapException } from './exceptions.ts';
import type { LegalForms } from './legal-forms.ts';
import { mapRelationship } from './relationships.ts';

type Level2Source = Source<LegalForms>;
type MapEntry = (entry: Entry, context: MapContext<unknown>) => MappedParty | Rejection;

const CSV = { delimiter: ',', quote: '"', encoding: 'utf-8' } as const;
const ITEMS = [1, 2, 3, 4, 5];

const NODES = ['StartNode', 'EndNode'].flatMap((node) => [`${node}.NodeID`, `${node}.NodeIDType`]);
export const RELATIONSHIP_COLUMNS = [
  ...[...NODES, 'RelationshipType', 'RelationshipStatus'].map((name) => `Relationship.${name}`),
  ...number('Relationship.Period', ['startDate', 'endDate', 'periodType']),
  ...number('Relationship.Qualifiers', ['QualifierDimension', 'QualifierCategory']),
  ...number('Relationship.Quantifiers', ['MeasurementMethod', 'QuantifierAmount', 'QuantifierUnits']),
  ...['InitialRegistrationDate', 'LastUpdateDate', 'RegistrationStatus', 'NextRenewalDate', 'ManagingLOU'].map(
    inRegistration,
  ),
  ...['ValidationSources', 'ValidationDocuments', 'ValidationReference'].map(inRegistration),
];
export const EXCEPTION_COLUMNS = [
  ...['LEI', 'Exception.Category'],
  ...ITEMS.flatMap((item) => [`Exception.Reason.${item}`, `Exception.Reference.${item}`]),
];

function inRegistration(name: string): string {
  return `Registration.${name}`;
}

function number(path: string, names: readonly string[]): string[] {
  return ITEMS.flatMap((item) => names.map((name) => `${path}.${item}.${name}`));
}

const EXCEPTION_KEYS = [
  'LEI',
  'ExceptionCategory',
  'ExceptionReason',
  'ExceptionReference',
  'NextVersion',
  'Extension',
];

export const LEVEL2_SOURCES: readonly Level2Source[] = [
  ...['rr:', ''].map((prefix) =>
    xml('relationships', 'RelationshipRecord', prefix, ['Relationship', 'Registration', 'Extension'], mapRelationship),
  ),
  ...['repex:', ''].map((prefix) => xml('exceptions', 'Exception', prefix, EXCEPTION_KEYS, mapException)),
  // The record itself, or an object with the record as its only value.
  json('relationships', ['RelationshipRecord'], (entry, context) =>
    mapRelationship(entry.at('RelationshipRecord'), context),
  ),
  json('relationships', ['Relationship', 'Registration', 'Extension'], mapRelationship),
  json('exceptions', EXCEPTION_KEYS, mapException),
  csv('relationships', RELATIONSHIP_COLUMNS, 5, mapRelationship),
  csv('exceptions', EXCEPTION_COLUMNS, 2, mapException),
];

/** The first two keys tell the file from others. */
function xml(set: string, element: string, prefix: string, names: readonly string[], map: MapEntry): Level2Source {
  const keys = names.map((name) => prefix + name);
  const read = createTreeReader(prefix, '#text');
  return {
    kind: 'tree',
    name: `${set} (XML${prefix === '' ? ', no prefix' : ''})`,
    format: { type: 'xml', element },
    required: keys.slice(0, 2),
    keys: [...keys, '@xmlns', ...['xsi', 'gleif', 'gleif_header', 'rr', 'repex'].map((name) => `@xmlns:${name}`)],
    map: rejectRecord,
    parties: { set, map: (record, context) => map(read(record), context) },
  };
}

function json(set: string, keys: readonly string[], map: MapEntry): Level2Source {
  const read = createTreeReader('', '$');
  return {
    kind: 'tree',
    name: `${set} (JSON, ${keys[0]})`,
    format: { type: 'json' },
    required: keys.slice(0, 2),
    keys,
    map: rejectRecord,
    parties: { set, map: (record, context) => map(read(record), context) },
  };
}

function csv(set: string, columns: readonly string[], required: number, map: MapEntry): Level2Source {
  return {
    kind: 'table',
    name: `${set} (CSV)`,
    csv: CSV,
    columns,
    required: columns.slice(0, required),
    match: 'trimmed',
    parties: { set, map: (cell, context) => map(readCsvEntry(cell), context) },
  };
}
