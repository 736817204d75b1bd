import Type, { type Static, type TSchema } from 'typebox';
import type { SummaryName } from '../core/entity-summary.ts';

/**
 * The shapes of the API. One TypeBox object is the validator, the TypeScript type and the contract. Its `$id` is the name of the
 * component in `openapi.json`. The parameters of a search are declared in `search/parameters.ts`, which the portal uses too.
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
    name: Type.String(),
    monthlyPriceEur: Type.Number({ minimum: 0, description: 'Price per month in euros.' }),
    monthlyRequests: Type.Integer({ minimum: 0, description: 'Data requests included per billing period.' }),
    requestsPerMinute: Type.Integer({ minimum: 0, description: 'Data requests allowed per minute and API key.' }),
    maxApiKeys: Type.Integer({ minimum: 0, description: 'Maximum number of active API keys.' }),
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
    name: Type.String({ description: 'English name.' }),
    nativeName: Type.String({ description: 'Name in the language of the country.' }),
    enabled: Type.Boolean({ description: 'Whether data of this country is available.' }),
  },
  { $id: 'Country', description: 'A country whose register is available or planned.' },
);

const summaryFields = {
  id: Type.String({
    format: 'uuid',
    description: 'Unique identifier of the company. It is the same after every import and on every installation.',
    examples: ['8cfb7733-0cb1-511b-8310-bbbf2455fb10'],
  }),
  countryCode: Type.String({
    description: 'Jurisdiction, as a two-letter country code (ISO 3166-1 alpha-2).',
    examples: ['GB'],
  }),
  canonicalName: Type.String({ description: 'Name for search and display.', examples: ['ALPHA LTD'] }),
  status: Type.String({
    description:
      'Normalized status: `active`, `inactive`, `in_liquidation`, `insolvent`, `dissolved`, `delisted` (missing from the latest ' +
      'file of the register) or `unknown`. New values may be added.',
    examples: ['active'],
  }),
  legalForm: nullable(
    Type.String({
      description: 'National legal form, in the words of the register.',
      examples: ['Private Limited Company'],
    }),
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

const EntitySummary = Type.Object(summaryFields, {
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

const Registration = Type.Object(
  {
    authority: Type.String({ description: 'Authority that issued the number.', examples: ['Companies House'] }),
    type: Type.String({
      description: 'Kind of number, such as `national`, `vat`, `tax` or `lei`.',
      examples: ['national'],
    }),
    number: Type.String({
      description: 'The number exactly as published, including leading zeros.',
      examples: ['00445790'],
    }),
    status: nullable(Type.String({ description: 'Status in the words of the source.', examples: ['Active'] })),
    registeredAt: nullable(Type.String({ format: 'date', description: 'First day of the registration.' })),
    endedAt: nullable(Type.String({ format: 'date', description: 'Last day of the registration.' })),
  },
  { $id: 'Registration', description: 'A number that an authority has assigned to the company.' },
);

const Provenance = Type.Object(
  {
    register: Type.String({ description: 'Identifier of the register in this API.', examples: ['gb'] }),
    publisher: Type.String({ description: 'Publisher of the register.', examples: ['Companies House'] }),
    file: Type.String({
      description: 'Name of the imported file.',
      examples: ['BasicCompanyDataAsOneFile-2026-09-01.zip'],
    }),
    hash: Type.String({ description: 'SHA-256 hash of the file: `sha256:` followed by hexadecimal digits.' }),
    row: Type.Integer({ minimum: 0, description: 'Position of the record in the file.', examples: [2] }),
    importedAt: Type.String({
      format: 'date-time',
      description: 'Time of the import.',
      examples: ['2026-09-01T00:00:00.000Z'],
    }),
    sourceUrl: Type.String({ format: 'uri', description: 'Where the publisher offers the official file.' }),
    licence: Type.String({ description: 'Licence under which the publisher offers the data.' }),
  },
  { $id: 'Provenance', description: 'The file that the current content of the record comes from.' },
);

export const EntityDetail = Type.Object(
  {
    ...summaryFields,
    registry: Type.Object(
      {},
      { additionalProperties: true, description: 'Typed national fields. Each register documents its fields.' },
    ),
    sourceData: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'Every field of the source, with its name and value exactly as published.',
      },
    ),
    registrations: Type.Array(Registration),
    provenance: nullable(Provenance),
  },
  { $id: 'EntityDetail', description: 'The full record of a company.' },
);

const apiKeyFields = {
  id: Type.String({ format: 'uuid', description: 'Unique identifier of the key. Use it to revoke the key.' }),
  name: Type.String({ description: 'The name you gave the key.', examples: ['production'] }),
  prefix: Type.String({
    description: 'First characters of the secret, to recognize the key.',
    examples: ['frm_live_4fG7xQ'],
  }),
  createdAt: Type.String({ format: 'date-time' }),
  lastUsedAt: nullable(
    Type.String({
      format: 'date-time',
      description: 'Time of the last request with this key. `null` if it was never used.',
    }),
  ),
};

export const ApiKey = Type.Object(apiKeyFields, {
  $id: 'ApiKey',
  description: 'An active API key. The secret is not included.',
});
export type ApiKey = Static<typeof ApiKey>;

export const CreatedApiKey = Type.Object(
  {
    ...apiKeyFields,
    secret: Type.String({ description: 'The API key to send with requests. Store it now: it is never shown again.' }),
  },
  { $id: 'CreatedApiKey', description: 'A new API key, including its secret.' },
);

export const NewApiKey = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 60,
      trim: true,
      description: 'What the key is for: 1 to 60 characters. Surrounding white space is removed.',
      examples: ['production'],
    }),
  },
  { $id: 'NewApiKey', additionalProperties: false },
);

export const User = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    email: nullable(Type.String({ description: 'E-mail address from the identity provider, if it provides one.' })),
    name: nullable(Type.String({ description: 'Name from the identity provider, if it provides one.' })),
    accountId: Type.String({ format: 'uuid', description: 'The account that the user belongs to.' }),
  },
  { $id: 'User', description: 'The signed-in user.' },
);

const Usage = Type.Object(
  {
    periodStart: Type.String({ format: 'date-time' }),
    periodEnd: Type.String({ format: 'date-time', description: 'When the quota resets.' }),
    used: Type.Integer({ minimum: 0, description: 'Requests charged in this period.' }),
    limit: Type.Integer({ minimum: 0, description: 'Requests included in this period.' }),
    remaining: Type.Integer({ minimum: 0, description: 'Requests left in this period.' }),
    daily: Type.Array(Type.Object({ date: Type.String({ format: 'date' }), requests: Type.Integer({ minimum: 0 }) }), {
      description: 'Requests per day (UTC). Days without requests may be missing.',
    }),
  },
  { $id: 'Usage', description: 'Usage in the current billing period.' },
);

const Billing = Type.Object(
  {
    status: Type.String({
      description: 'Status of the subscription at the payment provider, or `none` without a subscription.',
      examples: ['active'],
    }),
    currentPeriodEnd: nullable(Type.String({ format: 'date-time' })),
    cancelAtPeriodEnd: Type.Boolean(),
    portalAvailable: Type.Boolean({ description: 'Whether you can open the customer portal.' }),
  },
  { $id: 'Billing', description: 'State of the subscription.' },
);

export const Account = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    plan: ApiPlan,
    usage: Usage,
    billing: Billing,
    apiKeys: Type.Array(ApiKey, { description: 'Active API keys, oldest first.' }),
  },
  { $id: 'Account', description: 'A developer account.' },
);

export const Live = Type.Object(
  { status: Type.Literal('ok'), service: Type.Literal('web'), version: Type.String() },
  { $id: 'Live', description: 'The process is running and accepts requests.' },
);

export const NewCheckout = Type.Object(
  { plan: Type.Enum(['pro', 'business'], { description: 'The plan to buy.' }) },
  { $id: 'NewCheckout', additionalProperties: false },
);

export const HostedPage = Type.Object(
  {
    data: Type.Object({
      url: Type.String({ format: 'uri', description: 'Address of a page of the payment provider.' }),
    }),
  },
  { $id: 'HostedPage', description: 'A page of the payment provider. Redirect the customer to it.' },
);

export const PaymentEvent = Type.Object(
  {
    id: Type.String({ examples: ['evt_1TXkQ2LkdIwHu7ix'] }),
    type: Type.String({
      description:
        '`checkout.session.completed`, or `customer.subscription.` followed by `created`, `updated`, `deleted`, `paused` or ' +
        '`resumed`. Other types are accepted and ignored.',
      examples: ['customer.subscription.updated'],
    }),
    created: Type.Integer({ minimum: 0, description: 'Unix timestamp in seconds.', examples: [1794721260] }),
    data: Type.Optional(
      Type.Object(
        { object: Type.Optional(Type.Object({}, { additionalProperties: true })) },
        { additionalProperties: true },
      ),
    ),
  },
  {
    $id: 'PaymentEvent',
    additionalProperties: true,
    description: 'An event in the format of the payment provider.',
  },
);

export const WebhookReply = Type.Object(
  {
    received: Type.Literal(true),
    duplicate: Type.Boolean({ description: 'The event was already applied.' }),
    stale: Type.Boolean({ description: 'A newer event is known, so nothing changed.' }),
  },
  { $id: 'WebhookReply' },
);

export const Ready = Type.Object(
  { status: Type.Literal('ready'), database: Type.Literal('ok'), version: Type.String() },
  { $id: 'Ready', description: 'The service is ready for traffic.' },
);

export const NotReady = Type.Object(
  { status: Type.Literal('unavailable'), database: Type.Literal('error'), version: Type.String() },
  { $id: 'NotReady', description: 'A database is unavailable, migrations have not completed, or search is starting.' },
);

function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}
