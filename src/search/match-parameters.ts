import Type, { type Static } from 'typebox';
import { fail } from '../base/errors.ts';
import { compileReader } from '../base/validation.ts';
import type { ListedQuery } from './match/batch.ts';
import type { MatchQuery } from './match/matching.ts';
import { NO_NUL, SearchParameters } from './parameters.ts';

/** The parameters of a match, for the API, the portal, tools and commands: validated here, published in the contract. */
const MAX_MATCH_NAME = 10_000;
export const MAX_MATCH_LIMIT = 20;
export const DEFAULT_MATCH_LIMIT = 5;
/** How many queries one request may have. */
export const MAX_MATCH_QUERIES = 100;

const text = (maxLength: number, description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, ...NO_NUL, description, examples: [example] }));

export const MatchParameters = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: MAX_MATCH_NAME,
      ...NO_NUL,
      description:
        'The name as you have it: misspelt, shortened, in another script or order, with or without its legal form.',
      examples: ['Albion Elm Holding'],
    }),
    country: SearchParameters.properties.country,
    registrationNumber: text(100, 'A registration number, VAT number or LEI.', '16802418'),
    city: text(200, 'City of the registered address.', 'Cambridge'),
    postcode: text(40, 'Postcode of the registered address.', 'CB2 1TN'),
    legalForm: text(200, 'Legal form, in words or as an abbreviation.', 'Ltd'),
    registeredAt: Type.Optional(
      Type.String({
        pattern: '^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$',
        errorMessage: 'must be a year, a month or a day, such as 2019, 2019-05 or 2019-05-31',
        description: 'Date of registration: a year, a month or a day.',
        examples: ['2019-05'],
      }),
    ),
    status: SearchParameters.properties.status,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_MATCH_LIMIT,
        default: DEFAULT_MATCH_LIMIT,
        description: 'How many candidates to return at most.',
        examples: [DEFAULT_MATCH_LIMIT],
      }),
    ),
  },
  { additionalProperties: false },
);

export type GivenMatch = Static<typeof MatchParameters>;

const readBody = compileReader(MatchParameters, 'body');

/** Validates one query of a list, so that an invalid query does not affect the other queries. */
export function readListedQuery(given: unknown): ListedQuery {
  try {
    return { query: toMatchQuery(readBody(given)) };
  } catch (error) {
    return { error };
  }
}

export function toMatchQuery(given: GivenMatch): MatchQuery {
  if (given.name.trim() === '') throw fail('invalid_request', { message: 'The name must not be blank.' });
  return { ...given, country: given.country?.toUpperCase() };
}
