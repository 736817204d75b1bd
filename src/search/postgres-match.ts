import { deriveSummary, parseActivities } from '../classifications/activities.ts';
import { storedNames, summaryFields, toSummary } from '../core/entity-summary.ts';
import { describeVersion } from '../core/version.ts';
import type { Db, Value } from '../db/db.ts';
import type { AskedName, Candidate, CandidateSource } from '../matching/candidates.ts';
import { readVatNumber } from '../registers/vat-numbers.ts';
import { rankNames } from './match-names.ts';
import { listOtherNames } from './other-names.ts';
import { ORDERED_PART, OTHER_NAMES, WITH_OTHER_NAMES } from './postgres-indexes.ts';
import type { ShownRow } from './postgres-query.ts';
import { type NameSample, readNameSample } from './postgres-sample.ts';
import { activitiesJson, keepPerVersion, NAMED_REGISTRY } from './store.ts';

/** Runs a statement within the turn of the account and until the deadline. */
export type ReadInTurn = <R extends object>(
  sql: string,
  params: readonly Value[],
  account: string,
  deadline: number,
) => Promise<R[]>;

/**
 * Candidates from SQL. Several bounded look-ups in the index of trigrams, by the rarest words, pairs of words and halves of words that
 * may be misspelt, are one statement, so that all candidates are of one version. They are then ranked by the words they share with what
 * is asked for, as the engine in memory does. How rare a word is comes from a sample of the names, read once per version.
 */
export function createPostgresCandidates(db: Db, read: ReadInTurn): CandidateSource {
  const sample = keepPerVersion(db, () => readNameSample(db));
  return {
    async find(asked, { account, deadline }) {
      const names = await sample.read();
      const { sql, params } = writeCandidates(asked, names);
      const rows = await read<CandidateRow>(sql, params, account, deadline);
      const { generation = 0, published_at = null } = rows[0] ?? {};
      const found = rows.flatMap((row) => (row.id === null ? [] : row));
      const frequency = (word: string) => names.count(word, asked.country);
      const candidates = found.map((row) => ({ row, candidate: toCandidate(row) }));
      const weigh = (word: string) => Math.log(1 + names.entities() / (names.count(word) + 0.5));
      const ranked = rankNames(asked, candidates, weigh).slice(0, asked.limit);
      const sameNames = new Map(ranked.map(({ row, candidate }) => [candidate.id, row.same_name]));
      return {
        version: describeVersion(generation, published_at),
        candidates: ranked.map(({ candidate }) => candidate),
        bounded: found.length >= MAX_FOUND,
        entities: names.entities(asked.country),
        frequency,
        sameName: ({ id }) => sameNames.get(id) ?? 1,
      };
    },
  };
}

interface FoundRow extends ShownRow {
  readonly name_key: string;
  readonly number_keys: string;
  readonly named_registry: string;
  readonly postcode: string | null;
  readonly same_name: number;
}

type CandidateRow = (FoundRow | { readonly id: null }) & {
  readonly generation: number;
  readonly published_at: number | null;
};

function toCandidate(row: FoundRow): Candidate {
  const lines = row.number_keys === '' ? [] : row.number_keys.split('\n');
  return {
    id: row.id,
    entity: toSummary(row, deriveSummary(parseActivities(row.activities), row)),
    countryCode: row.countryCode,
    names: [{ text: row.canonicalName, kind: 'current' }, ...listOtherNames(row.named_registry)],
    numbers: lines.map((line) => line.slice(line.indexOf('\t') + 1)),
    postcode: row.postcode,
  };
}

/** What each look-up returns at most, and all of them together. */
const MAX_PER_PART = 100;
const MAX_FOUND = 600;
/** The rarest words are looked up, and the longest of those that no name of the sample has: they may be rare, or misspelt. */
const [MAX_KNOWN, MAX_UNKNOWN] = [3, 3];
const MAX_JOINED = 6;
const MAX_NUMBERS = 4;
/** The index has trigrams only. A half of a misspelt word must tell something, and more if it is looked up alone. */
const MIN_LENGTH = 3;
const [MIN_HALF, MIN_ALONE, MAX_START] = [3, 4, 5];
/** A frequent word alone finds too many names. */
const MAX_ALONE = 0.005;
const SUMMARY = [
  ...storedNames.map((name) => `e.${summaryFields[name].column} AS "${name}"`),
  'e.legal_form_code AS "legalFormCode"',
  `${activitiesJson.postgres} AS activities`,
].join(', ');

function writeCandidates(
  asked: AskedName,
  names: NameSample,
): { readonly sql: string; readonly params: readonly Value[] } {
  const params: Value[] = [];
  const param = (value: Value) => `$${params.push(value)}`;
  // Given only if a look-up uses it: PostgreSQL refuses a parameter that the statement does not have.
  let country: string | undefined;
  const sameCountry = asked.country === undefined ? '' : ' AND same.country_code = e.country_code';
  const parts: string[] = [];
  const addPart = (condition: string, limit = MAX_PER_PART) => {
    country ??= asked.country === undefined ? '' : ` AND country_code = ${param(asked.country)}`;
    parts.push(`(SELECT id FROM entities WHERE ${condition}${country} LIMIT ${limit})`);
  };
  const has = (text: string, column = 'name_key') => `${column} LIKE ${param(`%${text.replace(/[\\%_]/g, '\\$&')}%`)}`;

  for (const number of asked.numbers.slice(0, MAX_NUMBERS)) {
    const vat = readVatNumber(number);
    if (number.length >= MIN_LENGTH) addPart(has(number, 'number_keys'));
    if (vat !== undefined) addPart(`${has(vat.number, 'number_keys')} AND country_code = ${param(vat.country)}`);
  }
  // Names that begin like this: words of one or two letters are in no look-up by trigrams.
  const addStart = (start: string) => {
    const name = 'name_key COLLATE "binary"';
    addPart(`${name} >= ${param(start)} AND ${name} < ${param(`${start}\u{10ffff}`)} AND ${ORDERED_PART}`);
  };
  const start = asked.words.join(' ').slice(0, MAX_WORD);
  if (start !== '') addStart(start);
  const letters = asked.words.filter((word) => word.length === 1).join(' ');
  if (letters.length >= MIN_LENGTH) addStart(letters);
  const words = chooseWords(asked.words, names);
  if (words.length > 0) {
    addPart(words.map((word) => has(word)).join(' AND '));
    const inOther = words.slice(0, MAX_KNOWN).map((word) => has(word, OTHER_NAMES));
    addPart(`${WITH_OTHER_NAMES} AND ${inOther.join(' AND ')}`);
  }
  // Words that no name of the sample has may be misspelt; if there are none, the rarest.
  const unknown = words.filter((word) => names.count(word) === 0);
  const misspelt = unknown.length > 0 ? unknown : words.slice(0, 2);
  const either = (texts: readonly string[]) => `(${texts.map((text) => has(text)).join(' OR ')})`;
  for (const word of words) {
    const others = words.filter((other) => other !== word);
    if (others.length > 0) addPart(`${has(word)} AND ${either(others)}`);
    const pieces = misspelt.filter((other) => other !== word).flatMap((other) => listPieces(other, MIN_HALF));
    if (pieces.length > 0) addPart(`${has(word)} AND ${either(pieces)}`);
    const count = names.count(word);
    if (count <= names.entities() * MAX_ALONE) addPart(has(word));
    if (count === 0 || words.length === 1) addPart(either(listPieces(word, MIN_ALONE)), 2 * MAX_PER_PART);
  }
  for (const joined of asked.joined.slice(0, MAX_JOINED))
    if (joined.length > MIN_LENGTH) addPart(has(joined.slice(0, MAX_WORD)));

  const found = parts.length === 0 ? 'SELECT NULL AS id WHERE FALSE' : parts.join(' UNION ALL ');
  const sql = `
    WITH found AS MATERIALIZED (
      SELECT id FROM (${found}) AS part GROUP BY id ORDER BY count(*) DESC LIMIT ${MAX_FOUND})
    SELECT generation, published_at, ${SUMMARY}, e.name_key, e.number_keys,
      ${NAMED_REGISTRY} AS named_registry,
      substring(registry from '"address":{[^}]*"postCode":"([^"]*)"') AS postcode,
      (SELECT count(*) FROM (SELECT 1 FROM entities same WHERE same.name_key COLLATE "binary" = e.name_key${sameCountry}
        AND ${ORDERED_PART} LIMIT 1000) AS named) AS same_name
    FROM generation LEFT JOIN (found JOIN entities e ON e.id = found.id) ON TRUE WHERE generation.id = 1`;
  return { sql, params };
}

const MAX_WORD = 60;

function chooseWords(asked: readonly string[], names: NameSample): string[] {
  const long = [...new Set(asked.map((word) => word.slice(0, MAX_WORD)))].filter((word) => word.length >= MIN_LENGTH);
  const known = long.filter((word) => names.count(word) > 0).sort((a, b) => names.count(a) - names.count(b));
  const unknown = long.filter((word) => names.count(word) === 0).sort((a, b) => b.length - a.length);
  return [...unknown.slice(0, MAX_UNKNOWN), ...known.slice(0, MAX_KNOWN)];
}

/** Parts of a word that it has even if it is misspelt: both halves, and the start of a long one, which may be two words. */
function listPieces(word: string, least: number): string[] {
  const half = Math.max(least, word.length >> 1);
  return [
    ...new Set([word.slice(0, half), word.slice(-half), ...(half > MAX_START ? [word.slice(0, MAX_START)] : [])]),
  ];
}
