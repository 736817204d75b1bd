import Type from 'typebox';

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

export const Live = Type.Object(
  { status: Type.Literal('ok'), service: Type.Literal('web'), version: Type.String() },
  { $id: 'Live', description: 'The process runs and accepts requests.' },
);

export const Ready = Type.Object(
  { status: Type.Literal('ready'), database: Type.Literal('ok'), version: Type.String() },
  { $id: 'Ready', description: 'Application, migrations and database are ready for traffic.' },
);

export const NotReady = Type.Object(
  { status: Type.Literal('unavailable'), database: Type.Literal('error'), version: Type.String() },
  { $id: 'NotReady', description: 'The database is unavailable or migrations have not completed.' },
);
