import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBreakingChanges, type OpenApi } from '../scripts/contract-diff.ts';

/** Each test changes a copy. The types of OpenAPI would only be in the way. */
// biome-ignore lint/suspicious/noExplicitAny: see above.
type Contract = any;

const json = (schema: unknown) => ({ 'application/json': { schema } });

const contract = {
  security: [],
  paths: {
    '/plans': {
      get: {
        security: [{ headerKey: [] }, { bearerKey: [] }],
        parameters: [
          { in: 'query', name: 'page', schema: { type: 'integer', minimum: 1, maximum: 100 } },
          { in: 'query', name: 'kind', schema: { type: 'string', enum: ['licensed', 'unlicensed'] } },
        ],
        responses: {
          200: {
            content: json({
              type: 'object',
              properties: { data: { type: 'array', items: { $ref: '#/components/schemas/Plan' } } },
            }),
            headers: { 'X-Request-ID': { required: true, schema: { type: 'string' } } },
          },
          404: { 'x-error-codes': ['plan_not_found', 'plan_retired'] },
        },
      },
      post: {
        requestBody: {
          content: json({
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string', maxLength: 60 }, days: {} },
          }),
        },
        responses: { 201: {} },
      },
    },
  },
  components: {
    schemas: {
      Plan: {
        type: 'object',
        required: ['id', 'price'],
        properties: {
          id: { type: 'string', enum: ['free', 'pro'] },
          price: { type: 'number' },
          note: { type: ['string', 'null'] },
          inner: { allOf: [{ $ref: '#/components/schemas/Plan' }] },
        },
      },
    },
    securitySchemes: {
      headerKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      bearerKey: { type: 'http', scheme: 'bearer' },
    },
  },
};

function compare(change: (contract: Contract) => void): string[] {
  const current: Contract = structuredClone(contract);
  change(current);
  return findBreakingChanges(contract as unknown as OpenApi, current);
}

const get = (contract: Contract) => contract.paths['/plans'].get;
const plan = (contract: Contract) => contract.components.schemas.Plan;
const body = (contract: Contract) => contract.paths['/plans'].post.requestBody.content['application/json'].schema;

const COMPATIBLE: Readonly<Record<string, (contract: Contract) => unknown>> = {
  nothing: () => undefined,
  'a new path': (contract) => (contract.paths['/new'] = { get: { responses: { 200: {} } } }),
  'a new optional parameter': (contract) => get(contract).parameters.push({ in: 'query', name: 'new', schema: {} }),
  'a new field of a response': (contract) => (plan(contract).properties.added = { type: 'string' }),
  'a new optional field of a body': (contract) => (body(contract).properties.added = {}),
  'a wider bound of a request': (contract) => (get(contract).parameters[0].schema.maximum = 1_000),
  'fewer values of a response': (contract) => plan(contract).properties.id.enum.pop(),
  'a new status': (contract) => (get(contract).responses[503] = {}),
  'a schema rewritten as anyOf': (contract) =>
    (plan(contract).properties.note = { anyOf: [{ type: 'null' }, { type: 'string' }] }),
};

const BREAKING: Readonly<Record<string, (contract: Contract) => unknown>> = {
  '/plans: path was removed': (contract) => Reflect.deleteProperty(contract.paths, '/plans'),
  'POST /plans: operation was removed': (contract) => Reflect.deleteProperty(contract.paths['/plans'], 'post'),
  'GET /plans 404: status was removed': (contract) => Reflect.deleteProperty(get(contract).responses, '404'),
  'GET /plans 404: error code plan_retired was removed': (contract) =>
    get(contract).responses[404]['x-error-codes'].pop(),
  'GET /plans 200: header x-request-id is no longer always present': (contract) =>
    (get(contract).responses[200].headers['X-Request-ID'].required = false),
  'GET /plans 200: field data[].price is no longer always present': (contract) => plan(contract).required.pop(),
  'GET /plans 200: field data[].id may now be "gold"': (contract) => plan(contract).properties.id.enum.push('gold'),
  'GET /plans 200: type of field data[].note changed from string or null to string': (contract) =>
    (plan(contract).properties.note.type = 'string'),
  'GET /plans request: query parameter kind was removed': (contract) => get(contract).parameters.pop(),
  'GET /plans request: query parameter kind no longer accepts "unlicensed"': (contract) =>
    get(contract).parameters[1].schema.enum.pop(),
  'GET /plans request: maximum of query parameter page changed from 100 to 50': (contract) =>
    (get(contract).parameters[0].schema.maximum = 50),
  'GET /plans request: bearerKey (http bearer) is no longer accepted': (contract) => get(contract).security.pop(),
  'POST /plans request: field days is now required': (contract) => body(contract).required.push('days'),
  'POST /plans request: maxLength of field name changed from 60 to 40': (contract) =>
    (body(contract).properties.name.maxLength = 40),
};

test('compatible changes of the contract are allowed', () => {
  for (const [title, change] of Object.entries(COMPATIBLE)) assert.deepEqual(compare(change), [], title);
});

test('breaking changes of the contract are named', () => {
  // A plan has a plan inside, which changes with it.
  const isOuter = (message: string) => !message.includes('data[].inner.');
  for (const [message, change] of Object.entries(BREAKING))
    assert.deepEqual(compare(change).filter(isOuter), [message]);
});
