import type { AskedName, CandidateSource } from '../../matching/candidates.ts';
import type { Deadline } from '../../system/deadline.ts';
import {
  chooseLookups,
  countWords,
  type Lookup,
  MAX_FOUND,
  type NameSample,
  rankFound,
  SAMPLED,
  toCandidate,
} from '../match-lookups.ts';
import { type Read, summarize } from './answer.ts';
import { quote } from './connection.ts';
import { bucketOf } from './entity-rows.ts';
import { writeContains } from './fragments.ts';
import { type PageRow, SUMMARY, writeCounts, writeFrom } from './query.ts';
import type { Published } from './store.ts';

type InTurn = <T>(account: string, deadline: Deadline, work: (read: Read) => Promise<T>) => Promise<T>;

/** Candidates from bounded look-ups (`match-lookups.ts`). Both statements read the same publication. */
export function createCandidates(
  current: () => Published,
  inTurn: InTurn,
  readSample: () => Promise<NameSample>,
): CandidateSource {
  return {
    async find(asked, { account, deadline }) {
      const published = current();
      const names = await readSample();
      const lookups = chooseLookups(asked, names);
      return inTurn(account, deadline, async (read) => {
        const rows = lookups.length === 0 ? [] : await read<FoundRow>(writeLookups(published, asked, lookups));
        const { ranked, reply } = rankFound(asked, names, rows.map(describe));
        const keys = new Map(ranked.map(({ candidate, nameKey }) => [candidate.id, nameKey]));
        const sql = writeSameNames(published, asked, [...new Set(keys.values())]);
        const same = new Map(ranked.length === 0 ? [] : await read<[nameKey: string, entities: number]>(sql));
        return { ...reply, version: published.version, sameName: ({ id }) => same.get(keys.get(id) ?? '') ?? 1 };
      });
    },
  };
}

type FoundRow = readonly [summary: PageRow[0], nameKey: string, numberKeys: string, namedRegistry: string];

const OTHER_NAMES = `lowerUTF8(concat(JSONExtractRaw(named_registry, 'previousNames'), JSONExtractRaw(named_registry, 'otherNames')))`;

/** Postcodes are in the records only. */
function describe([summary, nameKey, numberKeys, namedRegistry]: FoundRow) {
  return { candidate: toCandidate(summarize(summary), { numberKeys, namedRegistry }), nameKey };
}

function writeLookups(published: Published, { country }: AskedName, lookups: readonly Lookup[]): string {
  const parts = lookups.map((lookup) => {
    const conditions = lookup.all.map((texts) => `(${texts.map((text) => writeHas(lookup.in, text)).join(' OR ')})`);
    if (lookup.in === 'otherNames') conditions.unshift("named_registry != ''");
    if (lookup.start !== undefined) conditions.push(`startsWith(name_key, ${quote(lookup.start)})`);
    for (const one of [country, lookup.country]) if (one !== undefined) conditions.push(`country_code = ${quote(one)}`);
    return `SELECT id, argMaxIf(((${SUMMARY}), name_key, number_keys, named_registry), publication, sign = 1) AS found
      ${writeFrom(published, { others: conditions })}
      GROUP BY id HAVING sum(sign) > 0 LIMIT ${lookup.limit}`;
  });
  return `SELECT (any(found) AS one).1, one.2, one.3, one.4 FROM (${parts.join(' UNION ALL ')})
    GROUP BY id ORDER BY count() DESC LIMIT ${MAX_FOUND}`;
}

function writeHas(place: Lookup['in'], text: string): string {
  if (place === 'otherNames') return `position(${OTHER_NAMES}, ${quote(text)}) > 0`;
  return writeContains(place === 'name' ? 'name_key' : 'number_keys', text);
}

/** How many entities have exactly these names. */
function writeSameNames(published: Published, { country }: AskedName, nameKeys: readonly string[]): string {
  const places = nameKeys.map((nameKey) => `(${bucketOf(nameKey)}, ${quote(nameKey)})`);
  const conditions = [`(bucket, name_key) IN (${places.join(', ')})`];
  if (country !== undefined) conditions.push(`country_code = ${quote(country)}`);
  return writeCounts(published, ['name_key'], { others: conditions });
}

/** All names of a small index, some tens of thousands of a large one. */
export async function readNameSample(read: Read, published: Published): Promise<NameSample> {
  const oneOf = Math.max(1, Math.ceil(published.entities / SAMPLED));
  const sql = writeCounts(published, ['country_code', 'name_key'], { others: [`cityHash64(id) % ${oneOf} = 0`] });
  const rows = await read<[country: string, name: string, entities: number]>(sql);
  const names = rows.map(([country, name, entities]) => ({ country, name, entities }));
  return countWords(names, 1 / oneOf);
}
