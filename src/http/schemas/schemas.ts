import Type, { type TSchema } from 'typebox';
import { statusMeanings } from '../../core/entity-status.ts';
import type { SummaryName } from '../../core/entity-summary.ts';

/**
 * The shapes of the API. One TypeBox object is the validator, the TypeScript type and the contract. Its `$id` is the name of the
 * component in `openapi.json`. `account.ts` has the shapes of accounts and billing, and `search/parameters.ts` the
 * parameters of a search, which the portal uses too.
 */
export const ErrorResponse = Type.Object(
  {
    error: Type.Object({
      code: Type.String({
        description: 'Machine-readable error code. Use it to decide how to handle the error.',
        examples: ['invalid_request'],
      }),
      message: Type.String({ description: 'Human-readable explanation, for logs. Its wording may change.' }),
      requestId: Type.String({
        format: 'uuid',
        description: 'Id of the request. Include it when you contact support.',
      }),
      docs: Type.String({ format: 'uri', description: 'Page that explains this error code.' }),
    }),
  },
  { $id: 'ErrorResponse', description: 'The body of every error response.' },
);

export const ApiPlan = Type.Object(
  {
    id: Type.Enum(['free', 'pro', 'business']),
    name: Type.String({ examples: ['Free'] }),
    monthlyPriceEur: Type.Number({ minimum: 0, description: 'Price per month in euros.', examples: [0] }),
    monthlyRequests: Type.Integer({
      minimum: 0,
      description: 'Data requests included per billing period.',
      examples: [1_000],
    }),
    requestsPerMinute: Type.Integer({
      minimum: 0,
      description: 'Data requests allowed per minute and API key.',
      examples: [60],
    }),
    maxApiKeys: Type.Integer({ minimum: 0, description: 'Maximum number of active API keys.', examples: [1] }),
    maxMonitors: nullable(Type.Integer({ minimum: 0, description: 'Maximum number of monitors.', examples: [2] })),
    maxWatchedCompanies: nullable(
      Type.Integer({
        minimum: 0,
        description: 'Maximum number of companies in all monitors together.',
        examples: [100],
      }),
    ),
  },
  { $id: 'ApiPlan', description: 'A plan and its limits.' },
);

export const Country = Type.Object(
  {
    code: Type.String({
      minLength: 2,
      maxLength: 2,
      description: 'Two-letter country code (ISO 3166-1 alpha-2).',
      examples: ['GB'],
    }),
    name: Type.String({ description: 'English name.', examples: ['United Kingdom'] }),
    nativeName: Type.String({ description: 'Name in the language of the country.', examples: ['United Kingdom'] }),
    enabled: Type.Boolean({ description: 'Whether there is at least one company of this country.', examples: [true] }),
    freshness: nullable(
      Type.Enum(['fresh', 'due', 'overdue'], {
        description:
          'How current the data is by the publishing rhythm of the register: `due` one period after the day that the data describes, ' +
          '`overdue` after two. `null` if there is no official data or the rhythm is unknown.',
      }),
    ),
    asOf: nullable(
      Type.String({
        format: 'date',
        description:
          'The day that the data describes, according to its publisher. Of several registers, the oldest day. `null` if unknown.',
        examples: ['2026-09-01'],
      }),
    ),
  },
  { $id: 'Country', description: 'A country that has companies here, or is planned.' },
);

export const summaryFields = {
  id: Type.String({
    format: 'uuid',
    description: 'Unique identifier of the company. It is the same after every import and on every installation.',
    examples: ['8cfb7733-0cb1-511b-8310-bbbf2455fb10'],
  }),
  countryCode: Type.String({
    description: 'Jurisdiction, as a two-letter country code (ISO 3166-1 alpha-2).',
    examples: ['GB'],
  }),
  register: nullable(
    Type.String({ description: 'Identifier of the register that the record comes from.', examples: ['gb'] }),
  ),
  registrationNumber: nullable(
    Type.String({
      description: 'Number of the first registration, exactly as published. `null` if the record has none.',
      examples: ['00445790'],
    }),
  ),
  canonicalName: Type.String({ description: 'Name for search and display.', examples: ['ALPHA LTD'] }),
  status: Type.String({
    description: `Normalized status: ${listMeanings(statusMeanings)}. New values may be added.`,
    examples: ['active'],
  }),
  legalForm: nullable(
    Type.String({
      description: 'National legal form, in the words of the register.',
      examples: ['Private Limited Company'],
    }),
  ),
  city: nullable(
    Type.String({ description: 'City of the registered address, as the source writes it.', examples: ['London'] }),
  ),
  registeredAt: nullable(
    Type.String({ format: 'date', description: 'Date of registration.', examples: ['2003-02-01'] }),
  ),
  updatedAt: Type.String({
    format: 'date-time',
    description: 'Time of the import that last changed the record.',
    examples: ['2026-09-01T00:00:00.000Z'],
  }),
} satisfies Record<SummaryName, TSchema>;

export const EntitySummary = Type.Object(summaryFields, {
  $id: 'EntitySummary',
  description: 'A company in search results.',
});

export const EntityPage = Type.Object(
  {
    data: Type.Array(EntitySummary),
    meta: Type.Object({
      page: Type.Integer({ minimum: 1, description: 'The requested page.', examples: [1] }),
      pageSize: Type.Integer({ minimum: 1, maximum: 100, description: 'The requested page size.', examples: [25] }),
      pageCount: Type.Integer({ minimum: 0, description: 'Number of pages.', examples: [4] }),
      total: Type.Integer({ minimum: 0, description: 'Exact number of matching companies.', examples: [87] }),
    }),
  },
  { $id: 'EntityPage', description: 'One page of search results.' },
);

const version = Type.String({ examples: ['0.1.0'] });

export const Live = Type.Object(
  { status: Type.Literal('ok'), service: Type.Literal('web'), version },
  { $id: 'Live', description: 'The process is running and accepts requests.' },
);

export const Ready = Type.Object(
  { status: Type.Literal('ready'), database: Type.Literal('ok'), version },
  { $id: 'Ready', description: 'The service is ready for traffic.' },
);

export const NotReady = Type.Object(
  { status: Type.Literal('unavailable'), database: Type.Literal('error'), version },
  { $id: 'NotReady', description: 'A database cannot be used, migrations have not completed, or search is starting.' },
);

export function listMeanings(meanings: Readonly<Record<string, string>>): string {
  return Object.entries(meanings)
    .map(([value, meaning]) => `\`${value}\` (${meaning})`)
    .join(', ');
}

export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}
