import Type, { type Static, type TSchema } from 'typebox';
import type { SummaryName } from '../core/entity-summary.ts';

/**
 * The shapes of the API. One object is validator, TypeScript type and contract; its `$id` is the component's name in
 * `openapi.json`.
 */
export const ErrorResponse = Type.Object(
  {
    error: Type.Object({
      code: Type.String({ description: 'Machine-readable code: branch on this.', examples: ['invalid_request'] }),
      message: Type.String({ description: 'Human-readable, for logs.' }),
      requestId: Type.String({ format: 'uuid', description: 'Ties the error to the server-side request.' }),
      docs: Type.String({ format: 'uri', description: 'The page that explains this code.' }),
    }),
  },
  { $id: 'ErrorResponse', description: 'Every error has this shape.' },
);

export const ApiPlan = Type.Object(
  {
    id: Type.Enum(['free', 'pro', 'business']),
    name: Type.String(),
    monthlyPriceEur: Type.Number({ minimum: 0, description: 'Price per month in euro.' }),
    monthlyRequests: Type.Integer({ minimum: 0, description: 'Requests per billing period.' }),
    requestsPerMinute: Type.Integer({ minimum: 0 }),
    maxApiKeys: Type.Integer({ minimum: 0, description: 'Maximum active API keys.' }),
  },
  { $id: 'ApiPlan', description: 'A plan and its limits.' },
);

export const Country = Type.Object(
  {
    code: Type.String({ minLength: 2, maxLength: 2, description: 'ISO 3166-1 alpha-2.', examples: ['GB'] }),
    name: Type.String(),
    nativeName: Type.String(),
    enabled: Type.Boolean({ description: 'Whether a register of this country has data.' }),
  },
  { $id: 'Country', description: 'A country whose register is served or planned.' },
);

const summaryFields = {
  id: Type.String({
    format: 'uuid',
    description: 'Stable: the same after every import and on every installation.',
    examples: ['8cfb7733-0cb1-511b-8310-bbbf2455fb10'],
  }),
  countryCode: Type.String({ description: 'ISO 3166-1 alpha-2 code of the jurisdiction.', examples: ['GB'] }),
  canonicalName: Type.String({ description: 'Name used for search and display.', examples: ['ALPHA LTD'] }),
  status: Type.String({
    description:
      'Normalized status: `active`, `inactive`, `in_liquidation`, `insolvent`, `dissolved`, `delisted` (no longer in the ' +
      "register's file) or `unknown`. More may come.",
    examples: ['active'],
  }),
  legalForm: nullable(
    Type.String({
      description: 'National legal form, as the register names it.',
      examples: ['Private Limited Company'],
    }),
  ),
  registeredAt: nullable(
    Type.String({ format: 'date', description: 'Day of registration.', examples: ['2003-02-01'] }),
  ),
  updatedAt: Type.String({
    format: 'date-time',
    description: 'When an import last changed the record.',
    examples: ['2026-09-01T00:00:00.000Z'],
  }),
} satisfies Record<SummaryName, TSchema>;

const EntitySummary = Type.Object(summaryFields, {
  $id: 'EntitySummary',
  description: 'A company as it stands in search results.',
});

export const EntityPage = Type.Object(
  {
    data: Type.Array(EntitySummary),
    meta: Type.Object({
      page: Type.Integer({ minimum: 1, description: 'As asked for.', examples: [1] }),
      pageSize: Type.Integer({ minimum: 1, maximum: 100, description: 'As asked for.', examples: [25] }),
      pageCount: Type.Integer({ minimum: 0, description: 'Available pages.', examples: [4] }),
      total: Type.Integer({ minimum: 0, description: 'Records that match, exactly.', examples: [87] }),
    }),
  },
  { $id: 'EntityPage', description: 'One page of search results.' },
);

const Registration = Type.Object(
  {
    authority: Type.String({ description: 'Who gave the number.', examples: ['Companies House'] }),
    type: Type.String({ description: 'Kind of number: `national`, `vat`, `tax`, `lei` …', examples: ['national'] }),
    number: Type.String({ description: 'As written, with its leading zeros.', examples: ['00445790'] }),
    status: nullable(Type.String({ description: 'As the source writes it.', examples: ['Active'] })),
    registeredAt: nullable(Type.String({ format: 'date' })),
    endedAt: nullable(Type.String({ format: 'date' })),
  },
  { $id: 'Registration', description: 'A number under which an authority knows the company.' },
);

const Provenance = Type.Object(
  {
    register: Type.String({ description: 'Our name of the register.', examples: ['gb'] }),
    publisher: Type.String({ examples: ['Companies House'] }),
    file: Type.String({ description: 'Name of the file.', examples: ['BasicCompanyDataAsOneFile-2026-09-01.zip'] }),
    hash: Type.String({ description: 'SHA-256 of the file, as `sha256:` and hex digits.' }),
    row: Type.Integer({ minimum: 0, description: 'Place of the record in the file.', examples: [2] }),
    importedAt: Type.String({
      format: 'date-time',
      description: 'When the file was imported: how fresh the record is.',
      examples: ['2026-09-01T00:00:00.000Z'],
    }),
    sourceUrl: Type.String({ format: 'uri', description: 'Primary source: where the official file is found.' }),
    licence: Type.String({ description: 'Under which the publisher gives the data.' }),
  },
  { $id: 'Provenance', description: 'The file that brought the present content of the record.' },
);

export const EntityDetail = Type.Object(
  {
    ...summaryFields,
    registry: Type.Object(
      {},
      { additionalProperties: true, description: 'Typed national fields; each register documents its own.' },
    ),
    sourceData: Type.Object(
      {},
      { additionalProperties: true, description: 'Every field of the source under its exact name, as it was written.' },
    ),
    registrations: Type.Array(Registration),
    provenance: nullable(Provenance),
  },
  { $id: 'EntityDetail', description: 'The full record of a company.' },
);

const apiKeyFields = {
  id: Type.String({ format: 'uuid', description: 'Revoke the key by this.' }),
  name: Type.String({ description: 'What the key is for, in your words.', examples: ['production'] }),
  prefix: Type.String({ description: 'How the secret begins, to tell keys apart.', examples: ['frm_live_4fG7xQ'] }),
  createdAt: Type.String({ format: 'date-time' }),
  lastUsedAt: nullable(Type.String({ format: 'date-time', description: 'The last request it was used for.' })),
};

export const ApiKey = Type.Object(apiKeyFields, {
  $id: 'ApiKey',
  description: 'An active API key, without its secret.',
});
export type ApiKey = Static<typeof ApiKey>;

export const CreatedApiKey = Type.Object(
  { ...apiKeyFields, secret: Type.String({ description: 'The key itself. Keep it now: it is never shown again.' }) },
  { $id: 'CreatedApiKey', description: 'An API key at the one moment its secret is known.' },
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
    email: nullable(Type.String({ description: 'As the identity provider tells it; null if it does not.' })),
    name: nullable(Type.String()),
    accountId: Type.String({ format: 'uuid' }),
  },
  { $id: 'User', description: 'The signed-in user.' },
);

const Usage = Type.Object(
  {
    periodStart: Type.String({ format: 'date-time' }),
    periodEnd: Type.String({ format: 'date-time', description: 'When the quota starts anew.' }),
    used: Type.Integer({ minimum: 0 }),
    limit: Type.Integer({ minimum: 0 }),
    remaining: Type.Integer({ minimum: 0 }),
    daily: Type.Array(Type.Object({ date: Type.String({ format: 'date' }), requests: Type.Integer({ minimum: 0 }) }), {
      description: 'Requests by day, UTC.',
    }),
  },
  { $id: 'Usage', description: 'What the account has used of the current billing period.' },
);

const Billing = Type.Object(
  {
    status: Type.String({
      description: "The payment provider's word for the state of the subscription; `none` without one.",
      examples: ['active'],
    }),
    currentPeriodEnd: nullable(Type.String({ format: 'date-time' })),
    cancelAtPeriodEnd: Type.Boolean(),
    portalAvailable: Type.Boolean({ description: 'Whether a customer portal session can be started.' }),
  },
  { $id: 'Billing', description: 'The state of the subscription.' },
);

export const Account = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    plan: ApiPlan,
    usage: Usage,
    billing: Billing,
    apiKeys: Type.Array(ApiKey, { description: 'Active keys, oldest first.' }),
  },
  { $id: 'Account', description: 'A developer account.' },
);

export const Live = Type.Object(
  { status: Type.Literal('ok'), service: Type.Literal('web'), version: Type.String() },
  { $id: 'Live', description: 'The process runs and accepts requests.' },
);

export const NewCheckout = Type.Object(
  { plan: Type.Enum(['pro', 'business'], { description: 'The plan to buy.' }) },
  { $id: 'NewCheckout', additionalProperties: false },
);

export const HostedPage = Type.Object(
  { data: Type.Object({ url: Type.String({ format: 'uri', description: "A page of the payment provider's." }) }) },
  { $id: 'HostedPage', description: 'Where to send the customer.' },
);

export const PaymentEvent = Type.Object(
  {
    id: Type.String({ examples: ['evt_1TXkQ2LkdIwHu7ix'] }),
    type: Type.String({
      description:
        '`checkout.session.completed`, or `customer.subscription.` and `created`, `updated`, `deleted`, `paused` or `resumed`. ' +
        'Other kinds are accepted and change nothing.',
      examples: ['customer.subscription.updated'],
    }),
    created: Type.Integer({ minimum: 0, description: 'Unix time in seconds.', examples: [1794721260] }),
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
    description: "An event of the payment provider's, in its own shape.",
  },
);

export const WebhookReply = Type.Object(
  {
    received: Type.Literal(true),
    duplicate: Type.Boolean({ description: 'The event had been applied before.' }),
    stale: Type.Boolean({ description: 'Something newer is known; nothing changed.' }),
  },
  { $id: 'WebhookReply' },
);

export const Ready = Type.Object(
  { status: Type.Literal('ready'), database: Type.Literal('ok'), version: Type.String() },
  { $id: 'Ready', description: 'Application, migrations and database are ready for traffic.' },
);

export const NotReady = Type.Object(
  { status: Type.Literal('unavailable'), database: Type.Literal('error'), version: Type.String() },
  { $id: 'NotReady', description: 'The database is unavailable or migrations have not completed.' },
);

function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}
