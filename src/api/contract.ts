import type { Operation, RequiredCredential } from '../http/route.ts';
import { headerComponents } from './serving/answers.ts';
import type { Row } from './serving/operation.ts';

/**
 * The OpenAPI 3.1 contract, made from the table of operations. TypeBox schemas are JSON Schema, so they are copied,
 * not translated; a schema with an `$id` becomes a component. docs/decisions/0003-contract.md explains why this is not a plugin.
 */
export interface Contract {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, unknown>>;
  readonly [part: string]: unknown;
}

const tags: Readonly<Record<Operation['tag'], string>> = {
  Registry: 'Company records from national registers.',
  Account: 'The signed-in developer account and its API keys.',
  Monitors: 'Companies whose changes you want to know.',
  Webhooks: 'Where the events of monitors are sent to.',
  Billing: 'Paid plans. Checkout and management happen on pages of the payment provider.',
  Public: 'No credentials needed.',
  Health: 'Probes for load balancers and orchestrators.',
};

const securitySchemes = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'API key (recommended).' },
  bearerKey: { type: 'http', scheme: 'bearer', description: 'API key as a bearer token.' },
  session: { type: 'http', scheme: 'bearer', description: 'Session token of the identity provider.' },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'session',
    description: 'Session cookie, set by signing in, if the public address of the service is http.',
  },
  secureSessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-session',
    description: 'Session cookie, set by signing in, if the public address of the service is https.',
  },
  signature: { type: 'apiKey', in: 'header', name: 'Payment-Signature', description: 'Signature of the raw body.' },
};

const ofKeys = [{ apiKey: [] }, { bearerKey: [] }];
const ofSessions = [{ session: [] }, { sessionCookie: [] }, { secureSessionCookie: [] }];
const security: Readonly<Record<RequiredCredential, readonly object[]>> = {
  none: [],
  key: ofKeys,
  session: ofSessions,
  account: [...ofKeys, ...ofSessions],
  signature: [{ signature: [] }],
};

/** The router's name for the rest of a path, including slashes, and the contract's name for it. */
const REST = '*';
const REST_NAME = 'path';

function describeHead(row: Row): Row {
  const responses = Object.entries(row.schema.response ?? {});
  return {
    ...row,
    method: 'HEAD',
    operationId: `${row.operationId}Head`,
    summary: `${row.summary} (headers only)`,
    description:
      'Returns the status and headers of the same GET request, without a body.' +
      (row.credential === 'key' ? ' It is counted and charged like GET.' : ''),
    schema: {
      ...row.schema,
      response: Object.fromEntries(responses.map(([status, { content: _, ...headersOnly }]) => [status, headersOnly])),
    },
  };
}

export function describeContract(rows: readonly Row[], version: string): Contract {
  const operations = rows
    .filter(({ isOutsideContract }) => isOutsideContract !== true)
    .flatMap((row) => (row.method === 'GET' ? [row, describeHead(row)] : [row]));
  const components: Components = new Map();
  const paths: Contract['paths'] = {};
  for (const { url, method, schema, operationId, tag, summary, description, credential, rawBody } of operations) {
    const path = url.replace(/:(\w+)/g, '{$1}').replace(REST, `{${REST_NAME}}`);
    const body = schema.body ?? rawBody;
    const given = [
      ...parameters('path', schema.params, components),
      ...parameters('query', schema.querystring, components),
      ...parameters('header', schema.headers, components),
    ];
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = {
      operationId,
      tags: [tag],
      summary,
      description,
      security: security[credential],
      parameters: given.length === 0 ? undefined : given,
      requestBody: body && { required: true, content: { 'application/json': { schema: refer(body, components) } } },
      responses: refer(schema.response, components),
    };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Firmament API',
      version,
      summary: 'Company records from national registers in one exact, versioned JSON API.',
      description:
        'Official bulk files of national company registers, normalized into one schema that keeps every source field.\n\n' +
        'All errors have the same shape and a code from a fixed list, explained at [/docs/errors](/docs/errors). ' +
        'Every path that supports GET also supports HEAD, which returns the same status and headers without a body. ' +
        'Responses are compressed with zstd, br or gzip if `Accept-Encoding` allows it. ' +
        'Within v1, fields and endpoints may be added, but none are removed or changed.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that this contract was read from.' }],
    tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
    paths,
    components: {
      schemas: Object.fromEntries(components),
      headers: headerComponents,
      securitySchemes,
    },
  };
}

type Schema = { readonly [keyword: string]: unknown };

type Components = Map<string, unknown>;

function parameters(location: 'path' | 'query' | 'header', object: unknown, components: Components): unknown[] {
  const { properties = {}, required = [] } = (object ?? {}) as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name: name === REST ? REST_NAME : name,
    in: location,
    required: required.includes(name),
    description,
    schema: refer(schema, components),
  }));
}

/** An annotation for `base/validation.ts`. The key is a keyword only beside a `type` or `anyOf`; elsewhere it may be the name of a property. */
function isAnnotation(key: string, { type, anyOf }: Schema): boolean {
  return (typeof type === 'string' || Array.isArray(anyOf)) && key === 'errorMessage';
}

/** A copy in which every schema with an `$id` is replaced by a reference to the component of that name, which is copied once. */
function refer(value: unknown, components: Components): unknown {
  if (Array.isArray(value)) return value.map((item) => refer(item, components));
  if (typeof value !== 'object' || value === null) return value;
  const { $id, ...rest } = value as Schema;
  const reference = { $ref: `#/components/schemas/${$id}` };
  if (typeof $id === 'string' && components.has($id)) return reference;
  const keywords = Object.entries(rest).filter(([key]) => !isAnnotation(key, rest));
  const copy = Object.fromEntries(keywords.map(([key, inner]) => [key, refer(inner, components)]));
  if (typeof $id !== 'string') return copy;
  components.set($id, copy);
  return reference;
}

export function renderContract(contract: Contract): string {
  return `${JSON.stringify(contract, null, 2)}\n`;
}
