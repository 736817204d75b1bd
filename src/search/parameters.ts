import Type, { type Static } from 'typebox';
import type { ActivityType } from '../core/search-keys.ts';
import { compileReader } from '../validation/reader.ts';
import type { SearchQuery } from './search.ts';

/**
 * The parameters of a search, for the API and the portal: the schema below validates them and is published in the
 * contract. Nothing is guessed, trimmed or rounded.
 */
export const MAX_FRAGMENT_LENGTH = 200;
export const DEFAULT_PAGE_SIZE = 25;
const ACTIVITY_TYPES = ['unlicensed', 'licensed'] as const satisfies readonly ActivityType[];
const DEFAULT_ACTIVITY_TYPE: ActivityType = 'unlicensed';
const DEFAULT_PAGE = 1;

/** PostgreSQL cannot store U+0000, so no record contains it. */
const NO_NUL = {
  pattern: '^[^\\u0000]*$',
  errorMessage: { pattern: 'must not contain the character U+0000' },
} as const;

export const SearchParameters = Type.Object(
  {
    q: Type.Optional(
      Type.String({
        maxLength: MAX_FRAGMENT_LENGTH,
        ...NO_NUL,
        description:
          'Part of a company name or of a registration number. Case, accents and the punctuation of numbers are ignored. An ' +
          'empty value matches every company.',
        examples: ['müller & co', '00445790'],
      }),
    ),
    country: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 2,
        pattern: '^[A-Za-z]{2}$',
        errorMessage:
          'must be a two-letter country code (ISO 3166-1 alpha-2), such as GB; omit it to search all countries',
        description: 'Two-letter country code (ISO 3166-1 alpha-2). Case is ignored.',
        examples: ['GB'],
      }),
    ),
    legalForm: Type.Optional(
      Type.String({
        minLength: 1,
        ...NO_NUL,
        description: 'National legal form, exactly as in the `legalForm` field of a result.',
        examples: ['Private Limited Company'],
      }),
    ),
    activity: Type.Optional(
      Type.String({
        minLength: 1,
        ...NO_NUL,
        description: 'National activity code or label, exactly as published.',
        examples: ['62012'],
      }),
    ),
    activityType: Type.Optional(
      Type.Enum([...ACTIVITY_TYPES], {
        type: 'string',
        default: DEFAULT_ACTIVITY_TYPE,
        description: 'The kind of activities that `activity` is compared with.',
      }),
    ),
    page: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        default: DEFAULT_PAGE,
        description: 'Page number, starting at 1. A page after the last one is empty.',
        examples: [1],
      }),
    ),
    pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: DEFAULT_PAGE_SIZE,
        description: 'Number of results per page.',
        examples: [25],
      }),
    ),
  },
  { additionalProperties: false },
);

const read = compileReader(SearchParameters, 'query');

export type GivenParameters = Readonly<Record<string, string>>;

/** Validates the parameters as they were written in a URL or form. Throws `invalid_request`. */
export function readSearchQuery(given: GivenParameters): SearchQuery {
  return toSearchQuery(read(given));
}

export function toSearchQuery(parameters: Static<typeof SearchParameters>): SearchQuery {
  return {
    q: parameters.q ?? '',
    country: parameters.country?.toUpperCase(),
    legalForm: parameters.legalForm,
    activity: parameters.activity,
    activityType: parameters.activityType ?? DEFAULT_ACTIVITY_TYPE,
    page: parameters.page ?? DEFAULT_PAGE,
    pageSize: parameters.pageSize ?? DEFAULT_PAGE_SIZE,
  };
}
