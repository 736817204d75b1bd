import Type, { type Static } from 'typebox';
import type { EntitySummary } from '../../base/entity-summary.ts';
import { Failure, fail } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import { exceedsBounds } from '../../base/json/json-bounds.ts';
import { compileReader } from '../../base/validation.ts';
import { nameCountry, readCountryCode } from '../../registry/country-names.ts';
import type { ListedQuery } from '../../search/match/batch.ts';
import type { MatchCandidate, MatchQuery } from '../../search/match/matching.ts';
import { DEFAULT_MATCH_LIMIT, MAX_MATCH_LIMIT, readListedQuery } from '../../search/match-parameters.ts';
import { COMPANY, findProperty, type RecordValue, readValues } from './properties.ts';

/** The messages of version 0.2 of the protocol, which OpenRefine uses: reading messages from requests, and writing replies. */

const Value = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Boolean(),
  Type.Object({ id: Type.String(), name: Type.Optional(Type.String()) }, { additionalProperties: true }),
]);
const AnyValue = Type.Union([Value, Type.Array(Value)]);
type AnyValue = Static<typeof AnyValue>;

const Query = Type.Object(
  {
    query: Type.Optional(Type.String()),
    type: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
    limit: Type.Optional(Type.Number()),
    properties: Type.Optional(
      Type.Array(Type.Object({ pid: Type.String(), v: AnyValue }, { additionalProperties: true })),
    ),
    type_strict: Type.Optional(Type.Enum(['any', 'should', 'all'], { type: 'string' })),
  },
  { additionalProperties: false },
);
const readQuery = compileReader(Query, 'body');

/** The maximum number of queries, or of companies to extend, in one request. */
export const BATCH_SIZE = 50;

/** A query of a batch. */
export interface Asked {
  readonly name: string;
  readonly id?: string | undefined;
  readonly listed: ListedQuery;
  /** Whether a given value could not be read. Then no candidate is safe to take without asking. */
  readonly isDoubtful: boolean;
}

/**
 * Reads the queries of a batch. An invalid query does not affect the others: it gets no candidates and costs nothing. But if no query has the form that
 * the protocol demands, the client uses another protocol, and the batch is rejected.
 */
export function readNamedQueries(text: string, country: string | undefined): readonly Asked[] {
  const queries = Object.entries(parseMessage(text, 'queries'));
  checkSize(queries.length, 'queries');
  const malformed: unknown[] = [];
  const asked = queries.map(([name, given]): Asked => {
    try {
      return { name, ...toAsked(readQuery(given), country) };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const message = `The query ${JSON.stringify(name.slice(0, 40))}: ${error.message}`;
      malformed.push(fail(error.code, { message }));
      return { name, listed: { error: malformed.at(-1) }, isDoubtful: false };
    }
  });
  if (malformed.length === queries.length && queries.length > 0) throw malformed[0];
  return asked;
}

function checkSize(count: number, noun: string): void {
  if (count <= BATCH_SIZE) return;
  const message = `The batch has ${count} ${noun}: send at most ${BATCH_SIZE} per request, as batchSize in the manifest says.`;
  throw fail('payload_too_large', { message });
}

function toAsked(given: Static<typeof Query>, country: string | undefined): Omit<Asked, 'name'> {
  const { query = '', type = [], limit = 0, properties = [], type_strict = 'any' } = given;
  if (given.query === undefined && properties.length === 0)
    throw fail('invalid_request', { message: 'give "query", "properties", or both.' });
  const reject = (message: string) => ({ listed: { error: fail('invalid_request', { message }) }, isDoubtful: false });
  const types = [type].flat();
  // OpenRefine always sends "should", which only prefers a type.
  if (type_strict !== 'should' && types.length > 0 && !types.includes(COMPANY.id))
    return reject(`There are no entities of this type: use "${COMPANY.id}", or leave the type out.`);
  const { evidence, isDoubtful } = readEvidence(properties, country);
  const name = query.trim() === '' ? (evidence.registrationNumber ?? '') : query;
  if (name === '') return reject('There is nothing to look for: give a name or a registrationNumber.');
  const wanted = limit >= 1 ? Math.trunc(limit) : DEFAULT_MATCH_LIMIT;
  const listed = readListedQuery({ name, ...evidence, limit: Math.min(wanted, MAX_MATCH_LIMIT) });
  return { id: readEntityId(query), listed, isDoubtful };
}

/** Reads an id, or the id at the end of the address of a company's page. */
export function readEntityId(text: string): string | undefined {
  const id = text.trim().split('/').at(-1) ?? '';
  return isUuid(id) ? id.toLowerCase() : undefined;
}

type Evidence = { -readonly [Name in keyof Omit<MatchQuery, 'name' | 'limit'>]: string };

/** Leaves out values that the matcher cannot use, and properties that we do not have. */
function readEvidence(given: Static<typeof Query>['properties'] & {}, country: string | undefined) {
  const evidence: Evidence = {};
  let isDoubtful = false;
  for (const { pid: id, v } of given) {
    const value = firstText(v);
    if (findProperty(id)?.isEvidence !== true || value.trim() === '') continue;
    const name = id as keyof Evidence;
    const read = name === 'country' ? readCountryCode(value) : value.trim();
    const isUsable = read !== undefined && 'query' in readListedQuery({ name: 'x', [name]: read });
    if (isUsable && (name !== 'country' || country === undefined || country === read)) evidence[name] ??= read;
    else isDoubtful = true;
  }
  if (country !== undefined) evidence.country = country;
  return { evidence, isDoubtful };
}

/** Returns the first of several values. The value of an entity is its name. */
function firstText(value: AnyValue): string {
  const [first = ''] = [value].flat();
  return typeof first === 'object' ? (first.name ?? first.id) : String(first);
}

export interface Matched {
  readonly candidates: readonly MatchCandidate[];
  /** The problem of an invalid query, which has no candidates and costs nothing. */
  readonly error?: string;
}

export function writeNamedResults(asked: readonly Asked[], results: readonly Matched[]): string {
  const entries = results.map(({ candidates, error }, at) => {
    const result = candidates.map((candidate) => {
      const features = candidate.reasons.map(({ feature, weight }) => ({ id: feature, value: weight }));
      return { ...describeCandidate(candidate), features };
    });
    return [asked[at]?.name ?? '', { result, ...(error !== undefined && { error }) }] as const;
  });
  return JSON.stringify(Object.fromEntries(entries));
}

const readExtend = compileReader(
  Type.Object({
    ids: Type.Array(Type.String()),
    properties: Type.Array(Type.Object({ id: Type.String() }, { additionalProperties: true })),
  }),
  'body',
);

export interface ExtendQuery {
  readonly ids: readonly string[];
  readonly properties: readonly string[];
}

export function readExtendQuery(given: unknown): ExtendQuery {
  const { ids, properties } = readExtend(given);
  checkSize(ids.length, 'ids');
  checkSize(properties.length, 'properties');
  return { ids: [...new Set(ids)], properties: [...new Set(properties.map(({ id }) => id))] };
}

const describeMeta = (id: string) => ({ id, name: findProperty(id)?.name ?? id });

/** `records` are the records of the ids, in the order of the ids. The row of an unknown id is empty. */
export function writeExtended({ ids, properties }: ExtendQuery, records: readonly (RecordValue | undefined)[]): string {
  const rows = ids.map((id, at) => {
    const record = records[at];
    const values = properties.map((each) => {
      const property = findProperty(each);
      return [each, record && property ? readValues(property, record) : []];
    });
    return [id, Object.fromEntries(values)];
  });
  return JSON.stringify({ meta: properties.map(describeMeta), rows: Object.fromEntries(rows) });
}

export function describeCandidate({ entity, score, match }: MatchCandidate) {
  return { ...describeEntity(entity), score: Math.round(score * 1_000) / 10, match, type: [COMPANY] };
}

export function describeEntity(entity: EntitySummary) {
  const { id, canonicalName: name, countryCode, registrationNumber, status, city } = entity;
  const parts = [nameCountry(countryCode).name, registrationNumber, city, status.replaceAll('_', ' ')];
  return { id, name, description: parts.filter((part) => part !== null && part !== '').join(' · ') };
}

/** A batch of 50 queries with all properties has about 1,500 values in 5 levels. */
const BOUNDS = { maxDepth: 8, maxValues: 8_000 };

/** Parses a message. Rejects texts that would take long to read, before anything is built from them. */
export function parseMessage(text: string, name: string): object {
  if (exceedsBounds(text, BOUNDS)) throw reject(`is too complex: send at most ${BOUNDS.maxValues} values.`);
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw reject('is not valid JSON.');
  }
  if (typeof message === 'object' && message !== null && !Array.isArray(message)) return message;
  throw reject('must be a JSON object.');

  function reject(problem: string) {
    return fail('invalid_request', { message: `The field "${name}" ${problem}` });
  }
}

const PREVIEW = { width: 430, height: 300 } as const;

export interface Place {
  readonly site: string;
  /** The address of this endpoint, which includes a reconcile link. The addresses of all other endpoints start with it. */
  readonly base: string;
  readonly country: string | undefined;
  readonly serviceVersion: string;
}

export function writeManifest({ site, base, country, serviceVersion }: Place): string {
  const below = (path: string) => ({ service_url: base, service_path: path });
  return JSON.stringify({
    versions: ['0.2'],
    name: `Firmament companies${country === undefined ? '' : ` (${country})`}`,
    documentation: `${site}/docs/openrefine`,
    serviceVersion,
    defaultTypes: [COMPANY],
    batchSize: BATCH_SIZE,
    identifierSpace: `${site}/entities/`,
    schemaSpace: `${site}/docs/openrefine#properties`,
    view: { url: `${site}/entities/{{id}}` },
    preview: { url: `${base}/preview?id={{id}}`, ...PREVIEW },
    suggest: { entity: below('/suggest/entity'), property: below('/suggest/property'), type: below('/suggest/type') },
    extend: { propose_properties: below('/propose'), property_settings: [] },
  });
}
