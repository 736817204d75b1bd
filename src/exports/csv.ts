import { writeCsvHeader, writeCsvRow } from '../base/csv.ts';
import { type SummaryName, summaryDescriptions, summaryNames } from '../base/entity-summary.ts';
import type { EntityParts } from '../registry/records/records.ts';
import type { ExportColumn } from './folder.ts';
import type { PartFile, PartWriter } from './part-file.ts';

/** The flat columns of the CSV format: the summary, the other fields that most registers have, and the source of the record. */

type Fields = Readonly<Record<string, unknown>>;
type Provenance = Readonly<Record<string, unknown>> | null;

interface CsvColumn {
  readonly name: string;
  readonly description: string;
  read(registry: Fields, provenance: Provenance, registrations: readonly Fields[]): unknown;
}

const field = (name: string, path: readonly string[], description: string): CsvColumn => ({
  name,
  description,
  read: (registry) => path.reduce<unknown>(findKey, registry),
});

const origin = (key: string, description: string): CsvColumn => ({
  name: key,
  description: `${description} (\`provenance.${key}\`).`,
  read: (_registry, provenance) => findKey(provenance, key),
});

const list = (name: string, path: readonly string[], key: string | undefined, description: string): CsvColumn => ({
  name,
  description: `${description}, separated by \` | \`.`,
  read(registry) {
    const items = path.reduce<unknown>(findKey, registry);
    if (!Array.isArray(items)) return null;
    return joinTexts(items.map((item) => (key === undefined ? item : findKey(item, key))));
  },
});

const columns: readonly CsvColumn[] = [
  field('legalFormCode', ['legalForm', 'code'], 'Code of the legal form.'),
  field('foundedAt', ['foundedAt'], 'Day on which the company was founded.'),
  field('endedAt', ['endedAt'], 'Day on which the company ceased to exist.'),
  field('address', ['address', 'text'], 'The registered address in one line.'),
  field('street', ['address', 'street'], 'Street.'),
  field('houseNumber', ['address', 'number'], 'House number.'),
  field('postCode', ['address', 'postCode'], 'Post code.'),
  field(
    'municipality',
    ['address', 'municipality'],
    'Municipality or administrative district that the city, town or village belongs to.',
  ),
  field('region', ['address', 'region'], 'County, province, state or another area above the city.'),
  list('activityCodes', ['activities'], 'code', 'Codes of all activities'),
  list('activityLabels', ['activities'], 'label', 'Names of all activities'),
  {
    name: 'isicCodes',
    description: 'ISIC Rev. 4 codes of all activities, separated by ` | `.',
    read: ({ activities }) => (Array.isArray(activities) ? joinTexts([...new Set(activities.map(findIsic))]) : null),
  },
  list('previousNames', ['previousNames'], 'name', 'Former names'),
  list('otherNames', ['otherNames'], 'name', 'Further names'),
  field('capitalAmount', ['capital', 'amount'], 'Capital in units of the currency.'),
  field('capitalCurrency', ['capital', 'currency'], 'Currency code of the capital.'),
  field('employees', ['employees', 'count'], 'Number of employees, if it is exact.'),
  field('employeesFrom', ['employees', 'from'], 'Smallest number of employees of a range.'),
  field('employeesTo', ['employees', 'to'], 'Largest number of employees of a range.'),
  list('websites', ['contacts', 'websites'], undefined, 'Websites'),
  list('emails', ['contacts', 'emails'], undefined, 'Email addresses'),
  list('phones', ['contacts', 'phones'], undefined, 'Phone numbers'),
  {
    name: 'registrationNumbers',
    description: 'The numbers of all registrations, separated by ` | `.',
    read: (_registry, _provenance, registrations) => joinTexts(registrations.map((one) => one.number)),
  },
  origin('publisher', 'Publisher of the data'),
  origin('licence', 'Licence of the data'),
  origin('sourceUrl', 'Where the file comes from'),
  origin('file', 'File that the record was read from'),
  origin('hash', 'SHA-256 of that file'),
  origin('row', 'Row in that file'),
  origin('asOf', 'Day that the file describes'),
  origin('importedAt', 'When the file was imported'),
  origin('synthetic', 'Whether the company is invented'),
];

export const csvSchema: readonly ExportColumn[] = [
  ...summaryNames.map((name) => ({ name, type: 'text', description: summaryDescriptions[name] })),
  ...columns.map(({ name, description }) => ({ name, type: 'text', description })),
];

const CHUNK = 1 << 20;

export function createCsvWriter(file: PartFile): PartWriter<EntityParts> {
  return writeCsvFile(file, csvSchema, listCells);
}

export function writeCsvFile<Row>(
  file: PartFile,
  schema: readonly ExportColumn[],
  listCells: (record: Row) => readonly (string | null)[],
): PartWriter<Row> {
  let text = writeCsvHeader(schema.map(({ name }) => name));
  const flush = () => {
    file.write(Buffer.from(text));
    text = '';
  };
  return {
    add(records) {
      for (const record of records) text += writeCsvRow(listCells(record));
      if (text.length >= CHUNK) flush();
    },
    end: flush,
  };
}

function listCells({ summary, ...texts }: EntityParts): (string | null)[] {
  const provenance: Provenance = JSON.parse(texts.provenance);
  const registry: Fields = JSON.parse(texts.registry);
  const registrations: readonly Fields[] = JSON.parse(texts.registrations);
  const cells = summaryNames.map((name: SummaryName) => summary[name]);
  for (const { read } of columns) {
    const value = read(registry, provenance, registrations);
    cells.push(value === null || value === undefined ? null : String(value));
  }
  return cells;
}

function findKey(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function findIsic(activity: unknown): unknown {
  const isic = findKey(activity, 'isic');
  return findKey(isic, String(findKey(isic, 'level')));
}

export function joinTexts(values: readonly unknown[]): string | null {
  const texts = values.filter((value) => value !== undefined && value !== null && value !== '');
  return texts.length === 0 ? null : texts.join(' | ');
}
