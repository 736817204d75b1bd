import { type StoredName, storedNames, summaryFields } from '../../base/entity-summary.ts';
import { fold } from '../../base/fold.ts';
import { parseNumberFragment } from '../../base/search-keys.ts';
import { listIsic, parseActivities } from '../../registers/classifications/activities.ts';
import { findMainIsic, withParents } from '../../registers/classifications/isic.ts';
import { readVatNumber } from '../../registers/vat-numbers.ts';
import { listOtherNames } from '../other-names.ts';
import { ACTIVITIES_JSON, NAMED_REGISTRY } from '../store.ts';
import { listAliasWords, listWords, MIN_NUMBER } from '../words.ts';
import { type Connection, quote, unavailable } from './connection.ts';

/**
 * The tables in ClickHouse. Each build of the index has its own table, so that searches never see half of a build. On a
 * cluster named `firmament`, every node has a table with its part of the rows, and a `Distributed` table over all parts.
 */

/** Raise with every change of the columns or of the tables in `classifications/`. Releases with different layouts use separate tables. */
export const LAYOUT = 7;

/** The oldest version that was tested. Older versions lack settings that make searches exact. */
const MIN_VERSION = [26, 7] as const;
const CLUSTER = 'firmament';

function typeOf(name: StoredName): string {
  const { type, values, nullable } = summaryFields[name];
  if (type === 'timestamp') return 'Int64';
  const text = nullable ? 'Nullable(String)' : 'String';
  return values === 'few' ? `LowCardinality(${text})` : text;
}

/** A row means that an entity appeared (`sign` 1) or ended (-1) in a publication, with all values of the entity. */
const COLUMNS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(storedNames.map((name) => [summaryFields[name].column, typeOf(name)])),
  isic: 'LowCardinality(Nullable(String))',
  name_key: 'String',
  number_keys: 'String',
  legal_form_code: 'LowCardinality(Nullable(String))',
  activity_keys: 'Array(LowCardinality(String))',
  named_registry: 'String',
  isic_codes: 'Array(LowCardinality(String))',
  bucket: 'UInt16',
  name_words: 'String',
  romanised_words: 'String',
  former_words: 'String',
  other_keys: 'String',
  publication: 'UInt32',
  sign: 'Int8',
};
export const columnNames: readonly string[] = Object.keys(COLUMNS);
/** The columns that describe an entity: all but the last two. */
export const entityColumns: readonly string[] = columnNames.slice(0, -2);

export const nameTable = (build: number | '') => `entities_v${LAYOUT}_${build}`;

/** Checks every node, creates the database there and describes the cluster. The cause of an error is a sentence for the operator. */
export async function prepareNodes(connection: Connection): Promise<{ shards: number; isReplicated: boolean }> {
  // Uses a format that very old versions support: Debian ships 18.16.
  const versions = `SELECT concat('["', version(), '"]') FORMAT TabSeparated`;
  for (const [row] of await connection.runEverywhere<[version: string]>(versions)) requireVersion(row?.[0]);
  const nodes = await connection.runEverywhere<[shards: number, replica: number]>(
    `SELECT toUInt8((SELECT countDistinct(shard_num) FROM clusters WHERE cluster = '${CLUSTER}')),
      toUInt8((SELECT count() FROM macros WHERE macro = 'replica'))`,
  );
  const [first = '', ...others] = nodes.map(([row]) => String(row));
  const [shards = 0, replica = 0] = first.split(',').map(Number);
  const problem = others.some((other) => other !== first)
    ? `the nodes of CLICKHOUSE_URL disagree about the cluster "${CLUSTER}"`
    : nodes.length > 1 && shards === 0
      ? `CLICKHOUSE_URL has several nodes, but they have no cluster "${CLUSTER}"`
      : nodes.length < shards
        ? `the cluster "${CLUSTER}" has ${shards} shards: list all its nodes in CLICKHOUSE_URL`
        : undefined;
  if (problem !== undefined) throw unavailable(new Error(problem));
  await connection.runEverywhere(`CREATE DATABASE IF NOT EXISTS ${connection.place.database}`);
  return { shards, isReplicated: replica > 0 };
}

export function requireVersion(version = ''): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1])) return;
  throw unavailable(new Error(`ClickHouse ${version} is too old: upgrade to ${MIN_VERSION.join('.')} or newer`));
}

/** With short marks, fewer rows are read for a rare result. Posting lists have one block: split lists take ten times longer to intersect. */
const SETTINGS = 'index_granularity = 1024, text_index_posting_list_block_size = 1000000000';

/** Creates the table of a build on every node. First drops all other tables except the searched one: failed builds would fill the disk. */
export async function createTables(connection: Connection, build: number, searched: number | undefined): Promise<void> {
  const { shards, isReplicated } = await prepareNodes(connection);
  await dropTables(connection, searched);
  const { database } = connection.place;
  const name = nameTable(build);
  const columns = Object.entries(COLUMNS).map(([column, type]) => `${column} ${type}`);
  for (const [index, texts] of Object.entries({ ...FRAGMENTS, activities: 'activity_keys', industries: 'isic_codes' }))
    columns.push(`INDEX ${index} ${texts} TYPE text(tokenizer = 'array')`);
  const path = `/clickhouse/tables/${database}/${name}/{shard}`;
  const engine = isReplicated ? `ReplicatedMergeTree('${path}', '{replica}')` : 'MergeTree';
  const part = shards === 0 ? name : `${name}_part`;
  await connection.runEverywhere(`CREATE TABLE IF NOT EXISTS ${database}.${part} (${columns.join(', ')})
    ENGINE = ${engine} ORDER BY (bucket, name_key, canonical_name, id) SETTINGS ${SETTINGS}`);
  if (shards === 0) return;
  await connection.runEverywhere(`CREATE TABLE IF NOT EXISTS ${database}.${name} AS ${database}.${part}
    ENGINE = Distributed('${CLUSTER}', '${database}', '${part}', sipHash64(id))`);
}

async function dropTables(connection: Connection, kept: number | undefined): Promise<void> {
  const { database } = connection.place;
  const nodes = await connection.runEverywhere<[name: string]>(
    `SELECT name FROM tables WHERE database = '${database}' AND startsWith(name, '${nameTable('')}')`,
  );
  for (const name of new Set(nodes.flat(2)))
    if (![nameTable(kept ?? ''), `${nameTable(kept ?? '')}_part`].includes(name))
      await connection.runEverywhere(`DROP TABLE IF EXISTS ${database}.${name} SYNC`);
}

/** Turns rows of the store into rows of ClickHouse. The columns are in the order of `entityColumns`. */
export const dumpColumns: readonly string[] = [
  ...storedNames.map((name) => summaryFields[name].column),
  // This column is in the place of the fields that `readDump` derives from it.
  ACTIVITIES_JSON,
  ...['name_key', 'number_keys', 'legal_form_code', 'activity_keys', NAMED_REGISTRY],
];

/** The values of an entity in the order of `entityColumns`, as JSON values. */
export type EntityValues = readonly unknown[];

const NAME_KEY = dumpColumns.indexOf('name_key');
const ACTIVITY_KEYS = dumpColumns.indexOf('activity_keys');
const UPDATED_AT = dumpColumns.indexOf('updated_at');
const ISIC = dumpColumns.indexOf(ACTIVITIES_JSON);
const NAMED = dumpColumns.indexOf(NAMED_REGISTRY);
const [NAME, COUNTRY] = [dumpColumns.indexOf('canonical_name'), dumpColumns.indexOf('country_code')];
const NULL = 0xff;

/** Writes words with a space on both sides of every word. */
function writeWords(words: Iterable<string>): string {
  const list = [...words];
  return list.length === 0 ? '' : ` ${list.join(' ')} `;
}

/** Writes names folded, with a line break on both sides of every name. */
function writeKeys(names: readonly string[]): string {
  return names.length === 0 ? '' : `\n${names.map(fold).join('\n')}\n`;
}

/** The first two bytes of a name as a number. Rows are sorted by this number, and counted by it to find a page. */
export function bucketOf(nameKey: string): number {
  const [first = 0, second = 0] = Buffer.from(nameKey);
  return first * 256 + second;
}

/** Reads a chunk of `Snapshot.dump` with `dumpColumns`. */
export function* readDump(chunk: Uint8Array): Generator<EntityValues> {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  let values: unknown[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0, start);
    values.push(bytes[start] === NULL ? null : bytes.toString('utf8', start, end));
    start = end + 1;
    if (values.length < dumpColumns.length) continue;
    const keys = values[ACTIVITY_KEYS];
    values[ACTIVITY_KEYS] = keys === '' || keys === null ? [] : String(keys).split('\n');
    values[UPDATED_AT] = Number(values[UPDATED_AT]);
    const activities = parseActivities(values[ISIC] as string | null);
    values[ISIC] = findMainIsic(activities);
    const nameKey = String(values[NAME_KEY]);
    const others = listOtherNames(String(values[NAMED])).map(({ text }) => text);
    const aliases = listAliasWords(String(values[NAME]), String(values[COUNTRY]), others);
    values.push([...new Set(listIsic(activities).flatMap(withParents))], bucketOf(nameKey));
    values.push(...[listWords(nameKey), aliases.romanised, aliases.former].map(writeWords), writeKeys(others));
    yield values;
    values = [];
  }
}

/** A line of an insert. */
export const writeLine = (values: EntityValues, publication: number, sign: 1 | -1) =>
  `${JSON.stringify([...values, publication, sign])}\n`;

/**
 * Finds the rows that contain a text. A text index has the posting lists of all fragments of one to three characters (`FRAGMENTS`). For a
 * text of up to three characters, the lists are enough. For a longer text, the lists leave few rows, which are then read.
 */

/** `number_keys` without the forms that have no separators, and with a line break around every number. */
const WRITTEN_NUMBERS = "replaceRegexpAll(number_keys, '\\\\t[^\\\\n]*', '')";
const SEPARATE_NUMBERS = "concat('\\n', translate(number_keys, '\\t', '\\n'), '\\n')";

const listFragments = (text: string) => `arrayConcat(ngrams(${text}, 1), ngrams(${text}, 2), ngrams(${text}, 3))`;

/** The expressions that are searched. */
const SEARCHED = {
  texts: 'name_key',
  numbers: 'number_keys',
  aliases: 'concat(romanised_words, former_words)',
} as const;

/** The fragments of the name and the numbers as written, of all forms of the numbers, and of the words of other names. Each has an index. */
const FRAGMENTS = {
  texts: listFragments(`concat(name_key, '\\n', ${WRITTEN_NUMBERS})`),
  numbers: listFragments(SEARCHED.numbers),
  aliases: listFragments(SEARCHED.aliases),
} as const;

const MAX_INDEXED = 3;
/** Which fragments are the rarest is unknown here, and more fragments hardly leave fewer rows. */
const MAX_LOOKED_UP = 40;

/** Writes the condition, answered by the index, that a row can contain a text. */
function mayContain(fragments: keyof typeof FRAGMENTS, text: string): string {
  const characters = [...text];
  const starts = characters.slice(0, Math.max(1, characters.length - MAX_INDEXED + 1)).slice(0, MAX_LOOKED_UP);
  const parts = new Set(starts.map((_, at) => characters.slice(at, at + MAX_INDEXED).join('')));
  return `hasAll(${FRAGMENTS[fragments]}, [${[...parts].map(quote).join(', ')}])`;
}

const contains = (column: string, text: string) => `position(${column}, ${quote(text)}) > 0`;

/** Writes the condition that the name, a number or a word of another name contains a text of three or more characters. */
export function writeContains(where: keyof typeof FRAGMENTS, text: string): string {
  return `(${mayContain(where, text)} AND ${contains(SEARCHED[where], text)})`;
}

/** The conditions for a `q` that is folded and not empty. The first condition reads only the index; the second, if any, reads the texts. */
export function writeFragment(text: string): [indexed: string, ...exact: string[]] {
  const first = `(${listPossible(text).join(' OR ')})`;
  const isExact = readVatNumber(text) === undefined && [...text].length <= MAX_INDEXED;
  return isExact ? [first] : [first, writeExact(text)];
}

function listPossible(text: string): string[] {
  const number = parseNumberFragment(text);
  const vat = readVatNumber(text);
  const possible = [mayContain('texts', text)];
  if (!number.asWritten) possible.push(mayContain('numbers', number.text));
  if (vat !== undefined) possible.push(mayContain('numbers', vat.number));
  return possible;
}

/** Writes the condition that the name or a number contains the text. */
function writeExact(text: string): string {
  const number = parseNumberFragment(text);
  const vat = readVatNumber(text);
  const exact = [contains('name_key', text), contains(number.asWritten ? WRITTEN_NUMBERS : 'number_keys', number.text)];
  if (vat !== undefined) exact.push(`(country_code = ${quote(vat.country)} AND ${isNumber(vat.number)})`);
  return `(${exact.join(' OR ')})`;
}

const isNumber = (number: string) => contains(SEPARATE_NUMBERS, `\n${number}\n`);

/** The conditions for a word: see `writeFragment`. */
export function writeWord(word: string): [indexed: string, exact: string] {
  const indexed = `(${[...listPossible(word), mayContain('aliases', word)].join(' OR ')})`;
  return [indexed, `(${writeExact(word)} OR ${contains(SEARCHED.aliases, word)})`];
}

const ALL_WORDS = 'concat(name_words, romanised_words, former_words)';

/**
 * Writes a number that is lower for more relevant hits: one bit for each criterion of `memory/answer/relevance.ts`, in the order of that
 * file. `asked` is folded; `rarestFirst` has its words.
 */
export function writeRank(asked: string, rarestFirst: readonly string[]): string {
  const orNumber = (condition: string, word: string) =>
    [...word].length < MIN_NUMBER ? condition : `(${condition} OR ${isNumber(word)})`;
  const whole = rarestFirst.map((word) => orNumber(contains(ALL_WORDS, ` ${word} `), word));
  const criteria = [
    `(name_key = ${quote(asked)} OR ${contains('other_keys', `\n${asked}\n`)})`,
    whole.join(' AND '),
    rarestFirst.map((word) => orNumber(contains(ALL_WORDS, ` ${word}`), word)).join(' AND '),
    rarestFirst.map((word) => `(${writeExact(word)} OR ${contains('romanised_words', word)})`).join(' AND '),
    ...whole
      .keys()
      .drop(1)
      .map((rank) => whole.slice(0, whole.length - rank).join(' AND ')),
    "status = 'active'",
  ];
  return `(${criteria.map((one, at) => `if(${one}, 0, ${2 ** (criteria.length - 1 - at)})`).join(' + ')})`;
}
