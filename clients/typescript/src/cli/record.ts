import type { EntityDetail, Provenance } from '../index.ts';
import type { Terminal } from './command.ts';
import { printable, renderColumns } from './text.ts';

/** Records can have thousands of items in a list. */
const MAX_ITEMS = 5;
const MAX_WIDTH = 120;

type Row = readonly [name: string, text: string];

/** The main fields of a record, one per line. */
export function renderRecord(
  record: EntityDetail,
  { width, hasColour }: Pick<Terminal, 'width' | 'hasColour'>,
): string {
  const name = printable(record.canonicalName);
  const sections = [describeCompany(record), describeSource(record.provenance)].map((rows) =>
    renderColumns(
      rows.map(([label, text]) => [label, printable(text)]),
      Math.min(width ?? MAX_WIDTH, MAX_WIDTH),
    ),
  );
  return `${[hasColour ? `\x1b[1m${name}\x1b[0m` : name, ...sections].join('\n\n')}\n`;
}

function describeCompany({ registry, registrations, related, ...record }: EntityDetail): Row[] {
  const { address, activities, previousNames, parties, capital, employees, contacts } = registry;
  return [
    ...one('id', record.id),
    ...one('country', record.countryCode),
    ...many('number', registrations, ({ number, type, authority }) => `${number} (${type}, ${authority})`),
    ...one('status', join(' ', record.status, registry.status?.label && `(${registry.status.label})`)),
    ...one('legal form', record.legalForm),
    ...one('registered', record.registeredAt),
    ...one('ended', registry.endedAt),
    ...one('address', address?.text ?? record.city),
    ...many('activity', activities, ({ code, label }) => join(' ', code, label)),
    ...one('capital', join(' ', capital?.amount?.toLocaleString('en-US'), capital?.currency)),
    ...one('employees', employees && String(employees.count ?? join(' to ', employees.from, employees.to))),
    ...many('former name', previousNames, ({ name }) => name),
    ...many('person', parties, ({ name, role, roleLabel }) => `${name} (${roleLabel ?? role})`),
    ...many('website', contacts?.websites, (address) => address),
    ...many('related', related, ({ id, relation, register }) => join(' ', id, `(${join(', ', relation, register)})`)),
    ...one('updated', record.updatedAt),
  ];
}

function describeSource(provenance: Provenance | null): Row[] {
  if (provenance === null) return [['source', 'unknown']];
  const { publisher, file, row, hash, asOf, importedAt, licence, sourceUrl } = provenance;
  return [
    ...one('source', publisher),
    ...one('file', `${file}, row ${row}`),
    ...one('hash', hash),
    ...one('as of', asOf),
    ...one('imported', importedAt),
    ...one('licence', licence),
    ...one('from', sourceUrl),
  ];
}

function one(name: string, text: string | null | undefined): Row[] {
  return text ? [[name, text]] : [];
}

function many<T>(name: string, items: readonly T[] | null | undefined, describe: (item: T) => string): Row[] {
  const rows = (items ?? []).slice(0, MAX_ITEMS).map((item, at): Row => [at === 0 ? name : '', describe(item)]);
  const rest = (items ?? []).length - MAX_ITEMS;
  return rest > 0 ? [...rows, ['', `and ${rest.toLocaleString('en-US')} more, which --json shows`]] : rows;
}

function join(separator: string, ...parts: readonly (string | number | null | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== null && part !== '').join(separator);
}
