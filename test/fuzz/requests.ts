import fc from 'fast-check';
import type { Contract } from '../../src/api/contract.ts';
import { anyCharacter } from '../harness/any-character.ts';

/**
 * Generates requests from the contract: every operation with valid parameters, headers, body and credentials, and with
 * some of them made invalid. Values that only the running service knows (ids, secrets, signatures) are placeholders.
 */
export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly credentials: Credentials;
  /** Which of the ids of the running service replaces a placeholder. */
  readonly choice: number;
}

/** The credentials to send. `signature` is computed when the request is sent. */
export const CREDENTIALS = [
  'key',
  'bearerKey',
  'freeKey',
  'cookie',
  'freeCookie',
  'token',
  'signature',
  'none',
  'damagedKey',
  'damagedToken',
  'damagedCookie',
  'damagedSignature',
  'keyAndCookie',
  'foreignOrigin',
] as const;
export type Credentials = (typeof CREDENTIALS)[number];

/** Replaced with an existing id when the request is sent. */
export const PLACEHOLDERS = { entity: 'ENTITY-ID', key: 'KEY-ID' } as const;

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $ref?: string;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly Record<string, unknown>[];
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema: Schema }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
}

const text = fc.oneof(fc.string({ maxLength: 30 }), fc.string({ unit: anyCharacter, maxLength: 30 }));
const odd = fc.oneof(
  text,
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-1',
    '1e9',
    '01',
    '+1',
    'null',
    'true',
    '[]',
    '{}',
    '%',
    '\0',
    '\u202e',
    '\ufdfa',
    '..',
    "'--",
  ),
  fc.constantFrom('9'.repeat(400), 'a'.repeat(2_000), '\ufffd'.repeat(300)),
);

/** A value that the schema allows, usually one with results. */
function valid(schema: Schema, placeholder: string): fc.Arbitrary<string> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.format === 'uuid') {
    return fc.oneof({ weight: 4, arbitrary: fc.constant(placeholder) }, { weight: 1, arbitrary: fc.uuid() });
  }
  if (schema.type === 'integer') {
    const { minimum = 0, maximum = 100 } = schema;
    const near = fc.integer({ min: minimum, max: Math.min(maximum, minimum + 99) });
    return fc.oneof(near, fc.constantFrom(minimum, maximum)).map(String);
  }
  const examples = (schema.examples ?? []).map(String);
  return examples.length === 0 ? text.filter((value) => value !== '') : fc.oneof(fc.constantFrom(...examples), text);
}

/** On average, one of `oneIn` values is invalid. */
function mostly<T>(good: fc.Arbitrary<T>, bad: fc.Arbitrary<T>, oneIn: number): fc.Arbitrary<T> {
  return fc.oneof({ weight: oneIn - 1, arbitrary: good }, { weight: 1, arbitrary: bad });
}

function query(operation: Operation): fc.Arbitrary<string> {
  const known = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const pairs = Object.fromEntries(
    known.map(({ name, schema }) => {
      // Longer waits would be tests of the clock.
      const good = name === 'wait' ? fc.constantFrom('0', '1') : valid(schema, PLACEHOLDERS.entity);
      return [name, mostly(good, odd, 8)];
    }),
  );
  const good = fc
    .record(pairs, { requiredKeys: [] })
    .map((chosen) => String(new URLSearchParams(chosen as Record<string, string>)));
  const bad = fc.oneof(
    fc.tuple(good, text, odd).map(([first, name, value]) => `${first}&${new URLSearchParams({ [name]: value })}`),
    good.map((first) => `${first}&${first}`),
    fc.constantFrom('%zz', 'q=%c3%28', '&&&', '=', '?', 'q=a&q=b', 'page=1&page=1', `x=${'y'.repeat(9_000)}`),
  );
  return mostly(good, bad, 10).map((pairs) => (pairs === '' ? '' : `?${pairs}`));
}

/** Replaces the parameters of the template one after the other. */
function path(template: string, operation: Operation): fc.Arbitrary<string> {
  const name = /\{(\w+)\}/.exec(template)?.[1];
  if (name === undefined) return fc.constant(template);
  const { schema } = operation.parameters?.find((each) => each.name === name && each.in === 'path') ?? { schema: {} };
  const placeholder = template.includes('api-keys') ? PLACEHOLDERS.key : PLACEHOLDERS.entity;
  const encode = (values: fc.Arbitrary<string>) =>
    values.filter((value) => value.isWellFormed() && value !== '').map(encodeURIComponent);
  // HTTP clients normalize a segment that consists of dots, which would change the path.
  const value = mostly(encode(valid(schema, placeholder)), encode(odd), 5).filter((each) => !/^\.*$/.test(each));
  return value.chain((each) =>
    path(
      template.replace(`{${name}}`, () => each),
      operation,
    ),
  );
}

function body(operation: Operation, contract: Contract): fc.Arbitrary<string | undefined> {
  const schema = operation.requestBody && resolve(operation.requestBody.content['application/json'].schema, contract);
  if (schema === undefined) return mostly(fc.constant(undefined), fc.oneof(fc.json(), text), 10);
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    if (field.type === 'integer') return [name, fc.integer({ min: 0, max: 2_000_000_000 })] as const;
    if (field.properties !== undefined) return [name, subscriptionData] as const;
    return [name, mostly(valid(field, ''), odd, 8)] as const;
  });
  const good = fc.record(Object.fromEntries<fc.Arbitrary<unknown>>(fields)).map((value) => JSON.stringify(value));
  const bad = fc.oneof(
    fc.constant(undefined),
    fc.json(),
    text,
    good.map((json) => json.slice(0, -1)),
    good.map((json) => json.replace('{', '{"extra":1,')),
    good.map((json) => json.replace('{', '{"__proto__":{"a":1},')),
    good.map((json) => `[${json}]`),
    good.map((json) => `\ufeff${json}`),
    fc.constantFrom('['.repeat(20_000), '{"a":'.repeat(5_000), 'null', '""', '7', '{}', `"${'x'.repeat(70_000)}"`),
  );
  return mostly(good, bad, 4);
}

/** Objects of events: complete ones, and ones with values of the wrong type. */
const subscriptionData = fc.oneof(
  fc.record({
    object: fc.record(
      {
        id: fc.oneof(fc.constantFrom('sub_1', 'sub_2'), odd, fc.integer()),
        customer: fc.oneof(fc.constantFrom('cus_1', 'cus_2'), odd, fc.constant(null), fc.constant({ id: 'cus_1' })),
        status: fc.oneof(fc.constantFrom('active', 'canceled', 'paused', 'past_due'), odd),
        items: fc.oneof(fc.constant({ data: [{ price: { id: 'price_demo_pro' } }] }), fc.jsonValue()),
        current_period_end: fc.oneof(fc.integer({ min: 0 }), fc.double(), odd),
        metadata: fc.oneof(fc.constant({}), fc.jsonValue()),
      },
      { requiredKeys: [] },
    ),
  }),
  fc.jsonValue(),
);

const headerValue = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 60,
});
const extraHeaders = fc.record(
  {
    'if-none-match': fc.oneof(fc.constantFrom('*', '"x"', 'W/"x", "y"', '"'), headerValue),
    'x-request-id': fc.oneof(fc.uuid(), headerValue),
    'idempotency-key': fc.oneof(fc.constantFrom('a-key-that-is-used-again', '"a-key-that-is-used-again"'), headerValue),
    accept: fc.oneof(fc.constantFrom('text/html', '*/*', 'application/xml'), headerValue),
    'accept-encoding': fc.oneof(
      fc.constantFrom('gzip', 'identity;q=0', 'br', 'zstd, *;q=0', 'gzip;q=0, *'),
      headerValue,
    ),
    origin: fc.oneof(fc.constantFrom('https://evil.example', 'null'), headerValue),
    range: fc.constantFrom('bytes=0-3', 'bytes=9-1'),
    'x-forwarded-host': headerValue,
    'x-http-method-override': fc.constantFrom('DELETE', 'PUT'),
    'user-agent': headerValue,
    'if-modified-since': headerValue,
    prefer: headerValue,
  },
  { requiredKeys: [] },
);
const types = mostly(
  fc.constantFrom('application/json', 'application/json; charset=utf-8'),
  fc.oneof(
    fc.constantFrom('text/plain', 'application/xml', 'application/json;', 'multipart/form-data', 'x'),
    headerValue,
  ),
  10,
);

/** The credentials that the operation accepts, by its security schemes. */
const ACCEPTED: Readonly<Record<string, Credentials[]>> = {
  apiKey: ['key', 'freeKey'],
  bearerKey: ['bearerKey'],
  session: ['token'],
  sessionCookie: ['cookie', 'freeCookie'],
  signature: ['signature'],
};

export function requestsOf(contract: Contract): fc.Arbitrary<FuzzRequest> {
  const operations = Object.entries(contract.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => request(template, method, operation as Operation, contract)),
  );
  return fc.oneof(...operations);
}

function request(template: string, verb: string, operation: Operation, contract: Contract): fc.Arbitrary<FuzzRequest> {
  const method = verb.toUpperCase();
  const accepted = operation.security.flatMap((scheme) => Object.keys(scheme)).flatMap((name) => ACCEPTED[name] ?? []);
  const own = method === 'GET' ? fc.constantFrom('GET', 'GET', 'GET', 'HEAD') : fc.constant(method);
  return fc
    .record({
      method: mostly(own, fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'), 12),
      path: path(template, operation),
      query: query(operation),
      headers: mostly(fc.constant({}), extraHeaders, 3),
      type: types,
      body: body(operation, contract),
      choice: fc.nat(),
      credentials: mostly(
        fc.constantFrom(...(accepted.length > 0 ? accepted : ['none' as const])),
        fc.constantFrom(...CREDENTIALS),
        5,
      ),
    })
    .map(({ query, type, headers, ...rest }) => ({
      ...rest,
      path: rest.path + query,
      headers: { ...headers, ...(rest.body !== undefined && { 'content-type': type.trim() || 'x' }) },
    }));
}

function resolve(schema: Schema, contract: Contract): Schema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.split('/').at(-1) ?? '';
  return (contract.components as { schemas: Record<string, Schema> }).schemas[name] ?? {};
}
