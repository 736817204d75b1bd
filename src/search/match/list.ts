import { writeCsvRow } from '../../base/csv.ts';
import { Failure, fail } from '../../base/errors.ts';
import { readCsv } from '../../formats/csv.ts';
import { peekBytes } from '../../formats/decode.ts';
import { type Batches, FormatError } from '../../formats/rows.ts';
import { describeUnexpected } from '../../formats/sniff.ts';
import type { ListedQuery, MatchOutcome } from './batch.ts';
import type { MatchCandidate } from './matching.ts';

/** A list of companies to match: a CSV file with a header, or one name per line. */
export interface MatchList {
  readonly header: readonly string[];
  readonly rows: AsyncIterable<readonly (readonly string[])[]>;
}

/** With `detect`, a list is a table if its first line has a column for names, and lines otherwise. */
export type ListMode = 'table' | 'lines' | 'detect';

/** The fields of a query by the names of their columns, reduced to letters in lower case. */
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

/** Opens a list. Throws a `FormatError` if the list is empty or is not text in UTF-8 or UTF-16. */
export async function openList(bytes: AsyncIterable<Uint8Array>, mode: ListMode): Promise<MatchList> {
  const { start, all } = await peekBytes(bytes, PEEK_BYTES);
  const problem = describeUnexpected(start);
  if (problem !== null) throw new FormatError(`this is ${problem}: a list is CSV, or has one name per line`);
  const encoding = start[0] === 0xff && start[1] === 0xfe ? 'utf-16le' : 'utf-8';
  const line = new TextDecoder(encoding).decode(start).trimStart().split(/\r?\n/, 1)[0] ?? '';
  if (line === '') throw new FormatError('the list is empty');
  const delimiter = findDelimiter(line);
  const hasName = line.split(delimiter).some((cell) => fieldOf(cell) === 'name');
  const isTable = mode === 'table' || (mode === 'detect' && hasName);
  // Lines have no delimiter: a name can contain every character except a line end.
  const dialect = isTable ? ({ delimiter, quote: '"' } as const) : ({ delimiter: '\0', quote: null } as const);
  const batches = readValues(readCsv(all, { ...dialect, encoding }));
  if (!isTable) return { header: ['name'], rows: batches };
  const { value: first = [] } = (await batches.next()) as { value?: (readonly string[])[] };
  async function* rest() {
    yield first.slice(1);
    yield* batches;
  }
  return { header: first[0] ?? [], rows: rest() };
}

async function* readValues(batches: Batches<readonly string[]>): AsyncGenerator<(readonly string[])[]> {
  for await (const batch of batches) yield batch.map(({ value }) => value);
}

/** The column with the names: the column that is named so, or else the first column. */
export function findNameColumn(header: readonly string[]): number {
  return Math.max(0, header.map(fieldOf).indexOf('name'));
}

/** The columns that are fields of queries. All other columns are only copied to the result. */
export function listUsedColumns(header: readonly string[]): number[] {
  return header.flatMap((column, index) => (fieldOf(column) === undefined ? [] : [index]));
}

/** Creates a function that turns rows into queries. `read` validates the fields of a query. */
export function createRowReader(
  header: readonly string[],
  read: (given: unknown) => ListedQuery,
): (row: readonly string[]) => ListedQuery {
  const fields = header.map(fieldOf);
  const names = findNameColumn(header);
  return (row) => {
    if (row.length > header.length) {
      const message = `This row has ${row.length} cells, and the header has ${header.length}: quote cells that contain a delimiter.`;
      return { error: fail('invalid_request', { message }) };
    }
    const given: Record<string, string> = { name: row[names]?.trim() ?? '' };
    for (const [index, field] of fields.entries()) {
      const text = row[index]?.trim();
      // If several columns are for one field, the first column with a value counts.
      if (field !== undefined && text && !given[field]) given[field] = text;
    }
    return read(given);
  };
}

function fieldOf(column: string): string | undefined {
  return FIELDS[column.toLowerCase().replace(/[^a-z]/g, '')];
}

/** The delimiter that occurs most often in the first line. */
function findDelimiter(line: string): string {
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
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

/** Writes a row of the list with its result. */
export function writeRow(
  header: readonly string[],
  row: readonly string[],
  result: readonly (string | null)[],
): string {
  return writeCsvRow([...header.map((_, index) => row[index] ?? ''), ...result], header.length);
}

/**
 * The columns that are added to a row. They describe the chosen company. If no choice was made (`undefined`), they describe the best
 * candidate, unless no candidate fits; `null` means that none of the candidates was chosen.
 */
export function describeOutcome(outcome: MatchOutcome, chosen?: MatchCandidate | null): (string | null)[] {
  if ('error' in outcome) {
    const { message } = outcome.error instanceof Failure ? outcome.error : fail('internal_error');
    return ['error', null, null, null, null, null, message, null];
  }
  const { status, text, candidates } = outcome.answer;
  const best = chosen === undefined && status !== 'none' ? candidates[0] : chosen;
  const { entity, score, reasons } = best ?? {};
  const company = [
    entity?.id,
    entity?.countryCode,
    entity?.registrationNumber,
    entity?.canonicalName,
    score?.toFixed(3),
  ];
  const why = reasons?.map((reason) => reason.text).join('; ');
  return [describeStatus(status, chosen), ...company.map((cell) => cell ?? null), text, why ?? null];
}

function describeStatus(status: string, chosen: MatchCandidate | null | undefined): string {
  if (chosen === null) return 'none';
  return chosen && !chosen.match ? 'chosen' : status;
}

/** Accepts the likeliest company of an ambiguous row if its score is at least `score`. */
export function acceptLikely(result: readonly (string | null)[], score: number): (string | null)[] {
  const [status = null, ...others] = result;
  const isLikely = status === 'ambiguous' && Number(result[RESULT_COLUMNS.indexOf('matchScore')]) >= score;
  return [isLikely ? 'chosen' : status, ...others];
}

/** The id of the company of a row that was matched or chosen. */
export function idOfMatch([status, id]: readonly (string | null)[]): string | undefined {
  return (status === 'match' || status === 'chosen') && id ? id : undefined;
}
