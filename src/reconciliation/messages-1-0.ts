import Type from 'typebox';
import { fail } from '../core/errors.ts';
import { compileReader } from '../validation/reader.ts';
import { type Asked, readAll, toAsked } from './asked.ts';
import { describeCandidate, type Matched } from './candidates.ts';
import { AnyValue, describeMeta, firstText, nameQuery } from './messages-0-2.ts';
import type { Extended, ExtendQuery } from './reconciliation.ts';

/** The draft of version 1.0 of the protocol. It is experimental: it follows the draft, and may change with it. */

const readBatch = compileReader(
  Type.Object({ queries: Type.Array(Type.Unknown()) }, { additionalProperties: true }),
  'body',
);

const Condition = Type.Object(
  {
    matchType: Type.Enum(['name', 'id', 'property'], { type: 'string' }),
    propertyId: Type.Optional(Type.String()),
    propertyValue: AnyValue,
    required: Type.Optional(Type.Boolean()),
    matchQuantifier: Type.Optional(Type.Enum(['any', 'all', 'none'], { type: 'string' })),
    matchQualifier: Type.Optional(Type.String()),
  },
  { additionalProperties: true },
);
type Condition = Type.Static<typeof Condition>;

const readQuery = compileReader(
  Type.Object(
    {
      type: Type.Optional(Type.String()),
      limit: Type.Optional(Type.Number()),
      lang: Type.Optional(Type.String()),
      dir: Type.Optional(Type.String()),
      conditions: Type.Array(Condition, { minItems: 1 }),
    },
    { additionalProperties: false },
  ),
  'body',
);

export function readListedQueries(body: unknown, country: string | undefined): Asked[] {
  return readAll(readBatch(body).queries, (given, at) => {
    try {
      const { type, limit, conditions } = readQuery(given);
      // "None of these values" cannot be compared.
      const usable = conditions.filter(({ matchQuantifier }) => matchQuantifier !== 'none');
      const name = usable.find(({ matchType }) => matchType !== 'property');
      const properties = usable.filter(({ matchType }) => matchType === 'property').map(toGiven);
      const given02 = { name: name && firstText(name.propertyValue), limit, properties };
      return toAsked({ ...given02, types: type === undefined ? [] : [type] }, country);
    } catch (error) {
      throw nameQuery(error, String(at));
    }
  });
}

function toGiven({ propertyId, propertyValue }: Condition) {
  if (propertyId === undefined)
    throw fail('invalid_request', { message: 'a condition with the matchType "property" needs a "propertyId".' });
  return { id: propertyId, value: firstText(propertyValue) };
}

export function writeListedResults(matched: readonly Matched[]): string {
  const results = matched.map(({ candidates, error }) => ({
    candidates: candidates.map((candidate) => ({
      ...describeCandidate(candidate),
      features: candidate.reasons.map(({ feature, weight, text }) => ({ id: feature, name: text, value: weight })),
    })),
    ...(error !== undefined && { error }),
  }));
  return JSON.stringify({ results });
}

export function writeExtendedRows({ properties }: ExtendQuery, extended: readonly Extended[]): string {
  const rows = extended.map(({ id, values }) => ({
    id,
    properties: properties.map((property, at) => ({ id: property, values: values[at] ?? [] })),
  }));
  return JSON.stringify({ meta: properties.map(describeMeta), rows });
}
