import Type from 'typebox';
import type { EntitySummary } from '../../base/entity-summary.ts';
import { Failure, fail } from '../../base/errors.ts';
import { exceedsBounds } from '../../base/json/json-bounds.ts';
import { compileReader } from '../../base/validation.ts';
import { nameCountry } from '../../registry/country-names.ts';
import type { MatchCandidate } from '../../search/match/matching.ts';
import { type Asked, BATCH_SIZE, checkSize, readAll, toAsked } from './asked.ts';
import { COMPANY, findProperty, type RecordValue } from './properties.ts';

/** The messages of version 0.2 of the protocol, which OpenRefine uses: reading messages from requests, and writing replies. */

const Value = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Boolean(),
  Type.Object({ id: Type.String(), name: Type.Optional(Type.String()) }, { additionalProperties: true }),
]);
const AnyValue = Type.Union([Value, Type.Array(Value)]);
type AnyValue = Type.Static<typeof AnyValue>;

const readQuery = compileReader(
  Type.Object(
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
  ),
  'body',
);

export interface NamedBatch {
  readonly names: readonly string[];
  readonly asked: readonly Asked[];
}

export function readNamedQueries(text: string, country: string | undefined): NamedBatch {
  const queries = Object.entries(parseMessage(text, 'queries'));
  const asked = readAll(queries, ([name, given]) => {
    try {
      const { query, type = [], limit, properties = [], type_strict = 'any' } = readQuery(given);
      if (query === undefined && properties.length === 0)
        throw fail('invalid_request', { message: 'give "query", "properties", or both.' });
      // OpenRefine always sends "should", which only prefers a type.
      const types = type_strict === 'should' ? [] : [type].flat();
      return toAsked({ name: query, types, limit, properties: properties.map(toGiven) }, country);
    } catch (error) {
      throw nameQuery(error, JSON.stringify(name.slice(0, 40)));
    }
  });
  return { names: queries.map(([name]) => name), asked };
}

function nameQuery(error: unknown, query: string): unknown {
  return error instanceof Failure ? fail(error.code, { message: `The query ${query}: ${error.message}` }) : error;
}

const toGiven = ({ pid, v }: { readonly pid: string; readonly v: AnyValue }) => ({ id: pid, value: firstText(v) });

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

export function writeNamedResults({ names }: NamedBatch, results: readonly Matched[]): string {
  const entries = results.map(({ candidates, error }, at) => {
    const result = candidates.map((candidate) => {
      const features = candidate.reasons.map(({ feature, weight }) => ({ id: feature, value: weight }));
      return { ...describeCandidate(candidate), features };
    });
    return [names[at] ?? '', { result, ...(error !== undefined && { error }) }] as const;
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
    const values = properties.map((each) => [each, (record && findProperty(each)?.readValues(record)) ?? []]);
    return [id, Object.fromEntries(values)];
  });
  return JSON.stringify({ meta: properties.map(describeMeta), rows: Object.fromEntries(rows) });
}

/** Scores are percentages. */
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

/** The size of a preview in pixels. */
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
