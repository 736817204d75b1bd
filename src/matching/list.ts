import { Failure, fail } from '../core/errors.ts';
import { readCsv } from '../formats/csv.ts';
import { peekBytes } from '../formats/decode.ts';
import { type Batches, FormatError, type SourceRow } from '../formats/rows.ts';
import { describeUnexpected } from '../formats/sniff.ts';
import type { ListedQuery, MatchOutcome } from './batch.ts';
import type { MatchCandidate } from './matching.ts';

/** A list of companies to match, as people have it: a CSV file with a header, or one name per line. */
export interface MatchList {
  readonly header: readonly string[];
  /** The column that names are taken from. */
  readonly nameColumn: string;
  readonly rows: AsyncIterable<readonly ListRow[]>;
}

export interface ListRow {
  /** As many as the header has. */
  readonly cells: readonly string[];
  readonly query: ListedQuery;
}

export interface ListOptions {
  /** `detect`: a table if its first line has a column for names, otherwise lines. A table without such a column has names in its first. */
  readonly mode: 'table' | 'lines' | 'detect';
  /** Validates the fields of a query. */
  readonly read: (given: unknown) => ListedQuery;
}

/** Columns that are fields of a query, by their names in lower case without anything but letters. */
const FIELDS: Readonly<Record<string, string>> = {
  name: 'name',
  company: 'name',
  companyname: 'name',
  country: 'country',
  countrycode: 'country',
  registrationnumber: 'registrationNumber',
  companynumber: 'registrationNumber',
  vat: 'registrationNumber',
  vatnumber: 'registrationNumber',
  lei: 'registrationNumber',
  city: 'city',
  town: 'city',
  postcode: 'postcode',
  postalcode: 'postcode',
  zip: 'postcode',
  legalform: 'legalForm',
  registeredat: 'registeredAt',
};
const DELIMITERS = [',', ';', '\t'];
const PEEK_BYTES = 64 * 1024;

/** Throws a `FormatError` if the list is not text in UTF-8 or UTF-16, or is empty. */
export async function openList(bytes: AsyncIterable<Uint8Array>, { mode, read }: ListOptions): Promise<MatchList> {
  const { start, all } = await peekBytes(bytes, PEEK_BYTES);
  const problem = describeUnexpected(start);
  if (problem !== null) throw new FormatError(`this is ${problem}: a list is CSV, or has one name per line`);
  const encoding = start[0] === 0xff && start[1] === 0xfe ? 'utf-16le' : 'utf-8';
  const line = new TextDecoder(encoding).decode(start).trimStart().split(/\r?\n/, 1)[0] ?? '';
  if (line === '') throw new FormatError('the list is empty');
  const delimiter = findDelimiter(line);
  const isTable =
    mode === 'table' || (mode === 'detect' && line.split(delimiter).some((cell) => fieldOf(cell) === 'name'));
  // Lines have no delimiter: a name can contain every character but that of the line end.
  const dialect = isTable ? ({ delimiter, quote: '"' } as const) : ({ delimiter: '\0', quote: null } as const);
  const batches = readCsv(all, { ...dialect, encoding });
  if (!isTable) return { header: ['name'], nameColumn: 'name', rows: readRows(batches, ['name'], ['name'], read) };
  const { first, rest } = await splitFirst(batches);
  const fields = first.map(fieldOf);
  const at = Math.max(0, fields.indexOf('name'));
  const unique = fields.map((field, index) => (field === 'name' || fields.indexOf(field) < index ? undefined : field));
  return { header: first, nameColumn: first[at] ?? '', rows: readRows(rest, first, unique.with(at, 'name'), read) };
}

function fieldOf(column: string): string | undefined {
  return FIELDS[column.toLowerCase().replace(/[^a-z]/g, '')];
}

/** The one that the first line has most of. */
function findDelimiter(line: string): string {
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

type Rows = Batches<readonly string[]>;

async function splitFirst(batches: Rows): Promise<{ first: readonly string[]; rest: Rows }> {
  const source = batches[Symbol.asyncIterator]();
  const { value } = await source.next();
  const [header, ...others] = (value ?? []) as readonly SourceRow<readonly string[]>[];
  async function* rest() {
    yield others;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  }
  return { first: header?.value ?? [], rest: rest() };
}

async function* readRows(
  batches: Rows,
  header: readonly string[],
  fields: readonly (string | undefined)[],
  read: ListOptions['read'],
): AsyncGenerator<readonly ListRow[]> {
  for await (const batch of batches) {
    yield batch.map(({ place, value }) => {
      const cells = header.map((_, index) => value[index] ?? '');
      if (value.length > header.length) {
        const message = `Line ${place} has ${value.length} cells, and the header has ${header.length}: quote cells with a delimiter.`;
        return { cells, query: { error: fail('invalid_request', { message }) } };
      }
      const given: Record<string, string> = { name: '' };
      for (const [index, field] of fields.entries()) {
        const text = cells[index]?.trim();
        if (field !== undefined && text) given[field] = text;
      }
      return { cells, query: read(given) };
    });
  }
}

/** The columns that are added to a list. */
export const RESULT_COLUMNS = [
  'matchStatus',
  'matchId',
  'matchCountry',
  'matchNumber',
  'matchName',
  'matchScore',
  'matchText',
  'matchReasons',
] as const;

/** What became of a row. The company is the one that was chosen, or the best candidate unless none fits. */
export function describeOutcome(outcome: MatchOutcome, chosen?: MatchCandidate): (string | null)[] {
  if ('error' in outcome) {
    const { message } = outcome.error instanceof Failure ? outcome.error : fail('internal_error');
    return ['error', null, null, null, null, null, message, null];
  }
  const { status, text, candidates } = outcome.answer;
  const best = chosen ?? (status === 'none' ? undefined : candidates[0]);
  const { entity, score, reasons } = best ?? {};
  const company = [
    entity?.id,
    entity?.countryCode,
    entity?.registrationNumber,
    entity?.canonicalName,
    score?.toFixed(3),
  ];
  const why = reasons?.map((reason) => reason.text).join(' ');
  return [chosen === undefined ? status : 'chosen', ...company.map((cell) => cell ?? null), text, why ?? null];
}
