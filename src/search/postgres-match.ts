import { deriveSummary, parseActivities } from '../classifications/activities.ts';
import { storedNames, summaryFields, toSummary } from '../core/entity-summary.ts';
import { describeVersion } from '../core/version.ts';
import type { Db, Value } from '../db/db.ts';
import { readVersion } from '../db/version.ts';
import type { AskedName, Candidate, CandidateSource } from '../matching/candidates.ts';
import { chooseLookups, MAX_FOUND, type NameSample, rankFound, toCandidate } from './match-lookups.ts';
import { ORDERED_PART, OTHER_NAMES, WITH_OTHER_NAMES } from './postgres-indexes.ts';
import type { ShownRow } from './postgres-query.ts';
import { readNameSample } from './postgres-sample.ts';
import { activitiesJson, keepPerVersion, namedRegistry } from './store.ts';

/** Runs a statement within the turn of the account and until the deadline. */
export type ReadInTurn = <R extends object>(
  sql: string,
  params: readonly Value[],
  account: string,
  deadline: number,
) => Promise<R[]>;

/**
 * Candidates from SQL. All look-ups (`match-lookups.ts`) are one statement, so that all candidates are of one version. The
 * sample of names is read once per version.
 */
export function createPostgresCandidates(db: Db, read: ReadInTurn): CandidateSource {
  const sample = keepPerVersion(
    () => readVersion(db),
    () => readNameSample(db),
  );
  return {
    async find(asked, { account, deadline }) {
      const names = await sample.read();
      const { sql, params } = writeCandidates(asked, names);
      const rows = await read<CandidateRow>(sql, params, account, deadline);
      const { generation = 0, published_at = null } = rows[0] ?? {};
      const found = rows.flatMap((row) => (row.id === null ? [] : { row, candidate: describe(row) }));
      const { ranked, reply } = rankFound(asked, names, found);
      const sameNames = new Map(ranked.map(({ row }) => [row.id, row.same_name]));
      const version = describeVersion(generation, published_at);
      return { ...reply, version, sameName: ({ id }) => sameNames.get(id) ?? 1 };
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

function describe(row: FoundRow): Candidate {
  const { number_keys: numberKeys, named_registry: namedRegistry, postcode } = row;
  return toCandidate(toSummary(row, deriveSummary(parseActivities(row.activities), row)), {
    ...{ numberKeys, namedRegistry, postcode },
  });
}

const COLUMNS = { name: 'name_key', numbers: 'number_keys', otherNames: OTHER_NAMES } as const;
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
  const has = (column: string, text: string) => `${column} LIKE ${param(`%${text.replace(/[\\%_]/g, '\\$&')}%`)}`;
  const parts = chooseLookups(asked, names).map((lookup) => {
    const groups = lookup.all.map((texts) => texts.map((text) => has(COLUMNS[lookup.in], text)).join(' OR '));
    const conditions = groups.map((group) => `(${group})`);
    if (lookup.in === 'otherNames') conditions.push(WITH_OTHER_NAMES);
    if (lookup.country !== undefined) conditions.push(`country_code = ${param(lookup.country)}`);
    if (lookup.start !== undefined) {
      const name = 'name_key COLLATE "binary"';
      const [from, to] = [param(lookup.start), param(`${lookup.start}\u{10ffff}`)];
      conditions.push(`${name} >= ${from} AND ${name} < ${to} AND ${ORDERED_PART}`);
    }
    country ??= asked.country === undefined ? '' : ` AND country_code = ${param(asked.country)}`;
    return `(SELECT id FROM entities WHERE ${conditions.join(' AND ')}${country} LIMIT ${lookup.limit})`;
  });
  const found = parts.length === 0 ? 'SELECT NULL AS id WHERE FALSE' : parts.join(' UNION ALL ');
  const sql = `
    WITH found AS MATERIALIZED (
      SELECT id FROM (${found}) AS part GROUP BY id ORDER BY count(*) DESC LIMIT ${MAX_FOUND})
    SELECT generation, published_at, ${SUMMARY}, e.name_key, e.number_keys,
      ${namedRegistry.postgres} AS named_registry,
      substring(registry from '"address":{[^}]*"postCode":"([^"]*)"') AS postcode,
      (SELECT count(*) FROM (SELECT 1 FROM entities same WHERE same.name_key COLLATE "binary" = e.name_key${sameCountry}
        AND ${ORDERED_PART} LIMIT 1000) AS named) AS same_name
    FROM generation LEFT JOIN (found JOIN entities e ON e.id = found.id) ON TRUE WHERE generation.id = 1`;
  return { sql, params };
}
